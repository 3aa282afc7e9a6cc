//! What belongs to one site.

use std::sync::Arc;

use jiff::Timestamp;
use recrawl_core::model::content::Extractor;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::{Fetcher, SoftErrorProbe, Store, StoreError};
use recrawl_core::url::PageUrl;
use recrawl_engine::{
    GatheredAudits, Maintenance, MaintenanceSettings, NoProbe, RobotsCache, RobotsPolicy, SitemapFinder,
    SoftErrorCache, ThriftyExtractor,
};
use recrawl_extract::HtmlExtractor;
use recrawl_fetch::{HttpFetcher, Polite};
use recrawl_settings::ProcessSettings;

use crate::config::SiteConfig;
use crate::deps::Deps;

/// What belongs to one site, by its settings.
pub(crate) struct SiteParts {
    pub(crate) config: SiteConfig,
    /// The site as it is stored.
    pub(crate) site: Site,
    pub(crate) fetcher: Arc<Polite<HttpFetcher>>,
    pub(crate) robots: Arc<RobotsCache>,
    pub(crate) absence: Arc<dyn SoftErrorProbe>,
    pub(crate) sitemaps: SitemapFinder,
    pub(crate) extractor: Arc<dyn Extractor>,
    pub(crate) maintenance: Maintenance,
}

impl SiteParts {
    /// Puts the parts together, and writes the site to the store if it is not there as configured.
    pub(crate) async fn new(
        config: SiteConfig,
        process: &ProcessSettings,
        deps: &Deps,
        fetcher: Arc<Polite<HttpFetcher>>,
    ) -> Result<Self, StoreError> {
        let site = settle_site(&*deps.store, &config, Timestamp::now()).await?;
        let port: Arc<dyn Fetcher> = fetcher.clone();
        let (store, clock) = (deps.store.clone(), Timestamp::now);
        let robots = RobotsCache::new(
            port.clone(),
            store.clone(),
            fetcher.clone(),
            config.product_token(),
            RobotsPolicy::Obey,
            clock,
        );
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
            audits: GatheredAudits::default(),
            settings: MaintenanceSettings::new(&config.crawl, process),
        };
        Ok(Self { config, site, fetcher, robots, absence, sitemaps, extractor, maintenance })
    }

    /// Returns the name of the site.
    pub(crate) fn id(&self) -> &SiteId {
        &self.site.id
    }

    /// Returns the page that its crawls begin with.
    pub(crate) fn root(&self) -> &PageUrl {
        &self.site.root
    }
}

async fn settle_site(store: &dyn Store, config: &SiteConfig, now: Timestamp) -> Result<Site, StoreError> {
    let stored = store.site(&config.id).await?;
    let site = Site {
        id: config.id.clone(),
        root: config.root.clone(),
        scope: config.crawl.scope(),
        created_at: stored.as_ref().map_or(now, |site| site.created_at),
    };
    if stored.as_ref() != Some(&site) {
        store.save_site(&site).await?;
    }
    Ok(site)
}
