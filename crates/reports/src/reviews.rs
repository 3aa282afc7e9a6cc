//! What people did with changes, as it is kept: seen, starred, a note, and when they last looked.
//!
//! What is done is read, changed and written back only if nobody else wrote meanwhile, so of two who click at once, in one
//! process or in two, nobody undoes the other.

use std::collections::BTreeMap;

use futures_util::future::try_join_all;
use jiff::Timestamp;
use recrawl_core::decide::{self, Looks};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::review::{ChangeId, ReviewEdit, ReviewMarks};
use recrawl_core::ports::{StateEntry, StateKey, StateStore, StoreError};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// How often something is written again where others write, too.
const ATTEMPTS: usize = 50;

/// Returns what people did with the changes of a crawl.
pub async fn marks(store: &dyn StateStore, site: &SiteId, crawl: CrawlId) -> Result<ReviewMarks, StoreError> {
    let entry = store.state(&StateKey::review(site, crawl)).await?;
    Ok(read(entry.as_ref())?.unwrap_or_default())
}

/// Returns what people did with the changes of several crawls of a site, in their order.
pub async fn marks_of(
    store: &dyn StateStore,
    site: &SiteId,
    crawls: &[CrawlId],
) -> Result<Vec<ReviewMarks>, StoreError> {
    try_join_all(crawls.iter().map(|crawl| marks(store, site, *crawl))).await
}

/// Does something with changes of a site.
pub async fn edit(
    store: &dyn StateStore,
    site: &SiteId,
    changes: &[ChangeId],
    edit: &ReviewEdit,
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut by_crawl: BTreeMap<String, Vec<ChangeId>> = BTreeMap::new();
    for change in changes {
        by_crawl.entry(change.crawl.to_string()).or_default().push(*change);
    }
    for changes in by_crawl.into_values() {
        let Some(first) = changes.first() else { continue };
        let key = StateKey::review(site, first.crawl);
        rewrite(store, &key, now, |marks: Option<ReviewMarks>| {
            let mut marks = marks.unwrap_or_default();
            for change in &changes {
                marks.edit(change.event, edit);
            }
            Some(marks)
        })
        .await?;
    }
    Ok(())
}

/// Makes every change of a crawl seen.
pub async fn see_all(
    store: &dyn StateStore,
    site: &SiteId,
    crawl: CrawlId,
    now: Timestamp,
) -> Result<(), StoreError> {
    rewrite(store, &StateKey::review(site, crawl), now, |marks: Option<ReviewMarks>| {
        let mut marks = marks.unwrap_or_default();
        marks.see_all();
        Some(marks)
    })
    .await
}

/// Returns since when nobody has looked: the end of the last visit of a person that is over.
pub async fn last_looked(store: &dyn StateStore, now: Timestamp) -> Result<Option<Timestamp>, StoreError> {
    let looks: Option<Looks> = read(store.state(&StateKey::last_look()).await?.as_ref())?;
    Ok(decide::last_looked(looks.as_ref(), now))
}

/// Notes that somebody looks at what changed, and returns since when nobody had.
pub async fn look(store: &dyn StateStore, now: Timestamp) -> Result<Option<Timestamp>, StoreError> {
    let mut since = None;
    rewrite(store, &StateKey::last_look(), now, |looks: Option<Looks>| {
        since = decide::last_looked(looks.as_ref(), now);
        decide::look(looks.as_ref(), now)
    })
    .await?;
    Ok(since)
}

fn read<T: DeserializeOwned>(entry: Option<&StateEntry>) -> Result<Option<T>, StoreError> {
    let value = entry.map(|entry| serde_json::from_str(&entry.value)).transpose();
    value.map_err(|error| StoreError::Corrupt(error.into()))
}

/// Changes what is kept under `key`, also while others do; writes nothing where `change` returns none.
async fn rewrite<T: DeserializeOwned + Serialize + PartialEq>(
    store: &dyn StateStore,
    key: &StateKey,
    now: Timestamp,
    mut change: impl FnMut(Option<T>) -> Option<T>,
) -> Result<(), StoreError> {
    for _ in 0..ATTEMPTS {
        let before = store.state(key).await?;
        let Some(changed) = change(read(before.as_ref())?) else { return Ok(()) };
        if before.is_some() && read(before.as_ref())?.as_ref() == Some(&changed) {
            return Ok(());
        }
        let value = serde_json::to_string(&changed).map_err(|error| StoreError::Corrupt(error.into()))?;
        let entry = StateEntry { saved_at: now, value };
        if store.replace_state(key, before.as_ref(), &entry).await? {
            return Ok(());
        }
    }
    Err(StoreError::Unavailable("others write the same all the time".into()))
}
