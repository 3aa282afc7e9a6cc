//! Pages that changed by a few words, and are asked for again when the crawl is quiet.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use recrawl_core::changes::again::Rechecks;
use recrawl_core::model::record::PageRecord;
use recrawl_core::ports::QueuedPage;
use recrawl_core::url::PageUrl;
use tokio::time::Instant;

/// Pages that are asked for again when the crawl is quiet.
///
/// They are recorded as they were seen first: a message that is lost, or a process that ends, costs nothing but the
/// second answer.
pub(crate) struct AskedAgain {
    quiet: Duration,
    state: Mutex<State>,
}

struct State {
    rechecks: Rechecks,
    /// Those whose messages are on their way.
    awaited: HashSet<u128>,
    /// When the last of the crawl's pages was recorded, or asked for again.
    last: Instant,
}

impl AskedAgain {
    /// Goes on from what earlier processes recorded.
    pub(super) fn new(quiet: Duration, rechecks: Rechecks) -> Self {
        let state = State { rechecks, awaited: HashSet::new(), last: Instant::now() };
        Self { quiet, state: Mutex::new(state) }
    }

    /// Takes in a record of the crawl.
    pub(crate) fn note(&self, record: &PageRecord) {
        let mut state = self.state();
        state.rechecks.note(record);
        state.last = Instant::now();
    }

    /// Returns what is to be queued again, at most so many pages, once the crawl is quiet.
    pub(crate) fn begin(&self, most: usize) -> Vec<QueuedPage> {
        let mut state = self.state();
        if state.last.elapsed() < self.quiet {
            return Vec::new();
        }
        let mut pages = state.rechecks.choose();
        pages.truncate(most);
        if !pages.is_empty() {
            state.awaited.extend(pages.iter().map(|page| page.url.fingerprint()));
            state.last = Instant::now();
        }
        pages
    }

    /// Tells whether a page is to be asked for again.
    pub(crate) fn awaits(&self, url: &PageUrl) -> bool {
        self.state().awaited.contains(&url.fingerprint())
    }

    /// Takes a page that is asked for again now; tells whether nobody else has.
    pub(crate) fn take(&self, url: &PageUrl) -> bool {
        let mut state = self.state();
        let is_awaited = state.awaited.remove(&url.fingerprint());
        if is_awaited {
            state.last = Instant::now();
        }
        is_awaited
    }

    /// Notes that it could not be done; the message comes again.
    pub(crate) fn put_back(&self, url: &PageUrl) {
        self.state().awaited.insert(url.fingerprint());
    }

    /// Tells whether the crawl waits for some. After a while without any, it does not.
    pub(crate) fn are_awaited(&self) -> bool {
        let state = self.state();
        !state.awaited.is_empty() && state.last.elapsed() < self.quiet
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // What was lost in a panic is a second answer.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
