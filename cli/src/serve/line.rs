//! Who is crawled, and who waits: one crawl at a time, because the pace of hosts is kept by one crawl.

use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use recrawl_core::ids::SiteId;
use recrawl_core::url::HostKey;
use recrawl_crawler::{Halt, Halting};
use recrawl_web::controls::Progress;
use tokio::sync::{Notify, watch};

use super::wishes::Wish;

/// Why a crawl that a person stopped is partial.
pub(super) const BY_HAND: Halting = Halting::Close("it was stopped by hand");

/// A place in the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) site: SiteId,
    pub(super) wish: Wish,
    /// It has its turn at this time at the earliest.
    pub(super) not_before: Option<Timestamp>,
}

/// The crawl that is under way.
#[derive(Debug)]
pub(super) struct Running {
    site: SiteId,
    halt: Halt,
    progress: watch::Receiver<Option<Progress>>,
    hosts: Vec<HostKey>,
}

/// What the worker needs to run a crawl that others can watch and halt.
pub(super) struct Handle {
    pub(super) turn: Turn,
    pub(super) halt: Halt,
    pub(super) progress: watch::Sender<Option<Progress>>,
}

/// Where a site is in the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Nowhere.
    Out,
    /// It waits.
    Waiting(Wish),
    /// It is under way.
    Running,
    /// It is under way, and shall rest or be closed.
    Ending,
}

/// Who is crawled, and who waits.
#[derive(Debug, Default)]
pub(super) struct Line {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<Turn>,
    running: Option<Running>,
}

impl Line {
    /// Puts a site at the end of the line; one that waits keeps its place, and waits for what is wished now.
    pub(super) fn join(&self, site: &SiteId, wish: Wish) {
        let mut state = self.state();
        match state.waiting.iter_mut().find(|turn| turn.site == *site) {
            Some(turn) => *turn = Turn { wish, not_before: None, ..turn.clone() },
            None => state.waiting.push(Turn { site: site.clone(), wish, not_before: None }),
        }
        self.changed.notify_one();
    }

    /// Puts back what could not be done, to be tried again at `not_before`, unless something is wished meanwhile.
    pub(super) fn put_back(&self, turn: Turn, not_before: Timestamp) {
        let mut state = self.state();
        if !state.waiting.iter().any(|waiting| waiting.site == turn.site) {
            state.waiting.push(Turn { not_before: Some(not_before), ..turn });
        }
    }

    /// Takes a site out of the line.
    pub(super) fn leave(&self, site: &SiteId) {
        self.state().waiting.retain(|turn| turn.site != *site);
    }

    /// Asks the crawl of a site to end, if it is under way.
    pub(super) fn halt(&self, site: &SiteId, halting: Halting) {
        if let Some(running) = self.state().running.as_ref().filter(|running| running.site == *site) {
            running.halt.ask(halting);
        }
    }

    /// Asks whatever is under way to rest.
    pub(super) fn rest(&self) {
        if let Some(running) = &self.state().running {
            running.halt.ask(Halting::Rest);
        }
    }

    /// Returns where a site is. One that is under way and waits for another turn is ending.
    pub(super) fn place(&self, site: &SiteId) -> Place {
        let state = self.state();
        if let Some(running) = state.running.as_ref().filter(|running| running.site == *site) {
            return if running.halt.asked().is_some() { Place::Ending } else { Place::Running };
        }
        let waiting = state.waiting.iter().find(|turn| turn.site == *site);
        waiting.map_or(Place::Out, |turn| Place::Waiting(turn.wish))
    }

    /// Tells whether a site waits for a turn, be it under way or not.
    pub(super) fn waits(&self, site: &SiteId) -> bool {
        self.state().waiting.iter().any(|turn| turn.site == *site)
    }

    /// Tells whether a crawl is under way.
    pub(super) fn is_busy(&self) -> bool {
        self.state().running.is_some()
    }

    /// Tells whether the crawl under way may ask `host`.
    pub(super) fn asks(&self, host: &HostKey) -> bool {
        let below = |known: &HostKey| host.as_str().ends_with(&format!(".{known}"));
        let state = self.state();
        state.running.iter().flat_map(|running| &running.hosts).any(|known| known == host || below(known))
    }

