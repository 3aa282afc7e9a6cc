//! Whose turn it is: of the pushes that wait for a host, the one with the best page goes next. Where several crawls ask one
//! host, they take turns: what one of them thinks of its pages says nothing about those of another.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use recrawl_core::ports::Priority;
use recrawl_core::url::HostKey;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use crate::sessions::CrawlKey;

/// Tells how many pages of a host may have begun: the slower it turns out to be, the fewer.
pub(crate) type AtOnce = Arc<dyn Fn() -> usize + Send + Sync>;

/// Lets some pages of each host begin, the best first.
#[derive(Default)]
pub(crate) struct Turns {
    hosts: Mutex<HashMap<HostKey, Host>>,
}

#[derive(Default)]
struct Host {
    /// How many have begun, and how many may.
    begun: usize,
    at_once: Option<AtOnce>,
    /// Those who wait, crawl by crawl, in the order in which the crawls have their turns.
    waiting: VecDeque<(CrawlKey, Waiting)>,
    came: u64,
}

/// Those of one crawl who wait: the highest priority first, then the one that came first.
type Waiting = BTreeMap<(Reverse<Priority>, u64), oneshot::Sender<Turn>>;

impl Host {
    fn wait(&mut self, crawl: &CrawlKey, priority: Priority, sender: oneshot::Sender<Turn>) {
        let place = (Reverse(priority), self.came);
        self.came += 1;
        match self.waiting.iter_mut().find(|(of, _)| of == crawl) {
            Some((_, waiting)) => drop(waiting.insert(place, sender)),
            None => self.waiting.push_back((crawl.clone(), Waiting::from([(place, sender)]))),
        }
    }

    /// Takes the one who is next; their crawl has its next turn after the others.
    fn next(&mut self) -> Option<oneshot::Sender<Turn>> {
        let (crawl, mut waiting) = self.waiting.pop_front()?;
        let next = waiting.pop_first().map(|(_, sender)| sender);
        if !waiting.is_empty() {
            self.waiting.push_back((crawl, waiting));
        }
        next
    }
}

/// Leave to visit a page; others have theirs when it is dropped.
pub(crate) struct Turn {
    turns: Arc<Turns>,
    host: HostKey,
}

impl Turns {
    /// Waits for a turn of `host`, where `at_once` may have begun, but not for longer than `until`.
    pub(crate) async fn take(
        self: &Arc<Self>,
        host: &HostKey,
        crawl: &CrawlKey,
        priority: Priority,
        at_once: AtOnce,
        until: Instant,
    ) -> Option<Turn> {
        let (sender, receiver) = oneshot::channel();
        {
            let mut hosts = self.hosts();
            let waits = hosts.entry(host.clone()).or_default();
            waits.wait(crawl, priority, sender);
            waits.at_once = Some(at_once);
        }
        self.let_begin(host);
        timeout_at(until, receiver).await.ok()?.ok()
    }

    /// Returns how many pages of a host have begun.
    pub(crate) fn begun(&self, host: &HostKey) -> usize {
        self.hosts().get(host).map_or(0, |host| host.begun)
    }

    fn let_begin(self: &Arc<Self>, host: &HostKey) {
        // Turns that nobody takes are dropped after the lock is.
        let mut not_taken = Vec::new();
        let mut hosts = self.hosts();
        let Some(waits) = hosts.get_mut(host) else { return };
        let at_once = waits.at_once.as_ref().map_or(1, |at_once| at_once());
        while waits.begun < at_once
            && let Some(waiting) = waits.next()
        {
            if waiting.is_closed() {
                continue;
            }
            waits.begun += 1;
            let turn = Turn { turns: Arc::clone(self), host: host.clone() };
            not_taken.extend(waiting.send(turn).err());
        }
        drop(hosts);
    }

