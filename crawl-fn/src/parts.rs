//! What the service is made of once everything outside is connected.

use std::sync::Arc;

use jiff::Timestamp;
use recrawl_core::model::content::Extractor;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::scope::Scope;
use recrawl_core::ports::{Fetcher, SoftErrorProbe, Store, StoreError};
use recrawl_engine::{Maintenance, MaintenanceSettings};
use recrawl_engine::{NoProbe, RobotsCache, RobotsPolicy, SitemapFinder, SoftErrorCache, ThriftyExtractor};
use recrawl_extract::HtmlExtractor;
use recrawl_fetch::{HttpFetcher, Polite};
use tokio::sync::{Mutex, Semaphore};

use crate::archive::AT_ONCE;
use crate::config::Config;
use crate::deps::Deps;
use crate::health::Health;
use crate::in_flight::InFlight;
use crate::sessions::Sessions;
use crate::tick::Ledger;
use crate::work::Work;

/// What the service is made of.
pub(crate) struct Parts {
    pub(crate) config: Arc<Config>,
    pub(crate) deps: Deps,
    pub(crate) site: Site,
    pub(crate) scope: Scope,
    pub(crate) fetcher: Arc<Polite<HttpFetcher>>,
    pub(crate) robots: Arc<RobotsCache>,
    pub(crate) absence: Arc<dyn SoftErrorProbe>,
    pub(crate) sitemaps: SitemapFinder,
    pub(crate) extractor: Arc<dyn Extractor>,
    pub(crate) sessions: Sessions,
    pub(crate) in_flight: Arc<InFlight>,
    pub(crate) maintenance: Maintenance,
    pub(crate) ledger: Mutex<Ledger>,
    /// Places for requests to the Wayback Machine.
    pub(crate) archiving: Semaphore,
    pub(crate) health: Health,
    pub(crate) work: Arc<Work>,
}

impl Parts {
    /// Puts the parts together, and writes the site to the store if it is not there as configured.
    pub(crate) async fn new(
        config: Arc<Config>,
        deps: Deps,
        fetcher: Arc<Polite<HttpFetcher>>,
        work: Arc<Work>,
    ) -> Result<Self, StoreError> {
        let site = settle_site(&*deps.store, &config, Timestamp::now()).await?;
        fetcher.remember_in(deps.store.clone());
        let port: Arc<dyn Fetcher> = fetcher.clone();
        let token = config.product_token();
        let clock = Timestamp::now;
        let store = deps.store.clone();
        let robots =
            RobotsCache::new(port.clone(), store.clone(), fetcher.clone(), token, RobotsPolicy::Obey, clock);
        let robots = Arc::new(robots);
        let rules = config.crawl.url_rules();
        let lifetime = config.crawl.sitemap_cache;
        let sitemaps =
            SitemapFinder::new(port.clone(), store.clone(), robots.clone(), rules.clone(), lifetime, clock);
        let html = || -> Arc<dyn Extractor> {
            Arc::new(HtmlExtractor::new(config.text_rules.clone(), rules.clone(), config.crawl.nofollow))
        };
        let extractor = deps.extractor.clone().unwrap_or_else(html);
        let extractor: Arc<dyn Extractor> =
            Arc::new(ThriftyExtractor::new(extractor, recrawl_allocator::give_back));
        let absence: Arc<dyn SoftErrorProbe> = if config.crawl.soft_404 {
            let (robots, extractor, root) = (robots.clone(), extractor.clone(), site.root.clone());
            Arc::new(SoftErrorCache::new(port, store.clone(), robots, extractor, root, clock))
        } else {
            Arc::new(NoProbe)
        };
        let maintenance = Maintenance {
            store,
            frontier: deps.frontier.clone(),
            announcer: deps.announcer.clone(),
            archive_queue: deps.archive_queue.clone(),
            summaries: deps.summaries.clone(),
            settings: MaintenanceSettings::new(&config.crawl, &config.process),
        };
        Ok(Self {
            scope: config.scope.clone(),
            site,
            fetcher,
            robots,
            absence,
            sitemaps,
            extractor,
            sessions: Sessions::default(),
            in_flight: Arc::default(),
            maintenance,
            ledger: Mutex::default(),
            archiving: Semaphore::new(AT_ONCE),
            health: Health::default(),
            config,
            deps,
            work,
        })
    }
}

async fn settle_site(store: &dyn Store, config: &Config, now: Timestamp) -> Result<Site, StoreError> {
    let stored = store.site(&config.site).await?;
    let site = Site {
        id: config.site.clone(),
        root: config.root.clone(),
        scope: config.crawl.scope(),
        created_at: stored.as_ref().map_or(now, |site| site.created_at),
    };
    if stored.as_ref() != Some(&site) {
        store.save_site(&site).await?;
    }
    Ok(site)
}