    /// Notes which hosts the crawl under way asks.
    pub(super) fn note_hosts(&self, hosts: Vec<HostKey>) {
        if let Some(running) = &mut self.state().running {
            running.hosts = hosts;
        }
    }

    /// Returns how the crawl of a site comes on, if it is under way.
    pub(super) fn progress(&self, site: &SiteId) -> Option<watch::Receiver<Option<Progress>>> {
        let state = self.state();
        let running = state.running.as_ref().filter(|running| running.site == *site);
        running.map(|running| running.progress.clone())
    }

    /// Takes the first whose time has come, unless something is under way.
    pub(super) fn take(&self, now: Timestamp) -> Option<Handle> {
        let mut state = self.state();
        let is_due = |turn: &Turn| turn.not_before.is_none_or(|time| time <= now);
        let first = state.waiting.iter().position(is_due).filter(|_| state.running.is_none())?;
        let turn = state.waiting.remove(first);
        let (sender, progress) = watch::channel(None);
        let halt = Halt::default();
        if turn.wish == Wish::Close {
            halt.ask(BY_HAND);
        }
        state.running =
            Some(Running { site: turn.site.clone(), halt: halt.clone(), progress, hosts: Vec::new() });
        Some(Handle { turn, halt, progress: sender })
    }

    /// Notes that nothing is under way any more.
    pub(super) fn end(&self) {
        self.state().running = None;
    }

    /// Waits until somebody joins the line.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(name: &str) -> SiteId {
        name.parse().unwrap()
    }

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    #[test]
    fn one_is_crawled_at_a_time_and_others_wait_in_order() {
        let line = Line::default();
        for name in ["a", "b", "a"] {
            line.join(&site(name), Wish::Crawl);
        }
        let first = line.take(NOW).unwrap();
        assert_eq!((first.turn.site.as_str(), line.place(&site("a"))), ("a", Place::Running));
        assert_eq!(line.place(&site("b")), Place::Waiting(Wish::Crawl));
        assert!(line.take(NOW).is_none(), "a is under way");
        line.end();
        assert_eq!(line.take(NOW).unwrap().turn.site, site("b"));
        line.end();
        assert!(line.take(NOW).is_none(), "a was wished for once");
    }

    #[test]
    fn what_is_put_back_waits_for_its_time_unless_somebody_asks() {
        let line = Line::default();
        line.join(&site("a"), Wish::Crawl);
        let turn = line.take(NOW).unwrap().turn;
        line.end();
        let later = NOW + jiff::SignedDuration::from_mins(15);
        line.put_back(turn, later);
        assert!(line.take(NOW).is_none());
        line.join(&site("a"), Wish::Crawl);
        assert!(line.take(NOW).is_some());
        line.end();
        line.put_back(Turn { site: site("a"), wish: Wish::Crawl, not_before: None }, later);
        assert!(line.take(later).is_some());
    }

    #[test]
    fn a_crawl_that_is_halted_is_ending_and_one_to_be_closed_is_so_from_the_start() {
        let line = Line::default();
        line.join(&site("a"), Wish::Crawl);
        let handle = line.take(NOW).unwrap();
        line.halt(&site("b"), Halting::Rest);
        assert_eq!(handle.halt.asked(), None, "b is not under way");
        line.halt(&site("a"), Halting::Rest);
        assert_eq!((handle.halt.asked(), line.place(&site("a"))), (Some(Halting::Rest), Place::Ending));
        line.end();
        line.join(&site("a"), Wish::Close);
        assert_eq!(line.take(NOW).unwrap().halt.asked(), Some(BY_HAND));
    }

    #[test]
    fn hosts_below_those_of_the_crawl_count_as_asked() {
        let line = Line::default();
        line.join(&site("a"), Wish::Crawl);
        let _handle = line.take(NOW).unwrap();
        line.note_hosts(vec!["example.org".parse().unwrap()]);
        for (host, expected) in [("example.org", true), ("a.example.org", true), ("ample.org", false)] {
            assert_eq!(line.asks(&host.parse().unwrap()), expected, "{host}");
        }
        line.end();
        assert!(!line.asks(&"example.org".parse().unwrap()));
    }
}
