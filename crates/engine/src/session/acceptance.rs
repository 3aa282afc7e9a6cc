//! Unusual crawls whose findings wait: for somebody to accept them, or for the next whole crawl.

use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{StateKey, StateStore, StoreError};
use serde::{Deserialize, Serialize};

use super::{Persisted, recall, remember};

/// Unusual crawls whose findings wait: for somebody to accept them, or for the next whole crawl.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PendingAcceptance {
    pub(crate) crawls: Vec<CrawlId>,
}

impl Persisted for PendingAcceptance {
    fn key(site: &SiteId) -> StateKey {
        StateKey::pending_acceptance(site)
    }
}

impl PendingAcceptance {
    /// Returns what waits.
    pub(crate) async fn of(
        state_store: &(impl StateStore + ?Sized),
        site: &SiteId,
    ) -> Result<Self, StoreError> {
        Ok(recall(state_store, site).await?.unwrap_or_default())
    }

    /// Remembers that the findings of a crawl wait.
    pub(crate) async fn add(
        state_store: &(impl StateStore + ?Sized),
        site: &SiteId,
        crawl: CrawlId,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut pending = Self::of(state_store, site).await?;
        if !pending.crawls.contains(&crawl) {
            pending.crawls.push(crawl);
        }
        remember(state_store, site, &pending, now).await
    }

    /// Forgets what waits.
    pub(crate) async fn clear(
        state_store: &(impl StateStore + ?Sized),
        site: &SiteId,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        remember(state_store, site, &Self::default(), now).await
    }
}

/// Sees to it that a later tick of the service announces an unusual crawl, which is accepted then.
pub async fn announce_once_accepted(
    state_store: &(impl StateStore + ?Sized),
    site: &SiteId,
    crawl: CrawlId,
    now: Timestamp,
) -> Result<(), StoreError> {
    PendingAcceptance::add(state_store, site, crawl, now).await
}