    fn hosts(&self) -> MutexGuard<'_, HashMap<HostKey, Host>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        {
            let mut hosts = self.turns.hosts();
            let Some(host) = hosts.get_mut(&self.host) else { return };
            host.begun -= 1;
            if host.begun == 0 && host.waiting.is_empty() {
                hosts.remove(&self.host);
            }
        }
        self.turns.let_begin(&self.host);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn host() -> HostKey {
        "a.example".parse().unwrap()
    }

    fn crawl(site: &str) -> CrawlKey {
        (site.parse().unwrap(), "crawl-2026-11-16".parse().unwrap())
    }

    fn later() -> Instant {
        Instant::now() + Duration::from_mins(1)
    }

    #[tokio::test(start_paused = true)]
    async fn the_best_page_that_waits_goes_next() {
        let turns: Arc<Turns> = Arc::default();
        let first = turns.take(&host(), &crawl("a"), Priority(1), Arc::new(|| 1), later()).await.unwrap();
        let order: Arc<Mutex<Vec<i64>>> = Arc::default();
        let mut waiting = tokio::task::JoinSet::new();
        for priority in [3, 9, 3, 7] {
            let (turns, order) = (Arc::clone(&turns), Arc::clone(&order));
            waiting.spawn(async move {
                let turn = turns
                    .take(&host(), &crawl("a"), Priority(priority), Arc::new(|| 1), later())
                    .await
                    .unwrap();
                order.lock().unwrap().push(priority);
                drop(turn);
            });
            tokio::task::yield_now().await;
        }
        assert_eq!(turns.begun(&host()), 1);
        drop(first);
        waiting.join_all().await;
        assert_eq!(*order.lock().unwrap(), [9, 7, 3, 3]);
        assert_eq!(turns.begun(&host()), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn two_sites_on_one_host_take_turns_whatever_their_pages_are_worth() {
        let turns: Arc<Turns> = Arc::default();
        let first = turns.take(&host(), &crawl("a"), Priority(1), Arc::new(|| 1), later()).await.unwrap();
        let order: Arc<Mutex<Vec<(&str, i64)>>> = Arc::default();
        let mut waiting = tokio::task::JoinSet::new();
        for (site, priority) in [("a", 80), ("a", 90), ("a", 70), ("b", 2), ("b", 3)] {
            let (turns, order) = (Arc::clone(&turns), Arc::clone(&order));
            waiting.spawn(async move {
                let crawl = crawl(site);
                let turn =
                    turns.take(&host(), &crawl, Priority(priority), Arc::new(|| 1), later()).await.unwrap();
                order.lock().unwrap().push((site, priority));
                drop(turn);
            });
            tokio::task::yield_now().await;
        }
        drop(first);
        waiting.join_all().await;
        assert_eq!(*order.lock().unwrap(), [("a", 90), ("b", 3), ("a", 80), ("b", 2), ("a", 70)]);
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_gives_up_waiting_takes_nobodys_turn() {
        let turns: Arc<Turns> = Arc::default();
        let first = turns.take(&host(), &crawl("a"), Priority(1), Arc::new(|| 1), later()).await.unwrap();
        let soon = Instant::now() + Duration::from_secs(1);
        assert!(turns.take(&host(), &crawl("a"), Priority(2), Arc::new(|| 1), soon).await.is_none());
        let aborted = {
            let turns = Arc::clone(&turns);
            tokio::spawn(async move {
                turns.take(&host(), &crawl("a"), Priority(9), Arc::new(|| 1), later()).await.is_some()
            })
        };
        tokio::task::yield_now().await;
        aborted.abort();
        let waiting = {
            let turns = Arc::clone(&turns);
            tokio::spawn(async move {
                turns.take(&host(), &crawl("a"), Priority(1), Arc::new(|| 1), later()).await.is_some()
            })
        };
        tokio::task::yield_now().await;
        drop(first);
        assert!(waiting.await.unwrap());
        assert!(turns.hosts().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn more_begin_where_more_may() {
        let turns: Arc<Turns> = Arc::default();
        let now = Instant::now();
        let two: AtOnce = Arc::new(|| 2);
        let mut begun = Vec::new();
        for _ in 0..3 {
            begun.push(turns.take(&host(), &crawl("a"), Priority(1), two.clone(), now).await);
        }
        assert_eq!(begun.iter().flatten().count(), 2);
        let other = "b.example".parse().unwrap();
        assert!(turns.take(&other, &crawl("a"), Priority(1), two, now).await.is_some());
    }
}
