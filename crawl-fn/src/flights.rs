//! Pages that are being visited, and who waits for them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{FutureExt, Shared};
use recrawl_core::ids::CrawlId;
use recrawl_core::url::{HostKey, PageUrl};
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, timeout_at};

use crate::answer::Answer;

/// A page in a crawl, as a fingerprint.
type Key = (CrawlId, u128);

/// What a visit comes to; an error if it panicked.
type Landing = Shared<oneshot::Receiver<Answer>>;

/// Pages that are being visited or wait for the turn of their host.
#[derive(Default)]
pub(crate) struct Flights {
    state: Mutex<State>,
    left: Notify,
}

#[derive(Default)]
struct State {
    landings: HashMap<Key, Landing>,
    by_host: HashMap<HostKey, usize>,
}

/// What there is to do for a push.
pub(crate) enum Boarding {
    /// Visit the page.
    Pilot(Pilot),
    /// Somebody does; this is what it comes to.
    Landed(Answer),
    /// Too many wait for the host.
    Full,
}

/// The right and the duty to visit a page: the only one who does.
///
/// Dropping it without [`Pilot::land`], as a panic does, tells those who wait to come again.
pub(crate) struct Pilot {
    flights: Arc<Flights>,
    key: Key,
    host: HostKey,
    landing: Option<oneshot::Sender<Answer>>,
}

/// What is there at one moment.
enum Seat {
    Free(Pilot),
    Taken(Landing),
    None,
}

impl Flights {
    /// Takes a seat, shares what the flight that is under way comes to, or waits up to `hold` for one of
    /// `seats` of the host.
    pub(crate) async fn board(
        self: &Arc<Self>,
        crawl: CrawlId,
        url: &PageUrl,
        seats: impl Fn() -> usize,
        hold: Duration,
    ) -> Boarding {
        let until = Instant::now() + hold;
        loop {
            let left = self.left.notified();
            tokio::pin!(left);
            // Before the look, so that nobody leaves unseen between the two.
            left.as_mut().enable();
            match self.seat(crawl, url, seats()) {
                Seat::Free(pilot) => return Boarding::Pilot(pilot),
                Seat::Taken(landing) => return Boarding::Landed(landed(landing).await),
                Seat::None => {}
            }
            if timeout_at(until, left).await.is_err() {
                return Boarding::Full;
            }
        }
    }

    /// Returns how many pages of a host are under way.
    pub(crate) fn waiting(&self, host: &HostKey) -> usize {
        self.state().by_host.get(host).copied().unwrap_or_default()
    }

    /// Tells whether a page of the crawl is under way.
    pub(crate) fn is_busy(&self, crawl: CrawlId) -> bool {
        self.state().landings.keys().any(|(of, _)| *of == crawl)
    }

    fn seat(self: &Arc<Self>, crawl: CrawlId, url: &PageUrl, seats: usize) -> Seat {
        let (key, host) = ((crawl, url.fingerprint()), url.host_key());
        let mut state = self.state();
        if let Some(landing) = state.landings.get(&key) {
            return Seat::Taken(landing.clone());
        }
        let taken = state.by_host.entry(host.clone()).or_default();
        if *taken >= seats {
            return Seat::None;
        }
        *taken += 1;
        let (sender, receiver) = oneshot::channel();
        state.landings.insert(key, receiver.shared());
        Seat::Free(Pilot { flights: Arc::clone(self), key, host, landing: Some(sender) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pilot {
    /// Tells everybody who waits what the visit came to.
    pub(crate) fn land(mut self, answer: Answer) {
        let landing = self.landing.take();
        // Who comes from now on finds what was recorded, or begins anew.
        drop(self);
        if let Some(landing) = landing {
            // Nobody may have waited.
            let _ = landing.send(answer);
        }
    }
}

impl Drop for Pilot {
    fn drop(&mut self) {
        let mut state = self.flights.state();
        state.landings.remove(&self.key);
        if let Some(taken) = state.by_host.get_mut(&self.host) {
            *taken -= 1;
            if *taken == 0 {
                state.by_host.remove(&self.host);
            }
        }
        drop(state);
        self.flights.left.notify_waiters();
    }
}

async fn landed(landing: Landing) -> Answer {
    let panicked = |_| Answer::broken("the visit that was waited for broke off");
    landing.await.unwrap_or_else(panicked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Done;

    fn crawl() -> CrawlId {
        "crawl-2026-11-16".parse().unwrap()
    }

    fn page(path: &str) -> PageUrl {
        format!("http://a.example/{path}").parse().unwrap()
    }

    async fn board(flights: &Arc<Flights>, path: &str, seats: usize) -> Boarding {
        flights.board(crawl(), &page(path), || seats, Duration::from_secs(3)).await
    }

    async fn pilot(flights: &Arc<Flights>, path: &str) -> Pilot {
        let Boarding::Pilot(pilot) = board(flights, path, 10).await else { panic!("{path} is under way") };
        pilot
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_comes_while_a_page_is_visited_shares_the_result() {
        let flights = Arc::new(Flights::default());
        let first = pilot(&flights, "a").await;
        let joining = {
            let flights = Arc::clone(&flights);
            tokio::spawn(async move { board(&flights, "a", 0).await })
        };
        tokio::time::sleep(Duration::from_secs(100)).await;
        assert!(!joining.is_finished() && flights.is_busy(crawl()));
        first.land(Answer::Done(Done::Duplicate));
        assert!(matches!(joining.await.unwrap(), Boarding::Landed(Answer::Done(Done::Duplicate))));
        assert!(!flights.is_busy(crawl()));
        pilot(&flights, "a").await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_visit_that_panics_sends_those_who_wait_away() {
        let flights = Arc::new(Flights::default());
        let first = pilot(&flights, "a").await;
        let joining = {
            let flights = Arc::clone(&flights);
            tokio::spawn(async move { board(&flights, "a", 10).await })
        };
        tokio::task::yield_now().await;
        let visit = tokio::spawn(async move {
            let _first = first;
            panic!("on purpose");
        });
        assert!(visit.await.is_err());
        assert!(matches!(joining.await.unwrap(), Boarding::Landed(Answer::Later(_))));
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_host_is_waited_for_a_little() {
        let flights = Arc::new(Flights::default());
        let first = pilot(&flights, "a").await;
        let began = Instant::now();
        assert!(matches!(board(&flights, "b", 1).await, Boarding::Full));
        assert_eq!(began.elapsed().as_secs(), 3);
        let other = "http://b.example/".parse().unwrap();
        let elsewhere = flights.board(crawl(), &other, || 1, Duration::ZERO).await;
        assert!(matches!(elsewhere, Boarding::Pilot(_)));
        let waiting = {
            let flights = Arc::clone(&flights);
            tokio::spawn(async move { board(&flights, "b", 1).await })
        };
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop(first);
        assert!(matches!(waiting.await.unwrap(), Boarding::Pilot(_)));
        assert_eq!(flights.waiting(&page("a").host_key()), 0);
    }
}
