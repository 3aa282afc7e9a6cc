//! Where a run sets out: what is known, what an earlier run did, what the sitemaps list, what comes first.

use std::collections::HashSet;

use recrawl_core::model::crawl::Mode;
use recrawl_core::model::record::{Found, FoundBy, PageRecord, PageSummary};
use recrawl_core::plan::due::{Candidate, due};
use recrawl_core::plan::sample::{Member, Sample, sample, seed};
use recrawl_core::ports::{Priority, QueueError, QueuedPage, StoreError};
use recrawl_core::url::PageUrl;
use tokio::time::timeout_at;

use super::{Account, Done, Runner, RunnerError, Selection};
use crate::observer::Event;
use crate::sitemaps::ReliabilityCache;
use crate::sitemaps::SteadySearch;

/// How many records are read at once when a crawl is resumed.
const CHUNK: usize = 1_000;

/// The sample of a crawl in mode smart, for people to see.
#[derive(Debug)]
pub(super) struct Sampled {
    pages: HashSet<u128>,
    changed: usize,
    is_told: bool,
}

impl Sampled {
    /// Takes in a record of this crawl.
    pub(super) fn note(&mut self, record: &PageRecord) {
        let counts =
            self.pages.contains(&record.url.fingerprint()) && record.visit.verdict.change().is_some();
        self.changed += usize::from(counts);
    }
}

/// What is known before the crawl.
#[derive(Default)]
struct Past {
    /// How many pages were live when last seen.
    known: u64,
    /// The pages that were, where somebody chooses from them.
    live: Vec<PageSummary>,
}

impl Runner {
    /// Fills in what is known, and queues what is visited first.
    pub(super) async fn prepare(&self, account: &mut Account) -> Result<(), RunnerError> {
        let mut past = self.load_history().await?;
        account.page_limit = self.run.budget.max_pages.of(past.known);
        let sampled = self.choose_sample(&past.live);
        if let Selection::Due { at_most } = self.run.selection {
            let (due, not_due) = self.divide(past.live, at_most);
            past.live = due;
            for page in &not_due {
                // No link leads there in this crawl.
                self.step.seen().finish(&page.url, 0);
            }
        }
        if !sampled.is_empty() {
            let pages = sampled.iter().map(|page| page.url.fingerprint()).collect();
            account.sampled = Some(Sampled { pages, changed: 0, is_told: false });
            self.step.decide_by(Sample::of(sampled.iter().map(|page| &page.url)));
        }
        if self.run.resumed {
            self.resume(account).await?;
        }
        self.queue_first(&sampled).await?;
        let seed = Found { by: FoundBy::Seed, depth: 0, referrer: None };
        self.step.queue([&self.run.site.root], &seed).await?;
        self.search_sitemaps(account);
        if past.known > 0 {
            // What the sitemaps say decides the order of known pages.
            while let Some(done) = account.tasks.join_next().await {
                if let Done::Searched(result) = done? {
                    result?;
                }
            }
        }
        let is_chosen = self.run.selection != Selection::Everything || self.run.budget.requests.is_some();
        if is_chosen {
            self.queue_known(past.live).await?;
        }
        Ok(())
    }

    /// Fills the visit planner with what earlier crawls saw.
    async fn load_history(&self) -> Result<Past, StoreError> {
        let chooses = self.run.selection != Selection::Everything
            || self.run.budget.requests.is_some()
            || self.run.crawl.mode == Mode::Smart;
        let mut past = Past::default();
        let mut each = |page_summary: PageSummary| {
            self.step.planner().expect(&page_summary);
            if page_summary.presence.is_live() {
                past.known += 1;
                if chooses && self.step.scope().admits(&page_summary.url).is_ok() {
                    past.live.push(page_summary);
                }
            }
        };
        self.store.page_summaries(&self.run.site.id, Some(self.run.crawl.id), &mut each).await?;
        // In an order of its own, so that a resumed crawl chooses as the first run did.
        past.live.sort_by(|one, other| (one.depth, &one.url).cmp(&(other.depth, &other.url)));
        Ok(past)
    }

    fn choose_sample(&self, live: &[PageSummary]) -> Vec<PageSummary> {
        if self.run.crawl.mode != Mode::Smart || self.run.selection != Selection::Everything {
            return Vec::new();
        }
        let is_near = |page: &&PageSummary| self.step.scope().admits_depth(page.depth).is_ok();
        let live: Vec<&PageSummary> = live.iter().filter(is_near).collect();
        let mut members = Vec::with_capacity(live.len());
        for PageSummary { url, depth, change_frequency, .. } in live.iter().copied() {
            members.push(Member { url, depth: *depth, changes_a_day: *change_frequency });
        }
        let places = sample(&members, self.run.sample_size, seed(self.run.crawl.id));
        places.into_iter().map(|place| live[place].clone()).collect()
    }

    /// Divides pages into those that were due when the crawl was opened, the root among them, and others.
    fn divide(&self, live: Vec<PageSummary>, at_most: Option<usize>) -> (Vec<PageSummary>, Vec<PageSummary>) {
        let candidates: Vec<Candidate> = live.iter().map(Candidate::from).collect();
        let due = due(&candidates, self.run.crawl.opened_at, at_most);
        let due: HashSet<PageUrl> = due.into_iter().map(|due| due.url).collect();
        live.into_iter().partition(|page| due.contains(&page.url) || page.url == self.run.site.root)
    }

