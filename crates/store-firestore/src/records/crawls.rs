//! Sites and crawls.

use std::cmp::Reverse;
use std::sync::Arc;

use firestore::gcloud_sdk::google::firestore::v1::Document;
use recrawl_core::model::crawl::{Closed, Crawl, Site};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{Recorded, StoreError};
use serde::Deserialize;
use tokio::time::sleep;

use crate::client::{Failure, Query, create, merge, overlay, pause_after};
use crate::documents::{
    self, CLOSING_FIELDS, CrawlDocument, CrawlOrder, SiteDocument, SuspicionMap, unreadable,
};
use crate::paths::id;
use crate::store::{FirestoreStore, no_crawl, no_site};

/// How often a crawl is closed or accepted anew because somebody else changed its document.
const ATTEMPTS: usize = 5;

/// How often a crawl is opened anew because others open one at the same time: each time one of them is done.
const OPENING_ATTEMPTS: u32 = 30;

/// The fields of a crawl that say where it stands, and whether later ones are compared with it.
#[derive(Debug, Deserialize)]
struct Standing {
    #[serde(default)]
    number: Option<i64>,
    #[serde(default)]
    suspicion: Option<SuspicionMap>,
}

impl Standing {
    const FIELDS: [&str; 2] = ["number", "suspicion"];

    fn is_trusted(&self) -> bool {
        !self.suspicion.as_ref().is_some_and(SuspicionMap::is_open)
    }
}

impl FirestoreStore {
    pub(crate) async fn write_site(&self, site: &Site) -> Result<(), StoreError> {
        let document = documents::write(self.paths.site(&site.id), &SiteDocument::from(site))?;
        // Others write about the site in the same document.
        Ok(self.client.commit(vec![overlay(document, &SiteDocument::FIELDS)]).await?)
    }

    pub(crate) async fn read_site(&self, site: &SiteId) -> Result<Option<Site>, StoreError> {
        let found = self.client.get(&self.paths.site(site), &[]).await?;
        found.as_ref().map(site_of).transpose()
    }

    pub(crate) async fn read_sites(&self) -> Result<Vec<Site>, StoreError> {
        let found = self.client.query(self.paths.root(), Query::of("sites")).await?;
        let mut sites: Vec<Site> = found.iter().map(site_of).collect::<Result<_, _>>()?;
        sites.sort_by(|one, other| one.id.cmp(&other.id));
        Ok(sites)
    }

    pub(crate) async fn create_crawl(&self, crawl: &Crawl) -> Result<Recorded, StoreError> {
        let site = self.read_site(&crawl.site).await?.ok_or_else(|| no_site(&crawl.site))?;
        let name = self.paths.crawl(&crawl.site, crawl.id);
        for attempt in 0..OPENING_ATTEMPTS {
            // The number is read and given in one transaction, so that no two crawls have the same.
            let transaction = self.client.begin().await?;
            let newest = Query::of("crawls").fields(&["number"]).descending("number").limit(1);
            let base = self.paths.base(&crawl.site);
            let newest = match self.client.query_in(&transaction, &base, newest).await {
                Ok(newest) => newest,
                Err(failure) => {
                    self.client.roll_back(transaction).await;
                    return Err(failure.into());
                }
            };
            let number = newest.first().map(documents::read::<Standing>).transpose()?;
            let number = number.and_then(|standing| standing.number).unwrap_or(0) + 1;
            let document = documents::write(name.clone(), &CrawlDocument::new(crawl, &site, number))?;
            let created = self.client.commit_in(transaction, vec![create(document)]).await;
            self.process_cache.forget_crawls(&crawl.site);
            match created {
                Ok(()) => return Ok(Recorded::First),
                Err(Failure::Exists) => return Ok(Recorded::Already),
                Err(Failure::Changed) => {
                    // Whoever was faster may have opened this very crawl.
                    if self.client.get(&name, &["number"]).await?.is_some() {
                        return Ok(Recorded::Already);
                    }
                    // Without a pause of its own length for each, they would go on failing each other.
                    sleep(pause_after(attempt)).await;
                }
                Err(failure) => return Err(failure.into()),
            }
        }
        Err(contended())
    }

    pub(crate) async fn close(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        closed: &Closed,
    ) -> Result<(), StoreError> {
        for _ in 0..ATTEMPTS {
            let Some(document) = self.client.get(&self.paths.crawl(site, crawl), &[]).await? else {
                return Err(no_crawl(site, crawl));
            };
            let stored: CrawlDocument = documents::read(&document)?;
            if stored.closed_at.is_some() {
                return Ok(());
            }
            // The page index first: a crawl that names one has it whole.
            let rolls = self.write_page_index(site, crawl, closed.statistics.total).await?;
            let ended = documents::write(document.name, &stored.closed(closed, Some(rolls)))?;
            let fields: Vec<&str> = CLOSING_FIELDS.to_vec();
            match self.client.commit(vec![merge(ended, &fields, document.update_time)]).await {
                Ok(()) => {
                    // Whether it is trusted is known only now.
                    self.process_cache.forget_crawls(site);
                    return Ok(());
                }
                Err(Failure::Changed | Failure::Missing) => {}
                Err(failure) => return Err(failure.into()),
            }
        }
        Err(contended())
    }

