//! `crawl-YYYY-MM-DD/{sha256(url)}`: one page in one crawl.

use firestore::{FirestoreReference, FirestoreTimestamp};
use recrawl_core::model::archive::Archive;
use recrawl_core::model::aspect::{Aspects, Signatures};
use recrawl_core::model::ids::{CrawlId, RulesVersion, SiteId};
use recrawl_core::model::kind::Tier;
use recrawl_core::model::record::{
    Check, ContentRef, Found, FoundBy, Headers, PageRecord, PageState, Presence, Visit,
};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::plan::change_rate::Rate;
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use serde::{Deserialize, Serialize};

use super::archive::ArchiveMap;
use super::details::Details;
use super::signatures::SignaturesMap;
use super::{Binary, cut, time, unreadable};
use crate::paths::id;

/// The longest header that is kept. Five of them fit into a document, and a longer one is no use to anybody.
const HEADER_LIMIT: usize = 100_000;
/// The longest reason that is kept.
const REASON_LIMIT: usize = 10_000;

/// The fields that settling writes: all but those that say which page it is and how it was found.
pub(crate) const SETTLED_FIELDS: [&str; 33] = [
    "new",
    "changed",
    "status",
    "headers",
    "content",
    "verdict",
    "aspects",
    "tier",
    "weight",
    "details",
    "semantic_hash",
    "rules",
    "signatures",
    "fetched_at",
    "fetch_ms",
    "error",
    "not_modified",
    "check",
    "requests",
    "received_bytes",
    "saved_bytes",
    "truncated",
    "presence",
    "transfer_bytes",
    "first_seen",
    "last_changed",
    "last_seen",
    "fresh_until",
    "changes_detected",
    "observations",
    "mean_interval",
    "change_frequency",
    "archive",
];

/// One page in one crawl.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "a stored shape, with booleans that people query")]
pub(crate) struct PageDocument {
    pub(crate) url: String,
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
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    aspects: Aspects,
    /// How near the change is to what the page is about; not in documents of the first two versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tier: Option<Tier>,
    #[serde(default, skip_serializing_if = "is_zero")]
    weight: u32,
    /// Everything else that there is to say of a difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) details: Option<Binary>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    semantic_hash: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rules: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signatures: Option<SignaturesMap>,
    fetched_at: FirestoreTimestamp,
    fetch_ms: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    depth: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    referrer: Option<String>,
    found_by: FoundBy,
    not_modified: bool,
    #[serde(default, skip_serializing_if = "is_unchecked")]
    check: Check,
    requests: u32,
    received_bytes: u64,
    saved_bytes: u64,
    truncated: bool,
    presence: Presence,
    transfer_bytes: u64,
    first_seen: FirestoreTimestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_changed: Option<FirestoreTimestamp>,
    last_seen: FirestoreTimestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fresh_until: Option<FirestoreTimestamp>,
    changes_detected: u32,
    /// Not in documents of the first version.
    #[serde(default)]
    observations: Option<u32>,
    /// Not in documents of the first version.
    #[serde(default)]
    mean_interval: Option<f64>,
    change_frequency: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    archive: Option<ArchiveMap>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct HeadersMap {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_modified: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    x_robots_tag: Option<String>,
}

impl PageDocument {
    /// Writes a record; `content_name` is the name of the document of its content.
    pub(crate) fn new(record: &PageRecord, content_name: Option<String>) -> Result<Self, StoreError> {
        let PageRecord { url, found, visit, known, archive, .. } = record;
        let content = known.content.as_ref();
        let signatures = content.and_then(|content| content.signatures);
        Ok(Self {
            url: url.to_string(),
            new: visit.verdict == Verdict::New,
            changed: matches!(visit.verdict, Verdict::Changed | Verdict::Moved),
            status: visit.status,
            headers: HeadersMap::from(&known.headers),
            content: content_name.map(FirestoreReference::new),
            verdict: visit.verdict,
            aspects: visit.aspects,
            tier: visit.tier,
            weight: visit.weight,
            details: Details::of(record).pack()?,
            semantic_hash: content.map(|content| content.semantic.to_string()),
            rules: content.map(|content| content.rules.0.clone()),
            signatures: signatures.map(|both| SignaturesMap::from(Signatures { meta: None, ..both })),
            fetched_at: time(visit.fetched_at),
            fetch_ms: visit.fetch_ms,
            error: visit.reason.as_deref().map(|reason| cut(reason, REASON_LIMIT)),
            depth: found.depth,
            referrer: found.referrer.as_ref().map(PageUrl::to_string),
            found_by: found.by,
            not_modified: visit.not_modified,
            check: visit.check,
            requests: visit.requests,
            received_bytes: visit.received_bytes,
            saved_bytes: visit.saved_bytes,
            truncated: visit.truncated,
            presence: known.presence,
            transfer_bytes: known.transfer_bytes,
            first_seen: time(known.first_seen),
            last_changed: known.last_changed.map(time),
            last_seen: time(known.last_seen),
            fresh_until: known.fresh_until.map(time),
            changes_detected: known.changes_detected,
            observations: Some(known.observations),
            mean_interval: Some(known.mean_interval),
            change_frequency: known.change_frequency,
            archive: archive.as_ref().map(ArchiveMap::from),
        })
    }

