//! Puts the parts of a crawl together: the composition root of the embedded home.

use std::sync::Arc;

use jiff::Timestamp;
use recrawl_core::model::content::Extractor;
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::CrawlId;
use recrawl_core::plan::visit_planner::VisitPlanner;
use recrawl_core::ports::{DocumentExtractor, Fetcher, SoftErrorProbe, StateStore};
use recrawl_engine::step::{CrawlStep, Ports};
use recrawl_engine::{
    Budget, BudgetedFetcher, Ended, List, NoProbe, Observer, RequestBudget, RobotsCache, RobotsPolicy, Run,
    Runner, SitemapFinder, SoftErrorCache, StopHandle, StopMode, ThriftyExtractor,
};
use recrawl_extract::robots::product_token;
use recrawl_fetch::{AddressGuard, Polite, Transports};
use recrawl_stores::EmbeddedStore;

use super::list::ListInput;
use crate::settings::{self, Settings};

/// What a run of a crawl is to do.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct RunPlan {
    /// The crawl was begun by an earlier run.
    pub(crate) resumed: bool,
    /// The first request waits a whole delay, because nobody knows when the site was asked last.
    pub(crate) waits_first: bool,
    /// The crawl is closed if the site answers nothing at all; otherwise it waits for the next run.
    pub(crate) closes_silent: bool,
    /// The crawl is a first one, to which most pages are new.
    pub(crate) is_first_crawl: bool,
    /// The unusual crawls since the believed one, newest first: what they fetched is not fetched again.
    pub(crate) unusual: Vec<CrawlId>,
}

/// The parts of a crawl that do not depend on which crawl it is.
pub(crate) struct Assembly {
    pub(crate) fetcher: Arc<Polite<Transports>>,
    pub(crate) robots: Arc<RobotsCache>,
    pub(crate) sitemaps: Arc<SitemapFinder>,
    store: Arc<dyn EmbeddedStore>,
    stop_handle: StopHandle,
}

impl Assembly {
    /// Puts together what fetches, and what reads robots.txt and sitemaps.
    pub(crate) fn new(
        settings: &Settings,
        store: Arc<dyn EmbeddedStore>,
        stop_handle: StopHandle,
        observer: Option<Arc<dyn Observer>>,
    ) -> anyhow::Result<Self> {
        let fetcher = Arc::new(fetcher(settings)?);
        let pace: Arc<Polite<Transports>> = fetcher.clone();
        let port: Arc<dyn Fetcher> = fetcher.clone();
        let robots_policy = if settings.crawl.robots { RobotsPolicy::Obey } else { RobotsPolicy::Ignore };
        let token = product_token(&settings.crawl.user_agent()).to_owned();
        let robots =
            RobotsCache::new(port.clone(), store.clone(), pace, token, robots_policy, Timestamp::now)
                .with_retries(settings.crawl.retries);
        let robots = Arc::new(match observer {
            Some(observer) => robots.watched_by(observer),
            None => robots,
        });
        let sitemaps = SitemapFinder::new(
            port,
            store.clone(),
            robots.clone(),
            settings.crawl.url_rules(),
            settings.crawl.sitemap_cache,
            Timestamp::now,
        );
        Ok(Self { fetcher, robots, sitemaps: Arc::new(sitemaps), store, stop_handle })
    }

    /// Asks `memory` which hosts want to be left alone, and remembers it there.
    pub(crate) fn remember_in(&self, memory: Arc<dyn StateStore>) {
        self.fetcher.remember_in(memory);
    }

