//! One open crawl in the memory of this process.

mod absences;
mod again;
mod making;
mod page_quota;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use recrawl_core::decide::traps::Trap;
use recrawl_core::decide::{is_first_crawl, unusual_since_believed};
use recrawl_core::model::crawl::{Crawl, CrawlKind};
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::record::PageRecord;
use recrawl_core::plan::sample::Sample;
use recrawl_core::plan::visit_planner::VisitPlanner;
use recrawl_core::ports::{Priority, QueuedPage, StoreError};
use recrawl_core::url::{HostKey, PageUrl};
use recrawl_engine::step::{Attempt, CrawlStep, StepError};
use recrawl_engine::{Event, History, ListedNotes, ListedPages, Observer, RequestBudget, resume};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use self::absences::Absences;
use self::again::AskedAgain;
use self::page_quota::PageQuota;
pub(crate) use self::page_quota::PageSlot;
use crate::answer::chain;
use crate::parts::Parts;
use crate::sessions::CrawlKey;
use crate::site_parts::SiteParts;

/// One open crawl: its step with the pages seen so far, and what was tried.
pub(crate) struct Session {
    pub(crate) crawl: Crawl,
    /// The site, by the settings that hold for this crawl.
    pub(crate) site: Arc<SiteParts>,
    pub(crate) step: CrawlStep,
    /// Known pages that were absent once, or lost their content.
    pub(crate) absences: Absences,
    /// Pages that changed by a few words.
    pub(crate) asked_again: AskedAgain,
    /// How many requests the crawl may make, where that is limited.
    request_budget: Option<Arc<RequestBudget>>,
    /// Places for the pages that the crawl asks for.
    pub(crate) page_quota: PageQuota,
    /// The traps that were told of.
    traps: Mutex<HashSet<String>>,
    /// What whoever opened the crawl queues before the root leads on.
    first: Vec<QueuedPage>,
    attempts: Mutex<HashMap<PageUrl, Attempt>>,
    /// Somebody stopped or paused the crawl: its visits end at once.
    pub(crate) halted: CancellationToken,
    searched: OnceCell<()>,
    /// Whether the images are to be asked for that an earlier process found.
    lacks_images: AtomicBool,
}

impl Session {
    /// Takes up an open crawl of `site`; `crawls` are all that it has.
    ///
    /// What is known of the pages is read from a few documents, and what was recorded before record by record, so
    /// that nothing is visited twice, and everything is decided as the process before this one did.
    pub(crate) async fn take_up(
        parts: &Parts,
        site: Arc<SiteParts>,
        crawl: Crawl,
        crawls: &[Crawl],
    ) -> Result<Self, StoreError> {
        let is_first = is_first_crawl(crawls, crawl.id);
        let (settings, scope) = (&site.config.crawl, &site.config.scope);
        let planner = Arc::new(VisitPlanner::new(settings.weights(), crawl.opened_at));
        let keeps_live = crawl.kind == CrawlKind::Full && settings.budget.is_some();
        let store = &*parts.deps.store;
        let history =
            History::load(store, &crawl, scope, &planner, settings.smart_sample, keeps_live).await?;
        let request_budget = settings.budget.map(|requests| Arc::new(RequestBudget::new(requests)));
        let step = making::step(parts, &site, crawl.clone(), is_first, planner, request_budget.as_ref())
            .after_unusual(unusual_since_believed(crawls, crawl.id));
        if !history.sample.is_empty() {
            step.decide_by(Sample::of(history.sample.iter().map(|page| &page.url)));
        }
        let mut rechecks = step.rechecks();
        let mut each = |record: &PageRecord| rechecks.resume(record);
        let resumed = resume(store, &crawl, &step, request_budget.as_deref(), &mut each).await?;
        let (recorded, crawl_kind) = (resumed.recorded, crawl.kind);
        if recorded > 0 {
            // Nobody knows when the process before this one asked last.
            let root = site.root();
            for page in site.site.scope.named_hosts(root).iter().chain([root]) {
                site.fetcher.hold_first_turn(&page.host_key());
            }
        }
        tracing::info!(crawl.id = %crawl.id, recorded, "a crawl is taken up");
        let fetcher = site.fetcher.clone();
        let interval = Arc::new(move |host: &HostKey| fetcher.interval(host));
        parts.windows.guide(&(site.id().clone(), crawl.id), step.planner().clone(), interval);
        Ok(Self {
            absences: Absences::new(parts.config.process.quiet, crawl.kind == CrawlKind::Due),
            asked_again: AskedAgain::new(parts.config.process.quiet, rechecks),
            page_quota: PageQuota::new(settings.max_pages.of(history.known), resumed.asked),
            traps: Mutex::default(),
            // A page of the sample comes first, and is not queued again as one of the others.
            first: [history.first(&crawl), history.known_pages(&crawl, scope)].concat(),
            crawl,
            site,
            step,
            request_budget,
            attempts: Mutex::default(),
            halted: CancellationToken::new(),
            searched: OnceCell::new(),
            lacks_images: AtomicBool::new(recorded > 0 && crawl_kind == CrawlKind::Full),
        })
    }

