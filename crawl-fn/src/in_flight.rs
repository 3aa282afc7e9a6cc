//! Pages that are being visited, and who waits for them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{FutureExt, Shared};
use recrawl_core::url::{HostKey, PageUrl};
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, timeout_at};

use crate::answer::Answer;
use crate::sessions::CrawlKey;

/// How many pages are under way at most, beside those that wait twice: what Cloud Run lets in is a little more.
const PLACES: usize = 480;

/// A page in a crawl, as a fingerprint.
type Key = (CrawlKey, u128);

/// What a visit comes to; an error if it panicked.
type Completion = Shared<oneshot::Receiver<Answer>>;

/// Pages that are being visited or wait for the turn of their host.
#[derive(Default)]
pub(crate) struct InFlight {
    state: Mutex<State>,
    left: Notify,
}

#[derive(Default)]
struct State {
    completions: HashMap<Key, Flight>,
    by_host: HashMap<HostKey, usize>,
}

/// A page that is under way.
struct Flight {
    host: HostKey,
    completion: Completion,
}

/// What there is to do for a push.
pub(crate) enum Admission {
    /// Visit the page.
    Leader(Leader),
    /// Somebody does; this is what it comes to.
    Completed(Answer),
    /// Too many wait for the host.
    Full,
}

/// The right and the duty to visit a page: the only one who does.
///
/// Dropping it without [`Leader::complete`], as a panic does, tells those who wait to come again.
pub(crate) struct Leader {
    in_flight: Arc<InFlight>,
    key: Key,
    host: HostKey,
    completion: Option<oneshot::Sender<Answer>>,
}

/// What is there at one moment.
enum Slot {
    Free(Leader),
    Taken(Completion),
    None,
}

impl InFlight {
    /// Takes a slot, shares what the flight that is under way comes to, or waits up to `hold` for one of
    /// `capacity` of the host.
    pub(crate) async fn admit(
        self: &Arc<Self>,
        crawl: &CrawlKey,
        url: &PageUrl,
        capacity: impl Fn() -> usize,
        hold: Duration,
    ) -> Admission {
        let until = Instant::now() + hold;
        loop {
            let left = self.left.notified();
            tokio::pin!(left);
            // Before the look, so that nobody leaves unseen between the two.
            left.as_mut().enable();
            match self.slot(crawl, url, capacity()) {
                Slot::Free(leader) => return Admission::Leader(leader),
                Slot::Taken(completion) => return Admission::Completed(completed(completion).await),
                Slot::None => {}
            }
            if timeout_at(until, left).await.is_err() {
                return Admission::Full;
            }
        }
    }

    /// Returns how many pages of a host may be under way beside those of others, so that a host with hundreds of pages leaves
    /// the others their places.
    pub(crate) fn fair_share(&self, host: &HostKey) -> usize {
        let state = self.state();
        let others = state.by_host.keys().filter(|other| *other != host).count();
        (PLACES / (others + 2)).max(2)
    }

    /// Returns how many pages of a host are under way.
    pub(crate) fn waiting(&self, host: &HostKey) -> usize {
        self.state().by_host.get(host).copied().unwrap_or_default()
    }

    /// Returns the hosts of which pages of a crawl are under way.
    pub(crate) fn hosts(&self, crawl: &CrawlKey) -> HashSet<HostKey> {
        let state = self.state();
        state
            .completions
            .iter()
            .filter(|((of, _), _)| of == crawl)
            .map(|(_, flight)| flight.host.clone())
            .collect()
    }

    /// Waits until no page of the crawl is under way, but not for longer than this.
    pub(crate) async fn idle(&self, crawl: &CrawlKey, patience: Duration) {
        let until = Instant::now() + patience;
        loop {
            let left = self.left.notified();
            tokio::pin!(left);
            left.as_mut().enable();
            if !self.is_busy(crawl) || timeout_at(until, left).await.is_err() {
                return;
            }
        }
    }

    /// Tells whether a page of the crawl is under way.
    pub(crate) fn is_busy(&self, crawl: &CrawlKey) -> bool {
        self.state().completions.keys().any(|(of, _)| of == crawl)
    }

