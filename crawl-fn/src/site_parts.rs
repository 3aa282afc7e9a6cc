//! What belongs to one site.

use std::sync::Arc;

use jiff::Timestamp;
use recrawl_core::decide::back_off::PaceSettings;
use recrawl_core::model::archive::ArchivePolicy;
use recrawl_core::model::content::Extractor;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::{DocumentExtractor, Fetcher, Notices, SoftErrorProbe, Store, StoreError};
use recrawl_core::url::PageUrl;
use recrawl_engine::{
    GatheredAudits, Maintenance, MaintenanceSettings, NoProbe, RobotsCache, RobotsPolicy, SitemapFinder,
    SoftErrorCache, ThriftyExtractor,
};
use recrawl_extract::HtmlExtractor;
use recrawl_fetch::{AddressGuard, BuildError, Polite, Transports};
use recrawl_settings::{CrawlSettings, ProcessSettings};
use thiserror::Error;

use crate::config::{Config, SiteConfig};
use crate::deps::Deps;

/// What belongs to one site, by its settings.
pub(crate) struct SiteParts {
    pub(crate) config: SiteConfig,
    /// The site as it is stored.
    pub(crate) site: Site,
    /// Since when it is watched by these settings.
    pub(crate) made_at: Timestamp,
    /// Whether these are those of a plan.
    pub(crate) has_plan: bool,
    pub(crate) fetcher: Arc<Polite<Transports>>,
    pub(crate) robots: Arc<RobotsCache>,
    pub(crate) absence: Arc<dyn SoftErrorProbe>,
    pub(crate) sitemaps: SitemapFinder,
    pub(crate) extractor: Arc<dyn Extractor>,
    pub(crate) documents: Arc<dyn DocumentExtractor>,
    pub(crate) maintenance: Maintenance,
}

/// What all sites of a process share.
#[derive(Clone)]
pub(crate) struct Surroundings {
    pub(crate) deps: Deps,
    /// That of the site which the environment names: others ask beside it.
    pub(crate) fetcher: Arc<Polite<Transports>>,
    pub(crate) notices: Arc<dyn Notices>,
}

/// Why a site cannot be watched.
#[derive(Debug, Error)]
pub(crate) enum PartsError {
    /// The store could not tell, or not take.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its settings make no fetcher.
    #[error(transparent)]
    Fetcher(#[from] BuildError),
}

/// Returns how often and how many at a time the hosts of a site are asked.
pub(crate) fn pace(crawl: &CrawlSettings, process: &ProcessSettings) -> PaceSettings {
    // A push that waited longer would be cut off.
    PaceSettings { longest_wait: process.ack_deadline / 2, ..crawl.pace() }
}

impl SiteParts {
    /// Puts the parts of a site together that asks beside the one which the environment names, by settings of its own.
    pub(crate) async fn beside(
        config: SiteConfig,
        process: &Config,
        around: &Surroundings,
    ) -> Result<Self, PartsError> {
        let guard = AddressGuard::for_site(&config.root, &config.crawl.scope());
        let pace = pace(&config.crawl, &process.process);
        let fetcher =
            around.fetcher.beside(|transports| transports.beside(config.crawl.http(), guard), pace)?;
        // What speaks of the process is said by the environment alone.
        let maintained = ProcessSettings { quiet: process.process.quiet, ..config.process.clone() };
        let parts = Self::new(config, &maintained, around, Arc::new(fetcher)).await?;
        Ok(Self { has_plan: true, ..parts })
    }

    /// Puts the parts together, and writes the site to the store if it is not there as configured.
    pub(crate) async fn new(
        config: SiteConfig,
        process: &ProcessSettings,
        around: &Surroundings,
        fetcher: Arc<Polite<Transports>>,
    ) -> Result<Self, PartsError> {
        let Surroundings { deps, notices, .. } = around;
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
        let html = HtmlExtractor::new(config.text_rules.clone(), rules.clone(), config.crawl.nofollow);
        let documents = Arc::new(html.documents(deps.documents.clone()));
        let extractor = deps.extractor.clone().unwrap_or_else(|| Arc::new(html));
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
            notices: notices.clone(),
            audits: GatheredAudits::default(),
            settings: MaintenanceSettings::new(&config.crawl, process),
        };
        let made_at = Timestamp::now();
        Ok(Self {
            config,
            site,
            made_at,
            has_plan: false,
            fetcher,
            robots,
            absence,
            sitemaps,
            extractor,
            documents,
            maintenance,
        })
    }

    /// Tells whether anything of the site is archived.
    pub(crate) fn archives(&self) -> bool {
        self.config.crawl.archive != ArchivePolicy::Never
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
