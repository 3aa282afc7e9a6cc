//! Stumbles in memory.

use async_trait::async_trait;

use super::MemoryStore;
use crate::model::ids::{CrawlId, SiteId};
use crate::model::stumble::{Aside, KeptStumble, Stumble};
use crate::ports::{StoreError, Stumbles};
use crate::url::PageUrl;

/// A stumble with its body, where that is kept.
#[derive(Debug)]
pub(super) struct Stumbled {
    pub(super) kept: KeptStumble,
    body: Option<Vec<u8>>,
}

#[async_trait]
impl Stumbles for MemoryStore {
    async fn save_stumble(&self, stumble: &Stumble, body: Option<&[u8]>) -> Result<(), StoreError> {
        let Stumble { site, crawl, url, .. } = stumble;
        let mut state = self.locked();
        state.expect_crawl(site, *crawl)?;
        let has_body = |stumbled: &&Stumbled| {
            let KeptStumble { stumble: other, body } = &stumbled.kept;
            (&other.site, other.crawl) == (site, *crawl) && other.url != *url && body.is_kept()
        };
        let others = state.stumbles.values().filter(has_body).count();
        let aside = body.map_or(Aside::None, |body| Aside::of(body.len() as u64, body.len(), others));
        let kept = KeptStumble { stumble: stumble.clone(), body: aside };
        let body = body.filter(|_| aside.is_kept()).map(<[u8]>::to_vec);
        state.stumbles.insert((site.clone(), *crawl, url.clone()), Stumbled { kept, body });
        Ok(())
    }

    async fn stumbles(&self, site: &SiteId, crawl: CrawlId) -> Result<Vec<KeptStumble>, StoreError> {
        let state = self.locked();
        let of_crawl = state.stumbles.iter().filter(|((of, at, _), _)| (of, *at) == (site, crawl));
        let mut stumbles: Vec<KeptStumble> = of_crawl.map(|(_, stumbled)| stumbled.kept.clone()).collect();
        stumbles.sort_by(|one, other| {
            let (one, other) = (&one.stumble, &other.stumble);
            (one.at, &one.url).cmp(&(other.at, &other.url))
        });
        Ok(stumbles)
    }

    async fn stumbled_body(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        url: &PageUrl,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let state = self.locked();
        let found = state.stumbles.get(&(site.clone(), crawl, url.clone()));
        Ok(found.and_then(|stumbled| stumbled.body.clone()))
    }
}
