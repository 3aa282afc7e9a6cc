//! One view (snapshot) for many reads of what does not change while a crawl goes on: earlier records, and contents.
//!
//! Why: every commit of the crawl empties the page cache of a connection that begins a view anew.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::cache::prefetched::Prefetched;
use crate::connection::open_for_reading;
use crate::error::explained;
use crate::keys::CrawlKey;
use crate::readers::as_database_error;

/// How many reads share one view of the file. The next one begins with an empty cache; meanwhile, the log is
/// folded in only where the writer asks for it.
const READS: u32 = 4_096;

/// How many kilobytes of the file are kept.
const CACHE: i64 = 3_000;

/// One connection that keeps its view of the file over many reads.
///
/// A view per read would cost locks, and every commit would empty the cache of pages. An old view is as
/// good for what was written before the crawl that is going on.
#[derive(Debug)]
pub(crate) struct SnapshotReader {
    path: PathBuf,
    /// The crawl that records are being written to, by site.
    current: Mutex<HashMap<i64, i64>>,
    view: Mutex<View>,
    prefetched: Mutex<Prefetched>,
}

#[derive(Debug, Default)]
struct View {
    connection: Option<Connection>,
    reads: u32,
}

impl SnapshotReader {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, current: Mutex::default(), view: Mutex::default(), prefetched: Mutex::default() }
    }

    /// Notes that a record of `crawl` is about to be written, or was.
    pub(crate) fn note_write(&self, crawl: CrawlKey) {
        let before = lock(&self.current).insert(crawl.site, crawl.crawl);
        if before != Some(crawl.crawl) {
            self.renew();
        }
    }

    /// Tells whether records are being written to `crawl` and to no other one of its site.
    pub(crate) fn is_current(&self, crawl: CrawlKey) -> bool {
        lock(&self.current).get(&crawl.site) == Some(&crawl.crawl)
    }

    /// Returns the answers that were read before anybody asked.
    pub(crate) fn prefetched(&self) -> MutexGuard<'_, Prefetched> {
        lock(&self.prefetched)
    }

    /// Reads with the shared view.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let mut view = lock(&self.view);
        if view.reads >= READS {
            view.end();
        }
        if view.connection.is_none() {
            let opened = open_for_reading(&self.path).map_err(|error| as_database_error(&error))?;
            opened.pragma_update(None, "cache_size", -CACHE)?;
            view.connection = Some(opened);
        }
        let begins = view.reads == 0;
        view.reads += 1;
        let Some(connection) = &view.connection else { unreachable!("it was opened just now") };
        if begins {
            connection.prepare_cached("BEGIN")?.execute([])?;
        }
        let result = read(connection).map_err(|error| explained(self.path.to_str(), error));
        if result.is_err() {
            view.end();
        }
        result
    }

    /// Makes the next read see what was written before it.
    pub(crate) fn renew(&self) {
        // In this order: what is read in between sees the new view, and is forgotten for nothing.
        self.end_view();
        self.prefetched().clear();
    }

    /// Ends the view that is open; the next read opens another.
    pub(crate) fn end_view(&self) {
        lock(&self.view).end();
    }

    /// Does something while no view is open.
    pub(crate) fn without_view<T>(&self, act: impl FnOnce() -> T) -> T {
        let mut view = lock(&self.view);
        view.end();
        act()
    }

    /// Closes the connection.
    pub(crate) fn close(&self) {
        *lock(&self.view) = View::default();
    }
}

impl View {
    fn end(&mut self) {
        let began = std::mem::take(&mut self.reads) > 0;
        if let Some(connection) = self.connection.as_ref().filter(|_| began)
            && let Err(error) = connection.prepare_cached("COMMIT").and_then(|mut end| end.execute([]))
        {
            tracing::debug!(%error, "a view of the database could not be ended; it is opened anew");
            self.connection = None;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic during a read leaves the connection usable: its view is ended by the next error or limit.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
