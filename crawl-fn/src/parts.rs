//! What the service is made of once everything outside is connected.

use std::sync::Arc;

use recrawl_core::ports::StoreError;
use recrawl_fetch::{HttpFetcher, Polite};
use tokio::sync::Mutex;

use crate::archive::Archiving;
use crate::config::Config;
use crate::deps::Deps;
use crate::health::Health;
use crate::in_flight::InFlight;
use crate::sessions::Sessions;
use crate::site_parts::SiteParts;
use crate::sites::Sites;
use crate::tick::Ledger;
use crate::turns::Turns;
use crate::window::Windows;
use crate::work::Work;

/// What the service is made of: what belongs to the process. What belongs to one site is in [`SiteParts`].
pub(crate) struct Parts {
    pub(crate) config: Arc<Config>,
    pub(crate) deps: Deps,
    pub(crate) sites: Sites,
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
        fetcher: Arc<Polite<HttpFetcher>>,
        work: Arc<Work>,
    ) -> Result<Self, StoreError> {
        fetcher.remember_in(deps.store.clone());
        let windows = Arc::new(Windows::new(deps.frontier.clone(), config.process.ack_deadline));
        let deps = Deps { frontier: windows.clone(), ..deps };
        let own = SiteParts::new(config.site.clone(), &config.process, &deps, fetcher).await?;
        Ok(Self {
            sites: Sites::new(own),
            sessions: Sessions::default(),
            in_flight: Arc::default(),
            turns: Arc::default(),
            windows,
            ledger: Mutex::default(),
            obeying: Mutex::default(),
            archiving: Archiving::default(),
            health: Health::default(),
            config,
            deps,
            work,
        })
    }
}
