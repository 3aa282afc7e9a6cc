//! Pages of the first three versions, in which every fact had a field of its own. They are read, and never written.

use firestore::FirestoreTimestamp;
use recrawl_core::model::aspect::{Aspects, Signatures};
use recrawl_core::model::record::{Check, Found, FoundBy, PageSummary, Presence};
use recrawl_core::plan::change_rate::Rate;
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use serde::Deserialize;

use super::super::details::{ContentFacts, Facts};
use super::super::signatures::SignaturesMap;
use super::super::unreadable;

/// The fields of a page that are among its details now, other than `depth`, which may still be written.
pub(crate) const FORMER_FIELDS: [&str; 24] = [
    "aspects",
    "weight",
    "semantic_hash",
    "rules",
    "signatures",
    "fetch_ms",
    "referrer",
    "found_by",
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
];

/// What is among the details now.
#[derive(Debug, Deserialize)]
pub(super) struct FormerFacts {
    #[serde(default)]
    aspects: Aspects,
    #[serde(default)]
    weight: u32,
    #[serde(default)]
    semantic_hash: Option<String>,
    #[serde(default)]
    rules: Option<String>,
    #[serde(default)]
    signatures: Option<SignaturesMap>,
    fetch_ms: u32,
    depth: u32,
    #[serde(default)]
    referrer: Option<String>,
    found_by: FoundBy,
    not_modified: bool,
    #[serde(default)]
    check: Check,
    requests: u32,
    received_bytes: u64,
    saved_bytes: u64,
    truncated: bool,
    presence: Presence,
    transfer_bytes: u64,
    first_seen: FirestoreTimestamp,
    #[serde(default)]
    last_changed: Option<FirestoreTimestamp>,
    last_seen: FirestoreTimestamp,
    #[serde(default)]
    fresh_until: Option<FirestoreTimestamp>,
    changes_detected: u32,
    /// Not in documents of the first version.
    #[serde(default)]
    observations: Option<u32>,
    /// Not in documents of the first version.
    #[serde(default)]
    mean_interval: Option<f64>,
    change_frequency: f64,
}

impl FormerFacts {
    /// Returns them as they would be written now.
    pub(super) fn into_facts(self) -> Result<Facts, StoreError> {
        let content = match (self.semantic_hash, self.rules) {
            (Some(semantic), Some(rules)) => {
                let signatures = self.signatures.map(Signatures::from);
                Some(ContentFacts {
                    semantic,
                    rules,
                    links: signatures.map(|both| both.links),
                    media: signatures.map(|both| both.media),
                })
            }
            (None, None) => None,
            _ => return Err(unreadable("a page names half a content")),
        };
        Ok(Facts {
            content,
            aspects: self.aspects,
            weight: self.weight,
            fetch_ms: self.fetch_ms,
            found_by: self.found_by,
            depth: self.depth,
            referrer: self.referrer,
            not_modified: self.not_modified,
            check: self.check,
            requests: self.requests,
            received_bytes: self.received_bytes,
            saved_bytes: self.saved_bytes,
            truncated: self.truncated,
            presence: self.presence,
            content_type: None,
            robots_tag: None,
            transfer_bytes: self.transfer_bytes,
            first_seen: self.first_seen.0,
            last_changed: self.last_changed.map(|time| time.0),
            last_seen: Some(self.last_seen.0),
            fresh_until: self.fresh_until.map(|time| time.0),
            changes_detected: self.changes_detected,
            // Every change was seen by a visit, and how many saw none was not counted.
            observations: self.observations.unwrap_or(self.changes_detected),
            mean_interval: self.mean_interval.unwrap_or(Rate::prior().mean_interval),
            change_frequency: self.change_frequency,
        })
    }
}

/// What is known of a page in brief.
#[derive(Debug, Deserialize)]
pub(super) struct FormerSummary {
    depth: u32,
    found_by: FoundBy,
    presence: Presence,
    first_seen: FirestoreTimestamp,
    last_seen: FirestoreTimestamp,
    changes_detected: u32,
    #[serde(default)]
    observations: Option<u32>,
    change_frequency: f64,
}

impl FormerSummary {
    /// Reads it, as the whole page is read.
    pub(super) fn into_summary(self, url: PageUrl) -> PageSummary {
        PageSummary {
            url,
            presence: self.presence,
            found_by: self.found_by,
            depth: self.depth,
            first_seen: self.first_seen.0,
            last_seen: self.last_seen.0,
            changes_detected: self.changes_detected,
            observations: self.observations.unwrap_or(self.changes_detected),
            change_frequency: self.change_frequency,
        }
    }
}

/// How a page was found.
#[derive(Debug, Deserialize)]
pub(super) struct FormerFound {
    found_by: FoundBy,
    depth: u32,
    #[serde(default)]
    referrer: Option<String>,
}

impl FormerFound {
    /// Reads it, as the whole page is read.
    pub(super) fn into_found(self) -> Result<Found, StoreError> {
        let referrer = self.referrer.map(|url| url.parse().map_err(unreadable)).transpose()?;
        Ok(Found { by: self.found_by, depth: self.depth, referrer })
    }
}
