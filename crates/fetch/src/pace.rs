//! Politeness: waits for the turn of a host, and leaves hosts in trouble alone (backoff after 429 and 503, `Retry-After`).
//!
//! When a host may be asked again is decided in [`recrawl_core::decide::back_off`]; here it is waited for.

mod host;
pub(crate) mod retry_after;

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use recrawl_core::decide::answer::asks_for_less;
use recrawl_core::decide::back_off::{Hold, HostSignal, PaceSettings, Readiness};
use recrawl_core::ports::{FetchError, Fetcher, Pace, Request, Response, StateStore, StoreError};
use recrawl_core::url::{HostKey, PageUrl};
use tokio::sync::Notify;

use self::host::{Host, Permit, now};
use crate::transport::{Exchange, Transport, TransportError};

/// Makes requests when it is the turn of their host.
///
/// Turns are given in the order in which they were asked for, over everything that shares this value:
/// have one in a process. A call that is dropped while it waits gives up its place and nothing else.
///
/// A host that is left alone for longer than a moment is remembered where [`Polite::remember_in`] says: whoever makes
/// another such value over the same memory, in this process or in a later one, leaves it alone, too.
pub struct Polite<T> {
    transport: T,
    settings: PaceSettings,
    shared: Arc<Shared>,
}

/// What every such value of a process shares: a host does not care for which site it is asked.
#[derive(Default)]
struct Shared {
    hosts: RwLock<HashMap<HostKey, Arc<Host>>>,
    memory: OnceLock<Arc<dyn StateStore>>,
    /// The first request to each host waits.
    waits_first: AtomicBool,
    is_stopping: AtomicBool,
    stopping: Notify,
}

impl<T> Polite<T> {
    /// Wraps a transport.
    pub fn new(transport: T, settings: PaceSettings) -> Self {
        Self { transport, settings, shared: Arc::default() }
    }

    /// Wraps another transport, made of this one, for another site of the same process.
    ///
    /// Both wait for the same turns: a request of one moves the next of the other, each by its own delay, what a host says
    /// about its pace counts for both, and [`Polite::stop`] stops both.
    pub fn beside<E>(
        &self,
        transport: impl FnOnce(&T) -> Result<T, E>,
        settings: PaceSettings,
    ) -> Result<Self, E> {
        Ok(Self { transport: transport(&self.transport)?, settings, shared: Arc::clone(&self.shared) })
    }

    /// Returns until when a host is left alone, if it is, by what this process and earlier ones were told.
    pub async fn recall(&self, host: &HostKey) -> Option<Timestamp> {
        self.recall_of(host, &self.host(host)).await;
        self.paused_until(host)
    }

    async fn recall_of(&self, key: &HostKey, host: &Host) {
        let Some(memory) = self.shared.memory.get() else { return };
        let recall = || async {
            let memo = memory.state(&Hold::key(key)).await?;
            let hold = memo.as_ref().and_then(Hold::from_entry);
            if let Some(left) = hold.and_then(|hold| hold.left(Timestamp::now())) {
                host.pace().leave_alone(left, now());
            }
            Ok::<(), StoreError>(())
        };
        if let Err(error) = host.recalled.get_or_try_init(recall).await {
            tracing::warn!(host = %key, %error, "it is not known whether the host wants to be left alone");
        }
    }

    async fn remember(&self, host: &HostKey, lasts: Duration) {
        let Some(memory) = self.shared.memory.get().filter(|_| lasts >= Hold::SHORTEST) else { return };
        let hold = Hold { since: Timestamp::now(), lasts };
        if let Err(error) = memory.save_state(&Hold::key(host), &hold.to_entry()).await {
            tracing::warn!(%host, %error, "that the host wants to be left alone could not be remembered");
        }
    }

    /// Returns how many requests to a host failed since its last good answer.
    pub fn host_failures(&self, host: &HostKey) -> u32 {
        self.host(host).pace().failures()
    }

