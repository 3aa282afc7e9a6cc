//! robots.txt of every host, read at most once a day.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use recrawl_core::panics::caught_in;
use recrawl_core::ports::{Fetcher, Pace, Permission, Response, RobotsError, RobotsGate, StateStore};
use recrawl_core::url::{HostKey, PageUrl};
use recrawl_extract::robots::Robots;
use tokio::sync::{Mutex, OnceCell};

use crate::documents::{Answered, Documents, Follows, RETRIES};
use crate::observer::{Event, Observer};

/// How long rules are believed.
const LIFETIME: Duration = Duration::from_hours(24);

/// How long an unreachable robots.txt is not asked for again.
const PATIENCE: Duration = Duration::from_mins(1);

/// Whether robots.txt is obeyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RobotsPolicy {
    /// Always, unless one owns the site.
    Obey,
    /// The owner of the site said not to.
    Ignore,
}

/// A [`RobotsGate`] over a [`Fetcher`].
pub struct RobotsCache {
    documents: Documents,
    pace: Arc<dyn Pace>,
    product_token: String,
    robots_policy: RobotsPolicy,
    clock: fn() -> Timestamp,
    /// By host and scheme: where one scheme is out of reach, what was read under the other holds.
    hosts: Mutex<HashMap<Door, Arc<OnceCell<Entry>>>>,
}

/// A host, and whether it is asked by https.
type Door = (HostKey, bool);

/// What is known of the robots.txt of one host, and since when.
struct Entry {
    read_at: Timestamp,
    rules: Result<Arc<Robots>, Obstacle>,
}

/// Why the rules of a host are not known.
#[derive(Clone)]
enum Obstacle {
    Unreachable(String),
    /// The host wants to be left alone until then.
    Paused(Timestamp),
}

impl Entry {
    fn is_fresh(&self, now: Timestamp) -> bool {
        let lifetime = if self.rules.is_ok() { LIFETIME } else { PATIENCE };
        now.duration_since(self.read_at).unsigned_abs() < lifetime
    }
}

impl RobotsCache {
    /// Reads robots.txt through `fetcher` as the robot with this product token.
    ///
    /// The delay that a robots.txt asks for is passed on to `pace`.
    pub fn new(
        fetcher: Arc<dyn Fetcher>,
        state_store: Arc<dyn StateStore>,
        pace: Arc<dyn Pace>,
        product_token: String,
        robots_policy: RobotsPolicy,
        clock: fn() -> Timestamp,
    ) -> Self {
        // A new process asks again, if only whether anything changed: rules are what a host wants of us now.
        let lifetime = Duration::ZERO;
        // RFC 9309 lets redirects of rules lead to other hosts.
        let (body_limit, retries, follows) = (Robots::MAX_BYTES, RETRIES, Follows::Anywhere);
        let documents =
            Documents { fetcher, state_store, body_limit, lifetime, retries, follows, on_retry: None };
        Self { documents, pace, product_token, robots_policy, clock, hosts: Mutex::default() }
    }

    /// Asks a server in trouble no more than `retries` times again.
    #[must_use]
    pub fn with_retries(mut self, retries: u32) -> Self {
        self.documents.retries = RETRIES.min(retries as usize);
        self
    }

    /// Tells `observer` of each host that does not answer, and when it is tried next.
    #[must_use]
    pub fn watched_by(mut self, observer: Arc<dyn Observer>) -> Self {
        let (pace, clock, of) = (self.pace.clone(), self.clock, self.documents.retries);
        self.documents.on_retry = Some(Arc::new(move |url: &PageUrl, reason: &str, retry| {
            let host = url.host_key();
            let wait = pace.next_try(&host).map(|time| time.duration_since(clock()));
            let wait = wait.and_then(|wait| Duration::try_from(wait).ok());
            observer.on(Event::Silent { host: &host, reason, wait, retry, of });
        }));
        self
    }

    /// Returns the rules of the host of `url`.
    pub async fn rules(&self, url: &PageUrl) -> Result<Arc<Robots>, RobotsError> {
        let host = url.host_key();
        let cell = {
            let (mut hosts, now) = (self.hosts.lock().await, (self.clock)());
            let is_https = url.scheme() == "https";
            let holds = |cell: &&Arc<OnceCell<Entry>>| {
                cell.get().is_some_and(|entry| entry.is_fresh(now) && entry.rules.is_ok())
            };
            let of = |is_https| hosts.get(&(host.clone(), is_https)).filter(holds);
            if let Some(cell) = of(is_https).or_else(|| of(!is_https)) {
                cell.clone()
            } else {
                let cell = hosts.entry((host.clone(), is_https)).or_default();
                if cell.get().is_some_and(|entry| !entry.is_fresh(now)) {
                    *cell = Arc::default();
                }
                cell.clone()
            }
        };
        let entry = cell.get_or_init(|| self.read(url, &host)).await;
        entry.rules.clone().map_err(|obstacle| match obstacle {
            Obstacle::Unreachable(reason) => RobotsError::Unreachable { host, reason },
            Obstacle::Paused(until) => RobotsError::Paused { host, until },
        })
    }

    async fn read(&self, url: &PageUrl, host: &HostKey) -> Entry {
        let read_at = (self.clock)();
        let rules = match address(url) {
            Err(reason) => Err(reason),
            Ok(address) => {
                let text = |_: &PageUrl, response: &Response| {
                    let body = &response.body;
                    let whole = if response.truncated { Robots::whole_lines(body) } else { body };
                    String::from_utf8_lossy(whole).into_owned()
                };
                match self.documents.get(&address, read_at, text).await {
                    Answered::Document(read) => parse(url, &read.document),
                    Answered::None | Answered::Elsewhere(_) => Ok(Robots::default()),
                    Answered::Unreachable(reason) => Err(reason),
                    Answered::Stopped => Err("stopped".to_owned()),
                }
            }
        };
        let rules = rules.map(Arc::new).map_err(|reason| match self.pace.left_alone_until(host) {
            Some(until) => Obstacle::Paused(until),
            None => Obstacle::Unreachable(reason),
        });
        if let Ok(rules) = &rules {
            self.pace.set_crawl_delay(host, rules.crawl_delay(&self.product_token));
        }
        Entry { read_at, rules }
    }
}

/// Reads rules; those that make Recrawl itself stumble are as good as unreachable.
fn parse(url: &PageUrl, text: &str) -> Result<Robots, String> {
    let read = if url.is_gemini() { Robots::parse_of_capsule } else { Robots::parse };
    caught_in(|| read(text.as_bytes())).map_err(|panic| format!("Recrawl stumbled over it: {panic}"))
}

fn address(url: &PageUrl) -> Result<PageUrl, String> {
    let text = format!("{}://{}/robots.txt", url.scheme(), url.authority());
    text.parse().map_err(|error: recrawl_core::url::UrlError| error.to_string())
}

#[async_trait]
impl RobotsGate for RobotsCache {
    async fn permits(&self, url: &PageUrl) -> Result<Permission, RobotsError> {
        match self.robots_policy {
            RobotsPolicy::Ignore => return Ok(Permission::Allowed),
            RobotsPolicy::Obey => {}
        }
        let rules = self.rules(url).await?;
        let decision = rules.decision(&self.product_token, url.path_and_query());
        if decision.allowed {
            return Ok(Permission::Allowed);
        }
        Ok(Permission::Disallowed(decision.rule.unwrap_or_else(|| "disallowed".to_owned())))
    }
}
