//! What is remembered from tick to tick.

use jiff::Timestamp;
use jiff::civil::Date;
use recrawl_core::decide::Audited;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::StateKey;
use serde::{Deserialize, Serialize};

use crate::session::Persisted;

impl Persisted for Audited {
    fn key(site: &SiteId) -> StateKey {
        StateKey::last_audit(site)
    }
}

/// Crawls whose archive requests may not all be over.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Unarchived {
    pub(super) crawls: Vec<CrawlId>,
    /// When something may be due of them. Earlier versions wrote when they had looked for it.
    #[serde(alias = "looked_at")]
    pub(super) due_at: Timestamp,
}

impl Persisted for Unarchived {
    fn key(site: &SiteId) -> StateKey {
        StateKey::unarchived_crawls(site)
    }
}

/// The last day on which nothing more was to be forgotten, or could be.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct NothingToDelete {
    pub(super) on: Date,
}

impl Persisted for NothingToDelete {
    fn key(site: &SiteId) -> StateKey {
        StateKey::nothing_to_delete(site)
    }
}

/// What was deleted on a day, over all sites.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Deletes {
    pub(super) on: Date,
    pub(super) count: u64,
}

impl Persisted for Deletes {
    fn key(_: &SiteId) -> StateKey {
        StateKey::deletes_of_the_day()
    }
}
