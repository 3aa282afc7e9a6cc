//! Looking for pages, and the index that this takes.

mod finding;
mod gap;
mod history;
mod indexing;

use async_trait::async_trait;
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::{Found, FoundPassages, Search, StoreError};
use recrawl_core::search::Query;

pub(crate) use self::gap::Version;
use crate::store::SqliteStore;

/// How many pages a search adds to the index before it answers: somebody waits.
const AT_ONCE: usize = 500;

/// How far the index is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Indexing {
    /// Pages that are in the index as they were last seen.
    pub indexed: u64,
    /// Pages that are not.
    pub waiting: u64,
}

/// A store that is open for writing brings the index up to date first, as far as that goes quickly, unless it is
/// being done already. Pages that wait all the same are compared by title and address.
#[async_trait]
impl Search for SqliteStore {
    async fn search(&self, site: Option<&SiteId>, query: &str, limit: usize) -> Result<Found, StoreError> {
        if self.writer.is_some()
            && let Ok(_alone) = self.indexing.try_lock()
            && let Err(error) = self.bring_up_to_date(site, AT_ONCE).await
        {
            tracing::warn!(%error, "the index could not be brought up to date; it is searched as it is");
        }
        let query = Query::read(query);
        self.read(|connection| self.find(connection, site, &query, limit))
    }

    async fn search_history(
        &self,
        site: Option<&SiteId>,
        query: &str,
        limit: usize,
    ) -> Result<Option<FoundPassages>, StoreError> {
        let query = Query::read(query);
        self.read(|connection| self.find_passages(connection, site, &query, limit)).map(Some)
    }
}

impl SqliteStore {
    /// Brings the index of a site, or of every site, up to date; adds at most `limit` pages. Tells how far it is then.
    ///
    /// Writes in small transactions, so that a crawl is not held up. What dies half-way is finished by the next call,
    /// and several processes may call it at once.
    pub async fn index_for_search(
        &self,
        site: Option<&SiteId>,
        limit: usize,
    ) -> Result<Indexing, StoreError> {
        let _alone = self.indexing.lock().await;
        self.bring_up_to_date(site, limit).await?;
        self.read(|connection| self.read_indexing(connection, site))
    }
}
