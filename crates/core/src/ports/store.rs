use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

use super::{Contents, Source};
use crate::model::content::Content;
use crate::model::crawl::{Closed, Crawl, Site};
use crate::model::ids::{CrawlId, SiteId};
use crate::model::record::{PageRecord, PageState, PageSummary};
use crate::model::shared_change::SharedChange;
use crate::model::statistics::Statistics;
use crate::model::verdict::Verdict;
use crate::url::PageUrl;

/// Why a store did not do what it was asked.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The store cannot be reached or is busy; the same call may succeed later.
    #[error("the store is not available")]
    Unavailable(#[source] Source),
    /// What is stored cannot be read; the same call will fail again.
    #[error("the store holds something that cannot be read")]
    Corrupt(#[source] Source),
    /// The call names a site or crawl that the store does not have.
    #[error("the store has no {0}")]
    Absent(String),
}

/// Whether a create-if-absent write was the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// It is written now.
    First,
    /// It was there already; nothing was written.
    Already,
}

/// Sites, crawls and page records; with [`Contents`], all that a crawl reads and writes.
///
/// # Contract
/// A write that has returned is seen by every later read, and survives the death of the process.
#[async_trait]
pub trait Store: Contents {
    /// Writes `site`, replacing what was stored under its name.
    async fn save_site(&self, site: &Site) -> Result<(), StoreError>;

    /// Returns the site of this name.
    async fn site(&self, id: &SiteId) -> Result<Option<Site>, StoreError>;

    /// Writes `crawl` unless its site already has one of its name, and gives it the next running number of its site.
    /// Everything that speaks of crawls before and after each other goes by these numbers, whatever their names and
    /// times say: clocks may be wrong.
    ///
    /// Atomic: of several concurrent calls exactly one returns [`Recorded::First`].
    async fn open_crawl(&self, crawl: &Crawl) -> Result<Recorded, StoreError>;

    /// Writes how a crawl ended. Closing a closed crawl again changes nothing.
    async fn close_crawl(&self, site: &SiteId, crawl: CrawlId, closed: &Closed) -> Result<(), StoreError>;

    /// Notes that somebody accepted the findings of a suspect crawl. Accepting it again changes nothing; a crawl
    /// that is open or not suspect is refused with [`StoreError::Absent`].
    async fn accept_crawl(&self, site: &SiteId, crawl: CrawlId, at: Timestamp) -> Result<(), StoreError>;

    /// Writes what an unusual crawl came to when it was judged again: its figures, and why it is unusual. One that was
    /// accepted meanwhile stays as it is; a crawl that is open or not unusual is refused with [`StoreError::Absent`].
    async fn judge_crawl_again(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        reason: &str,
        statistics: &Statistics,
    ) -> Result<(), StoreError>;

    /// Notes that the crawl `by` found the same as an unusual one, and tells it. Noting it again changes nothing; a crawl
    /// that is open or not unusual is refused with [`StoreError::Absent`].
    async fn confirm_crawl(&self, site: &SiteId, crawl: CrawlId, by: CrawlId) -> Result<(), StoreError>;

    /// Returns the crawls of a site in order of opening, by their running numbers.
    async fn crawls(&self, site: &SiteId) -> Result<Vec<Crawl>, StoreError>;

    /// Returns the crawl of a site that is not closed; the newest, should there be several.
    ///
    /// Not derived from [`Store::crawls`]: every tick in the cloud asks it, and one read is billed instead of one a crawl.
    async fn crawl_under_way(&self, site: &SiteId) -> Result<Option<Crawl>, StoreError>;

    /// Writes `record` unless its crawl already has one for its page, and with it `content` unless
    /// that is stored already. A stored content without a body gains the one that `content` brings,
    /// and a text is kept for every meaning that was ever written, also of a stored content. Its outline is the one that
    /// was written last.
    ///
    /// Atomic: of several concurrent calls for one page exactly one returns [`Recorded::First`], and
    /// nobody sees a record without its content. A recorded page waits in no [`PullFrontier`](super::PullFrontier)
    /// of the same store any more.
    async fn record(&self, record: &PageRecord, content: Option<&Content>) -> Result<Recorded, StoreError>;

    /// Writes what settling made of records of a crawl that is open, or unusual and judged again: their visit, what is known of the page, and whether it is
    /// archived. Pages without a record are passed over; writing the same again changes nothing.
    async fn settle(&self, site: &SiteId, crawl: CrawlId, records: &[PageRecord]) -> Result<(), StoreError>;

    /// Writes the shared changes of a crawl in place of those that were there.
    async fn save_shared_changes(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        changes: &[SharedChange],
    ) -> Result<(), StoreError>;

    /// Returns the shared changes of a crawl as they were written.
    async fn shared_changes(&self, site: &SiteId, crawl: CrawlId) -> Result<Vec<SharedChange>, StoreError>;

    /// Notes that a way of `depth` links leads to these pages: their records in `crawl` that name a longer one name this
    /// one instead. Pages without a record are passed over.
    async fn lower_depth(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        pages: &[PageUrl],
        depth: u32,
    ) -> Result<(), StoreError>;

    /// Returns the record of a page in a crawl.
    async fn page(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageRecord>, StoreError>;

    /// Returns the newest record of a page among the crawls of the site before `crawl` that are trusted
    /// ([`Crawl::is_trusted`]); among all that are, if `crawl` is not there.
    async fn latest_before(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageRecord>, StoreError>;

    /// Returns what is known of a page by its [`Store::latest_before`].
    ///
    /// Not derived from that: every visit asks it, and a store that hands out pages can read this part of their records
    /// in advance.
    async fn page_state_before(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageState>, StoreError>;

    /// Returns up to `limit` records of a crawl after that of page `after`, in a lasting order of the
    /// store's own; only those with one of `verdicts`, or all if that is empty.
    ///
    /// A caller that passes the last page of each answer until one is empty sees each record once.
    async fn records(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        verdicts: &[Verdict],
        after: Option<&PageUrl>,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError>;

    /// Calls `each` with what is known of every page, in any order: of each the newest record among the crawls
    /// before `before` that are trusted, or among all that are. A crawl that is not there comes after all others.
    ///
    /// Crawls older than the newest whole one ([`Closed::is_whole`]) are left out: that one saw every page
    /// that was known. The pages of a closed crawl may come from an index that closing wrote.
    async fn page_summaries(
        &self,
        site: &SiteId,
        before: Option<CrawlId>,
        each: &mut (dyn FnMut(PageSummary) + Send),
    ) -> Result<(), StoreError>;
}

/// Conveniences over [`Store`].
#[async_trait]
pub trait StoreExt: Store {
    /// Returns the pages that a crawl has recorded, a chunk at a time, as [`Store::records`] pages through them.
    async fn pages(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        after: Option<&PageUrl>,
        limit: usize,
    ) -> Result<Vec<PageUrl>, StoreError> {
        let records = self.records(site, crawl, &[], after, limit).await?;
        Ok(records.into_iter().map(|record| record.url).collect())
    }
}

impl<S: Store + ?Sized> StoreExt for S {}
