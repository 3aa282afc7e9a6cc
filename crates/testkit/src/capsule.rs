//! A real Gemini server on the loopback interface whose pages, faults and certificate are set by a test.

mod reply;
mod serve;
pub mod weeks;

use std::collections::HashMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Instant;

use recrawl_core::url::PageUrl;
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::PrivateKeyDer;
use tokio::sync::oneshot;

pub use reply::Reply;

/// A capsule with planted pages; it ends when it is dropped. It runs on a thread of its own, as [`Site`] does.
///
/// [`Site`]: crate::site::Site
#[derive(Debug)]
pub struct Capsule {
    address: SocketAddr,
    shared: Arc<Shared>,
    _stop: oneshot::Sender<()>,
}

/// One request, as the capsule saw it.
#[derive(Debug, Clone)]
pub struct Asked {
    /// When the line had been read.
    pub arrival: Instant,
    /// The line, without its end.
    pub line: String,
}

/// What answers a connection in place of a capsule.
#[derive(Debug, Clone)]
pub enum Fault {
    /// Nobody: it stays open and silent.
    Silence,
    /// These bytes, which are no TLS; then the end.
    Bytes(Vec<u8>),
}

struct Shared {
    pages: Mutex<HashMap<String, Reply>>,
    log: Mutex<Vec<Asked>>,
    identity: Mutex<Arc<ServerConfig>>,
    fault: Mutex<Option<Fault>>,
}

impl Capsule {
    /// Starts a capsule on a free port, with a certificate that is good for years.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on the loopback");
        let address = listener.local_addr().expect("a bound listener has an address");
        let shared = Arc::new(Shared {
            pages: Mutex::default(),
            log: Mutex::default(),
            identity: Mutex::new(identity(2090)),
            fault: Mutex::default(),
        });
        let (stop, stopped) = oneshot::channel();
        let served = Arc::clone(&shared);
        thread::spawn(move || serve::run(listener, &served, stopped));
        Self { address, shared, _stop: stop }
    }

    /// Returns the socket the capsule listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address of a page; `path` starts with `/`.
    pub fn at(&self, path: &str) -> PageUrl {
        format!("gemini://{}{path}", self.address).parse().expect("a planted path is in normal form")
    }

    /// Plants a page, in place of the one that was there. `path` may have a query.
    pub fn page(&self, path: &str, reply: impl Into<Reply>) -> &Self {
        self.shared.pages().insert(path.to_owned(), reply.into());
        self
    }

    /// Removes a page: it is not found (51) from now on.
    pub fn remove(&self, path: &str) -> &Self {
        self.shared.pages().remove(path);
        self
    }

    /// Shows another certificate from now on, for another key, which expires at the beginning of a year.
    pub fn change_certificate(&self, expires: i32) -> &Self {
        *self.shared.identity.lock().expect("no holder of this lock panics") = identity(expires);
        self
    }

    /// Answers every connection like this from now on.
    pub fn fault(&self, fault: Option<Fault>) -> &Self {
        *self.shared.fault.lock().expect("no holder of this lock panics") = fault;
        self
    }

    /// Returns every request in the order of arrival.
    pub fn log(&self) -> Vec<Asked> {
        self.shared.log().clone()
    }

    /// Returns the paths, with their queries, that were asked for, in the order of arrival.
    pub fn paths(&self) -> Vec<String> {
        let origin = format!("gemini://{}", self.address);
        self.log().iter().map(|asked| asked.line.replacen(&origin, "", 1)).collect()
    }

    /// Forgets the requests so far.
    pub fn clear_log(&self) {
        self.shared.log().clear();
    }
}

impl Shared {
    fn pages(&self) -> MutexGuard<'_, HashMap<String, Reply>> {
        self.pages.lock().expect("no holder of this lock panics")
    }

    fn log(&self) -> MutexGuard<'_, Vec<Asked>> {
        self.log.lock().expect("no holder of this lock panics")
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Shared")
    }
}

/// Makes a certificate that signs itself, and expires at the beginning of a year.
fn identity(expires: i32) -> Arc<ServerConfig> {
    let key = rcgen::KeyPair::generate().expect("the machine makes keys");
    let mut parameters =
        rcgen::CertificateParams::new(vec!["localhost".to_owned()]).expect("it is a name of a host");
    parameters.not_before = rcgen::date_time_ymd(2000, 1, 1);
    parameters.not_after = rcgen::date_time_ymd(expires, 1, 1);
    let certificate = parameters.self_signed(&key).expect("a fresh key signs");
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the provider knows them")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .expect("the key is that of the certificate");
    Arc::new(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_certificate_is_another_one_and_the_log_begins_empty() {
        let capsule = Capsule::start();
        let first = capsule.shared.identity.lock().unwrap().clone();
        capsule.page("/", "# Title").change_certificate(2001);
        assert!(!Arc::ptr_eq(&first, &capsule.shared.identity.lock().unwrap()));
        assert!(capsule.log().is_empty() && capsule.at("/a").is_gemini());
    }
}