    fn slot(self: &Arc<Self>, crawl: &CrawlKey, url: &PageUrl, capacity: usize) -> Slot {
        let (key, host) = ((crawl.clone(), url.fingerprint()), url.host_key());
        let mut state = self.state();
        if let Some(flight) = state.completions.get(&key) {
            return Slot::Taken(flight.completion.clone());
        }
        let taken = state.by_host.entry(host.clone()).or_default();
        if *taken >= capacity {
            return Slot::None;
        }
        *taken += 1;
        let (sender, receiver) = oneshot::channel();
        let flight = Flight { host: host.clone(), completion: receiver.shared() };
        state.completions.insert(key.clone(), flight);
        Slot::Free(Leader { in_flight: Arc::clone(self), key, host, completion: Some(sender) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Leader {
    /// Tells everybody who waits what the visit came to.
    pub(crate) fn complete(mut self, answer: Answer) {
        let completion = self.completion.take();
        // Who comes from now on finds what was recorded, or begins anew.
        drop(self);
        if let Some(completion) = completion {
            // Nobody may have waited.
            let _ = completion.send(answer);
        }
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        let mut state = self.in_flight.state();
        state.completions.remove(&self.key);
        if let Some(taken) = state.by_host.get_mut(&self.host) {
            *taken -= 1;
            if *taken == 0 {
                state.by_host.remove(&self.host);
            }
        }
        drop(state);
        self.in_flight.left.notify_waiters();
    }
}

async fn completed(completion: Completion) -> Answer {
    let panicked = |_| Answer::broken("the visit that was waited for broke off");
    completion.await.unwrap_or_else(panicked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Done;

    fn crawl() -> CrawlKey {
        ("news".parse().unwrap(), "crawl-2026-11-16".parse().unwrap())
    }

    fn page(path: &str) -> PageUrl {
        format!("http://a.example/{path}").parse().unwrap()
    }

    async fn admit(in_flight: &Arc<InFlight>, path: &str, capacity: usize) -> Admission {
        in_flight.admit(&crawl(), &page(path), || capacity, Duration::from_secs(3)).await
    }

    async fn leader(in_flight: &Arc<InFlight>, path: &str) -> Leader {
        let Admission::Leader(leader) = admit(in_flight, path, 10).await else {
            panic!("{path} is under way")
        };
        leader
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_comes_while_a_page_is_visited_shares_the_result() {
        let in_flight = Arc::new(InFlight::default());
        let first = leader(&in_flight, "a").await;
        let joining = {
            let in_flight = Arc::clone(&in_flight);
            tokio::spawn(async move { admit(&in_flight, "a", 0).await })
        };
        tokio::time::sleep(Duration::from_secs(100)).await;
        assert!(!joining.is_finished() && in_flight.is_busy(&crawl()));
        first.complete(Answer::Done(Done::Duplicate));
        assert!(matches!(joining.await.unwrap(), Admission::Completed(Answer::Done(Done::Duplicate))));
        assert!(!in_flight.is_busy(&crawl()));
        leader(&in_flight, "a").await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_visit_that_panics_sends_those_who_wait_away() {
        let in_flight = Arc::new(InFlight::default());
        let first = leader(&in_flight, "a").await;
        let joining = {
            let in_flight = Arc::clone(&in_flight);
            tokio::spawn(async move { admit(&in_flight, "a", 10).await })
        };
        tokio::task::yield_now().await;
        let visit = tokio::spawn(async move {
            let _first = first;
            panic!("on purpose");
        });
        assert!(visit.await.is_err());
        assert!(matches!(joining.await.unwrap(), Admission::Completed(Answer::Later(_))));
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_with_hundreds_of_pages_leaves_the_others_their_places() {
        let in_flight = Arc::new(InFlight::default());
        let host = |name: &str| format!("{name}.example").parse::<HostKey>().unwrap();
        let mut leaders = Vec::new();
        for number in 0.. {
            let url = format!("http://a.example/{number}").parse().unwrap();
            let capacity = || in_flight.fair_share(&host("a"));
            let admitted = in_flight.admit(&crawl(), &url, capacity, Duration::ZERO).await;
            let Admission::Leader(leader) = admitted else { break };
            leaders.push(leader);
        }
        assert_eq!(leaders.len(), PLACES / 2, "alone it has half of the places");
        assert_eq!(in_flight.fair_share(&host("b")), PLACES / 3);
        let url: PageUrl = "http://b.example/".parse().unwrap();
        let capacity = || in_flight.fair_share(&host("b"));
        let other = in_flight.admit(&crawl(), &url, capacity, Duration::ZERO).await;
        assert!(matches!(other, Admission::Leader(_)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_host_is_waited_for_a_little() {
        let in_flight = Arc::new(InFlight::default());
        let first = leader(&in_flight, "a").await;
        let began = Instant::now();
        assert!(matches!(admit(&in_flight, "b", 1).await, Admission::Full));
        assert_eq!(began.elapsed().as_secs(), 3);
        let other = "http://b.example/".parse().unwrap();
        let elsewhere = in_flight.admit(&crawl(), &other, || 1, Duration::ZERO).await;
        assert!(matches!(elsewhere, Admission::Leader(_)));
        let waiting = {
            let in_flight = Arc::clone(&in_flight);
            tokio::spawn(async move { admit(&in_flight, "b", 1).await })
        };
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop(first);
        assert!(matches!(waiting.await.unwrap(), Admission::Leader(_)));
        assert_eq!(in_flight.waiting(&page("a").host_key()), 0);
    }
}
