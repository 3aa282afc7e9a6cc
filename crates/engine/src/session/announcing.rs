//! Telling others what a crawl found, once it is known that it can be believed.

use futures_util::{StreamExt, TryStreamExt, stream};
use recrawl_core::decide::{is_first_crawl, told_singly};
use recrawl_core::difference;
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Announcement, Announcer, Store, StoreError};

use super::ClosingError;

/// How many changes are announced at once.
const CHUNK: usize = 300;

/// How many differences are read at a time. One after the other, those of some thousand pages would take longer than a
/// tick may.
const AT_ONCE: usize = 24;

/// Announces the changes that a crawl recorded, as far as they are told one by one ([`told_singly`]); returns how many.
///
/// Before the crawl is closed, so that a death between the two announces again, and never not at all. If
/// `describe` is set, a change of the text is told with what differs.
pub async fn announce(
    store: &dyn Store,
    announcer: &dyn Announcer,
    site: &SiteId,
    crawl: CrawlId,
    describe: bool,
) -> Result<u64, ClosingError> {
    let kinds = told_singly(is_first_crawl(&store.crawls(site).await?, crawl));
    if !describe && let Some(told) = announcer.announce_recorded(site, crawl, kinds).await? {
        return Ok(told);
    }
    let (mut last, mut told) = (None, 0);
    loop {
        let records = store.records(site, crawl, kinds, last.as_ref(), CHUNK).await?;
        let Some(record) = records.last() else { break };
        last = Some(record.url.clone());
        let told_of = records.into_iter().filter(|record| record.visit.is_told());
        let described = told_of.map(|record| announcement(store, record, describe));
        let described: Vec<Option<Announcement>> =
            stream::iter(described).buffered(AT_ONCE).try_collect().await?;
        let announcements: Vec<Announcement> = described.into_iter().flatten().collect();
        told += announcements.len() as u64;
        announcer.announce(&announcements).await?;
    }
    Ok(told)
}

async fn announcement(
    store: &dyn Store,
    record: PageRecord,
    describe: bool,
) -> Result<Option<Announcement>, StoreError> {
    let Some(change) = record.visit.verdict.change() else { return Ok(None) };
    let diff = if describe { difference_of(store, &record).await? } else { None };
    Ok(Some(Announcement {
        id: EventId::new(record.crawl, &record.url),
        site: record.site,
        crawl: record.crawl,
        page: record.url,
        change,
        aspects: record.visit.aspects,
        diff,
    }))
}

/// Says what changed in the text of a page, if it changed and both texts are known.
async fn difference_of(store: &dyn Store, record: &PageRecord) -> Result<Option<String>, StoreError> {
    let (Verdict::Changed, Some(content)) = (record.visit.verdict, &record.known.content) else {
        return Ok(None);
    };
    let previous = store.latest_before(&record.site, record.crawl, &record.url).await?;
    let Some(before) = previous.and_then(|previous| previous.known.content) else {
        return Ok(None);
    };
    if before.semantic == content.semantic {
        return Ok(None);
    }
    let old = store.text(&record.site, &before.semantic).await?;
    let new = store.text(&record.site, &content.semantic).await?;
    Ok(old.zip(new).map(|(old, new)| difference::in_brief(&old, &new)))
}
