//! What a page says of a visit and of itself that nobody asks the database for.

use jiff::Timestamp;
use recrawl_core::model::aspect::{Aspects, Signature, Signatures};
use recrawl_core::model::ids::{ContentHash, RulesVersion};
use recrawl_core::model::record::{Check, ContentRef, Found, FoundBy, PageRecord, Presence};
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use serde::{Deserialize, Serialize};

use super::super::page::kept;
use super::super::{time, unreadable};
use super::is_default;

/// Facts of a visit and of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Facts {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<ContentFacts>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) aspects: Aspects,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) weight: u32,
    pub(crate) fetch_ms: u32,
    pub(crate) found_by: FoundBy,
    pub(crate) depth: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) referrer: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) not_modified: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) check: Check,
    pub(crate) requests: u32,
    pub(crate) received_bytes: u64,
    pub(crate) saved_bytes: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) truncated: bool,
    pub(crate) presence: Presence,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) content_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) robots_tag: Option<String>,
    pub(crate) transfer_bytes: u64,
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub(crate) first_seen: Timestamp,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "jiff::fmt::serde::timestamp::microsecond::optional"
    )]
    pub(crate) last_changed: Option<Timestamp>,
    /// None where it is when the page was fetched.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "jiff::fmt::serde::timestamp::microsecond::optional"
    )]
    pub(crate) last_seen: Option<Timestamp>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "jiff::fmt::serde::timestamp::microsecond::optional"
    )]
    pub(crate) fresh_until: Option<Timestamp>,
    pub(crate) changes_detected: u32,
    pub(crate) observations: u32,
    #[serde(with = "bits")]
    pub(crate) mean_interval: f64,
    #[serde(with = "bits")]
    pub(crate) change_frequency: f64,
}

/// What a page says of its content beside its hash, which is in the reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ContentFacts {
    pub(crate) semantic: String,
    pub(crate) rules: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) links: Option<Signature>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) media: Option<Signature>,
}

impl ContentFacts {
    fn of(content: &ContentRef) -> Self {
        Self {
            semantic: content.semantic.to_string(),
            rules: content.rules.0.clone(),
            links: content.signatures.map(|signatures| signatures.links),
            media: content.signatures.map(|signatures| signatures.media),
        }
    }

    /// Returns the reference to the content of this hash.
    pub(crate) fn into_reference(
        self,
        hash: ContentHash,
        meta: Option<Signature>,
    ) -> Result<ContentRef, StoreError> {
        let signatures = self.links.zip(self.media);
        Ok(ContentRef {
            hash,
            semantic: self.semantic.parse().map_err(unreadable)?,
            rules: RulesVersion(self.rules),
            signatures: signatures.map(|(links, media)| Signatures { links, media, meta }),
        })
    }
}

impl Facts {
    /// Takes the facts of a record.
    pub(super) fn of(record: &PageRecord) -> Self {
        let PageRecord { found, visit, known, .. } = record;
        let micros = |at: Timestamp| time(at).0;
        Self {
            content: known.content.as_ref().map(ContentFacts::of),
            aspects: visit.aspects,
            weight: visit.weight,
            fetch_ms: visit.fetch_ms,
            found_by: found.by,
            depth: found.depth,
            referrer: found.referrer.as_ref().map(PageUrl::to_string),
            not_modified: visit.not_modified,
            check: visit.check,
            requests: visit.requests,
            received_bytes: visit.received_bytes,
            saved_bytes: visit.saved_bytes,
            truncated: visit.truncated,
            presence: known.presence,
            content_type: kept(known.headers.content_type.as_ref()),
            robots_tag: kept(known.headers.robots_tag.as_ref()),
            transfer_bytes: known.transfer_bytes,
            first_seen: micros(known.first_seen),
            last_changed: known.last_changed.map(micros),
            last_seen: Some(micros(known.last_seen)).filter(|seen| *seen != micros(visit.fetched_at)),
            fresh_until: known.fresh_until.map(micros),
            changes_detected: known.changes_detected,
            observations: known.observations,
            mean_interval: known.mean_interval,
            change_frequency: known.change_frequency,
        }
    }

    /// Returns how the page was found.
    pub(crate) fn found(&self) -> Result<Found, StoreError> {
        let referrer = self.referrer.as_ref().map(|url| url.parse().map_err(unreadable)).transpose()?;
        Ok(Found { by: self.found_by, depth: self.depth, referrer })
    }
}

/// Numbers as their bits: JSON has neither the last of them nor those that are none.
mod bits {
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(super) fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(number.to_bits())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        u64::deserialize(deserializer).map(f64::from_bits)
    }
}
