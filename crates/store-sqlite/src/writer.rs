//! The one writer: a thread that owns the connection and writes whatever waits in one transaction.

mod batch;
mod command;
mod contents;
mod crawls;
mod intern;
mod outbox;
mod queue;
mod records;
mod retention;
mod search;
mod shared_changes;
mod state;
mod stumbles;

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use recrawl_core::panics::Panic;
use recrawl_core::ports::Recorded;
use rusqlite::Connection;
use tokio::sync::oneshot;

use self::batch::Batches;
use self::command::Job;
pub(crate) use self::command::{Command, IndexedPage, IndexedPages, NewContent};
use crate::cache::snapshot_reader::SnapshotReader;
use crate::cache::url_id_set::CrawlUrlSet;
use crate::error::WriteError;

/// How much may be posted and not written before those who post wait.
const MOST_POSTED: usize = 20_000;

/// The callers' side of the writer.
#[derive(Debug)]
pub(crate) struct Writer {
    jobs: Option<Sender<Job>>,
    /// How much of what was posted is not written yet, by [`Command::load`].
    posted: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
    /// What ended the thread before its time, if anything did.
    broken: Arc<OnceLock<Panic>>,
}

impl Writer {
    /// Starts the thread. A transaction waits for company for as long as `linger`.
    pub(crate) fn start(
        connection: Connection,
        linger: Duration,
        settled: Arc<SnapshotReader>,
        queued: Arc<Mutex<CrawlUrlSet>>,
    ) -> io::Result<Self> {
        let (jobs, received) = mpsc::channel();
        let posted = Arc::new(AtomicUsize::new(0));
        let broken = Arc::new(OnceLock::new());
        let mut batches =
            Batches::new(connection, linger, Arc::clone(&posted), (settled, queued), Arc::clone(&broken));
        let thread =
            thread::Builder::new().name("recrawl-sqlite".to_owned()).spawn(move || batches.run(&received))?;
        Ok(Self { jobs: Some(jobs), posted, thread: Some(thread), broken })
    }

    /// Writes `command` and waits until it is committed.
    pub(crate) async fn write(&self, command: Command) -> Result<Recorded, WriteError> {
        let (answer, answered) = oneshot::channel();
        let is_urgent = command.is_urgent();
        self.send(Job { command, answer: Some(answer) })?;
        if let Some(thread) = self.thread.as_ref().filter(|_| is_urgent) {
            thread.thread().unpark();
        }
        answered.await.map_err(|_| self.ended())?
    }

    /// Writes `command` soon, and no later than what is written after it.
    ///
    /// Where its transaction fails, those who wait for that are told, and it is tried again with the next.
    pub(crate) fn post(&self, command: Command) -> Result<(), WriteError> {
        self.posted.fetch_add(command.load(), Ordering::AcqRel);
        self.send(Job { command, answer: None })
    }

    /// Waits while more is posted than should be held in memory.
    pub(crate) async fn keep_up(&self) -> Result<(), WriteError> {
        if self.posted.load(Ordering::Acquire) > MOST_POSTED { self.settle().await } else { Ok(()) }
    }

    /// Waits until everything that was posted is committed.
    pub(crate) async fn settle(&self) -> Result<(), WriteError> {
        if self.posted.load(Ordering::Acquire) == 0 {
            return Ok(());
        }
        self.write(Command::Nothing).await.map(drop)
    }

    fn send(&self, job: Job) -> Result<(), WriteError> {
        let jobs = self.jobs.as_ref().ok_or_else(|| self.ended())?;
        jobs.send(job).map_err(|_| self.ended())
    }

    /// Says why nothing is written any more.
    fn ended(&self) -> WriteError {
        self.broken.get().map_or(WriteError::Ended, |panic| WriteError::Broken(panic.clone()))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the writer of the database panicked");
        }
    }
}
