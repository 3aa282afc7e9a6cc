//! The message of a webhook, for programs.

use jiff::Timestamp;
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use serde::Serialize;

use crate::notification::{Notification, NotificationId};
use recrawl_reports::ChangeEntry;

/// How many changes a message holds.
const MOST_CHANGES: usize = 1_000;

/// How many bytes of differences a message holds, so that receivers with usual limits take it.
const MOST_DIFFERENCES: usize = 512 * 1024;

#[derive(Debug, Serialize)]
struct Message<'a> {
    /// The same however often the message is sent; also its `Idempotency-Key`.
    id: String,
    /// `findings`, `warning` or `test`.
    stage: &'static str,
    site: &'a SiteId,
    root: &'a PageUrl,
    crawl: CrawlId,
    opened_at: Timestamp,
    closed_at: Timestamp,
    /// Why the crawl ended early, or null.
    partial: Option<&'a str>,
    /// Why it is unusual, or null.
    suspicion: Option<&'a str>,
    first: bool,
    /// How many pages are new to a first crawl; they are not in `changes`.
    first_found: u64,
    statistics: &'a Statistics,
    /// How many changes there are that the receiver wants to hear of.
    count: usize,
    changes: Vec<MessageEntry<'a>>,
    /// How many of them are not in `changes` for want of room.
    more: usize,
    /// The web page of the crawl, or null.
    link: Option<String>,
}

#[derive(Debug, Serialize)]
struct MessageEntry<'a> {
    /// The same as in announcements.
    id: EventId,
    url: &'a PageUrl,
    kind: Verdict,
    aspects: Aspects,
    title: Option<&'a str>,
    status: Option<u16>,
    location: Option<&'a str>,
    /// Lines that went and came, each after `-` or `+`, shortened; null where there is none, or no room.
    difference: Option<&'a str>,
}

/// Writes the message of a webhook. Text is as the pages have it, in JSON.
pub fn write(notification: &Notification<'_>, id: NotificationId) -> String {
    let digest = notification.digest;
    let mut room = MOST_DIFFERENCES;
    let shown = notification.changes.iter().take(MOST_CHANGES);
    let changes: Vec<MessageEntry<'_>> = shown.map(|change| write_change(change, &mut room)).collect();
    let message = Message {
        id: id.to_string(),
        stage: notification.stage.word(),
        site: &digest.site,
        root: &digest.root,
        crawl: digest.crawl,
        opened_at: digest.opened_at,
        closed_at: digest.closed_at,
        partial: digest.partial.as_deref(),
        suspicion: digest.suspicion.as_deref().or(digest.told_as_unusual.as_deref()),
        first: digest.is_first,
        first_found: notification.first_found,
        statistics: &digest.statistics,
        count: notification.changes.len(),
        more: notification.changes.len() - changes.len(),
        changes,
        link: notification.link().map(String::from),
    };
    serde_json::to_string(&message).expect("texts and numbers are always JSON")
}

fn write_change<'a>(change: &'a ChangeEntry, room: &mut usize) -> MessageEntry<'a> {
    let brief = change.difference.as_ref().map(|difference| difference.brief.as_str());
    let difference = brief.filter(|brief| brief.len() <= *room);
    *room -= difference.map_or(0, str::len);
    MessageEntry {
        id: change.id,
        url: &change.url,
        kind: change.kind,
        aspects: change.aspects,
        title: change.title.as_deref(),
        status: change.status,
        location: change.location.as_deref(),
        difference,
    }
}
