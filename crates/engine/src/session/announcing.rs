//! Telling others what a crawl found, once it is known that it can be believed.

use std::collections::BTreeSet;

use futures_util::{StreamExt, TryStreamExt, stream};
use recrawl_core::decide::{is_first_crawl, told_singly};
use recrawl_core::difference;
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::ids::{ContentHash, CrawlId, EventId, SiteId};
use recrawl_core::model::kind::Tier;
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::shared_change::{SharedBy, SharedChange};
use recrawl_core::model::verdict::{Change, Verdict};
use recrawl_core::ports::{Announcement, AnnouncementDetails, Announcer, History, Store, StoreError};

use super::ClosingError;

/// How many changes are announced at once.
const CHUNK: usize = 300;

/// How many differences are read at a time. One after the other, those of some thousand pages would take longer than a
/// tick may.
const AT_ONCE: usize = 24;

/// Announces the changes that a crawl recorded, as far as they are told one by one ([`told_singly`]); returns how many.
///
/// Before the crawl is closed, so that a death between the two announces again, and never not at all. If
/// `described_by` is given, a change is told with what differs in the text and what else there is to say, and changes
/// that several pages share are told as well, each once.
pub async fn announce(
    store: &dyn Store,
    announcer: &dyn Announcer,
    site: &SiteId,
    crawl: CrawlId,
    described_by: Option<&dyn History>,
) -> Result<u64, ClosingError> {
    let kinds = told_singly(is_first_crawl(&store.crawls(site).await?, crawl));
    if described_by.is_none()
        && let Some(told) = announcer.announce_recorded(site, crawl, kinds).await?
    {
        return Ok(told);
    }
    let (mut last, mut told) = (None, 0);
    loop {
        let records = store.records(site, crawl, kinds, last.as_ref(), CHUNK).await?;
        let Some(record) = records.last() else { break };
        last = Some(record.url.clone());
        let told_of = records.into_iter().filter(|record| record.visit.is_told());
        let announcements = match described_by {
            Some(history) => described(store, history, site, told_of.collect()).await?,
            None => told_of.filter_map(|record| announcement(&record)).collect(),
        };
        told += announcements.len() as u64;
        announcer.announce(&announcements).await?;
    }
    if described_by.is_some() {
        let announcements = shared_changes(store, site, crawl).await?;
        told += announcements.len() as u64;
        announcer.announce(&announcements).await?;
    }
    Ok(told)
}

fn announcement(record: &PageRecord) -> Option<Announcement> {
    Some(Announcement {
        id: EventId::new(record.crawl, &record.url),
        site: record.site.clone(),
        crawl: record.crawl,
        page: record.url.clone(),
        change: record.visit.verdict.change()?,
        aspects: record.visit.aspects,
        diff: None,
        details: AnnouncementDetails::default(),
    })
}

/// Announces what `records` found, with what there is to say of it.
async fn described(
    store: &dyn Store,
    history: &dyn History,
    site: &SiteId,
    records: Vec<PageRecord>,
) -> Result<Vec<Announcement>, StoreError> {
    let contents: BTreeSet<ContentHash> = records.iter().filter_map(PageRecord::content_hash).collect();
    let contents: Vec<ContentHash> = contents.into_iter().collect();
    let titles = history.titles(site, &contents).await?;
    let compared = records.into_iter().map(|record| compared(store, record));
    let compared: Vec<(PageRecord, Option<String>)> =
        stream::iter(compared).buffered(AT_ONCE).try_collect().await?;
    let announcement = |(record, diff): (PageRecord, Option<String>)| {
        let title = record.content_hash().and_then(|hash| titles.get(&hash).cloned());
        let visit = &record.visit;
        let details = AnnouncementDetails {
            title,
            status: visit.status,
            tier: visit.tier,
            weight: visit.tier.map(|_| visit.weight),
            target: record.location().filter(|_| visit.verdict == Verdict::Moved),
            shared_by: None,
        };
        Some(Announcement { diff, details, ..announcement(&record)? })
    };
    Ok(compared.into_iter().filter_map(announcement).collect())
}

async fn compared(store: &dyn Store, record: PageRecord) -> Result<(PageRecord, Option<String>), StoreError> {
    let difference = difference_of(store, &record).await?;
    Ok((record, difference))
}

/// Returns what several pages share, as far as it is news, and about their content: each once, as of its first page.
async fn shared_changes(
    store: &dyn Store,
    site: &SiteId,
    crawl: CrawlId,
) -> Result<Vec<Announcement>, StoreError> {
    let mut changes = store.shared_changes(site, crawl).await?;
    changes.retain(|change| change.is_told() && change.tier == Tier::Content);
    let announcement = |change: SharedChange| {
        let diff = shared_difference(&change);
        Some(Announcement {
            id: change.event(crawl),
            site: site.clone(),
            crawl,
            page: change.urls.first()?.clone(),
            change: Change::Change,
            aspects: Aspects::NONE.with(change.aspect),
            diff,
            details: AnnouncementDetails {
                tier: Some(change.tier),
                weight: Some(change.weight),
                shared_by: Some(change.pages),
                ..AnnouncementDetails::default()
            },
        })
    };
    Ok(changes.into_iter().filter_map(announcement).collect())
}

/// Says what went and came on each of the pages.
fn shared_difference(change: &SharedChange) -> Option<String> {
    if change.by == SharedBy::Rule {
        // What it is said to have brought is the name of a noise rule.
        return None;
    }
    let line = |(sign, text): (char, &String)| (!text.is_empty()).then(|| format!("{sign}{text}"));
    let lines: Vec<String> =
        [('-', &change.went), ('+', &change.came)].into_iter().filter_map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
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
