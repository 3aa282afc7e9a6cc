//! A Save Page Now that behaves as documented, on the loopback interface: limits, jobs, errors, faults.

mod clerk;
mod fault;
mod serve;

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use url::{Url, form_urlencoded};

pub use self::clerk::{Asked, Limits};
use self::clerk::{Clerk, Reply};
pub use self::fault::Fault;

/// The service; it ends when it is dropped.
///
/// It runs on a thread of its own, so that tests that are not async can use it too.
#[derive(Debug)]
pub struct SavePageNow {
    address: SocketAddr,
    clerk: Arc<Mutex<Clerk>>,
    _stop: oneshot::Sender<()>,
}

impl SavePageNow {
    /// The keys that it takes.
    pub const KEYS: &str = "AccessKeyOfTests:SecretKeyOfTests";

    /// Starts a service on a free port, with the documented limits.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on the loopback");
        let address = listener.local_addr().expect("a bound listener has an address");
        let clerk = Arc::new(Mutex::new(Clerk::default()));
        let (stop, stopped) = oneshot::channel();
        let served = Arc::clone(&clerk);
        thread::spawn(move || serve::run(listener, served, stopped));
        Self { address, clerk, _stop: stop }
    }

    /// Returns its address, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sets how much it takes.
    pub fn limits(&self, limits: Limits) -> &Self {
        self.clerk().limits = limits;
        self
    }

    /// Sets how often a job is pending when it is looked at, before it is over.
    pub fn pending(&self, looks: u32) -> &Self {
        self.clerk().pending = looks;
        self
    }

    /// Ends every job that is under way.
    pub fn end_jobs(&self) -> &Self {
        self.clerk().end_jobs();
        self
    }

    /// Does this about the next submissions of a page, one after another; then all is well with it.
    pub fn plan(&self, url: &str, faults: impl IntoIterator<Item = Fault>) -> &Self {
        self.clerk().plans.entry(url.to_owned()).or_default().extend(faults);
        self
    }

    /// Does this about every submission and every look from now on; `None` ends it.
    pub fn everywhere(&self, fault: Option<Fault>) -> &Self {
        self.clerk().everywhere = fault;
        self
    }

    /// Answers every look at a job with a web page, or as usual.
    pub fn nonsense_of_jobs(&self, is_on: bool) -> &Self {
        self.clerk().is_nonsense = is_on;
        self
    }

    /// Lets time go by: captures grow older, and days end.
    pub fn pass(&self, time: Duration) -> &Self {
        self.clerk().passed += time;
        self
    }

    /// Returns every submission in the order of arrival.
    pub fn submissions(&self) -> Vec<Asked> {
        self.clerk().submissions.clone()
    }

    /// Returns how often jobs were looked at.
    pub fn looks(&self) -> usize {
        self.clerk().looks
    }

    /// Returns how many captures were made of each page that has one.
    pub fn captures(&self) -> BTreeMap<String, usize> {
        let mut captures = BTreeMap::new();
        for capture in &self.clerk().captures {
            *captures.entry(capture.url.clone()).or_default() += 1;
        }
        captures
    }

    /// Answers a request that came by another way than a socket, as time in tests may not go on by itself while one is waited
    /// for: status, `Retry-After` and body; nothing where the service would not answer.
    pub fn exchange(
        &self,
        method: &str,
        url: &Url,
        body: &[u8],
        authorization: Option<&str>,
    ) -> Option<(u16, Option<u64>, String)> {
        let form: Vec<_> = form_urlencoded::parse(body).into_owned().collect();
        let value =
            |name| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        let mut clerk = self.clerk();
        let reply = match (method, url.path().strip_prefix("/save/status/")) {
            ("GET", Some(job)) => clerk.look(job),
            ("POST", _) => clerk.submit(&form, authorization),
            (_, _) => clerk.list(&value("url").unwrap_or_default(), &value("from").unwrap_or_default()),
        };
        match reply {
            Reply::Json(status, value) => Some((status, None, value.to_string())),
            Reply::RetryAfter(seconds) => Some((429, Some(seconds), String::new())),
            Reply::Page => Some((200, None, "<h1>Save Page Now</h1>".to_owned())),
            Reply::Hang | Reply::Drop => None,
        }
    }

    fn clerk(&self) -> MutexGuard<'_, Clerk> {
        self.clerk.lock().expect("no holder of this lock panics")
    }
}
