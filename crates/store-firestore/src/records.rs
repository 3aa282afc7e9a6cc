//! Sites, crawls and page records, call by call.

pub(crate) mod crawls;
pub(crate) mod pages;
mod recording;
mod settling;
pub(crate) mod shared_changes;

use std::collections::HashMap;

use async_trait::async_trait;
use jiff::Timestamp;
use recrawl_core::model::content::Content;
use recrawl_core::model::counts::Counts;
use recrawl_core::model::crawl::{Closed, Crawl, Operations, Site};
use recrawl_core::model::ids::{ContentHash, CrawlId, SiteId};
use recrawl_core::model::record::{PageRecord, PageState, PageSummary};
use recrawl_core::model::shared_change::SharedChange;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, Recorded, Store, StoreError};
use recrawl_core::url::PageUrl;

use crate::client::Query;
use crate::documents::time_value;
use crate::store::FirestoreStore;

#[async_trait]
impl Store for FirestoreStore {
    async fn save_site(&self, site: &Site) -> Result<(), StoreError> {
        self.write_site(site).await
    }

    async fn site(&self, id: &SiteId) -> Result<Option<Site>, StoreError> {
        self.read_site(id).await
    }

    async fn open_crawl(&self, crawl: &Crawl) -> Result<Recorded, StoreError> {
        self.create_crawl(crawl).await
    }

    async fn close_crawl(&self, site: &SiteId, crawl: CrawlId, closed: &Closed) -> Result<(), StoreError> {
        self.close(site, crawl, closed).await
    }

    async fn accept_crawl(&self, site: &SiteId, crawl: CrawlId, at: Timestamp) -> Result<(), StoreError> {
        self.decide(site, crawl, |stored| stored.accepted(at)).await
    }

    async fn judge_crawl_again(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        reason: &str,
        statistics: &Statistics,
    ) -> Result<(), StoreError> {
        self.decide(site, crawl, |stored| stored.judged_again(reason, statistics)).await
    }

    async fn confirm_crawl(&self, site: &SiteId, crawl: CrawlId, by: CrawlId) -> Result<(), StoreError> {
        self.decide(site, crawl, |stored| stored.confirmed(by)).await
    }

    async fn crawls(&self, site: &SiteId) -> Result<Vec<Crawl>, StoreError> {
        self.read_crawls(site).await
    }

    async fn crawl_under_way(&self, site: &SiteId) -> Result<Option<Crawl>, StoreError> {
        self.read_open_crawl(site).await
    }

    async fn record(&self, record: &PageRecord, content: Option<&Content>) -> Result<Recorded, StoreError> {
        self.write_record(record, content).await
    }

    async fn settle(&self, site: &SiteId, crawl: CrawlId, records: &[PageRecord]) -> Result<(), StoreError> {
        self.write_settled(site, crawl, records).await
    }

    async fn save_shared_changes(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        changes: &[SharedChange],
    ) -> Result<(), StoreError> {
        self.write_shared_changes(site, crawl, changes).await
    }

    async fn shared_changes(&self, site: &SiteId, crawl: CrawlId) -> Result<Vec<SharedChange>, StoreError> {
        self.read_shared_changes(site, crawl).await
    }

    async fn lower_depth(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        pages: &[PageUrl],
        depth: u32,
    ) -> Result<(), StoreError> {
        self.write_depth(site, crawl, pages, depth).await
    }

    async fn page(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageRecord>, StoreError> {
        self.read_page(site, crawl, url).await
    }

    async fn latest_before(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageRecord>, StoreError> {
        self.read_latest_before(site, crawl, url).await
    }

    async fn page_state_before(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageState>, StoreError> {
        Ok(self.latest_before(site, crawl, url).await?.map(|record| record.known))
    }

    async fn records(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        verdicts: &[Verdict],
        after: Option<&PageUrl>,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        let records = self.find_records(site, crawl, verdicts, after, limit).await?;
        if verdicts.is_empty() {
            self.last_scan.note((site, crawl), after, limit, records.iter().map(PageSummary::from));
        }
        Ok(records)
    }

    async fn page_summaries(
        &self,
        site: &SiteId,
        before: Option<CrawlId>,
        each: &mut (dyn FnMut(PageSummary) + Send),
    ) -> Result<(), StoreError> {
        self.read_page_summaries(site, before, each).await
    }
}

#[async_trait]
impl History for FirestoreStore {
    async fn sites(&self) -> Result<Vec<Site>, StoreError> {
        self.read_sites().await
    }

    async fn visits(&self, site: &SiteId, url: &PageUrl) -> Result<Vec<PageRecord>, StoreError> {
        let mut crawls = self.crawl_ids(site).await?;
        crawls.reverse();
        self.read_visits(site, &crawls, url).await
    }

    async fn last_visit(&self, site: &SiteId, crawl: CrawlId) -> Result<Option<Timestamp>, StoreError> {
        self.find_last_visit(site, crawl).await
    }

    async fn verdict_counts(&self, site: &SiteId, crawl: CrawlId) -> Result<Counts, StoreError> {
        self.count_verdicts(site, crawl).await
    }

    async fn count_unarchived(&self, site: &SiteId, crawl: CrawlId) -> Result<u64, StoreError> {
        let due = Query::of(crawl.to_string()).at_most("archive.due_at", time_value(Timestamp::MAX));
        Ok(self.client.count(&self.paths.base(site), due).await?)
    }

    async fn visits_since(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        self.find_visits_since(site, crawl, since, limit).await
    }

    async fn content(&self, site: &SiteId, hash: &ContentHash) -> Result<Option<Content>, StoreError> {
        self.read_content(site, hash).await
    }

    async fn titles(
        &self,
        site: &SiteId,
        contents: &[ContentHash],
    ) -> Result<HashMap<ContentHash, String>, StoreError> {
        self.read_titles(site, contents).await
    }

    async fn operations(&self, site: &SiteId, crawl: CrawlId) -> Result<Option<Operations>, StoreError> {
        self.read_operations(site, crawl).await
    }
}
