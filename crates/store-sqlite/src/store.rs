//! The store: reads inline on pooled connections, writes through the one writer.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{QueueError, Recorded, Store, StoreError};
use recrawl_core::url::PageUrl;
use rusqlite::Connection;

use crate::cache::snapshot_reader::SnapshotReader;
use crate::cache::two_generation_cache::TwoGenerationCache;
use crate::cache::url_id_set::CrawlUrlSet;
use crate::compression::CompressionEffort;
use crate::connection::open_for_writing;
use crate::error::{OpenError, WriteError, queue_error, store_error};
use crate::keys::{CrawlKey, Keys};
use crate::lock::CrawlLock;
use crate::queue::pending_queue::PendingQueue;
use crate::readers::Readers;
use crate::writer::{Command, Writer};

/// How a database is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// How long a transaction waits for company after the last one. Longer means fewer and larger ones, and a
    /// longer wait for each record.
    pub linger: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { linger: Duration::from_millis(2) }
    }
}

/// A store, frontier, announcer and archive queue in one SQLite file.
///
/// Dropping it writes what waits and folds the log into the file.
pub struct SqliteStore {
    pub(crate) path: PathBuf,
    pub(crate) readers: Readers,
    pub(crate) snapshot_reader: Arc<SnapshotReader>,
    /// `None` where the file is only read.
    pub(crate) writer: Option<Writer>,
    pub(crate) keys: Keys,
    /// What waits to be handed out, by crawl.
    pub(crate) waiting: Mutex<HashMap<CrawlKey, PendingQueue>>,
    /// Held while something is deleted: one at a time.
    pub(crate) deleting: tokio::sync::Mutex<()>,
    /// Held while the index is brought up to date: one at a time.
    pub(crate) indexing: tokio::sync::Mutex<()>,
    /// Recent addresses by their number.
    pub(crate) urls: Mutex<TwoGenerationCache<i64, PageUrl>>,
    /// The pages that were queued for the crawl that is going on; the writer adds to them.
    pub(crate) queued: Arc<Mutex<CrawlUrlSet>>,
    pub(crate) crawling: Mutex<Option<CrawlLock>>,
    pub(crate) haste: CompressionEffort,
    /// Nothing of [`crate::cache`] is used.
    plain: AtomicBool,
}

impl SqliteStore {
    /// Opens the database at `path` for reading and writing; makes it if needed.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Self, OpenError> {
        let path = path.as_ref();
        let connection = open_for_writing(path)?;
        let settled = Arc::new(SnapshotReader::new(path.to_owned()));
        let queued = Arc::default();
        let writer = Writer::start(connection, options.linger, Arc::clone(&settled), Arc::clone(&queued));
        let writer = writer.map_err(|error| OpenError::io(path, error))?;
        Self::new(path, Some(writer), settled, queued)
    }

    /// Opens the existing database at `path`; every write to it fails.
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        Self::new(path, None, Arc::new(SnapshotReader::new(path.to_owned())), Arc::default())
    }

    fn new(
        path: &Path,
        writer: Option<Writer>,
        snapshot_reader: Arc<SnapshotReader>,
        queued: Arc<Mutex<CrawlUrlSet>>,
    ) -> Result<Self, OpenError> {
        Ok(Self {
            path: path.to_owned(),
            readers: Readers::open(path.to_owned())?,
            snapshot_reader,
            writer,
            keys: Keys::default(),
            waiting: Mutex::default(),
            deleting: tokio::sync::Mutex::default(),
            indexing: tokio::sync::Mutex::default(),
            urls: Mutex::new(TwoGenerationCache::new(6_000)),
            queued,
            crawling: Mutex::default(),
            haste: CompressionEffort::default(),
            plain: AtomicBool::new(false),
        })
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the right to crawl into this file until the store is dropped or its process ends.
    ///
    /// Fails with [`OpenError::Crawling`] while another process, or another store, has it. Readers
    /// are never kept out.
    pub fn lock_for_crawling(&self) -> Result<(), OpenError> {
        let mut crawling = lock(&self.crawling);
        if crawling.is_none() {
            *crawling = Some(CrawlLock::take(&self.path)?);
            self.keys.stay_alone();
        }
        Ok(())
    }

    /// Reads without caches and read-ahead from now on, or with them again: slower, and with the same answers.
    pub fn read_plainly(&self, plain: bool) {
        self.plain.store(plain, Ordering::Relaxed);
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.plain.load(Ordering::Relaxed)
    }

    /// Waits until everything that was queued, announced and requested is written.
    pub async fn flush(&self) -> Result<(), StoreError> {
        match &self.writer {
            Some(writer) => Ok(writer.settle().await?),
            None => Ok(()),
        }
    }

    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.readers.read(read).map_err(store_error)
    }

    pub(crate) fn writer(&self) -> Result<&Writer, WriteError> {
        self.writer.as_ref().ok_or(WriteError::ReadOnly)
    }

    pub(crate) async fn write(&self, command: Command) -> Result<Recorded, StoreError> {
        Ok(self.writer()?.write(command).await?)
    }

    /// Returns the key of a crawl, if it is stored.
    pub(crate) fn find_crawl(&self, site: &SiteId, crawl: CrawlId) -> rusqlite::Result<Option<CrawlKey>> {
        match self.keys.known_crawl(site, crawl) {
            Some(key) => Ok(Some(key)),
            None => self.readers.read(|connection| self.keys.crawl(connection, site, crawl)),
        }
    }

    pub(crate) fn expect_crawl(&self, site: &SiteId, crawl: CrawlId) -> Result<CrawlKey, StoreError> {
        let key = self.find_crawl(site, crawl).map_err(store_error)?;
        key.ok_or_else(|| StoreError::Absent(format!("{crawl} of site {site}")))
    }

    /// Returns the key of an unusual crawl.
    pub(crate) async fn expect_unusual(&self, site: &SiteId, crawl: CrawlId) -> Result<CrawlKey, StoreError> {
        let crawls = self.crawls(site).await?;
        let closed = crawls.into_iter().find(|stored| stored.id == crawl).and_then(|stored| stored.closed);
        if closed.is_none_or(|closed| closed.suspicion.is_none()) {
            return Err(StoreError::Absent(format!("unusual {crawl} of site {site}")));
        }
        self.expect_crawl(site, crawl)
    }

    /// Returns the key of a crawl that pages are queued for.
    pub(crate) fn expect_queue(&self, site: &SiteId, crawl: CrawlId) -> Result<CrawlKey, QueueError> {
        let key = self.find_crawl(site, crawl).map_err(queue_error)?;
        let absent = || StoreError::Absent(format!("{crawl} of site {site}"));
        key.ok_or_else(|| QueueError::Refused(Box::new(absent())))
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        // The writer's connection is the last to close, and so the one that folds in the log.
        self.readers.close();
        self.snapshot_reader.close();
        drop(self.writer.take());
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let writes = self.writer.is_some();
        formatter
            .debug_struct("SqliteStore")
            .field("path", &self.path)
            .field("writes", &writes)
            .finish_non_exhaustive()
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is behind these locks is a cache, a queue or a file: valid after any panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
