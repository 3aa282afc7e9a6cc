//! What the service is made of once everything outside is connected.

use std::sync::Arc;

use jiff::Timestamp;
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::StoreError;
use recrawl_fetch::{Polite, Transports};
use recrawl_sites::of_root;
use tokio::sync::Mutex;

use crate::archive::Archiving;
use crate::config::Config;
use crate::deps::Deps;
use crate::health::Health;
use crate::in_flight::InFlight;
use crate::sessions::Sessions;
use crate::site_parts::{PartsError, Surroundings};
use crate::sites::Sites;
use crate::telling::Telling;
use crate::tick::Ledger;
use crate::turns::Turns;
use crate::window::Windows;
use crate::work::Work;

/// What the service is made of: what belongs to the process. What belongs to one site is in
/// [`SiteParts`](crate::site_parts::SiteParts).
pub(crate) struct Parts {
    pub(crate) config: Arc<Config>,
    /// When the parts were put together.
    pub(crate) started_at: Timestamp,
    pub(crate) deps: Deps,
    pub(crate) sites: Sites,
    pub(crate) telling: Arc<Telling>,
    pub(crate) adopting: Mutex<()>,
    pub(crate) sessions: Sessions,
    pub(crate) in_flight: Arc<InFlight>,
    pub(crate) turns: Arc<Turns>,
    pub(crate) windows: Arc<Windows>,
    pub(crate) ledger: Mutex<Ledger>,
    /// Held by whoever looks what was decided about open crawls.
    pub(crate) obeying: Mutex<()>,
    pub(crate) archiving: Archiving,
    pub(crate) health: Health,
    pub(crate) work: Arc<Work>,
}

impl Parts {
    /// Puts the parts together; `fetcher` is that of the site which the environment names.
    pub(crate) async fn new(
        config: Arc<Config>,
        deps: Deps,
        fetcher: Arc<Polite<Transports>>,
        work: Arc<Work>,
    ) -> Result<Self, PartsError> {
        fetcher.remember_in(deps.store.clone());
        let windows = Arc::new(Windows::new(deps.frontier.clone(), config.process.ack_deadline));
        let deps = Deps { frontier: windows.clone(), ..deps };
        let own = own_site(&config, &deps).await?;
        recrawl_sites::sync(&*deps.store, &config.wanted, (&own, &config.site.root), Timestamp::now())
            .await?;
        let telling = Arc::new(Telling::new(deps.store.clone(), config.clone()));
        let around = Surroundings { deps: deps.clone(), fetcher, notices: telling.clone() };
        Ok(Self {
            sites: Sites::load(config.clone(), own, around, telling.clone()).await?,
            telling,
            adopting: Mutex::default(),
            sessions: Sessions::default(),
            in_flight: Arc::default(),
            turns: Arc::default(),
            windows,
            ledger: Mutex::default(),
            obeying: Mutex::default(),
            archiving: Archiving::default(),
            health: Health::default(),
            started_at: Timestamp::now(),
            config,
            deps,
            work,
        })
    }
}

/// Returns the name of the site that the environment names: the one that it says, or the usual one; where the store has a
/// history of that root under another name alone, that one, so that a history that was copied goes on.
async fn own_site(config: &Config, deps: &Deps) -> Result<SiteId, StoreError> {
    let usual = config.site.id.clone();
    if config.process.site.is_some() || deps.store.site(&usual).await?.is_some() {
        return Ok(usual);
    }
    let there = deps.store.planned_sites().await?;
    Ok(of_root(&there, &config.site.root).map_or(usual, |stored| stored.site.id.clone()))
}
