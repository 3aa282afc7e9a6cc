//! Looking for pages by the beginning of their address: there is no index of words, and reading every text would
//! be billed by the page.

use std::collections::HashSet;

use async_trait::async_trait;
use recrawl_core::decide::baseline;
use recrawl_core::model::ids::{ContentHash, CrawlId, SiteId};
use recrawl_core::model::record::{PageRecord, Presence};
use recrawl_core::ports::{Found, FoundPassages, Hit, Search, SearchedBy, StoreError};
use recrawl_core::search::address_prefix;

use crate::client::{BATCH, Query};
use crate::records::pages::record_of;
use crate::store::FirestoreStore;

/// How many crawls of a site are looked at: the newest, which nearly always has every page, and a few before it
/// while it goes on.
const CRAWLS: usize = 4;

/// A search takes at most a read a crawl of a site, and a record and a content for each page that it looks at: up to
/// this many more than it was asked for.
const MORE: usize = 50;

/// How many bytes of an address Firestore compares; its indexes hold 1,500.
const COMPARED: usize = 1_400;

#[async_trait]
impl Search for FirestoreStore {
    fn compares_texts(&self) -> bool {
        false
    }

    async fn search(&self, site: Option<&SiteId>, query: &str, limit: usize) -> Result<Found, StoreError> {
        let sites = match site {
            Some(site) => self.read_site(site).await?.into_iter().collect(),
            None => self.read_sites().await?,
        };
        let mut hits: Vec<Hit> = Vec::new();
        for site in sites {
            let Some(prefix) = address_prefix(&site.root, query) else { continue };
            let records = self.find_by_prefix(&site.id, &prefix, limit - hits.len()).await?;
            let contents: Vec<ContentHash> =
                records.iter().filter_map(|record| Some(record.known.content.as_ref()?.hash)).collect();
            let titles = self.read_titles(&site.id, &contents).await?;
            hits.extend(records.into_iter().map(|record| Hit {
                title: record.known.content.and_then(|content| titles.get(&content.hash).cloned()),
                site: record.site,
                url: record.url,
                excerpt: Vec::new(),
                crawl: record.crawl,
                last_seen: record.known.last_seen,
            }));
        }
        Ok(Found { hits, by: SearchedBy::AddressPrefix })
    }

    /// Each text would be a read that is billed.
    async fn search_history(
        &self,
        _: Option<&SiteId>,
        _: &str,
        _: usize,
    ) -> Result<Option<FoundPassages>, StoreError> {
        Ok(None)
    }
}

impl FirestoreStore {
    /// Returns up to `limit` pages that are there and whose address begins so, in order of their addresses.
    async fn find_by_prefix(
        &self,
        site: &SiteId,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let crawls = self.read_crawls(site).await?;
        let newest = baseline(&crawls);
        let mut seen: HashSet<u128> = HashSet::new();
        let mut present = Vec::new();
        for crawl in newest.into_iter().take(CRAWLS) {
            for record in self.read_by_prefix(site, crawl, prefix, limit.saturating_add(MORE)).await? {
                let is_newest = seen.insert(record.url.fingerprint());
                if is_newest && record.known.presence == Presence::Present {
                    present.push(record);
                }
            }
        }
        present.sort_by(|one, other| one.url.cmp(&other.url));
        present.truncate(limit);
        Ok(present)
    }

    async fn read_by_prefix(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<PageRecord>, StoreError> {
        let compared = &prefix[..prefix.floor_char_boundary(COMPARED)];
        let query = Query::of(crawl.to_string()).beginning_with("url", compared).limit(limit.min(BATCH));
        let found = self.client.query(&self.paths.base(site), query).await?;
        let mut records = Vec::with_capacity(found.len());
        for document in &found {
            let record = record_of(document, site, crawl)?;
            if record.url.as_str().starts_with(prefix) {
                records.push(record);
            }
        }
        Ok(records)
    }
}
