//! The sites of the deployment, and which of them a message is about.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use recrawl_core::decide::site_of;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::site_plan::{PlannedSite, SitePlan};
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use tokio::sync::Mutex as FairMutex;
use tokio::time::{Instant, sleep_until};

use crate::config::{Config, SiteConfig};
use crate::site_parts::{PartsError, SiteParts, Surroundings};
use crate::telling::Telling;

/// How often a message about a site that is not known makes this process look for new ones.
const PAUSE: Duration = Duration::from_secs(2);

/// The sites of the deployment: the one that the environment names, and those that have a plan.
pub(crate) struct Sites {
    around: Surroundings,
    config: Arc<Config>,
    telling: Arc<Telling>,
    known: Mutex<Known>,
    loaded_at: FairMutex<Instant>,
}

struct Known {
    own: Arc<SiteParts>,
    stored: BTreeMap<SiteId, Stored>,
}

/// A site as it is stored.
#[derive(Clone)]
struct Stored {
    site: Site,
    plan: Option<SitePlan>,
    /// What it is watched by; `None` where nobody watches it, or something is wrong with its plan.
    parts: Option<Arc<SiteParts>>,
}

impl Sites {
    /// Reads the sites for the first time; `own` is the name of the one that the environment names.
    pub(crate) async fn load(
        config: Arc<Config>,
        own: SiteId,
        around: Surroundings,
        telling: Arc<Telling>,
    ) -> Result<Self, PartsError> {
        let planned = around.deps.store.planned_sites().await?;
        let stored = planned.into_iter().find(|stored| stored.site.id == own);
        let parts = own_parts(&config, own, stored.and_then(|stored| stored.plan).as_ref(), &around).await?;
        let own = Arc::new(parts);
        let known = Known { own, stored: BTreeMap::new() };
        let loaded_at = FairMutex::new(Instant::now());
        let sites = Self { around, config, telling, known: Mutex::new(known), loaded_at };
        sites.reload().await?;
        Ok(sites)
    }

    /// Returns the site that the environment names.
    pub(crate) fn own(&self) -> Arc<SiteParts> {
        self.known().own.clone()
    }

    /// Returns the site of this name, if it is watched.
    pub(crate) fn named(&self, id: &SiteId) -> Option<Arc<SiteParts>> {
        let known = self.known();
        if known.own.id() == id { Some(known.own.clone()) } else { known.stored.get(id)?.parts.clone() }
    }

    /// Returns the sites that are watched, that of the environment first.
    pub(crate) fn watched(&self) -> Vec<Arc<SiteParts>> {
        let known = self.known();
        let others = known.stored.values().filter_map(|stored| stored.parts.clone());
        let others = others.filter(|parts| parts.id() != known.own.id());
        std::iter::once(known.own.clone()).chain(others).collect()
    }

    /// Returns every stored site, each with what it is looked after by: one that nobody watches by what the environment says.
    pub(crate) fn looked_after(&self) -> Vec<(Arc<SiteParts>, Site)> {
        let known = self.known();
        let of_one = |stored: &Stored| {
            let parts = stored.parts.as_ref().unwrap_or(&known.own).clone();
            let site = if parts.id() == &stored.site.id { parts.site.clone() } else { stored.site.clone() };
            (parts, site)
        };
        let mut all: Vec<_> = known.stored.values().map(of_one).collect();
        if !known.stored.contains_key(known.own.id()) {
            all.push((known.own.clone(), known.own.site.clone()));
        }
        all
    }

    /// Returns the site that a page belongs to which somebody asks for, if there is one.
    pub(crate) fn admitting(&self, page: &PageUrl) -> Option<Arc<SiteParts>> {
        let watched = self.watched();
        let named = watched.iter().map(|parts| (parts.id(), parts.root(), &parts.config.scope));
        let id = site_of(named, page)?.clone();
        watched.into_iter().find(|parts| *parts.id() == id)
    }

