//! Jobs as the store keeps them, so that a process that dies resumes them when it starts again.

use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{StateEntry, StateKey, StateStore, StoreError};

/// What is to be done with a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobKind {
    /// It is crawled: the open crawl goes on, or the next begins.
    Crawl,
    /// Its open crawl is closed as partial.
    Close,
    /// It is forgotten, with all that was read of it.
    Remove,
}

/// A job as the store keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoredJob {
    pub(crate) kind: JobKind,
    /// The crawl that does it, once that is open.
    pub(crate) by: Option<CrawlId>,
}

impl StoredJob {
    /// Returns the job of a site.
    pub(crate) async fn read(
        state_store: &dyn StateStore,
        site: &SiteId,
    ) -> Result<Option<Self>, StoreError> {
        Ok(state_store.state(&StateKey::job(site)).await?.and_then(|memo| Self::from_words(&memo.value)))
    }

    /// Saves the job of a site, or that there is none.
    pub(crate) async fn save(
        kept: Option<Self>,
        state_store: &dyn StateStore,
        site: &SiteId,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let memo = StateEntry { saved_at: now, value: kept.map_or_else(String::new, Self::words) };
        state_store.save_state(&StateKey::job(site), &memo).await
    }

    fn words(self) -> String {
        let word = match self.kind {
            JobKind::Crawl => "crawl",
            JobKind::Close => "close",
            JobKind::Remove => "remove",
        };
        self.by.map_or_else(|| word.to_owned(), |crawl| format!("{word} {crawl}"))
    }

    fn from_words(words: &str) -> Option<Self> {
        let (word, by) = words.split_once(' ').map_or((words, None), |(word, by)| (word, Some(by)));
        let kind = match word {
            "crawl" => JobKind::Crawl,
            "close" => JobKind::Close,
            "remove" => JobKind::Remove,
            _ => return None,
        };
        Some(Self { kind, by: by.and_then(|crawl| crawl.parse().ok()) })
    }
}

#[cfg(test)]
mod tests {
    use recrawl_core::memory::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn a_job_is_kept_by_site_until_it_is_taken_back() {
        let (state_store, now) = (MemoryStore::default(), Timestamp::UNIX_EPOCH);
        let (one, other) = ("one".parse().unwrap(), "other".parse().unwrap());
        let by = Some("crawl-2026-11-16-2".parse().unwrap());
        for kept in [
            Some(StoredJob { kind: JobKind::Crawl, by: None }),
            Some(StoredJob { kind: JobKind::Crawl, by }),
            Some(StoredJob { kind: JobKind::Close, by: None }),
            None,
        ] {
            StoredJob::save(kept, &state_store, &one, now).await.unwrap();
            assert_eq!(StoredJob::read(&state_store, &one).await.unwrap(), kept);
            assert_eq!(StoredJob::read(&state_store, &other).await.unwrap(), None);
        }
    }
}