    /// Writes what was decided about an unusual crawl.
    pub(crate) async fn decide(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        decided: impl Fn(CrawlDocument) -> Option<CrawlDocument> + Send + Sync,
    ) -> Result<(), StoreError> {
        for _ in 0..ATTEMPTS {
            let absent = || StoreError::Absent(format!("unusual {crawl} of site {site}"));
            let document = self.client.get(&self.paths.crawl(site, crawl), &[]).await?.ok_or_else(absent)?;
            let stored: CrawlDocument = documents::read(&document)?;
            let decided = decided(stored).ok_or_else(absent)?;
            let decided = documents::write(document.name, &decided)?;
            match self
                .client
                .commit(vec![merge(decided, &["suspicion", "statistics"], document.update_time)])
                .await
            {
                Ok(()) => {
                    self.process_cache.forget_crawls(site);
                    return Ok(());
                }
                Err(Failure::Changed | Failure::Missing) => {}
                Err(failure) => return Err(failure.into()),
            }
        }
        Err(contended())
    }

    pub(crate) async fn read_crawls(&self, site: &SiteId) -> Result<Vec<Crawl>, StoreError> {
        self.find_crawls(site, Query::of("crawls")).await
    }

    pub(crate) async fn read_open_crawl(&self, site: &SiteId) -> Result<Option<Crawl>, StoreError> {
        let open = self.find_crawls(site, Query::of("crawls").null("closed_at")).await?;
        Ok(open.into_iter().next_back())
    }

    async fn find_crawls(&self, site: &SiteId, query: Query) -> Result<Vec<Crawl>, StoreError> {
        let found = self.client.query(&self.paths.base(site), query).await?;
        let mut crawls: Vec<(CrawlOrder, Crawl)> = Vec::with_capacity(found.len());
        for document in &found {
            let stored: CrawlDocument = documents::read(document)?;
            let number = stored.number;
            let crawl = stored.into_crawl(id(&document.name))?;
            crawls.push((CrawlOrder::new(number, crawl.id), crawl));
        }
        crawls.sort_by_key(|(turn, _)| *turn);
        Ok(crawls.into_iter().map(|(_, crawl)| crawl).collect())
    }

    /// Returns the names of a site's crawls, newest first.
    pub(crate) async fn crawl_ids(&self, site: &SiteId) -> Result<Vec<CrawlId>, StoreError> {
        Ok(self.standings(site).await?.into_iter().map(|(_, crawl, _)| crawl).collect())
    }

    /// Returns where the crawls of a site stand, their names, and whether they are trusted; newest first.
    async fn standings(&self, site: &SiteId) -> Result<Vec<(CrawlOrder, CrawlId, bool)>, StoreError> {
        let query = Query::of("crawls").fields(&Standing::FIELDS);
        let mut standings = Vec::new();
        for document in &self.client.query(&self.paths.base(site), query).await? {
            let crawl: CrawlId = id(&document.name).parse().map_err(unreadable)?;
            let standing: Standing = documents::read(document)?;
            standings.push((CrawlOrder::new(standing.number, crawl), crawl, standing.is_trusted()));
        }
        standings.sort_by_key(|(turn, _, _)| Reverse(*turn));
        Ok(standings)
    }

    /// Returns the names of a site's trusted crawls before this one, newest first.
    ///
    /// They are read once for each crawl that is there: no later one gets a number before it. One that is not there
    /// would come last.
    pub(crate) async fn earlier_crawls(
        &self,
        site: &SiteId,
        crawl: CrawlId,
    ) -> Result<Arc<[CrawlId]>, StoreError> {
        if let Some(earlier) = self.process_cache.earlier(site, crawl) {
            return Ok(earlier);
        }
        let standings = self.standings(site).await?;
        let place = standings.iter().position(|(_, other, _)| *other == crawl);
        let older = &standings[place.map_or(0, |place| place + 1)..];
        let earlier: Arc<[CrawlId]> =
            older.iter().filter(|(_, _, is_trusted)| *is_trusted).map(|(_, other, _)| *other).collect();
        if place.is_some() {
            self.process_cache.know(site, crawl);
            self.process_cache.keep_earlier(site, crawl, Arc::clone(&earlier));
        }
        Ok(earlier)
    }

    /// Fails if a crawl is not there; it is read once.
    pub(crate) async fn expect_crawl(&self, site: &SiteId, crawl: CrawlId) -> Result<(), StoreError> {
        if self.process_cache.knows(site, crawl) {
            return Ok(());
        }
        let found = self.client.get(&self.paths.crawl(site, crawl), &["opened_at"]).await?;
        found.ok_or_else(|| no_crawl(site, crawl))?;
        self.process_cache.know(site, crawl);
        Ok(())
    }
}

fn contended() -> StoreError {
    StoreError::Unavailable("the crawl is being changed by somebody else".into())
}

pub(crate) fn site_of(document: &Document) -> Result<Site, StoreError> {
    documents::read::<SiteDocument>(document)?.into_site(id(&document.name))
}
