use async_trait::async_trait;

use super::QueueError;
use crate::model::aspect::Aspects;
use crate::model::ids::{CrawlId, EventId, SiteId};
use crate::model::kind::Tier;
use crate::model::verdict::{Change, Verdict};
use crate::url::PageUrl;

/// A change worth telling others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// The same however often the change is announced.
    pub id: EventId,
    /// The site.
    pub site: SiteId,
    /// The crawl that saw the change.
    pub crawl: CrawlId,
    /// The page.
    pub page: PageUrl,
    /// What happened to it.
    pub change: Change,
    /// From which sides it changed, where contents were compared.
    pub aspects: Aspects,
    /// What changed in its text, shortened, where that was asked for.
    pub diff: Option<String>,
    /// What else there is to say of it, where that was asked for.
    pub details: AnnouncementDetails,
}

/// What is told of a change to those who do not see the records. A store that keeps them need not keep this.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnnouncementDetails {
    /// The title of the page, where it has one.
    pub title: Option<String>,
    /// The status that the page answered.
    pub status: Option<u16>,
    /// How near the change is to what the page is about.
    pub tier: Option<Tier>,
    /// How much it matters, from 0 to 1,000.
    pub weight: Option<u32>,
    /// Where the page leads now, if it moved.
    pub target: Option<String>,
    /// On how many pages the change is, where it is a shared one: then the page is the first of them.
    pub shared_by: Option<u64>,
}

/// Tells others of changes.
///
/// # Contract
/// An announcement survives a crash once the call has returned. One announced twice under one id is delivered
/// at least once.
#[async_trait]
pub trait Announcer: Send + Sync {
    /// Announces changes.
    async fn announce(&self, announcements: &[Announcement]) -> Result<(), QueueError>;

    /// Announces every change of these kinds that a crawl recorded and people are told of
    /// ([`Visit::is_told`](crate::model::record::Visit::is_told)), without its difference, and returns how many there
    /// are; `None`, unless an adapter does so itself, where the records are kept elsewhere and must be handed over.
    async fn announce_recorded(
        &self,
        _site: &SiteId,
        _crawl: CrawlId,
        _kinds: &[Verdict],
    ) -> Result<Option<u64>, QueueError> {
        Ok(None)
    }
}
