//! One open crawl in the memory of this process.

mod absences;
mod making;
mod page_quota;
mod past;

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use recrawl_core::decide::is_first_crawl;
use recrawl_core::decide::traps::Trap;
use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::record::{Found, FoundBy, PageRecord};
use recrawl_core::plan::sample::Sample;
use recrawl_core::plan::visit_planner::VisitPlanner;
use recrawl_core::ports::{Priority, QueueError, QueuedPage, StoreError};
use recrawl_core::url::PageUrl;
use recrawl_engine::is_of_due_pages;
use recrawl_engine::step::{Attempt, CrawlStep, StepError};
use recrawl_engine::{ReliabilityCache, RequestBudget, SitemapPages, SteadySearch};
use tokio::sync::OnceCell;

use self::absences::Absences;
use self::page_quota::PageQuota;
pub(crate) use self::page_quota::PageSlot;
use self::past::Past;
use crate::parts::Parts;

/// How many records are read at once when a crawl is taken up.
const CHUNK: usize = 1_000;

/// How many pages of a sitemap are queued at once.
const QUEUED: usize = 1_000;

/// One open crawl: its step with the pages seen so far, and what was tried.
pub(crate) struct Session {
    pub(crate) crawl: Crawl,
    pub(crate) step: CrawlStep,
    /// Known pages that were absent once.
    pub(crate) absences: Absences,
    /// How many requests the crawl may make, where that is limited.
    request_budget: Option<Arc<RequestBudget>>,
    /// Places for the pages that the crawl asks for.
    pub(crate) page_quota: PageQuota,
    /// The traps that were told of.
    traps: Mutex<HashSet<String>>,
    /// What whoever opened the crawl queues before the root leads on.
    first: Vec<QueuedPage>,
    attempts: Mutex<HashMap<PageUrl, Attempt>>,
    searched: OnceCell<()>,
}

impl Session {
    /// Takes up an open crawl; `crawls` are all of the site.
    ///
    /// What is known of the pages is read from a few documents, and what was recorded before record by record, so
    /// that nothing is visited twice, and everything is decided as the process before this one did.
    pub(crate) async fn take_up(parts: &Parts, crawl: Crawl, crawls: &[Crawl]) -> Result<Self, StoreError> {
        let is_first = is_first_crawl(crawls, crawl.id);
        let settings = &parts.config.crawl;
        let planner = Arc::new(VisitPlanner::new(settings.weights(), crawl.opened_at));
        let past = Past::load_history(parts, &crawl, &planner).await?;
        let request_budget = settings.budget.map(|requests| Arc::new(RequestBudget::new(requests)));
        let step = making::step(parts, crawl.clone(), is_first, planner, request_budget.as_ref());
        if !past.sample.is_empty() {
            step.decide_by(Sample::of(past.sample.iter().map(|page| &page.url)));
        }
        let Recalled { recorded, asked } = resume(parts, &crawl, &step, request_budget.as_deref()).await?;
        if recorded > 0 {
            // Nobody knows when the process before this one asked last.
            let root = &parts.site.root;
            for page in parts.site.scope.named_hosts(root).iter().chain([root]) {
                parts.fetcher.hold_first_turn(&page.host_key());
            }
        }
        tracing::info!(crawl.id = %crawl.id, recorded, "a crawl is taken up");
        Ok(Self {
            absences: Absences::new(parts.config.process.quiet, is_of_due_pages(&crawl)),
            page_quota: PageQuota::new(settings.max_pages.of(past.known), asked),
            traps: Mutex::default(),
            first: past.first(&parts.site.id, crawl.id),
            crawl,
            step,
            request_budget,
            attempts: Mutex::default(),
            searched: OnceCell::new(),
        })
    }

    /// Returns the name of the crawl.
    pub(crate) const fn id(&self) -> CrawlId {
        self.crawl.id
    }

    /// Says why no further page is asked for, if none is.
    pub(crate) fn spent(&self) -> Option<String> {
        if let Some(request_budget) =
            self.request_budget.as_ref().filter(|request_budget| request_budget.left() == 0)
        {
            return Some(format!("the budget of {} requests is spent", request_budget.limit()));
        }
        self.page_quota.are_taken().map(|limit| format!("the limit of {limit} pages is reached"))
    }

    /// Tells of the first page in every trap.
    pub(crate) fn tell_of_traps(&self, record: &PageRecord) {
        if let Some(trap) = record.visit.reason.as_deref().and_then(Trap::kind) {
            let mut traps = self.traps.lock().unwrap_or_else(PoisonError::into_inner);
            if traps.insert(trap.to_owned()) {
                tracing::warn!(page.url = %record.url, trap, "a page and others like it are left out as a trap");
            }
        }
    }

    /// Queues what comes before everything else: the sample of a crawl in mode smart, and, where requests are
    /// limited, all pages that are known or listed in sitemaps, in the order of their priority.
    pub(crate) async fn begin(&self, parts: &Parts) -> Result<(), StepError> {
        if self.request_budget.is_none() {
            return Ok(self.queue_ranked(parts, self.first.clone()).await?);
        }
        let search = || async {
            let mut pages = self.first.clone();
            let mut search = self.sitemaps(parts).await?;
            let mut reliability_cache = self.reliability_cache(parts);
            while let Some(search) = &mut search
                && let Some(found) = search.next().await
            {
                // One that Recrawl stumbled over is logged, and lists nothing.
                let Ok(found) = found else { continue };
                for url in self.take_in(found, &mut reliability_cache).await {
                    let (site, crawl, found) = (parts.site.id.clone(), self.id(), listed());
                    pages.push(QueuedPage { site, crawl, url, found, priority: Priority::default() });
                }
            }
            Ok::<(), StepError>(self.queue_ranked(parts, pages).await?)
        };
        self.searched.get_or_try_init(search).await.copied()
    }

