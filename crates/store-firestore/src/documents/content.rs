//! `content/{sha256(body)}`: a body and what was read out of it.

use std::collections::HashMap;

use firestore::FirestoreTimestamp;
use firestore::gcloud_sdk::google::firestore::v1::Document;
use recrawl_core::model::aspect::Signatures;
use recrawl_core::model::content::{Content, Directives, Extracted};
use recrawl_core::model::ids::{ContentHash, RulesVersion};
use recrawl_core::model::outline::Outline;
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use serde::{Deserialize, Serialize};

use super::binary::Binary;
use super::signatures::SignaturesMap;
use super::{is_unset, unreadable};
use crate::compression;

/// The fields that a content gains with its body.
pub(crate) const BODY_FIELDS: [&str; 4] = ["has_body", "body", "body_in_bucket", "body_dropped"];

/// The fields of what stands beside the text.
pub(crate) const OUTLINE_FIELDS: [&str; 2] = ["outline", "outline_dropped"];

/// The fields of a text.
pub(crate) const TEXT_FIELDS: [&str; 3] = ["text", "text_zstd", "text_dropped"];

/// The field of a text of its own that names the contents which gained its meaning. Not in those of earlier versions.
pub(crate) const USED_BY: &str = "used_by";

/// The field of a content that names the meanings which it gained and whose texts are elsewhere.
pub(crate) const MEANINGS: &str = "meanings";

/// A body and what was read out of it. What does not fit is elsewhere or dropped, with a mark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "a stored shape, with booleans that people query")]
pub(crate) struct ContentDocument {
    pub(crate) outbound_links: Vec<String>,
    /// The documents of the collection `links` below this one with the links that follow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) more_links: Vec<String>,
    #[serde(default, skip_serializing_if = "is_unset")]
    pub(crate) links_dropped: bool,
    pub(crate) semantic_hash: String,
    pub(crate) rules: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) signatures: Option<SignaturesMap>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title_zstd: Option<Binary>,
    #[serde(default, skip_serializing_if = "is_unset")]
    pub(crate) title_dropped: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) language: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) canonical: Option<String>,
    pub(crate) directives: Directives,
    #[serde(flatten)]
    pub(crate) text: TextDocument,
    /// What stands beside the text; not in documents of the first two versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) outline: Option<Binary>,
    #[serde(default, skip_serializing_if = "is_unset")]
    pub(crate) outline_dropped: bool,
    pub(crate) size: u64,
    pub(crate) media_type: String,
    pub(crate) has_body: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) body: Option<Binary>,
    #[serde(default, skip_serializing_if = "is_unset")]
    pub(crate) body_in_bucket: bool,
    #[serde(default, skip_serializing_if = "is_unset")]
    pub(crate) body_dropped: bool,
    /// When a new record last named the content: a retention that looks at it meanwhile sees the change.
    pub(crate) named_at: FirestoreTimestamp,
}

/// `texts/{semantic hash}`: the text of a meaning that a stored content gained later, under other rules.
/// The same fields are part of a content.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct TextDocument {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text_zstd: Option<Binary>,
    #[serde(default, skip_serializing_if = "is_unset")]
    pub(crate) text_dropped: bool,
}

impl TextDocument {
    /// The fields to read.
    pub(crate) const FIELDS: [&str; 2] = ["text", "text_zstd"];

    /// Returns the text, if there is one.
    pub(crate) fn read(self) -> Result<Option<String>, StoreError> {
        plain(self.text, self.text_zstd.as_ref())
    }
}

/// The links of a content, or some of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LinksDocument {
    pub(crate) outbound_links: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) more_links: Vec<String>,
}

impl LinksDocument {
    /// The fields to read.
    pub(crate) const FIELDS: [&str; 2] = ["outbound_links", "more_links"];

    /// Returns the names of the documents with the links that follow, below the one of this name.
    pub(crate) fn names_of_more(&self, name: &str) -> impl Iterator<Item = String> {
        self.more_links.iter().map(move |id| format!("{name}/links/{id}"))
    }

    /// Reads the links in their order; those that follow are in `more`.
    pub(crate) fn read(
        &self,
        name: &str,
        more: &HashMap<String, Document>,
    ) -> Result<Vec<PageUrl>, StoreError> {
        let page = |link: &String| link.parse().map_err(unreadable);
        let mut links: Vec<PageUrl> = self.outbound_links.iter().map(page).collect::<Result<_, _>>()?;
        for name in self.names_of_more(name) {
            let document = more.get(&name).ok_or_else(|| unreadable("a part of the links is missing"))?;
            for link in super::read::<Self>(document)?.outbound_links {
                links.push(page(&link)?);
            }
        }
        Ok(links)
    }
}

/// The body of a content alone.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct BodyFields {
    #[serde(default)]
    pub(crate) body: Option<Binary>,
    #[serde(default)]
    pub(crate) body_in_bucket: bool,
}

impl BodyFields {
    /// The fields to read.
    pub(crate) const NAMES: [&str; 2] = ["body", "body_in_bucket"];
}

/// What a content says, as pages are compared.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ReadingFields {
    pub(crate) semantic_hash: String,
    #[serde(flatten)]
    pub(crate) text: TextDocument,
    #[serde(default)]
    outline: Option<Binary>,
}

impl ReadingFields {
    /// The fields to read.
    pub(crate) const NAMES: [&str; 4] = ["semantic_hash", "text", "text_zstd", "outline"];

    /// Returns the outline, if there is one.
    pub(crate) fn outline(&self) -> Result<Option<Outline>, StoreError> {
        self.outline.as_ref().map(outline_of).transpose()
    }
}

/// The title of a content alone.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct TitleFields {
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    title_zstd: Option<Binary>,
}

impl TitleFields {
    /// The fields to read.
    pub(crate) const NAMES: [&str; 2] = ["title", "title_zstd"];

    /// Returns the title, if there is one.
    pub(crate) fn read(self) -> Result<Option<String>, StoreError> {
        plain(self.title, self.title_zstd.as_ref())
    }
}

impl ContentDocument {
    /// Reads a content; links and body come from where they are.
    pub(crate) fn into_content(
        self,
        hash: ContentHash,
        links: Vec<PageUrl>,
        body: Option<Vec<u8>>,
    ) -> Result<Content, StoreError> {
        let extracted = Extracted {
            semantic: self.semantic_hash.parse().map_err(unreadable)?,
            rules: RulesVersion(self.rules),
            signatures: self.signatures.map(Signatures::from),
            title: plain(self.title, self.title_zstd.as_ref())?,
            language: self.language,
            canonical: self.canonical.map(|url| url.parse().map_err(unreadable)).transpose()?,
            links,
            text: self.text.read()?.unwrap_or_default(),
            outline: self.outline.as_ref().map(outline_of).transpose()?,
            directives: self.directives,
            // What is doubted is not stored.
            block_page: None,
            needs_scripts: false,
            breaks_off: false,
            cut: None,
            document: None,
        };
        Ok(Content { hash, size: self.size, media_type: self.media_type, extracted, body })
    }
}

fn outline_of(frame: &Binary) -> Result<Outline, StoreError> {
    let text = compression::decompress_text(&frame.0).map_err(unreadable)?;
    Outline::decode(&text).ok_or_else(|| unreadable("an outline that is none"))
}

fn plain(plain: Option<String>, frame: Option<&Binary>) -> Result<Option<String>, StoreError> {
    match (plain, frame) {
        (Some(text), _) => Ok(Some(text)),
        (None, Some(frame)) => compression::decompress_text(&frame.0).map(Some).map_err(unreadable),
        (None, None) => Ok(None),
    }
}