    /// Returns the delay between two request starts to a host, as its robots.txt, its answers and the settings have it.
    pub fn delay(&self, host: &HostKey) -> Duration {
        self.host(host).pace().delay(&self.settings)
    }

    /// Returns how long it takes from one request to the next, as things go: the delay, or the mean time that requests to the
    /// host take, whichever is longer.
    pub fn interval(&self, host: &HostKey) -> Duration {
        self.host(host).pace().interval(&self.settings)
    }

    /// Returns until when a host in trouble is left alone, if it is.
    pub fn paused_until(&self, host: &HostKey) -> Option<Timestamp> {
        let now = now();
        let until = self.host(host).pace().hold(now)?;
        Some(timestamp(until, now))
    }

    /// Returns how long it takes at least until the next request to a host may start.
    pub fn next_turn(&self, host: &HostKey) -> Duration {
        let now = now();
        match self.host(host).pace().readiness(now, &self.settings) {
            Readiness::Now => Duration::ZERO,
            Readiness::NotBefore(start) | Readiness::Paused(start) => start.duration_since(now),
        }
    }

    /// Lets the first request to a host wait as if one had just started.
    ///
    /// A process that was killed does not know when it last asked.
    pub fn hold_first_turn(&self, host: &HostKey) {
        self.host(host).pace().started(now());
    }

    /// Does so for every host that was not asked yet.
    pub fn hold_all_first_turns(&self) {
        self.shared.waits_first.store(true, Ordering::SeqCst);
    }

    /// Begins no further request: who waits for a permit, now or later, gets [`FetchError::Stopped`].
    /// Requests under way are finished.
    pub fn stop(&self) {
        self.shared.is_stopping.store(true, Ordering::SeqCst);
        self.shared.stopping.notify_waiters();
    }

    /// Waits for a permit of `host`, unless we are stopping.
    async fn permit<'a>(
        &self,
        host: &'a Host,
        key: HostKey,
        request: &Request<'_>,
    ) -> Result<Permit<'a>, FetchError> {
        // Made before the flag is read, so that no call of `stop` falls between the two.
        let stopped = self.shared.stopping.notified();
        if self.shared.is_stopping.load(Ordering::SeqCst) {
            return Err(FetchError::Stopped);
        }
        tokio::select! {
            biased;
            permit = host.permit(&self.settings, request.nested, is_https(request.url)) => {
                permit.map_err(|until| FetchError::Paused { host: key, until: timestamp(until, now()) })
            }
            () = stopped => Err(FetchError::Stopped),
        }
    }

    /// Takes in what a request told; returns how long the host is left alone now, if that is longer than before.
    fn note(
        &self,
        url: &PageUrl,
        host: &Host,
        permit: &Permit<'_>,
        outcome: &Result<Exchange, TransportError>,
    ) -> Option<Duration> {
        let key = url.host_key();
        let mut pace = host.pace();
        match outcome {
            Ok(Exchange { connected_at, sent_at, answered_at, .. }) => {
                pace.took(now().duration_since(permit.started));
                let sent = Some(permit.started).max(*connected_at).max(*sent_at).unwrap_or(permit.started);
                pace.started(sent);
                if let Some(answered_at) = answered_at {
                    pace.answered(sent, *answered_at, &self.settings);
                }
                pace.scheme(is_https(url)).answered();
            }
            Err(TransportError::Unreadable { .. }) => pace.scheme(is_https(url)).answered(),
            Err(TransportError::Broken { .. }) => pace.took(now().duration_since(permit.started)),
            Err(TransportError::Unreachable { reason, .. }) => {
                if pace.unreachable(is_https(url), now(), &self.settings) {
                    let scheme = url.scheme();
                    tracing::debug!(%key, scheme, reason, "the host is out of reach under one scheme only");
                    return None;
                }
            }
            Err(TransportError::Refused(_)) => {}
        }
        let status = outcome.as_ref().ok().map(|exchange| exchange.response.status);
        if status.is_some_and(asks_for_less) && pace.slow_down() && !self.settings.slowed_delay.is_zero() {
            tracing::warn!(%key, "the host is asked too much, and gets one request at a time from now on");
        }
        pace.finished(permit.started, sign_of(outcome)?, now(), &self.settings)
    }

    fn host(&self, key: &HostKey) -> Arc<Host> {
        let known = self.shared.hosts.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        known.unwrap_or_else(|| {
            let mut hosts = self.shared.hosts.write().unwrap_or_else(PoisonError::into_inner);
            let parallel = self.settings.parallel_for(None);
            let new = || {
                let host = Host::new(parallel);
                if self.shared.waits_first.load(Ordering::SeqCst) {
                    host.pace().started(now());
                }
                Arc::new(host)
            };
            Arc::clone(hosts.entry(key.clone()).or_insert_with(new))
        })
    }
}