    /// Fills in what an earlier run recorded and queued.
    async fn resume(&self, account: &mut Account) -> Result<(), RunnerError> {
        let (site, crawl) = (&self.run.site.id, self.run.crawl.id);
        let (mut last, mut recorded) = (None, 0);
        loop {
            let records = self.store.records(site, crawl, &[], last.as_ref(), CHUNK).await?;
            let Some(record) = records.last() else { break };
            last = Some(record.url.clone());
            recorded += records.len() as u64;
            for record in &records {
                account.asked += u64::from(record.visit.requests > 0);
                account.recorded.add(record);
                if let Some(request_budget) = &self.run.budget.requests {
                    request_budget.spend(record.visit.requests.into());
                }
                if let Some(sampled) = &mut account.sampled {
                    sampled.note(record);
                }
                self.step.resume(record);
            }
        }
        if let Some(sampled) = &mut account.sampled {
            self.tell_turn(sampled);
        }
        let waiting = self.pull_frontier.waiting_pages(site, crawl).await?;
        self.step.seen().not_yet_queued(&waiting, |_| true);
        self.observer.on(Event::Resumed { recorded, waiting: waiting.len() as u64 });
        Ok(())
    }

    /// Says what the sample of a crawl in mode smart has decided, once it has.
    pub(super) fn tell_turn(&self, sampled: &mut Sampled) {
        if let Some(turn) = self.step.turn().filter(|_| !sampled.is_told) {
            sampled.is_told = true;
            let Sampled { changed, pages, .. } = sampled;
            self.observer.on(Event::Decided { turn, changed: *changed, sampled: pages.len() });
        }
    }

    /// Queues pages before all others.
    async fn queue_first(&self, pages: &[PageSummary]) -> Result<(), QueueError> {
        let queued = |page: &PageSummary| QueuedPage {
            site: self.run.site.id.clone(),
            crawl: self.run.crawl.id,
            url: page.url.clone(),
            found: found_before(page),
            priority: Priority(i64::MAX),
        };
        let fresh = self.step.seen().not_yet_queued(pages.iter().map(|page| &page.url), |_| true);
        let fresh: HashSet<&PageUrl> = fresh.into_iter().collect();
        let queued: Vec<QueuedPage> =
            pages.iter().filter(|page| fresh.contains(&page.url)).map(queued).collect();
        self.pull_frontier.queue(&queued).await
    }

    /// Queues known pages as they were found before.
    async fn queue_known(&self, mut pages: Vec<PageSummary>) -> Result<(), QueueError> {
        pages.sort_by_key(|page| (page.depth, page.found_by as u8));
        for alike in pages.chunk_by(|one, other| found_before(one) == found_before(other)) {
            self.step.queue(alike.iter().map(|page| &page.url), &found_before(&alike[0])).await?;
        }
        Ok(())
    }

    fn search_sitemaps(&self, account: &mut Account) {
        let Some(finder) = self.sitemaps.clone().filter(|_| self.stop_handle.asked().is_none()) else {
            return;
        };
        let stop_handle = self.stop_handle.clone();
        let (step, observer, root) = (self.step.clone(), self.observer.clone(), self.run.site.root.clone());
        let mut reliability_cache = ReliabilityCache::new(self.memos.clone(), step.planner().clone());
        let searching = async move {
            let scope = step.scope();
            let mut search = SteadySearch::new(&finder, &root, scope);
            while let Some(found) = search.next().await {
                let mut found = match found {
                    Ok(found) => found,
                    Err(panic) => {
                        let host = root.host_key();
                        let warning = format!("Recrawl stumbled over a sitemap of {host}: {panic}");
                        observer.on(Event::Warning(warning));
                        continue;
                    }
                };
                if !found.is_only_warnings() {
                    observer.on(Event::Sitemap { url: &found.sitemap, pages: found.pages.len() });
                }
                for warning in &found.warnings {
                    observer.on(Event::Warning(format!("{}: {warning}", found.sitemap)));
                }
                found.pages.retain(|page| scope.admits(&page.url).is_ok());
                for page in &found.pages {
                    reliability_cache.of(&page.url).await;
                    step.planner().list(&page.url, page.listing(), found.read_at);
                }
                let way = Found { by: FoundBy::Sitemap, depth: 1, referrer: None };
                if let Err(error) = step.queue(found.pages.iter().map(|page| &page.url), &way).await {
                    return Done::Searched(Err(error));
                }
                if stop_handle.asked().is_some() {
                    break;
                }
            }
            Done::Searched(Ok(()))
        };
        let deadline = account.deadline;
        account.tasks.spawn(async move {
            match deadline {
                // A search that takes too long is no reason to go on.
                Some(deadline) => timeout_at(deadline, searching).await.unwrap_or(Done::Searched(Ok(()))),
                None => searching.await,
            }
        });
    }
}

fn found_before(page: &PageSummary) -> Found {
    Found { by: page.found_by, depth: page.depth, referrer: None }
}