    /// Queues those of `pages` that were not queued before, the highest priority first.
    async fn queue_ranked(&self, parts: &Parts, pages: Vec<QueuedPage>) -> Result<(), QueueError> {
        let seen = self.step.seen();
        let is_new = |page: &QueuedPage| !seen.not_yet_queued([&page.url], |_| true).is_empty();
        let mut pages: Vec<QueuedPage> = pages.into_iter().filter(is_new).collect();
        if pages.is_empty() {
            return Ok(());
        }
        for page in pages.iter_mut().filter(|page| page.priority == Priority::default()) {
            page.priority = self.step.planner().priority(&page.url, page.found.depth);
        }
        pages.sort_by_key(|page| Reverse(page.priority));
        let queued = parts.deps.frontier.queue(&pages).await;
        if queued.is_err() {
            seen.forget_queued(pages.iter().map(|page| &page.url));
        }
        queued
    }

    /// Queues the root, unless it is queued or visited.
    pub(crate) async fn queue_root(&self, root: &PageUrl) -> Result<(), StepError> {
        let seed = Found { by: FoundBy::Seed, depth: 0, referrer: None };
        self.step.queue([root], &seed).await?;
        Ok(())
    }

    /// Queues what the sitemaps of the site list, once in the life of this process.
    pub(crate) async fn search_sitemaps(&self, parts: &Parts) -> Result<(), StepError> {
        let search = || async {
            let mut search = self.sitemaps(parts).await?;
            let mut reliability_cache = self.reliability_cache(parts);
            while let Some(search) = &mut search
                && let Some(found) = search.next().await
            {
                let Ok(found) = found else { continue };
                let pages = self.take_in(found, &mut reliability_cache).await;
                for pages in pages.chunks(QUEUED) {
                    self.step.queue(pages, &listed()).await?;
                }
            }
            Ok(())
        };
        self.searched.get_or_try_init(search).await.copied()
    }

    /// Begins to search for sitemaps, unless nobody wants that.
    async fn sitemaps<'a>(&'a self, parts: &'a Parts) -> Result<Option<SteadySearch<'a>>, StepError> {
        let root = &parts.site.root;
        if !parts.config.crawl.sitemaps {
            return Ok(None);
        }
        // An unreachable robots.txt would make this a search that finds nothing.
        parts.robots.rules(root).await?;
        Ok(Some(SteadySearch::new(&parts.sitemaps, root, self.step.scope())))
    }

    fn reliability_cache(&self, parts: &Parts) -> ReliabilityCache {
        ReliabilityCache::new(parts.deps.store.clone(), self.step.planner().clone())
    }

    /// Takes in what a sitemap says of pages of the site, and returns them.
    async fn take_in(
        &self,
        mut found: SitemapPages,
        reliability_cache: &mut ReliabilityCache,
    ) -> Vec<PageUrl> {
        for warning in &found.warnings {
            tracing::warn!(sitemap = %found.sitemap, warning, "a sitemap is not as it should be");
        }
        if !found.is_only_warnings() {
            tracing::info!(sitemap = %found.sitemap, pages = found.pages.len(), "a sitemap was read");
        }
        found.pages.retain(|page| self.step.scope().admits(&page.url).is_ok());
        for page in &found.pages {
            reliability_cache.of(&page.url).await;
            self.step.planner().list(&page.url, page.listing(), found.read_at);
        }
        found.pages.into_iter().map(|page| page.url).collect()
    }

    /// Returns which attempt at a page comes next; it outlives the push that asks.
    pub(crate) fn attempt(&self, url: &PageUrl) -> Attempt {
        self.attempts().get(url).copied().unwrap_or_default()
    }

    /// Remembers that a page is to be tried again.
    pub(crate) fn remember(&self, url: &PageUrl, next: Attempt) {
        self.attempts().insert(url.clone(), next);
    }

    /// Forgets the attempts at a page that is recorded.
    pub(crate) fn forget(&self, url: &PageUrl) {
        self.attempts().remove(url);
    }

    fn attempts(&self) -> MutexGuard<'_, HashMap<PageUrl, Attempt>> {
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns how a page of a sitemap is found.
const fn listed() -> Found {
    Found { by: FoundBy::Sitemap, depth: 1, referrer: None }
}

/// What was recorded before.
struct Recalled {
    recorded: usize,
    /// How many of the pages were asked for.
    asked: u64,
}

/// Takes in what was recorded before.
async fn resume(
    parts: &Parts,
    crawl: &Crawl,
    step: &CrawlStep,
    request_budget: Option<&RequestBudget>,
) -> Result<Recalled, StoreError> {
    let (mut last, mut recorded, mut asked) = (None, 0, 0);
    loop {
        let records = parts.deps.store.records(&parts.site.id, crawl.id, &[], last.as_ref(), CHUNK).await?;
        recorded += records.len();
        for record in &records {
            step.resume(record);
            asked += u64::from(record.visit.requests > 0);
            if let Some(request_budget) = request_budget {
                request_budget.spend(record.visit.requests.into());
            }
        }
        match records.into_iter().next_back() {
            Some(record) => last = Some(record.url),
            None => return Ok(Recalled { recorded, asked }),
        }
    }
}
