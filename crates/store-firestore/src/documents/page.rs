//! `crawl-YYYY-MM-DD/{sha256(url)}`: one page in one crawl.
//!
//! Each field has two entries in indexes, and an entry is larger than most values. So only what somebody asks for has a
//! field of its own, and everything else shares one, `details`.

mod former;

use firestore::gcloud_sdk::google::firestore::v1::Document;
use firestore::{FirestoreReference, FirestoreTimestamp};
use recrawl_core::model::archive::Archive;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::kind::Tier;
use recrawl_core::model::record::{Found, Headers, PageRecord, PageState, PageSummary, Visit};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::StoreError;
use serde::{Deserialize, Serialize};

pub(crate) use self::former::FORMER_FIELDS;
use self::former::{FormerFacts, FormerFound, FormerSummary};
use super::archive::ArchiveMap;
use super::details::Details;
use super::{Binary, cut, read, time, unreadable};
use crate::paths::id;

/// The longest header that is kept. Five of them fit into a document, and a longer one is no use to anybody.
const HEADER_LIMIT: usize = 100_000;
/// The longest reason that is kept.
const REASON_LIMIT: usize = 10_000;

/// The fields that settling writes: all but those that say which page it is and how near it is.
pub(crate) const SETTLED_FIELDS: [&str; 11] = [
    "new",
    "changed",
    "status",
    "headers",
    "content",
    "verdict",
    "tier",
    "fetched_at",
    "error",
    "archive",
    "details",
];

/// The fields that say what is known of a page in brief, in all versions.
pub(crate) const SUMMARY_FIELDS: [&str; 11] = [
    "url",
    "fetched_at",
    "details",
    "depth",
    "found_by",
    "presence",
    "first_seen",
    "last_seen",
    "changes_detected",
    "observations",
    "change_frequency",
];

/// The fields that say how a page was found, in all versions.
pub(crate) const FOUND_FIELDS: [&str; 4] = ["details", "depth", "found_by", "referrer"];

/// One page in one crawl.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PageDocument {
    url: String,
    /// The verdict is New.
    new: bool,
    /// The page was known and says something else or leads elsewhere: the verdict is Changed or Moved.
    changed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(default)]
    headers: HeadersMap,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<FirestoreReference>,
    verdict: Verdict,
    /// How near the change is to what the page is about; not in documents of the first two versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tier: Option<Tier>,
    fetched_at: FirestoreTimestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    archive: Option<ArchiveMap>,
    /// Everything else; in the third version only what there is to say of a difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) details: Option<Binary>,
}

/// The headers of a page. Those that no request needs are among the details; before the fourth version they were here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct HeadersMap {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_modified: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    #[serde(default, skip_serializing)]
    content_type: Option<String>,
    #[serde(default, skip_serializing)]
    x_robots_tag: Option<String>,
}

/// What is left of the fields that a page had of its own before the fourth version.
#[derive(Debug, Deserialize)]
struct Rest {
    #[serde(default)]
    details: Option<Binary>,
    /// Where it is there, it says how near the page is: a shorter way may be found after the page was recorded.
    #[serde(default)]
    depth: Option<u32>,
}

impl Rest {
    fn read(document: &Document) -> Result<(Details, Option<u32>), StoreError> {
        let rest: Self = read(document)?;
        Ok((Details::unpack(rest.details.as_ref())?, rest.depth))
    }
}

#[derive(Debug, Deserialize)]
struct Seen {
    url: String,
    fetched_at: FirestoreTimestamp,
}

impl PageDocument {
    /// Writes a record; `content_name` is the name of the document of its content.
    pub(crate) fn new(record: &PageRecord, content_name: Option<String>) -> Result<Self, StoreError> {
        let PageRecord { url, visit, known, archive, .. } = record;
        Ok(Self {
            url: url.to_string(),
            new: visit.verdict == Verdict::New,
            changed: matches!(visit.verdict, Verdict::Changed | Verdict::Moved),
            status: visit.status,
            headers: HeadersMap::from(&known.headers),
            content: content_name.map(FirestoreReference::new),
            verdict: visit.verdict,
            tier: visit.tier,
            fetched_at: time(visit.fetched_at),
            error: visit.reason.as_deref().map(|reason| cut(reason, REASON_LIMIT)),
            archive: archive.as_ref().map(ArchiveMap::from),
            details: Some(Details::of(record).pack()?),
        })
    }

