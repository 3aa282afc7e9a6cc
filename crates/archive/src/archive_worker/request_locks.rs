//! Deduplication of concurrent calls: one at a time for a request; others wait for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use recrawl_core::model::ids::{EventId, SiteId};
use tokio::sync::OwnedMutexGuard;

type Key = (SiteId, EventId);
type Locks = HashMap<Key, Arc<tokio::sync::Mutex<()>>>;

/// The requests that are under way.
#[derive(Debug, Default)]
pub(super) struct RequestLocks {
    locks: Mutex<Locks>,
}

/// The right to carry out a request, until it is dropped.
pub(super) struct RequestLock<'a> {
    request_locks: &'a RequestLocks,
    key: Key,
    guard: Option<OwnedMutexGuard<()>>,
}

impl RequestLocks {
    /// Waits until nobody else carries out the request of this key.
    pub(super) async fn enter(&self, key: Key) -> RequestLock<'_> {
        let lock = Arc::clone(self.locks().entry(key.clone()).or_default());
        // Made before the wait, so that one who gives up waiting leaves nothing behind.
        let mut alone = RequestLock { request_locks: self, key, guard: None };
        alone.guard = Some(lock.lock_owned().await);
        alone
    }

    fn locks(&self) -> MutexGuard<'_, Locks> {
        self.locks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RequestLock<'_> {
    fn drop(&mut self) {
        self.guard.take();
        let mut locks = self.request_locks.locks();
        if locks.get(&self.key).is_some_and(|lock| Arc::strong_count(lock) == 1) {
            locks.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::*;

    fn key(site: &str) -> Key {
        (site.parse().unwrap(), EventId::of(b"x"))
    }

    #[tokio::test(start_paused = true)]
    async fn one_at_a_time_and_nothing_stays_behind() {
        let (request_locks, inside) = (RequestLocks::default(), AtomicU32::new(0));
        let visits = (0..20).map(|_| async {
            let _alone = request_locks.enter(key("a")).await;
            assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0);
            tokio::time::sleep(Duration::from_secs(1)).await;
            inside.fetch_sub(1, Ordering::Relaxed);
        });
        futures_util::future::join_all(visits).await;
        assert!(request_locks.locks().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn one_who_gives_up_waiting_leaves_nothing_behind() {
        let request_locks = RequestLocks::default();
        let alone = request_locks.enter(key("a")).await;
        let waited = tokio::time::timeout(Duration::from_secs(1), request_locks.enter(key("a"))).await;
        assert!(waited.is_err());
        let other = tokio::time::timeout(Duration::from_secs(1), request_locks.enter(key("b"))).await;
        assert!(other.is_ok(), "another request is not held up");
        drop((alone, other));
        assert!(request_locks.locks().is_empty());
    }
}
