//! What somebody decides about an open crawl from outside the process that crawls: to stop it, to let it rest, to go on.
//!
//! It is stored, so that whoever crawls next obeys as well, and it is one entry over all sites, so that a process that crawls
//! many of them learns of it by one read.

use jiff::Timestamp;
use recrawl_core::model::crawl::{Crawl, Ending};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{StateEntry, StateKey, StateStore, Store, StoreError};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// How often somebody else may change the entry between a look and a write before the store counts as unavailable.
const ATTEMPTS: usize = 20;

/// What is to become of an open crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CrawlCommand {
    /// It is closed as partial, and asks for no further page. This is final.
    Stop,
    /// It asks for no further page and stays open, until somebody says otherwise.
    Pause,
    /// It goes on: what it lacks is queued without waiting until it is quiet.
    Resume,
}

impl CrawlCommand {
    /// Tells whether no page of the crawl may be asked for.
    pub const fn halts(self) -> bool {
        match self {
            Self::Stop | Self::Pause => true,
            Self::Resume => false,
        }
    }

    /// Returns how a crawl ends that somebody stopped.
    pub fn stopped() -> Ending {
        Ending::Partial("it was stopped by hand".to_owned())
    }
}

/// A command, and the crawl that it is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Given {
    site: SiteId,
    crawl: CrawlId,
    command: CrawlCommand,
    at: Timestamp,
}

/// What was decided about open crawls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawlCommands(Vec<Given>);

impl CrawlCommands {
    /// Reads what was decided about the open crawls of all sites.
    pub async fn read(state_store: &(impl StateStore + ?Sized)) -> Result<Self, StoreError> {
        Ok(Self::of_entry(state_store.state(&StateKey::crawl_commands()).await?.as_ref()))
    }

    fn of_entry(entry: Option<&StateEntry>) -> Self {
        let Some(entry) = entry else { return Self::default() };
        serde_json::from_str(&entry.value)
            .inspect_err(|error| tracing::error!(%error, "the commands to crawls are not readable"))
            .unwrap_or_default()
    }

    /// Returns what was decided about a crawl, if anything was.
    pub fn of(&self, site: &SiteId, crawl: CrawlId) -> Option<CrawlCommand> {
        self.0.iter().find(|given| given.is_for(site, crawl)).map(|given| given.command)
    }
}

impl Given {
    fn is_for(&self, site: &SiteId, crawl: CrawlId) -> bool {
        self.site == *site && self.crawl == crawl
    }
}

/// Why a crawl was not commanded.
#[derive(Debug, Error)]
pub enum CommandError {
    /// The store did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It makes no sense, for this reason.
    #[error("{0}")]
    Refused(String),
}

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Commanded {
    /// It is stored, and whoever crawls obeys within seconds.
    Given(CrawlId),
    /// It was so already.
    Already(CrawlId),
    /// No crawl of the site is open.
    NoneOpen,
}

impl Commanded {
    /// Says what came of `command` in a sentence for people, without a full stop.
    pub fn sentence(&self, command: CrawlCommand, site: &SiteId) -> String {
        match (self, command) {
            (Self::NoneOpen, _) => format!("no crawl of {site} is open; nothing to do"),
            (Self::Given(crawl), CrawlCommand::Stop) => format!(
                "{crawl} of {site} is being stopped: within seconds no page is asked for any more, and the next tick of the \
                 service closes it as partial"
            ),
            (Self::Given(crawl), CrawlCommand::Pause) => format!(
                "{crawl} of {site} is paused: within seconds no page is asked for any more, until somebody resumes it"
            ),
            (Self::Given(crawl), CrawlCommand::Resume) => {
                format!("{crawl} of {site} goes on: the next tick of the service queues what it lacks")
            }
            (Self::Already(crawl), CrawlCommand::Stop) => {
                format!("{crawl} of {site} is being stopped already: the next tick of the service closes it")
            }
            (Self::Already(crawl), CrawlCommand::Pause) => format!("{crawl} of {site} is paused already"),
            (Self::Already(crawl), CrawlCommand::Resume) => {
                format!("{crawl} of {site} is not paused; nothing to do")
            }
        }
    }
}

/// Stores what is to become of the open crawl of `site`. Saying it again changes nothing.
pub async fn command_crawl(
    store: &(impl Store + StateStore + ?Sized),
    site: &SiteId,
    command: CrawlCommand,
    now: Timestamp,
) -> Result<Commanded, CommandError> {
    let Some(Crawl { id: crawl, .. }) = store.crawl_under_way(site).await? else {
        return Ok(Commanded::NoneOpen);
    };
    for _ in 0..ATTEMPTS {
        let before = store.state(&StateKey::crawl_commands()).await?;
        let mut commands = CrawlCommands::of_entry(before.as_ref());
        match (commands.of(site, crawl), command) {
            (Some(CrawlCommand::Stop), CrawlCommand::Pause | CrawlCommand::Resume) => {
                return Err(CommandError::Refused(format!("{crawl} is being stopped, which is final")));
            }
            (Some(known), _) if known == command => return Ok(Commanded::Already(crawl)),
            (None, CrawlCommand::Resume) => return Ok(Commanded::Already(crawl)),
            (Some(_) | None, _) => {}
        }
        // A site has one open crawl, so what is there of others is of crawls that have ended.
        commands.0.retain(|given| given.site != *site);
        commands.0.push(Given { site: site.clone(), crawl, command, at: now });
        if replace(store, before.as_ref(), &commands, now).await? {
            return Ok(Commanded::Given(crawl));
        }
    }
    Err(StoreError::Unavailable("others change the commands to crawls all the time".into()).into())
}

/// Forgets what was decided about a crawl, once it is obeyed. A later decision stays.
pub(crate) async fn forget_command(
    state_store: &(impl StateStore + ?Sized),
    site: &SiteId,
    crawl: CrawlId,
    obeyed: CrawlCommand,
    now: Timestamp,
) -> Result<(), StoreError> {
    for _ in 0..ATTEMPTS {
        let before = state_store.state(&StateKey::crawl_commands()).await?;
        let mut commands = CrawlCommands::of_entry(before.as_ref());
        let known = commands.0.len();
        commands.0.retain(|given| !given.is_for(site, crawl) || given.command != obeyed);
        if commands.0.len() == known || replace(state_store, before.as_ref(), &commands, now).await? {
            return Ok(());
        }
    }
    Err(StoreError::Unavailable("others change the commands to crawls all the time".into()))
}

async fn replace(
    state_store: &(impl StateStore + ?Sized),
    before: Option<&StateEntry>,
    commands: &CrawlCommands,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let value = serde_json::to_string(commands).map_err(|error| StoreError::Corrupt(error.into()))?;
    let entry = StateEntry { saved_at: now, value };
    state_store.replace_state(&StateKey::crawl_commands(), before, &entry).await
}
