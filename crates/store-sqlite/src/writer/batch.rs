//! Transactions: everything that waits is written in one, and everyone is answered after it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use recrawl_core::model::ids::EventId;
use recrawl_core::panics::{Panic, caught_in};
use recrawl_core::ports::Recorded;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::command::{Command, Job};
use super::intern::Interner;
use super::records::Visits;
use super::{contents, crawls, outbox, queue, records, retention, search, shared_changes, state, stumbles};
use crate::cache::snapshot_reader::SnapshotReader;
use crate::cache::url_id_set::CrawlUrlSet;
use crate::error::{WriteError, explained};

/// The most that is written in one transaction, so that nobody waits for long.
const LARGEST: usize = 512;

/// How many addresses are written in one transaction, before which no further command joins it: of pages with very many
/// links one is recorded after the other.
const HEAVIEST: usize = 50_000;

/// How much is written, roughly, before the log is folded into the file. Each time syncs the disk.
const FOLD_AFTER: usize = 16 << 20;

pub(super) struct Batches {
    connection: Connection,
    interner: Interner,
    /// The pages that were queued for the crawl that is going on. Readers look at them, too.
    queued: Arc<Mutex<CrawlUrlSet>>,
    linger: Duration,
    committed_at: Instant,
    posted: Arc<AtomicUsize>,
    settled: Arc<SnapshotReader>,
    /// Bytes written, roughly, since the log was folded in.
    unfolded: usize,
    /// Changes when another process has written.
    data_version: i64,
    /// What ended this before its time: what is in memory may be half done, so nothing more is written.
    broken: Arc<OnceLock<Panic>>,
}

impl Batches {
    pub(super) fn new(
        connection: Connection,
        linger: Duration,
        posted: Arc<AtomicUsize>,
        (settled, queued): (Arc<SnapshotReader>, Arc<Mutex<CrawlUrlSet>>),
        broken: Arc<OnceLock<Panic>>,
    ) -> Self {
        Self {
            connection,
            interner: Interner::default(),
            queued,
            linger,
            committed_at: Instant::now(),
            posted,
            settled,
            unfolded: 0,
            data_version: 0,
            broken,
        }
    }

    /// Writes until nobody can send any more and all is written, or until a panic: everybody who waits is told of it,
    /// and so is whoever comes later.
    pub(super) fn run(&mut self, received: &Receiver<Job>) {
        if let Err(panic) = caught_in(|| self.write_on(received)) {
            self.broke(panic);
        }
    }

    fn broke(&mut self, panic: Panic) -> Panic {
        let Panic { message, place } = &panic;
        tracing::error!(message, place, "the writer of the database stumbled");
        self.broken.get_or_init(|| panic).clone()
    }

    fn write_on(&mut self, received: &Receiver<Job>) {
        let mut jobs = Vec::new();
        while let Ok(job) = received.recv() {
            let is_urgent = job.command.is_urgent();
            jobs.push(job);
            if !is_urgent {
                self.wait_for_company();
            }
            let mut load: usize = jobs.iter().map(|job: &Job| job.command.load()).sum();
            while jobs.len() < LARGEST
                && load < HEAVIEST
                && let Ok(job) = received.try_recv()
            {
                load += job.command.load();
                jobs.push(job);
            }
            jobs = self.commit(jobs);
            if self.broken.get().is_some() {
                return;
            }
            self.committed_at = Instant::now();
            if self.unfolded >= FOLD_AFTER {
                self.fold();
            }
        }
        let lost = if jobs.is_empty() { jobs } else { self.commit(jobs) };
        if !lost.is_empty() {
            tracing::error!(commands = lost.len(), "the database could not take the last writes");
        }
    }

    /// Lets others join the next transaction. One that follows no other closely waits for nobody: its writer may be
    /// the only one.
    fn wait_for_company(&self) {
        let rest = self.linger.saturating_sub(self.committed_at.elapsed());
        if !rest.is_zero() {
            // Whoever sends something urgent ends this.
            thread::park_timeout(rest);
        }
    }

