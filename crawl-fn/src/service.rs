//! The state of the service: from its first moment, before anything outside is connected.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use recrawl_fetch::{AddressGuard, BuildError, Polite, Transports};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::answer::{Answer, chain};
use crate::config::Config;
use crate::deps::Deps;
use crate::halting::watch;
use crate::parts::Parts;
use crate::site_parts::pace;
use crate::token::Sender;
use crate::work::Work;

/// How long a push waits until everything outside is connected.
const PATIENCE: Duration = Duration::from_secs(30);

/// The longest pause between two attempts to connect.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// The state of the service.
pub struct Service {
    pub(crate) config: Arc<Config>,
    pub(crate) sender: Sender,
    pub(crate) work: Arc<Work>,
    fetcher: Arc<Polite<Transports>>,
    parts: watch::Sender<Option<Arc<Parts>>>,
    poison: Mutex<BTreeMap<&'static str, u64>>,
}

impl Service {
    /// Makes a service that is not connected yet.
    pub fn new(config: Config) -> Result<Arc<Self>, BuildError> {
        let fetcher = Arc::new(fetcher(&config)?);
        let sender = Sender::new(&config).map_err(|error| BuildError::Client(Arc::new(error)))?;
        Ok(Arc::new(Self {
            config: Arc::new(config),
            sender,
            work: Arc::default(),
            fetcher,
            parts: watch::Sender::new(None),
            poison: Mutex::default(),
        }))
    }

    /// Connects everything outside, as often as it takes.
    pub async fn connect<C, F>(&self, connect: C)
    where
        C: Fn() -> F,
        F: Future<Output = anyhow::Result<Deps>>,
    {
        let mut pause = Duration::from_millis(100);
        while !self.work.is_stopping() {
            let parts = match connect().await {
                Ok(deps) => Box::pin(Parts::new(
                    Arc::clone(&self.config),
                    deps,
                    Arc::clone(&self.fetcher),
                    Arc::clone(&self.work),
                ))
                .await
                .map_err(|error| chain(&error)),
                Err(error) => Err(format!("{error:#}")),
            };
            match parts {
                Ok(parts) => {
                    let parts = Arc::new(parts);
                    tokio::spawn(watch(parts.clone()));
                    self.parts.send_replace(Some(parts));
                    return;
                }
                Err(reason) => tracing::warn!(reason, "not everything outside can be reached"),
            }
            self.work.pause(pause).await;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    /// Returns how many messages of a kind were dropped because they can never be used.
    pub fn poisoned(&self, kind: &str) -> u64 {
        self.poison().get(kind).copied().unwrap_or_default()
    }

    pub(crate) fn count_poison(&self, kind: &'static str) -> u64 {
        let mut poison = self.poison();
        let count = poison.entry(kind).or_default();
        *count += 1;
        *count
    }

    /// Returns the parts of the service, once it is connected.
    pub(crate) async fn parts(&self) -> Result<Arc<Parts>, Answer> {
        let mut parts = self.parts.subscribe();
        let connected = timeout(PATIENCE, parts.wait_for(Option::is_some)).await;
        let parts = connected.ok().and_then(Result::ok).and_then(|parts| parts.clone());
        parts.ok_or_else(|| Answer::unavailable("not connected yet", Duration::from_secs(1)))
    }

    /// Tells whether the service can do its work, or why not.
    pub(crate) async fn readiness(&self) -> Result<(), String> {
        if self.work.is_stopping() {
            return Err("about to stop".to_owned());
        }
        let parts = self.connected().ok_or("not connected yet")?;
        parts.health.look(&parts).await
    }

    /// Takes no further pushes, and begins no further request.
    pub(crate) fn stop(&self) {
        self.work.stop();
        self.fetcher.stop();
        if let Some(archive_worker) = self.connected().and_then(|parts| parts.deps.archive_worker.clone()) {
            archive_worker.stop();
        }
    }

    fn connected(&self) -> Option<Arc<Parts>> {
        self.parts.borrow().clone()
    }

    fn poison(&self) -> MutexGuard<'_, BTreeMap<&'static str, u64>> {
        self.poison.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn fetcher(config: &Config) -> Result<Polite<Transports>, BuildError> {
    let pace = pace(&config.site.crawl, &config.process);
    let guard = AddressGuard::for_site(&config.site.root, &config.site.crawl.scope());
    let fetcher = Transports::new(config.site.crawl.http(), guard)?;
    fetcher.prepare(&config.site.root)?;
    Ok(Polite::new(fetcher, pace))
}
