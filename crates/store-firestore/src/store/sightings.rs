//! What is known of the pages of a site, in brief.

use std::cmp::Reverse;
use std::collections::HashSet;

use firestore::gcloud_sdk::google::firestore::v1::Document;
use recrawl_core::crawl::{Closed, Crawl};
use recrawl_core::ids::{CrawlId, SiteId};
use recrawl_core::ports::StoreError;
use recrawl_core::record::Sighting;

use super::FirestoreStore;
use crate::client::{BATCH, Query};
use crate::paths::id;
use crate::shape::{self, CrawlDocument, SightingDocument, Turn};

impl FirestoreStore {
    /// Calls `each` with what is known of every page, from the newest crawl back to the last whole one.
    ///
    /// A read a crawl and a roll; crawls without a roll are read record by record.
    pub(super) async fn see(
        &self,
        site: &SiteId,
        before: Option<CrawlId>,
        each: &mut (dyn FnMut(Sighting) + Send),
    ) -> Result<(), StoreError> {
        let mut seen: HashSet<u128> = HashSet::new();
        for (crawl, rolls) in self.trusted_before(site, before).await? {
            let from_roll = match rolls {
                Some(count) => self.sightings_of_roll(site, crawl.id, count).await?,
                None => None,
            };
            let sightings = match from_roll {
                Some(sightings) => sightings,
                None => self.scan_sightings(site, crawl.id).await?,
            };
            for sighting in sightings {
                if seen.insert(sighting.url.fingerprint()) {
                    each(sighting);
                }
            }
            if crawl.closed.as_ref().is_some_and(Closed::is_whole) {
                break;
            }
        }
        Ok(())
    }

    /// Returns the crawls before `before` that are trusted, newest first, each with the number of its rolls.
    async fn trusted_before(
        &self,
        site: &SiteId,
        before: Option<CrawlId>,
    ) -> Result<Vec<(Crawl, Option<usize>)>, StoreError> {
        let mut crawls = Vec::new();
        for document in self.client.query(&self.paths.base(site), Query::of("crawls")).await? {
            let stored: CrawlDocument = shape::read(&document)?;
            let (rolls, number) = (stored.rolls, stored.number);
            let crawl = stored.into_crawl(id(&document.name))?;
            crawls.push((Turn::new(number, crawl.id), crawl, rolls));
        }
        let bound = crawls.iter().find(|(_, crawl, _)| before == Some(crawl.id)).map(|(turn, _, _)| *turn);
        crawls.retain(|(turn, crawl, _)| crawl.is_trusted() && bound.is_none_or(|bound| *turn < bound));
        crawls.sort_by_key(|(turn, _, _)| Reverse(*turn));
        Ok(crawls.into_iter().map(|(_, crawl, rolls)| (crawl, rolls)).collect())
    }

    /// Reads what is known of the pages of a crawl from their records.
    pub(super) async fn scan_sightings(
        &self,
        site: &SiteId,
        crawl: CrawlId,
    ) -> Result<Vec<Sighting>, StoreError> {
        let sighting_of = |document: &Document| shape::read::<SightingDocument>(document)?.into_sighting();
        let mut sightings: Vec<Sighting> = Vec::new();
        loop {
            let query = Query::of(crawl.to_string()).fields(&SightingDocument::FIELDS);
            let last = sightings.last().map(|sighting| &sighting.url);
            let batch = self.page_through(site, crawl, query, last, BATCH).await?;
            for document in &batch {
                sightings.push(sighting_of(document)?);
            }
            if batch.len() < BATCH {
                return Ok(sightings);
            }
        }
    }
}