    /// Writes `jobs` in one transaction and returns those that are to be tried again.
    fn commit(&mut self, jobs: Vec<Job>) -> Vec<Job> {
        // A transaction that unwinds is rolled back.
        let written = caught_in(|| self.write_all(&jobs))
            .unwrap_or_else(|panic| Err(WriteError::Broken(self.broke(panic))));
        match written {
            Ok(outcomes) => {
                let silent = jobs.iter().filter(|job| job.answer.is_none());
                self.posted.fetch_sub(silent.map(|job| job.command.load()).sum(), Ordering::AcqRel);
                self.unfolded += jobs.iter().map(|job| job.command.weight()).sum::<usize>();
                for (job, outcome) in jobs.into_iter().zip(outcomes) {
                    answer(job, Ok(outcome));
                }
                Vec::new()
            }
            Err(error) => {
                self.forget();
                let (silent, awaited): (Vec<Job>, Vec<Job>) =
                    jobs.into_iter().partition(|job| job.answer.is_none());
                for job in awaited {
                    answer(job, Err(error.clone()));
                }
                silent
            }
        }
    }

    /// Folds the log into the file, so that it is used again from its beginning.
    ///
    /// Done by us and not by SQLite at some commit: the view that is kept open would stop it half-way each
    /// time, and the log would grow as long as the crawl.
    fn fold(&mut self) {
        self.unfolded = 0;
        // An old view would keep what was written after it from being folded in.
        self.settled.end_view();
        let folded = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        // A view that was opened meanwhile reads in the log; one that is opened now does not, because everything is
        // in the file, and does not keep the log from being used again.
        self.settled.end_view();
        if let Err(error) = folded {
            tracing::debug!(%error, "the log could not be folded in yet");
        }
    }

    /// Forgets what a transaction that was rolled back took with it.
    fn forget(&mut self) {
        self.interner.forget();
        lock(&self.queued).clear();
    }

    fn write_all(&mut self, jobs: &[Job]) -> Result<Vec<Recorded>, WriteError> {
        tracing::trace!(commands = jobs.len(), "a transaction begins");
        if !jobs.iter().any(|job| matches!(job.command, Command::Sweep { .. })) {
            return self.write_in_one(jobs).map_err(|error| self.explained(error));
        }
        // A sweep deletes only what nothing names; to prove that again, SQLite would read a whole table for
        // each row, because nothing else needs an index there.
        self.connection.pragma_update(None, "foreign_keys", false)?;
        let outcomes = self.write_in_one(jobs);
        self.connection.pragma_update(None, "foreign_keys", true)?;
        outcomes.map_err(|error| self.explained(error))
    }

    /// Says what is the matter with the file.
    fn explained(&self, error: rusqlite::Error) -> WriteError {
        explained(self.connection.path(), error).into()
    }

    fn write_in_one(&mut self, jobs: &[Job]) -> rusqlite::Result<Vec<Recorded>> {
        // Dropped without a commit, the transaction is rolled back.
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let version = transaction.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        if std::mem::replace(&mut self.data_version, version) != version {
            // It may have deleted what has a number here.
            self.interner.forget();
            lock(&self.queued).clear();
        }
        let mut outcomes = Vec::with_capacity(jobs.len());
        let mut visits = Visits::new(&transaction)?;
        for job in jobs {
            let known = (&mut self.interner, &*self.queued);
            outcomes.push(apply(&transaction, known, &mut visits, &job.command)?);
        }
        drop(visits);
        transaction.commit()?;
        Ok(outcomes)
    }
}

fn answer(job: Job, result: Result<Recorded, WriteError>) {
    if let Some(answer) = job.answer {
        // Who does not wait any more does not need to know.
        let _ = answer.send(result);
    }
}