    /// Reads a record of this site and crawl.
    pub(crate) fn read(document: &Document, site: &SiteId, crawl: CrawlId) -> Result<PageRecord, StoreError> {
        let page: Self = read(document)?;
        let (details, depth) = Rest::read(document)?;
        let mut facts = match details.facts {
            Some(facts) => *facts,
            None => read::<FormerFacts>(document)?.into_facts()?,
        };
        facts.depth = depth.unwrap_or(facts.depth);
        let fetched_at = page.fetched_at.0;
        let hash = page.content.as_ref().map(|content| id(content.as_str()).parse().map_err(unreadable));
        let content = match (hash.transpose()?, facts.content.take()) {
            (Some(hash), Some(facts)) => Some(facts.into_reference(hash, details.meta)?),
            (None, None) => None,
            _ => return Err(unreadable("a page names half a content")),
        };
        let headers = page.headers;
        Ok(PageRecord {
            site: site.clone(),
            crawl,
            url: page.url.parse().map_err(unreadable)?,
            found: facts.found()?,
            visit: Visit {
                verdict: page.verdict,
                aspects: facts.aspects,
                tier: page.tier,
                weight: facts.weight,
                words: details.words,
                kinds: details.kinds,
                edits: details.edits,
                status: page.status,
                not_modified: facts.not_modified,
                check: facts.check,
                reason: page.error,
                fetched_at,
                fetch_ms: facts.fetch_ms,
                requests: facts.requests,
                received_bytes: facts.received_bytes,
                saved_bytes: facts.saved_bytes,
                truncated: facts.truncated,
            },
            known: PageState {
                presence: facts.presence,
                headers: Headers {
                    etag: headers.etag,
                    last_modified: headers.last_modified,
                    location: headers.location,
                    content_type: headers.content_type.or(facts.content_type),
                    robots_tag: headers.x_robots_tag.or(facts.robots_tag),
                },
                content,
                transfer_bytes: facts.transfer_bytes,
                first_seen: facts.first_seen,
                last_changed: facts.last_changed,
                last_seen: facts.last_seen.unwrap_or(fetched_at),
                fresh_until: facts.fresh_until,
                changes_detected: facts.changes_detected,
                observations: facts.observations,
                mean_interval: facts.mean_interval,
                change_frequency: facts.change_frequency,
                memory: details.memory,
            },
            archive: page.archive.map(Archive::try_from).transpose()?,
        })
    }

    /// Reads what is known of a page in brief out of [`SUMMARY_FIELDS`].
    pub(crate) fn read_summary(document: &Document) -> Result<PageSummary, StoreError> {
        let seen: Seen = read(document)?;
        let url = seen.url.parse().map_err(unreadable)?;
        let (details, depth) = Rest::read(document)?;
        let Some(facts) = details.facts else {
            return Ok(read::<FormerSummary>(document)?.into_summary(url));
        };
        Ok(PageSummary {
            url,
            presence: facts.presence,
            found_by: facts.found_by,
            depth: depth.unwrap_or(facts.depth),
            first_seen: facts.first_seen,
            last_seen: facts.last_seen.unwrap_or(seen.fetched_at.0),
            changes_detected: facts.changes_detected,
            observations: facts.observations,
            change_frequency: facts.change_frequency,
        })
    }

    /// Reads how a page was found out of [`FOUND_FIELDS`].
    pub(crate) fn read_found(document: &Document) -> Result<Found, StoreError> {
        let (details, depth) = Rest::read(document)?;
        let Some(mut facts) = details.facts else {
            return read::<FormerFound>(document)?.into_found();
        };
        facts.depth = depth.unwrap_or(facts.depth);
        facts.found()
    }
}

impl From<&Headers> for HeadersMap {
    fn from(headers: &Headers) -> Self {
        Self {
            etag: kept(headers.etag.as_ref()),
            last_modified: kept(headers.last_modified.as_ref()),
            location: kept(headers.location.as_ref()),
            content_type: None,
            x_robots_tag: None,
        }
    }
}

/// Returns a header unless it is too long: half of one would be another one.
pub(super) fn kept(header: Option<&String>) -> Option<String> {
    header.filter(|header| header.len() <= HEADER_LIMIT).cloned()
}
