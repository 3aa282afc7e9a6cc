//! Pages that the program itself could not read.

use async_trait::async_trait;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::stumble::{Aside, KeptStumble, Stumble};
use recrawl_core::ports::{StoreError, Stumbles};
use recrawl_core::url::PageUrl;

use crate::client::{Query, replace};
use crate::compression;
use crate::documents::{self, StumbleDocument, StumbledBody, unreadable};
use crate::store::{FirestoreStore, no_crawl};

/// The collection below a crawl.
pub(crate) const COLLECTION: &str = "stumbles";

/// How many bodies a crawl keeps is counted before one is written: processes that write at the same moment may keep
/// one more each.
#[async_trait]
impl Stumbles for FirestoreStore {
    async fn save_stumble(&self, stumble: &Stumble, body: Option<&[u8]>) -> Result<(), StoreError> {
        let Stumble { site, crawl, url, .. } = stumble;
        let name = self.paths.crawl(site, *crawl);
        if self.client.get(&name, &["opened_at"]).await?.is_none() {
            return Err(no_crawl(site, *crawl));
        }
        let (aside, frame) = match body {
            None => (Aside::None, None),
            Some(body) => {
                let kept = self.stumbles(site, *crawl).await?;
                let others =
                    kept.iter().filter(|kept| kept.body.is_kept() && kept.stumble.url != *url).count();
                let frame = compression::compress(body);
                (Aside::of(body.len() as u64, frame.len(), others), Some(frame))
            }
        };
        let name = self.paths.stumble(site, *crawl, url);
        let document = documents::write(name, &StumbleDocument::new(stumble, aside, frame))?;
        Ok(self.client.commit(vec![replace(document)]).await?)
    }

    async fn stumbles(&self, site: &SiteId, crawl: CrawlId) -> Result<Vec<KeptStumble>, StoreError> {
        let query = Query::of(COLLECTION).fields(&StumbleDocument::NOTES);
        let documents = self.client.query(&self.paths.crawl(site, crawl), query).await?;
        let mut stumbles = Vec::with_capacity(documents.len());
        for document in &documents {
            stumbles.push(documents::read::<StumbleDocument>(document)?.into_stumble(site, crawl)?);
        }
        stumbles.sort_by(|one, other| {
            (one.stumble.at, &one.stumble.url).cmp(&(other.stumble.at, &other.stumble.url))
        });
        Ok(stumbles)
    }

    async fn stumbled_body(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let found = self.client.get(&self.paths.stumble(site, crawl, url), &["body"]).await?;
        let Some(document) = found else { return Ok(None) };
        let StumbledBody { body } = documents::read(&document)?;
        body.map(|frame| compression::decompress(&frame.0)).transpose().map_err(unreadable)
    }
}