    /// Runs `crawl` as far as it goes.
    pub(crate) async fn run(
        self,
        settings: &Settings,
        site: Site,
        crawl: Crawl,
        run_plan: RunPlan,
        observer: Arc<dyn Observer>,
        list: Option<ListInput>,
    ) -> anyhow::Result<Ended> {
        if run_plan.waits_first {
            self.hold_first_turn(settings);
        }
        let extractor = extractor(settings);
        let request_budget = settings.crawl.budget.map(|requests| Arc::new(RequestBudget::new(requests)));
        let ports = Ports {
            store: self.store.clone(),
            frontier: self.store.clone(),
            fetcher: match &request_budget {
                Some(request_budget) => {
                    Arc::new(BudgetedFetcher::new(self.fetcher.clone(), request_budget.clone()))
                }
                None => self.fetcher.clone(),
            },
            robots: self.robots.clone(),
            absence: self.absence(settings, extractor.clone()),
            state_store: self.store.clone(),
            stumbles: self.store.clone(),
            extractor,
            documents: documents(settings),
        };
        let planner = Arc::new(VisitPlanner::new(settings.crawl.weights(), crawl.opened_at));
        let token = product_token(&settings.crawl.user_agent()).to_owned();
        let mut step_settings = settings.crawl.step(run_plan.is_first_crawl, &token);
        if settings.scope.list {
            // Somebody named every one of its pages.
            step_settings.trap_limit = 0;
        }
        let scope = settings::scope(settings)?;
        let step = CrawlStep::new(site.clone(), crawl.clone(), scope, step_settings, ports, planner)
            .after_unusual(run_plan.unusual);
        let runner = Runner {
            run: Run {
                site,
                crawl,
                most_due: settings.crawl.budget.and_then(|requests| usize::try_from(requests).ok()),
                budget: Budget {
                    max_pages: settings.crawl.max_pages,
                    max_time: settings.crawl.max_time,
                    requests: request_budget,
                },
                sample_size: settings.crawl.smart_sample,
                parallel: visits_at_a_time(settings),
                resumed: run_plan.resumed,
                closes_silent: run_plan.closes_silent,
            },
            step: Arc::new(step),
            store: self.store.clone(),
            pull_frontier: self.store.clone(),
            announcer: self.store.clone(),
            state_store: self.store.clone(),
            sitemaps: settings.crawl.sitemaps.then(|| self.sitemaps.clone()),
            observer,
            pace: Some(self.fetcher.clone()),
            stop_handle: self.stop_handle.clone(),
            clock: Timestamp::now,
        };
        let fetcher = self.fetcher.clone();
        let (asked, is_list) = (self.stop_handle.clone(), list.is_some());
        let watch = tokio::spawn(async move {
            if is_list {
                // Each of its hosts may have a page under way that nobody waits for.
                asked.wait().await;
            } else {
                asked.wait_for(StopMode::Pause).await;
            }
            fetcher.stop();
        });
        // Beside the visits, and not on the thread that only waits.
        let ended = match list {
            Some(ListInput { items, choose }) => {
                let at_a_time = visits_at_a_time(settings);
                tokio::spawn(runner.run_list(List { items, choose, at_a_time })).await
            }
            None => tokio::spawn(runner.run()).await,
        };
        watch.abort();
        // It holds the fetcher, which holds the store: the next site opens that as soon as this returns.
        let _ended = watch.await;
        Ok(ended??)
    }

    /// Lets the first request to each host that the person named wait as if one had just started.
    pub(crate) fn hold_first_turn(&self, settings: &Settings) {
        for page in settings.scope.named_hosts(&settings.root).iter().chain([&settings.root]) {
            self.fetcher.hold_first_turn(&page.host_key());
        }
    }

    fn absence(&self, settings: &Settings, extractor: Arc<dyn Extractor>) -> Arc<dyn SoftErrorProbe> {
        // A list is asked for exactly these pages, and not for one that nobody has.
        if !settings.crawl.soft_404 || settings.scope.list {
            return Arc::new(NoProbe);
        }
        Arc::new(SoftErrorCache::new(
            self.fetcher.clone(),
            self.store.clone(),
            self.robots.clone(),
            extractor,
            settings.root.clone(),
            Timestamp::now,
        ))
    }
}

/// Returns what reads pages by the rules of a site.
pub(super) fn extractor(settings: &Settings) -> Arc<dyn Extractor> {
    let extractor: Arc<dyn Extractor> = Arc::new(settings.extractor());
    #[cfg(debug_assertions)]
    let extractor = super::on_purpose::panicking(extractor);
    Arc::new(ThriftyExtractor::new(extractor, recrawl_allocator::give_back))
}

/// Returns what reads documents by the rules of a site.
fn documents(settings: &Settings) -> Arc<dyn DocumentExtractor> {
    #[cfg(feature = "documents")]
    let reader = recrawl_documents::DocumentProcess::of_this_program();
    #[cfg(not(feature = "documents"))]
    let reader = recrawl_core::ports::NoDocuments;
    Arc::new(settings.extractor().documents(Arc::new(reader)))
}

/// Returns how many pages are under way: where there is no delay, more than are asked for at a time, so that
/// nobody's turn waits for a record to be written.
fn visits_at_a_time(settings: &Settings) -> usize {
    let at_a_time = settings.crawl.requests_at_a_time() as usize;
    if settings.crawl.time_between_requests().is_zero() { 16 * at_a_time } else { at_a_time }
}

fn fetcher(settings: &Settings) -> anyhow::Result<Polite<Transports>> {
    let fetcher = Transports::new(settings.crawl.http(), guard(settings))?;
    fetcher.prepare(&settings.root)?;
    Ok(Polite::new(fetcher, settings.crawl.pace()))
}

/// Returns what keeps a crawl from places that nobody meant it to visit.
pub(super) fn guard(settings: &Settings) -> AddressGuard {
    AddressGuard::for_site(&settings.root, &settings.scope)
}
