//! What a drain still has to do: sites in turn, the oldest crawl of each first.

use std::collections::{HashSet, VecDeque};

use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::ports::ArchiveRequest;

use super::drain::DrainOptions;
use super::{ArchiveOutcome, ArchiveWorker};
use crate::error::ArchiveError;

/// How many requests are read at a time: more than can be due and not be taken again.
const CHUNK: usize = 64;

/// What is still to be taken.
pub(super) struct Queue<'a> {
    work: &'a DrainOptions,
    /// The sites that may have something that is due, in the order in which they come next.
    lines: VecDeque<Line<'a>>,
    /// Those that are under way, or about which nothing more is to be done in this run.
    taken: HashSet<(SiteId, EventId)>,
    /// Those that are over. A damaged store may list them again, for ever.
    done: HashSet<(SiteId, EventId)>,
    /// When those that were put off in this run are due, as far as the store lists them then.
    put_off: Vec<Timestamp>,
    pub(super) last_words: Option<String>,
}

/// What waits of one site.
struct Line<'a> {
    site: &'a SiteId,
    crawls: VecDeque<CrawlId>,
    read: VecDeque<ArchiveRequest>,
}

impl<'a> Queue<'a> {
    pub(super) fn new(work: &'a DrainOptions) -> Self {
        let mut queue = Self {
            work,
            lines: VecDeque::new(),
            taken: HashSet::new(),
            done: HashSet::new(),
            put_off: Vec::new(),
            last_words: None,
        };
        queue.begin();
        queue
    }

    /// Looks at every crawl again.
    pub(super) fn begin(&mut self) {
        let line = |(site, crawls): &'a (SiteId, Vec<CrawlId>)| Line {
            site,
            crawls: crawls.iter().copied().collect(),
            read: VecDeque::new(),
        };
        self.lines = self.work.sites.iter().map(line).collect();
        self.put_off.clear();
    }

    /// Takes the next request that is due.
    pub(super) async fn next(
        &mut self,
        archive_worker: &ArchiveWorker,
        now: Timestamp,
    ) -> Result<Option<ArchiveRequest>, ArchiveError> {
        while let Some(mut line) = self.lines.pop_front() {
            if let Some(request) = self.next_of(&mut line, archive_worker, now).await? {
                self.lines.push_back(line);
                self.taken.insert((request.site.clone(), request.id));
                return Ok(Some(request));
            }
        }
        Ok(None)
    }

    async fn next_of(
        &self,
        line: &mut Line<'_>,
        archive_worker: &ArchiveWorker,
        now: Timestamp,
    ) -> Result<Option<ArchiveRequest>, ArchiveError> {
        while line.read.is_empty() {
            let Some(&crawl) = line.crawls.front() else { return Ok(None) };
            let limit = CHUNK + self.taken.len();
            for record in archive_worker.store.unarchived(line.site, crawl, now, limit).await? {
                let (site, id) = (line.site.clone(), EventId::new(crawl, &record.url));
                let key = (site.clone(), id);
                if !self.taken.contains(&key) && !self.done.contains(&key) {
                    let requested_at = record.archive.map_or(now, |archive| archive.requested_at);
                    line.read.push_back(ArchiveRequest { id, site, crawl, page: record.url, requested_at });
                }
            }
            if line.read.is_empty() {
                line.crawls.pop_front();
            }
        }
        Ok(line.read.pop_front())
    }

    /// Notes what came of a request.
    pub(super) fn end(&mut self, request: &ArchiveRequest, outcome: &ArchiveOutcome) {
        let key = (request.site.clone(), request.id);
        match outcome {
            ArchiveOutcome::Done(_) => {
                self.taken.remove(&key);
                self.done.insert(key);
            }
            ArchiveOutcome::Deferred(archive, time) => {
                if archive.error.is_some() {
                    self.last_words.clone_from(&archive.error);
                }
                // The store lists it again at its time, if that was saved.
                if archive.not_before == Some(*time) {
                    self.taken.remove(&key);
                    self.put_off.push(*time);
                }
            }
            ArchiveOutcome::NotRecorded => {}
        }
    }

    /// Returns when the first of those is due that were put off in this run.
    pub(super) fn due_again(&self) -> Option<Timestamp> {
        self.put_off.iter().min().copied()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use recrawl_core::memory::MemoryStore;
    use recrawl_core::model::archive::Archive;
    use recrawl_core::ports::Store;
    use recrawl_testkit::contract::samples::{self, FIRST, bare_record, crawl_id, site_id};

    use super::*;
    use crate::pace::PaceSettings;
    use crate::service::{SavePageNow, SavePageNowSettings};

    #[tokio::test]
    async fn a_request_that_is_over_is_not_taken_again_though_the_store_lists_it() {
        let store = Arc::new(MemoryStore::default());
        samples::open(&*store, "a").await;
        let now = Timestamp::now();
        let archive = Archive::queued(now);
        for path in ["/one", "/other"] {
            let mut record = bare_record("a", FIRST, path);
            record.archive = Some(archive.clone());
            store.record(&record, None).await.unwrap();
        }
        let service =
            SavePageNow::new(SavePageNowSettings::new("recrawl/0 (+https://example.org/)")).unwrap();
        let worker = ArchiveWorker::with_pace(store, service, PaceSettings::local());
        let sites = vec![(site_id("a"), vec![crawl_id(FIRST)])];
        let work = DrainOptions { sites, limit: usize::MAX, deadline: None };
        let mut queue = Queue::new(&work);
        for _ in 0..2 {
            let request = queue.next(&worker, now).await.unwrap().unwrap();
            // As if the store had not saved it.
            queue.end(&request, &ArchiveOutcome::Done(archive.clone()));
        }
        assert_eq!(queue.next(&worker, now).await.unwrap(), None);
        queue.begin();
        assert_eq!(queue.next(&worker, now).await.unwrap(), None);
    }
}
