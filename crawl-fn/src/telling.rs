//! Who is told of crawls: noted before a crawl is closed, and told with the ticks after that.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::site_plan::SitePlan;
use recrawl_core::ports::{Notices, StoreError};
use recrawl_core::url::PageUrl;
use recrawl_engine::CloudStore;
use recrawl_notify::{
    Fate, Occasion, Outcome, Report, RetryLimits, Round, Setup, TargetName, Which, note, pending,
};
use recrawl_sites::SiteTargets;

use crate::config::Config;

/// Plans by the names of their sites.
type Plans = BTreeMap<SiteId, SitePlan>;

/// Who is told of crawls.
pub(crate) struct Telling {
    store: Arc<dyn CloudStore>,
    config: Arc<Config>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    plans: Option<Plans>,
    targets: Arc<SiteTargets>,
    /// The names of those that the environment has for all sites, and of those that each site has for itself.
    of_all: Vec<TargetName>,
    of_site: BTreeMap<SiteId, Vec<TargetName>>,
}

impl Telling {
    pub(crate) fn new(store: Arc<dyn CloudStore>, config: Arc<Config>) -> Self {
        Self { store, config, known: Mutex::default() }
    }

    /// Takes in what is written about the sites.
    pub(crate) fn know(&self, plans: Plans) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.plans.as_ref() == Some(&plans) {
            return;
        }
        let environment = self.config.variables.all();
        let setup = Setup {
            environment: &|name| environment.get(name).cloned(),
            web: self.config.process.public_url.as_ref().map(PageUrl::to_url),
            user_agent: concat!("recrawl/", env!("CARGO_PKG_VERSION")),
            patience: RetryLimits::default(),
        };
        let names = |targets: &SiteTargets| targets.names().cloned().collect::<Vec<_>>();
        let mut targets = SiteTargets::of_all(&self.config.notify, &setup);
        known.of_all = names(&targets);
        known.of_site.clear();
        for (site, plan) in &plans {
            let of_site = SiteTargets::of_site(site, &plan.notify, &setup);
            known.of_site.insert(site.clone(), names(&of_site));
            targets.add(of_site);
        }
        for (target, problem) in &targets.broken {
            tracing::error!(%target, problem, "somebody cannot be told of crawls");
        }
        known.targets = Arc::new(targets);
        known.plans = Some(plans);
    }

    /// Tells what waits and is due. What fails is tried again with a later tick.
    pub(crate) async fn tell(&self) -> Result<(), StoreError> {
        let targets = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(&known.targets)
        };
        if targets.names().next().is_none() || pending(&*self.store).await?.is_empty() {
            return Ok(());
        }
        let unreachable: Vec<TargetName> = targets.broken.iter().map(|(name, _)| name.clone()).collect();
        let round = Round {
            history: &*self.store,
            index: &*self.store,
            targets: &targets.ready,
            unreachable: &unreachable,
            which: Which::Due,
            site: None,
            clock: &Timestamp::now,
        };
        round.make().await?.iter().for_each(log);
        Ok(())
    }

    async fn note(&self, site: &SiteId, crawl: CrawlId, occasion: Occasion) -> Result<(), StoreError> {
        let names: Vec<TargetName> = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            let of_site = known.of_site.get(site).into_iter().flatten();
            known.of_all.iter().chain(of_site).cloned().collect()
        };
        note(&*self.store, &names, (site, crawl), occasion, Timestamp::now()).await
    }
}

#[async_trait]
impl Notices for Telling {
    async fn closing(&self, site: &SiteId, crawl: CrawlId) -> Result<(), StoreError> {
        self.note(site, crawl, Occasion::Closed).await
    }

    async fn accepted(&self, site: &SiteId, crawl: CrawlId) -> Result<(), StoreError> {
        self.note(site, crawl, Occasion::Accepted).await
    }
}

fn log(report: &Report) {
    let (site, crawl) = (&report.site, report.crawl);
    match &report.fate {
        Fate::GivenUp(_) => tracing::error!(%site, crawl.id = %crawl, "{report}"),
        Fate::Tried(Outcome::Failed(_) | Outcome::Unremembered(_)) => {
            tracing::warn!(%site, crawl.id = %crawl, "{report}");
        }
        Fate::Tried(Outcome::Told { .. } | Outcome::Already | Outcome::Silent(_))
        | Fate::TargetRemoved
        | Fate::CrawlDeleted => tracing::info!(%site, crawl.id = %crawl, "{report}"),
    }
}
