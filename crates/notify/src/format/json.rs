//! The message of a webhook, for programs.

use jiff::Timestamp;
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::model::kind::{Kinds, Tier};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use serde::Serialize;

use crate::figures::grouped;
use crate::notification::{Look, Notification, NotificationId, Part};
use recrawl_reports::ChangeEntry;

/// How many changes a message holds.
const MOST_CHANGES: usize = 1_000;

/// How many bytes of differences a message holds, so that receivers with usual limits take it.
const MOST_DIFFERENCES: usize = 512 * 1024;

/// A message about one crawl.
#[derive(Debug, Serialize)]
struct Message<'a> {
    /// The same however often the message is sent; also its `Idempotency-Key`.
    id: String,
    /// `findings`, `warning` or `test`.
    stage: &'static str,
    /// The change itself, or how many there are.
    headline: String,
    #[serde(flatten)]
    site: SiteMessage<'a>,
    /// What is left out, in words, or null.
    note: Option<String>,
    /// The web page of the crawl, or null.
    link: Option<String>,
}

/// A message about all that was found since the last one.
#[derive(Debug, Serialize)]
struct DigestMessage<'a> {
    /// The same however often the message is sent; also its `Idempotency-Key`.
    id: String,
    /// Always `digest`.
    stage: &'static str,
    /// The change itself, or how many there are.
    headline: String,
    /// When the digest was put together.
    at: Timestamp,
    /// Sites that need somebody to look at them.
    needs_a_look: Vec<LookMessage<'a>>,
    /// What was found, site by site.
    sites: Vec<SiteMessage<'a>>,
    /// How many changes there are that the receiver wants to hear of, on all sites.
    count: usize,
    /// What is left out, in words, or null.
    note: Option<String>,
    /// The web page, or null.
    link: Option<String>,
}

#[derive(Debug, Serialize)]
struct LookMessage<'a> {
    site: &'a SiteId,
    /// `failed`, `unusual` or another mark.
    mark: &'a str,
    sentence: &'a str,
}

impl<'a> LookMessage<'a> {
    fn of(look: &'a Look) -> Self {
        Self { site: &look.site, mark: &look.mark, sentence: &look.sentence }
    }
}

#[derive(Debug, Serialize)]
struct SiteMessage<'a> {
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
}

#[derive(Debug, Serialize)]
struct MessageEntry<'a> {
    /// The same as in announcements.
    id: EventId,
    url: &'a PageUrl,
    kind: Verdict,
    aspects: Aspects,
    title: Option<&'a str>,
    /// How near it is to what the page is about: 1 its content, 2 around it, 3 noise; null where that is not known.
    tier: Option<Tier>,
    /// How much it matters, from 0 to 1,000.
    weight: u32,
    /// What kinds of change it is.
    kinds: Kinds,
    /// On how many pages it stands, if it is a shared change.
    pages: Option<u64>,
    status: Option<u16>,
    location: Option<&'a str>,
    /// Lines that went and came, each after `-` or `+`, shortened; null where there is none, or no room.
    difference: Option<&'a str>,
}

/// Writes the message of a webhook. Text is as the pages have it, in JSON.
pub fn write(notification: &Notification<'_>, id: NotificationId) -> String {
    let mut room = Room { changes: MOST_CHANGES, differences: MOST_DIFFERENCES };
    let sites: Vec<SiteMessage<'_>> =
        notification.parts.iter().map(|part| write_site(part, &mut room)).collect();
    let more: usize = sites.iter().map(|site| site.more).sum();
    let (id, stage, headline) = (id.to_string(), notification.stage.word(), notification.headline());
    let note = (more > 0).then(|| {
        format!(
            "a message holds at most {} changes: {}",
            grouped(MOST_CHANGES as u64),
            not_in_it(more as u64)
        )
    });
    let link = notification.link().map(String::from);
    let written = match (&notification.together, sites) {
        (None, sites) => {
            let message =
                sites.into_iter().next().map(|site| Message { id, stage, headline, site, note, link });
            serde_json::to_string(&message)
        }
        (Some(together), sites) => {
            let needs_a_look = together.looks.iter().map(LookMessage::of).collect();
            let count = notification.count();
            let at = together.at;
            serde_json::to_string(&DigestMessage {
                id,
                stage,
                headline,
                at,
                needs_a_look,
                sites,
                count,
                note,
                link,
            })
        }
    };
    written.expect("texts and numbers are always JSON")
}

fn not_in_it(more: u64) -> String {
    if more == 1 { "1 more is not in it".to_owned() } else { format!("{} more are not in it", grouped(more)) }
}

/// How much room a message has left.
struct Room {
    changes: usize,
    differences: usize,
}

fn write_site<'a>(part: &Part<'a>, room: &mut Room) -> SiteMessage<'a> {
    let digest = part.digest;
    let shown = part.changes.iter().take(room.changes);
    let changes: Vec<MessageEntry<'a>> =
        shown.map(|change| write_change(change, &mut room.differences)).collect();
    room.changes -= changes.len();
    SiteMessage {
        site: &digest.site,
        root: &digest.root,
        crawl: digest.crawl,
        opened_at: digest.opened_at,
        closed_at: digest.closed_at,
        partial: digest.partial.as_deref(),
        suspicion: digest.suspicion.as_deref().or(digest.told_as_unusual.as_deref()),
        first: digest.is_first,
        first_found: part.first_found,
        statistics: &digest.statistics,
        count: part.changes.len(),
        more: part.changes.len() - changes.len(),
        changes,
    }
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
        tier: change.tier,
        weight: change.weight,
        kinds: change.kinds,
        pages: change.shared.as_ref().map(|shared| shared.pages),
        status: change.status,
        location: change.location.as_deref(),
        difference,
    }
}
