//! Waiting for the turn of a host.

mod host;

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use recrawl_core::politeness::{PaceSettings, Sign};
use recrawl_core::ports::{FetchError, Fetcher, Pace, Request, Response};
use recrawl_core::url::HostKey;
use tokio::sync::Notify;

use self::host::{Host, Turn, now};
use crate::transport::{Exchange, Transport, TransportError};

/// Makes requests when it is the turn of their host.
///
/// Turns are given in the order in which they were asked for, over everything that shares this value:
/// have one in a process. A call that is dropped while it waits gives up its place and nothing else.
pub struct Polite<T> {
    transport: T,
    settings: PaceSettings,
    hosts: RwLock<HashMap<HostKey, Arc<Host>>>,
    is_stopping: AtomicBool,
    stopping: Notify,
}

impl<T> Polite<T> {
    /// Wraps a transport.
    pub fn new(transport: T, settings: PaceSettings) -> Self {
        let (is_stopping, stopping) = (AtomicBool::new(false), Notify::new());
        Self { transport, settings, hosts: RwLock::default(), is_stopping, stopping }
    }

    /// Returns how many requests to a host failed since its last good answer.
    pub fn host_failures(&self, host: &HostKey) -> u32 {
        self.host(host).pace().failures()
    }

    /// Returns the delay between two request starts to a host, as its robots.txt and the settings have it.
    pub fn delay(&self, host: &HostKey) -> Duration {
        self.settings.delay_for(self.host(host).pace().crawl_delay())
    }

    /// Returns until when a host in trouble is left alone, if it is.
    pub fn paused_until(&self, host: &HostKey) -> Option<Timestamp> {
        let now = now();
        let until = self.host(host).pace().hold(now)?;
        Some(timestamp(until, now))
    }

    /// Lets the first request to a host wait as if one had just started.
    ///
    /// A process that was killed does not know when it last asked.
    pub fn hold_first_turn(&self, host: &HostKey) {
        self.host(host).pace().started(now());
    }

    /// Begins no further request: who waits for a turn, now or later, gets [`FetchError::Stopped`].
    /// Requests under way are finished.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::SeqCst);
        self.stopping.notify_waiters();
    }

    /// Waits for a turn of `host`, unless we are stopping.
    async fn turn<'a>(&self, host: &'a Host, key: HostKey) -> Result<Turn<'a>, FetchError> {
        // Made before the flag is read, so that no call of `stop` falls between the two.
        let stopped = self.stopping.notified();
        if self.is_stopping.load(Ordering::SeqCst) {
            return Err(FetchError::Stopped);
        }
        tokio::select! {
            biased;
            turn = host.turn(&self.settings) => {
                turn.map_err(|until| FetchError::Paused { host: key, until: timestamp(until, now()) })
            }
            () = stopped => Err(FetchError::Stopped),
        }
    }

    fn host(&self, key: &HostKey) -> Arc<Host> {
        let known = self.hosts.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        known.unwrap_or_else(|| {
            let mut hosts = self.hosts.write().unwrap_or_else(PoisonError::into_inner);
            let parallel = self.settings.parallel_for(None);
            let host = hosts.entry(key.clone()).or_insert_with(|| Arc::new(Host::new(parallel)));
            Arc::clone(host)
        })
    }
}

#[async_trait]
impl<T: Transport> Fetcher for Polite<T> {
    async fn fetch(&self, request: Request<'_>) -> Result<Response, FetchError> {
        let key = request.url.host_key();
        let host = self.host(&key);
        let turn = self.turn(&host, key).await?;
        let outcome = self.transport.exchange(request).await;
        let mut pace = host.pace();
        if let Some(connected_at) = outcome.as_ref().ok().and_then(|exchange| exchange.connected_at) {
            pace.started(connected_at);
        }
        if let Some(sign) = sign_of(&outcome) {
            pace.finished(turn.started, sign, now(), &self.settings);
        }
        let took = now().duration_since(turn.started);
        outcome.map(|exchange| exchange.response).map_err(|error| error.after(took))
    }
}

impl<T: Send + Sync> Pace for Polite<T> {
    fn set_crawl_delay(&self, host: &HostKey, delay: Option<Duration>) {
        self.host(host).pace().set_crawl_delay(delay);
    }
}

impl<T: fmt::Debug> fmt::Debug for Polite<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Polite")
            .field("transport", &self.transport)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// Reads what an outcome tells about the host; nothing, if nothing was asked of it.
fn sign_of(outcome: &Result<Exchange, TransportError>) -> Option<Sign> {
    match outcome {
        Ok(exchange) => Some(match (exchange.response.status, exchange.retry_after) {
            (429 | 503, Some(wait)) => Sign::LeaveAlone(wait),
            (429 | 500..=504, _) => Sign::Trouble,
            _ => Sign::Healthy,
        }),
        Err(TransportError::Refused(_)) => None,
        Err(TransportError::Broken { .. }) => Some(Sign::Trouble),
        Err(TransportError::Unreadable { .. }) => Some(Sign::Healthy),
    }
}

fn timestamp(time: Instant, now: Instant) -> Timestamp {
    let ahead = SignedDuration::try_from(time.duration_since(now)).unwrap_or(SignedDuration::MAX);
    Timestamp::now().checked_add(ahead).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
