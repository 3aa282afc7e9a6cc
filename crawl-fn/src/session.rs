//! One open crawl in the memory of this process.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use recrawl_core::crawl::Crawl;
use recrawl_core::ids::CrawlId;
use recrawl_core::ports::StoreError;
use recrawl_core::record::{Found, FoundBy};
use recrawl_core::step::{Attempt, CrawlStep, Ports, StepError, StepSettings};
use recrawl_core::url::PageUrl;
use tokio::sync::OnceCell;

use crate::config::ArchiveWish;
use crate::parts::Parts;

/// How many recorded pages are read at once when a crawl is taken up.
const CHUNK: usize = 1_000;

/// How many pages of a sitemap are queued at once.
const QUEUED: usize = 1_000;

/// One open crawl: its step with the pages seen so far, and what was tried.
pub(crate) struct Session {
    pub(crate) crawl: Crawl,
    pub(crate) step: CrawlStep,
    attempts: Mutex<HashMap<PageUrl, Attempt>>,
    searched: OnceCell<()>,
}

impl Session {
    /// Takes up an open crawl; `crawls` are all of the site.
    ///
    /// The pages recorded before are read once, addresses only, so that none is visited twice.
    pub(crate) async fn take_up(parts: &Parts, crawl: Crawl, crawls: &[Crawl]) -> Result<Self, StoreError> {
        let is_first = !crawls.iter().any(|earlier| earlier.id < crawl.id);
        let step = step(parts, crawl.clone(), is_first);
        let mut last: Option<PageUrl> = None;
        let mut recorded = 0;
        loop {
            let pages = parts.deps.store.pages(&parts.site.id, crawl.id, last.as_ref(), CHUNK).await?;
            for page in &pages {
                step.seen().finish(page);
            }
            recorded += pages.len();
            match pages.into_iter().next_back() {
                Some(page) => last = Some(page),
                None => break,
            }
        }
        if recorded > 0 {
            // Nobody knows when the process before this one asked last.
            parts.fetcher.hold_first_turn(&parts.site.root.host_key());
        }
        tracing::info!(crawl.id = %crawl.id, recorded, "a crawl is taken up");
        Ok(Self { crawl, step, attempts: Mutex::default(), searched: OnceCell::new() })
    }

    /// Returns the name of the crawl.
    pub(crate) const fn id(&self) -> CrawlId {
        self.crawl.id
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
            let root = &parts.site.root;
            // An unreachable robots.txt would make this a search that finds nothing.
            parts.robots.rules(root).await?;
            let mut search = parts.sitemaps.search(root).await;
            while let Some(found) = search.next().await {
                for warning in &found.warnings {
                    tracing::warn!(sitemap = %found.sitemap, warning, "a sitemap is not as it should be");
                }
                let way = Found { by: FoundBy::Sitemap, depth: 1, referrer: None };
                for pages in found.pages.chunks(QUEUED) {
                    self.step.queue(pages, &way).await?;
                }
                tracing::info!(sitemap = %found.sitemap, pages = found.pages.len(), "a sitemap was read");
            }
            Ok(())
        };
        self.searched.get_or_try_init(search).await.copied()
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

fn step(parts: &Parts, crawl: Crawl, is_first: bool) -> CrawlStep {
    let config = &parts.config;
    let settings = StepSettings {
        keep_bodies: config.keep_bodies,
        url_rules: config.url_rules.clone(),
        obey_nofollow: true,
        archive: match config.archive {
            ArchiveWish::Never => false,
            // A first crawl would ask for the whole site.
            ArchiveWish::Changes => !is_first,
            ArchiveWish::All => true,
        },
        describe_changes: true,
        retries: config.retries,
        page_time_out: 4 * config.time_out,
        product_token: config.product_token().to_owned(),
    };
    let deps = &parts.deps;
    let outside = Ports {
        store: deps.store.clone(),
        frontier: deps.frontier.clone(),
        fetcher: parts.fetcher.clone(),
        robots: parts.robots.clone(),
        announcer: deps.announcer.clone(),
        archiver: deps.archiver.clone(),
        extractor: parts.extractor.clone(),
    };
    CrawlStep::new(parts.site.clone(), crawl, parts.scope.clone(), settings, outside)
}