    /// Looks again what is stored, because somebody who came at `came` asks for a site that is not known. Many who come at
    /// once share one look.
    pub(crate) async fn look_again(&self, came: Instant) -> Result<(), StoreError> {
        let mut loaded_at = self.loaded_at.lock().await;
        if *loaded_at >= came {
            return Ok(());
        }
        sleep_until(*loaded_at + PAUSE).await;
        let began = Instant::now();
        self.read().await?;
        *loaded_at = began;
        Ok(())
    }

    /// Reads what is stored about the sites: one query. Who has other settings is watched by them from the next crawl on.
    pub(crate) async fn reload(&self) -> Result<(), StoreError> {
        let mut loaded_at = self.loaded_at.lock().await;
        let began = Instant::now();
        self.read().await?;
        *loaded_at = began;
        Ok(())
    }

    async fn read(&self) -> Result<(), StoreError> {
        let planned = self.around.deps.store.planned_sites().await?;
        let mut stored = BTreeMap::new();
        for PlannedSite { site, plan } in planned {
            let before = self.known().stored.get(&site.id).cloned();
            let same = before.filter(|before| before.plan == plan && before.site.root == site.root);
            let own = self.own();
            let parts = match (same, &plan) {
                (Some(same), _) => same.parts,
                (None, Some(plan)) => self.make(&site, plan).await?,
                // What was written about it was taken away.
                (None, None) if own.id() == &site.id && own.has_plan => self.make_own(own.id()).await?,
                (None, None) => None,
            };
            stored.insert(site.id.clone(), Stored { site, plan, parts });
        }
        let plans = stored.iter().filter_map(|(id, stored)| Some((id.clone(), stored.plan.clone()?)));
        self.telling.know(plans.collect());
        let mut known = self.known();
        let own = stored.get(known.own.id()).and_then(|stored| stored.parts.clone());
        if let Some(own) = own {
            known.own = own;
        }
        known.stored = stored;
        Ok(())
    }

    /// Makes what a site is watched by. Where something is wrong with its plan, that is said, and it is watched as before.
    async fn make(&self, site: &Site, plan: &SitePlan) -> Result<Option<Arc<SiteParts>>, StoreError> {
        let own = self.own();
        let is_own = own.id() == &site.id;
        let root = if is_own { &self.config.site.root } else { &site.root };
        let before = self.named(&site.id);
        let config = SiteConfig::read(&site.id, root, &plan.settings, self.config.variables.all(), is_own);
        let problem = match config {
            Err(problems) => problems.join("; "),
            Ok(config) => match Box::pin(SiteParts::beside(config, &self.config, &self.around)).await {
                Ok(parts) => return Ok(Some(Arc::new(parts))),
                Err(PartsError::Store(error)) => return Err(error),
                Err(PartsError::Fetcher(error)) => error.to_string(),
            },
        };
        tracing::error!(site = %site.id, problem, "what is written about a site cannot be used");
        Ok(before)
    }

    async fn make_own(&self, id: &SiteId) -> Result<Option<Arc<SiteParts>>, StoreError> {
        match Box::pin(own_parts(&self.config, id.clone(), None, &self.around)).await {
            Ok(parts) => Ok(Some(Arc::new(parts))),
            Err(PartsError::Store(error)) => Err(error),
            Err(PartsError::Fetcher(error)) => Err(StoreError::Unavailable(error.into())),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // Every change is one assignment.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Puts together what the site that the environment names is watched by: its plan, if it has one that can be used.
async fn own_parts(
    config: &Config,
    id: SiteId,
    plan: Option<&SitePlan>,
    around: &Surroundings,
) -> Result<SiteParts, PartsError> {
    let variables = config.variables.all();
    let planned = plan.map(|plan| SiteConfig::read(&id, &config.site.root, &plan.settings, variables, true));
    // What is wrong with a plan is said where it is read.
    if let Some(Ok(planned)) = planned {
        return SiteParts::beside(planned, config, around).await;
    }
    let of_environment = SiteConfig { id, ..config.site.clone() };
    SiteParts::new(of_environment, &config.process, around, around.fetcher.clone()).await
}