    /// Returns the name of the crawl.
    pub(crate) const fn id(&self) -> CrawlId {
        self.crawl.id
    }

    /// Returns the name of the crawl among those of all sites.
    pub(crate) fn key(&self) -> CrawlKey {
        (self.site.id().clone(), self.crawl.id)
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

    /// Queues the images that an earlier process found and may not have asked for, once in the life of this process.
    pub(crate) async fn ask_for_images(&self, parts: &Parts) -> Result<(), StepError> {
        // Published by whoever asks, who waits for them then.
        let _gathering = parts.windows.gather(&self.key());
        if self.lacks_images.swap(false, Ordering::Relaxed) && self.spent().is_none() {
            let queued = self.step.queue_shown_images().await;
            self.lacks_images.store(queued.is_err(), Ordering::Relaxed);
            queued?;
        }
        Ok(())
    }

    /// Queues pages again that changed by a few words, once the crawl is quiet; tells whether there are any.
    pub(crate) async fn ask_again(&self, parts: &Parts) -> bool {
        if self.spent().is_some() {
            return false;
        }
        let left = self.request_budget.as_ref().map(|request_budget| request_budget.left());
        let pages =
            self.asked_again.begin(left.and_then(|left| usize::try_from(left).ok()).unwrap_or(usize::MAX));
        if pages.is_empty() {
            return false;
        }
        tracing::info!(pages = pages.len(), "pages that changed by a few words are asked for again");
        match parts.deps.frontier.queue(&pages).await {
            Ok(()) => true,
            Err(error) => {
                tracing::warn!(error = chain(&error), "pages could not be queued again");
                false
            }
        }
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
            return Ok(self.step.queue_first(self.first.clone()).await?);
        }
        let search = || async {
            let mut pages = self.first.clone();
            let mut notes = ListedNotes::new(&*parts.deps.store, self.site.id(), self.id(), Timestamp::now());
            let mut listed = self.listed(parts).await?;
            while let Some(listed) = &mut listed
                && let Some(found) = listed.next().await
            {
                let queued = |url| QueuedPage {
                    site: self.site.id().clone(),
                    crawl: self.id(),
                    url,
                    found: ListedPages::FOUND,
                    priority: Priority::default(),
                };
                notes.add(&found).await?;
                pages.extend(found.into_iter().map(queued));
            }
            notes.finish().await?;
            Ok::<(), StepError>(self.step.queue_first(pages).await?)
        };
        self.searched.get_or_try_init(search).await.copied()
    }

    /// Queues what the sitemaps of the site list, once in the life of this process.
    pub(crate) async fn search_sitemaps(&self, parts: &Parts) -> Result<(), StepError> {
        let search = || async {
            // The best of all that is listed come first.
            let _gathering = parts.windows.gather(&self.key());
            let mut notes = ListedNotes::new(&*parts.deps.store, self.site.id(), self.id(), Timestamp::now());
            let mut listed = self.listed(parts).await?;
            while let Some(listed) = &mut listed
                && let Some(pages) = listed.next().await
            {
                notes.add(&pages).await?;
                self.step.queue(&pages, &ListedPages::FOUND).await?;
            }
            // Before the root is recorded: whoever finds its record finds them, too.
            Ok(notes.finish().await?)
        };
        self.searched.get_or_try_init(search).await.copied()
    }

    /// Begins to search for sitemaps, unless nobody wants that.
    async fn listed<'a>(&'a self, parts: &'a Parts) -> Result<Option<ListedPages<'a>>, StepError> {
        let site = &self.site;
        let root = site.root();
        if !site.config.crawl.sitemaps {
            return Ok(None);
        }
        // An unreachable robots.txt would make this a search that finds nothing.
        site.robots.rules(root).await?;
        let state_store = parts.deps.store.clone();
        Ok(Some(ListedPages::new(&site.sitemaps, &self.step, root, state_store, &Log)))
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

/// Logs what happens.
struct Log;

impl Observer for Log {
    fn on(&self, event: Event<'_>) {
        match event {
            Event::Sitemap { url, pages } => tracing::info!(sitemap = %url, pages, "a sitemap was read"),
            Event::Warning(warning) => tracing::warn!(warning, "something is not as it should be"),
            // Of a push, one line is logged.
            Event::Resumed { .. }
            | Event::Recorded { .. }
            | Event::Retrying { .. }
            | Event::Silent { .. }
            | Event::Decided { .. }
            | Event::Audited(_)
            | Event::Confirming(_)
            | Event::Rechecking(_) => {}
        }
    }
}