fn apply(
    transaction: &Transaction,
    (interner, queued): (&mut Interner, &Mutex<CrawlUrlSet>),
    visits: &mut Visits,
    command: &Command,
) -> rusqlite::Result<Recorded> {
    match command {
        Command::Nothing => {}
        Command::SaveSite(site) => crawls::save_site(transaction, site)?,
        Command::OpenCrawl { site, crawl } => return crawls::open_crawl(transaction, *site, crawl),
        Command::CloseCrawl { key, closed } => crawls::close_crawl(transaction, *key, closed)?,
        Command::AcceptCrawl { key, at } => crawls::accept_crawl(transaction, *key, *at)?,
        Command::JudgeCrawlAgain { key, reason, statistics } => {
            crawls::judge_again(transaction, *key, reason, statistics)?;
        }
        Command::ConfirmCrawl { key, by } => crawls::confirm_crawl(transaction, *key, *by)?,
        Command::Record { key, record, content } => {
            if visits.insert(transaction, interner, *key, record)? == Recorded::Already {
                return Ok(Recorded::Already);
            }
            if let Some(archive) = &record.archive {
                let page = interner.url(transaction, &record.url)?;
                let event = EventId::new(record.crawl, &record.url);
                outbox::save_archive(transaction, *key, &event, page, archive)?;
            }
            if let Some(content) = content {
                contents::insert(transaction, interner, content)?;
            }
        }
        Command::Settle { key, records } => {
            records::settle(transaction, interner, *key, records)?;
            // What is known of a page may be another content than the one that was indexed.
            retention::doubt_index(transaction, *key)?;
        }
        Command::SaveSharedChanges { key, changes } => shared_changes::save(transaction, *key, changes)?,
        Command::LowerDepth { key, pages, depth } => {
            for page in pages {
                records::lower_depth(transaction, *key, page, *depth)?;
            }
        }
        Command::Queue(pages) => queue::queue(transaction, interner, &mut lock(queued), pages)?,
        Command::Announce(announcements) => {
            for (key, announcement) in announcements {
                outbox::announce(transaction, interner, *key, announcement)?;
            }
        }
        Command::AnnounceRecorded { key, crawl, kinds } => {
            outbox::announce_recorded(transaction, *key, *crawl, kinds)?;
        }
        Command::Request { key, event, page, requested_at } => {
            let page = interner.url(transaction, page)?;
            outbox::request(transaction, *key, event, page, *requested_at)?;
        }
        Command::SaveArchive { key, event, page, archive } => {
            let page = interner.url(transaction, page)?;
            outbox::save_archive(transaction, *key, event, page, archive)?;
        }
        Command::SaveState { key, entry } => state::save_state(transaction, key, entry)?,
        Command::ReplaceState { key, before, entry } => {
            return state::replace_state(transaction, key, before.as_ref(), entry);
        }
        Command::SaveStumble { key, stumble, bytes, frame } => {
            stumbles::save(transaction, *key, stumble, *bytes, frame.as_deref())?;
        }
        Command::DeleteStates(keys) => state::delete_states(transaction, keys)?,
        Command::BeginIndexing { site, pass } => search::begin(transaction, *site, *pass)?,
        Command::Index(pages) => return search::index(transaction, pages),
        Command::DeleteVisits { key, visits } => retention::delete_visits(transaction, *key, visits)?,
        Command::Sweep { of, rows, since } => {
            retention::sweep(transaction, of, rows, since)?;
            interner.forget();
        }
        Command::DeleteQueues(key) => {
            retention::delete_queues(transaction, *key)?;
            lock(queued).clear();
        }
        Command::DeleteCrawl(key) => retention::delete_crawl(transaction, *key)?,
        Command::DeleteSite(site) => retention::delete_site(transaction, *site)?,
        Command::RenameSite { site, to } => return retention::rename_site(transaction, *site, to),
    }
    Ok(Recorded::First)
}

fn lock(queued: &Mutex<CrawlUrlSet>) -> MutexGuard<'_, CrawlUrlSet> {
    // A panic while pages are queued ends the writer, and readers ask for what they are given once more.
    queued.lock().unwrap_or_else(PoisonError::into_inner)
}
