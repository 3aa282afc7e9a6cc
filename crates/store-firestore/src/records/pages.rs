//! Reading of records.

use firestore::gcloud_sdk::google::firestore::v1::Document;
use firestore::gcloud_sdk::google::firestore::v1::value::ValueType;
use firestore::timestamp_utils::from_timestamp;
use futures_util::future::try_join_all;
use jiff::Timestamp;
use recrawl_core::model::counts::Counts;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;

use crate::client::{BATCH, Query};
use crate::documents::{PageDocument, time_value, unreadable};
use crate::store::FirestoreStore;

impl FirestoreStore {
    pub(crate) async fn read_page(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageRecord>, StoreError> {
        let found = self.client.get(&self.paths.page(site, crawl, url), &[]).await?;
        found.map(|document| record_of(&document, site, crawl)).transpose()
    }

    /// Looks first where the page nearly always is: in the crawl before.
    pub(crate) async fn read_latest_before(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<PageRecord>, StoreError> {
        let earlier = self.earlier_crawls(site, crawl).await?;
        let Some((previous, older)) = earlier.split_first() else {
            return Ok(None);
        };
        match self.read_page(site, *previous, url).await? {
            Some(record) => Ok(Some(record)),
            None => Ok(self.read_visits(site, older, url).await?.into_iter().next()),
        }
    }

    /// Returns the records of a page in these crawls, in their order.
    pub(crate) async fn read_visits(
        &self,
        site: &SiteId,
        crawls: &[CrawlId],
        url: &PageUrl,
    ) -> Result<Vec<PageRecord>, StoreError> {
        let names = crawls.iter().map(|crawl| self.paths.page(site, *crawl, url)).collect();
        let found = self.client.get_all(names, &[]).await?;
        let mut records = Vec::with_capacity(found.len());
        for crawl in crawls {
            if let Some(document) = found.get(&self.paths.page(site, *crawl, url)) {
                records.push(record_of(document, site, *crawl)?);
            }
        }
        Ok(records)
    }

    pub(crate) async fn find_records(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        verdicts: &[Verdict],
        after: Option<&PageUrl>,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        let mut query = Query::of(crawl.to_string());
        if !verdicts.is_empty() {
            query = query.one_of("verdict", verdicts.iter().map(|verdict| verdict.word()));
        }
        let found = self.page_through(site, crawl, query, after, limit).await?;
        found.iter().map(|document| record_of(document, site, crawl)).collect()
    }

    /// Returns up to `limit` documents in order of their names, a batch at a time.
    pub(crate) async fn page_through(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        query: Query,
        after: Option<&PageUrl>,
        limit: usize,
    ) -> Result<Vec<Document>, StoreError> {
        let mut found: Vec<Document> = Vec::new();
        let mut last = after.map(|url| self.paths.page(site, crawl, url));
        while found.len() < limit {
            let wanted = BATCH.min(limit - found.len());
            let batch = query.clone().after(last).limit(wanted);
            let batch = self.client.query(&self.paths.base(site), batch).await?;
            let is_last = batch.len() < wanted;
            found.extend(batch);
            if is_last {
                break;
            }
            last = found.last().map(|document| document.name.clone());
        }
        Ok(found)
    }

    pub(crate) async fn find_last_visit(
        &self,
        site: &SiteId,
        crawl: CrawlId,
    ) -> Result<Option<Timestamp>, StoreError> {
        let query = Query::of(crawl.to_string()).fields(&["fetched_at"]).descending("fetched_at").limit(1);
        let found = self.client.query(&self.paths.base(site), query).await?;
        let Some(document) = found.first() else {
            return Ok(None);
        };
        let value = document.fields.get("fetched_at").and_then(|value| value.value_type.as_ref());
        match value {
            Some(ValueType::TimestampValue(time)) => from_timestamp(*time).map(Some).map_err(unreadable),
            _ => Err(unreadable("a page without the time of its visit")),
        }
    }

    /// Counts the records of a crawl by verdict: a query and a read or a few each.
    pub(crate) async fn count_verdicts(&self, site: &SiteId, crawl: CrawlId) -> Result<Counts, StoreError> {
        let base = self.paths.base(site);
        let counted = Verdict::ALL.map(|verdict| {
            let word = ValueType::StringValue(verdict.word().to_owned());
            let query = Query::of(crawl.to_string()).equal("verdict", word);
            let counting = self.client.count(&base, query);
            async move { Ok::<_, StoreError>((verdict, counting.await?)) }
        });
        let mut counts = Counts::default();
        for (verdict, count) in try_join_all(counted).await? {
            counts[verdict] = count;
        }
        Ok(counts)
    }

    pub(crate) async fn find_visits_since(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        let at = "fetched_at";
        let query = Query::of(crawl.to_string()).at_least(at, time_value(since)).ascending(at).limit(limit);
        let found = self.client.query(&self.paths.base(site), query).await?;
        found.iter().map(|document| record_of(document, site, crawl)).collect()
    }
}

pub(crate) fn record_of(
    document: &Document,
    site: &SiteId,
    crawl: CrawlId,
) -> Result<PageRecord, StoreError> {
    PageDocument::read(document, site, crawl)
}