#[async_trait]
impl<T: Transport> Fetcher for Polite<T> {
    async fn fetch(&self, request: Request<'_>) -> Result<Response, FetchError> {
        let key = request.url.host_key();
        let host = self.host(&key);
        self.recall_of(&key, &host).await;
        if host.pace().scheme(is_https(request.url)).is_closed(now()) {
            return Err(nobody_listens(request.url));
        }
        let permit = self.permit(&host, key.clone(), &request).await?;
        let url = request.url;
        let outcome = self.transport.exchange(request).await;
        let took = now().duration_since(permit.started);
        if let Some(hold) = self.note(url, &host, &permit, &outcome) {
            self.remember(&key, hold).await;
        }
        outcome.map(|exchange| exchange.response).map_err(|error| error.after(took))
    }
}

impl<T: Transport> Polite<T> {
    /// Remembers in `memory` which hosts are left alone, and asks it before the first request to a host. So does the
    /// transport with what it must know. The first call counts.
    pub fn remember_in(&self, memory: Arc<dyn StateStore>) {
        self.transport.remember_in(&memory);
        let _ = self.shared.memory.set(memory);
    }
}

impl<T: Send + Sync> Pace for Polite<T> {
    fn set_crawl_delay(&self, host: &HostKey, delay: Option<Duration>) {
        self.host(host).pace().set_crawl_delay(delay);
    }

    fn left_alone_until(&self, host: &HostKey) -> Option<Timestamp> {
        let now = now();
        match self.host(host).pace().readiness(now, &self.settings) {
            Readiness::Paused(until) => Some(timestamp(until, now)),
            Readiness::Now | Readiness::NotBefore(_) => None,
        }
    }

    fn next_try(&self, host: &HostKey) -> Option<Timestamp> {
        self.paused_until(host)
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

fn is_https(url: &PageUrl) -> bool {
    url.scheme() == "https"
}

/// Says of a page what was found of others: it is not asked for.
fn nobody_listens(url: &PageUrl) -> FetchError {
    let reason = format!("{} answers, but not by {}", url.host_key(), url.scheme());
    FetchError::NoAnswer { reason, after: Duration::ZERO, source: None }
}

/// Reads what an outcome tells about the host; nothing, if nothing was asked of it.
fn sign_of(outcome: &Result<Exchange, TransportError>) -> Option<HostSignal> {
    match outcome {
        Ok(exchange) => Some(HostSignal::of(exchange.response.answer, exchange.retry_after)),
        Err(TransportError::Refused(_)) => None,
        Err(TransportError::Unreachable { .. } | TransportError::Broken { .. }) => Some(HostSignal::Trouble),
        Err(TransportError::Unreadable { .. }) => Some(HostSignal::Healthy),
    }
}

fn timestamp(time: Instant, now: Instant) -> Timestamp {
    let ahead = SignedDuration::try_from(time.duration_since(now)).unwrap_or(SignedDuration::MAX);
    let exact = Timestamp::now().checked_add(ahead).unwrap_or(Timestamp::MAX);
    // People read it, and nobody is to come too early.
    Timestamp::from_second(exact.as_second() + 1).unwrap_or(exact)
}

#[cfg(test)]
mod tests;