    /// Reads a record of this site and crawl.
    pub(crate) fn into_record(self, site: &SiteId, crawl: CrawlId) -> Result<PageRecord, StoreError> {
        let details = Details::unpack(self.details.as_ref())?;
        let signatures = self.signatures.map(|both| Signatures { meta: details.meta, ..both.into() });
        let content = match (&self.content, &self.semantic_hash, self.rules) {
            (Some(content), Some(semantic), Some(rules)) => Some(ContentRef {
                hash: id(content.as_str()).parse().map_err(unreadable)?,
                semantic: semantic.parse().map_err(unreadable)?,
                rules: RulesVersion(rules),
                signatures,
            }),
            (None, None, None) => None,
            _ => return Err(unreadable("a page names half a content")),
        };
        Ok(PageRecord {
            site: site.clone(),
            crawl,
            url: self.url.parse().map_err(unreadable)?,
            found: Found {
                by: self.found_by,
                depth: self.depth,
                referrer: self.referrer.map(|url| url.parse().map_err(unreadable)).transpose()?,
            },
            visit: Visit {
                verdict: self.verdict,
                aspects: self.aspects,
                tier: self.tier,
                weight: self.weight,
                words: details.words,
                kinds: details.kinds,
                edits: details.edits,
                status: self.status,
                not_modified: self.not_modified,
                check: self.check,
                reason: self.error,
                fetched_at: self.fetched_at.0,
                fetch_ms: self.fetch_ms,
                requests: self.requests,
                received_bytes: self.received_bytes,
                saved_bytes: self.saved_bytes,
                truncated: self.truncated,
            },
            known: PageState {
                presence: self.presence,
                headers: self.headers.into(),
                content,
                transfer_bytes: self.transfer_bytes,
                first_seen: self.first_seen.0,
                last_changed: self.last_changed.map(|time| time.0),
                last_seen: self.last_seen.0,
                fresh_until: self.fresh_until.map(|time| time.0),
                changes_detected: self.changes_detected,
                // Every change was seen by a visit, and how many saw none was not counted.
                observations: self.observations.unwrap_or(self.changes_detected),
                mean_interval: self.mean_interval.unwrap_or(Rate::prior().mean_interval),
                change_frequency: self.change_frequency,
                memory: details.memory,
            },
            archive: self.archive.map(Archive::try_from).transpose()?,
        })
    }
}

/// A set that is left out where it is empty.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none_of_them(aspects: &Aspects) -> bool {
    aspects.is_empty()
}

/// A number that is left out where it is zero.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A check that is left out where there was none.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_unchecked(check: &Check) -> bool {
    *check == Check::None
}

impl From<&Headers> for HeadersMap {
    fn from(headers: &Headers) -> Self {
        // Half a header would be another one, so one that is too long is left out.
        let kept = |header: &Option<String>| header.clone().filter(|header| header.len() <= HEADER_LIMIT);
        Self {
            etag: kept(&headers.etag),
            last_modified: kept(&headers.last_modified),
            location: kept(&headers.location),
            content_type: kept(&headers.content_type),
            x_robots_tag: kept(&headers.robots_tag),
        }
    }
}

impl From<HeadersMap> for Headers {
    fn from(map: HeadersMap) -> Self {
        Self {
            etag: map.etag,
            last_modified: map.last_modified,
            location: map.location,
            content_type: map.content_type,
            robots_tag: map.x_robots_tag,
        }
    }
}
