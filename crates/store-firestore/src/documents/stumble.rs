//! `crawls/{crawl id}/stumbles/{sha256(url)}`: a page that the program itself could not read.

use firestore::FirestoreTimestamp;
use recrawl_core::model::ids::{CrawlId, RulesVersion, SiteId};
use recrawl_core::model::stumble::{Aside, KeptStumble, Stumble};
use recrawl_core::panics::Panic;
use recrawl_core::ports::StoreError;
use serde::{Deserialize, Serialize};

use super::{Binary, cut, is_unset, time, unreadable};

/// The longest message, place or media type that is kept.
const SHORT: usize = 5_000;

/// A page that the program itself could not read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StumbleDocument {
    url: String,
    at: FirestoreTimestamp,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    rules: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content_type: Option<String>,
    /// How long the body was, if one had come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// Whether `body` is there, for those who do not read it.
    #[serde(default, skip_serializing_if = "is_unset")]
    has_body: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<Binary>,
}

/// The body alone.
#[derive(Debug, Deserialize)]
pub(crate) struct StumbledBody {
    #[serde(default)]
    pub(crate) body: Option<Binary>,
}

impl StumbleDocument {
    /// The fields that are read where the body is not wanted.
    pub(crate) const NOTES: [&str; 8] =
        ["url", "at", "message", "place", "rules", "content_type", "bytes", "has_body"];

    /// Writes a stumble; `frame` is the compressed body, which is written only where `aside` says that it is kept.
    pub(crate) fn new(stumble: &Stumble, aside: Aside, frame: Option<Vec<u8>>) -> Self {
        Self {
            url: stumble.url.to_string(),
            at: time(stumble.at),
            message: cut(&stumble.fault.message, SHORT),
            place: stumble.fault.place.as_deref().map(|place| cut(place, SHORT)),
            rules: cut(&stumble.rules.0, SHORT),
            content_type: stumble.content_type.as_deref().map(|text| cut(text, SHORT)),
            bytes: aside.bytes(),
            has_body: aside.is_kept(),
            body: frame.filter(|_| aside.is_kept()).map(Binary),
        }
    }

    /// Reads a stumble.
    pub(crate) fn into_stumble(self, site: &SiteId, crawl: CrawlId) -> Result<KeptStumble, StoreError> {
        Ok(KeptStumble {
            stumble: Stumble {
                site: site.clone(),
                crawl,
                url: self.url.parse().map_err(unreadable)?,
                at: self.at.0,
                fault: Panic { message: self.message, place: self.place },
                rules: RulesVersion(self.rules),
                content_type: self.content_type,
            },
            body: match (self.bytes, self.has_body) {
                (None, _) => Aside::None,
                (Some(bytes), false) => Aside::Dropped { bytes },
                (Some(bytes), true) => Aside::Kept { bytes },
            },
        })
    }
}
