//! What is stored of one visit of a page, and what is known of the page after it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::decide::is_block_page;
use crate::decide::judge::redirect_target;
use crate::decide::soft_error::NEEDS_SCRIPTS;
use crate::model::archive::Archive;
use crate::model::aspect::{Aspect, Aspects, Signatures};
use crate::model::edit::Edits;
use crate::model::ids::{ContentHash, CrawlId, RulesVersion, SemanticHash, SiteId};
use crate::model::kind::{Kinds, Tier, WordCount};
use crate::model::page_memory::PageMemory;
use crate::model::stumble::STUMBLED;
use crate::model::verdict::{Sight, Verdict};
use crate::plan::change_rate;
use crate::url::{PageUrl, UrlRules};

/// One page in one crawl: the visit, and what is known after it.
///
/// A store holds at most one per site, crawl and page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageRecord {
    /// The site the page belongs to.
    pub site: SiteId,
    /// The crawl that visited it.
    pub crawl: CrawlId,
    /// The page.
    pub url: PageUrl,
    /// How the page was found in this crawl.
    pub found: Found,
    /// What happened.
    pub visit: Visit,
    /// What is known of the page, carried from crawl to crawl.
    pub known: PageState,
    /// What became of the wish to have the change archived, where there was one.
    pub archive: Option<Archive>,
}

impl PageRecord {
    /// Returns the content that the page offers, as far as is known: none where it redirects or is gone.
    pub fn offered_content(&self) -> Option<&ContentRef> {
        self.known.content.as_ref().filter(|_| self.known.presence == Presence::Present)
    }

    /// Tells whether the page answered and has next to no text without JavaScript, as far as is known.
    pub fn needs_scripts(&self) -> bool {
        self.visit.verdict.sight() == Sight::There
            && self.known.presence == Presence::Present
            && self.known.memory.as_ref().is_some_and(|memory| memory.needs_scripts)
    }

    /// Returns what is said beside the name of a document, such as "PDF, 12 pages", or why it could not be read; nothing of
    /// what is none.
    pub fn document(&self) -> Option<&str> {
        self.known.memory.as_ref()?.document.as_deref()
    }

    /// Returns the hash of the newest content that is known of the page, also of one that is gone.
    pub fn content_hash(&self) -> Option<ContentHash> {
        self.known.content.as_ref().map(|content| content.hash)
    }

    /// Returns where the page redirects: an absolute address, or the header as sent if it is none.
    pub fn location(&self) -> Option<String> {
        if self.known.presence != Presence::Redirect {
            return None;
        }
        let headers = &self.known.headers;
        let target = redirect_target(&self.url, headers, &UrlRules::keep_all_parameters());
        target.map(String::from).or_else(|| headers.location.clone())
    }
}

/// How a page was found in a crawl.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// The way it was found.
    pub by: FoundBy,
    /// Links followed from the root; 0 for the root itself. Where depth is limited, by the shortest way.
    pub depth: u32,
    /// The page that linked or redirected here first.
    pub referrer: Option<PageUrl>,
}

/// The way a page was found in a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FoundBy {
    /// It is the root, or was asked for by name.
    Seed,
    /// A page links to it.
    Link,
    /// A redirect leads to it.
    Redirect,
    /// A sitemap lists it.
    Sitemap,
    /// Nothing led to it in this crawl; it was known from an earlier one (an orphan).
    Memory,
    /// It is an image that a page shows, and is watched.
    Image,
}

/// What happened when a page was visited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Visit {
    /// What the visit found out.
    pub verdict: Verdict,
    /// What differs, where the page was found changed by comparing contents.
    pub aspects: Aspects,
    /// How near the change is to what the page is about, where there is one. Provisional while the crawl is open.
    #[serde(default)]
    pub tier: Option<Tier>,
    /// How much the change matters, from 0 to 1,000.
    #[serde(default)]
    pub weight: u32,
    /// How large it is.
    #[serde(default)]
    pub words: WordCount,
    /// What kind of change it is.
    #[serde(default)]
    pub kinds: Kinds,
    /// What went and came, where contents with other bytes were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edits: Option<Box<Edits>>,
    /// The HTTP status, if there was an answer; a 304 keeps the status it confirms.
    pub status: Option<u16>,
    /// The server confirmed by a 304 that nothing changed.
    pub not_modified: bool,
    /// What came of checking that 304.
    pub check: Check,
    /// Why the visit failed or did not take place, or what else there is to say of it, in words.
    pub reason: Option<String>,
    /// When the answer came, or when the page was passed over.
    pub fetched_at: Timestamp,
    /// Milliseconds from the start of the request to the end of the body.
    pub fetch_ms: u32,
    /// Requests made, retries included; 0 where the page was passed over.
    pub requests: u32,
    /// Bytes received, headers included, before decompression.
    pub received_bytes: u64,
    /// Bytes that a 304 or a HEAD request saved: what the page cost when it was last received whole.
    pub saved_bytes: u64,
    /// The body was longer than the limit; only its beginning was read.
    pub truncated: bool,
}

/// What a reason begins with where a HEAD request showed that the page is what it was; a validator follows.
pub const SAME_BY_HEAD: &str = "a HEAD request showed the same ";

impl Visit {
    /// Tells whether the visit found a change that people are told of: of the content, or of the page itself.
    pub fn is_told(&self) -> bool {
        self.verdict.change().is_some() && self.tier.is_none_or(|tier| tier == Tier::Content)
    }

    /// Tells whether a HEAD request showed the same validators as before. That is no 304: the server compared nothing.
    pub fn is_same_by_head(&self) -> bool {
        self.verdict == Verdict::Unchanged
            && self.reason.as_ref().is_some_and(|reason| reason.starts_with(SAME_BY_HEAD))
    }

    /// Tells whether the visit failed because the page is forbidden to us, or a firewall answered in its place.
    pub fn is_kept_out(&self) -> bool {
        self.verdict == Verdict::Failed
            && (matches!(self.status, Some(403 | 451)) || self.reason.as_deref().is_some_and(is_block_page))
    }

    /// Tells whether the visit failed because the page had text and has next to none without JavaScript.
    pub fn is_lost_to_scripts(&self) -> bool {
        self.verdict == Verdict::Failed && self.reason.as_deref() == Some(NEEDS_SCRIPTS)
    }

    /// Tells whether the visit failed because Recrawl itself could not read the page.
    pub fn is_stumble(&self) -> bool {
        self.verdict == Verdict::Failed
            && self.reason.as_ref().is_some_and(|reason| reason.starts_with(STUMBLED))
    }
}

/// What came of checking a 304 by an unconditional request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// It was not checked, or there was no 304.
    #[default]
    None,
    /// The page is what it was.
    Confirmed,
    /// The page had changed: the server did not tell the truth.
    #[serde(rename = "refuted")]
    False304,
}

/// What is known of a page after a visit. A visit without evidence leaves it as it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageState {
    /// What the page last was.
    pub presence: Presence,
    /// Headers of the last answer that told something, a 304 merged in.
    pub headers: Headers,
    /// The last content, kept also while the page is gone or redirects.
    pub content: Option<ContentRef>,
    /// Bytes received when the content was last received whole.
    pub transfer_bytes: u64,
    /// When the page was first seen.
    pub first_seen: Timestamp,
    /// When a change was last seen.
    pub last_changed: Option<Timestamp>,
    /// When the last visit that told something took place.
    pub last_seen: Timestamp,
    /// Until when the last answer said that it stays fresh (`Cache-Control`, `Expires`).
    pub fresh_until: Option<Timestamp>,
    /// How many changes were seen.
    pub changes_detected: u32,
    /// How many visits could have seen one: those with evidence, after the first.
    pub observations: u32,
    /// The weighted mean of the days between those visits, see [`crate::plan::change_rate`].
    pub mean_interval: f64,
    /// Changes a day, see [`crate::plan::change_rate`].
    pub change_frequency: f64,
    /// Which lines went and came lately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Box<PageMemory>>,
}

impl PageState {
    /// Notes what is said beside the name of a document, or that the page is none.
    pub fn note_document(&mut self, document: Option<&str>) {
        let mut memory = self.memory.take().unwrap_or_default();
        memory.document = document.map(str::to_owned);
        self.memory = Some(memory).filter(|memory| !memory.is_empty());
    }

    /// Notes whether the page has next to no text without JavaScript.
    pub fn note_scripts(&mut self, needs_scripts: bool) {
        let mut memory = self.memory.take().unwrap_or_default();
        memory.needs_scripts = needs_scripts;
        self.memory = Some(memory).filter(|memory| !memory.is_empty());
    }
}

/// What is known of a page, in brief: what decides when it is visited again.
#[derive(Debug, Clone, PartialEq)]
pub struct PageSummary {
    /// The page.
    pub url: PageUrl,
    /// What it last was.
    pub presence: Presence,
    /// How it was found.
    pub found_by: FoundBy,
    /// Links followed from the root.
    pub depth: u32,
    /// When it was first seen.
    pub first_seen: Timestamp,
    /// When the last visit that told something took place.
    pub last_seen: Timestamp,
    /// How many changes were seen.
    pub changes_detected: u32,
    /// How many visits could have seen one.
    pub observations: u32,
    /// Changes a day, as shown.
    pub change_frequency: f64,
}

impl PageSummary {
    /// Returns how many changes a day are expected, for planning visits.
    pub fn expected_rate(&self) -> f64 {
        let watched = change_rate::days_between(self.first_seen, self.last_seen);
        change_rate::expected(self.observations, self.changes_detected, watched)
    }
}

impl From<&PageRecord> for PageSummary {
    fn from(record: &PageRecord) -> Self {
        let known = &record.known;
        Self {
            url: record.url.clone(),
            presence: known.presence,
            found_by: record.found.by,
            depth: record.found.depth,
            first_seen: known.first_seen,
            last_seen: known.last_seen,
            changes_detected: known.changes_detected,
            observations: known.observations,
            change_frequency: known.change_frequency,
        }
    }
}

/// What a page last was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    /// Never seen: only failures, exclusions or broken links so far.
    Unknown,
    /// It had content.
    Present,
    /// It redirected; [`Headers::location`] says where.
    Redirect,
    /// It answered 404.
    Gone,
    /// It answered 410 and is not visited any more.
    GoneForGood,
}

impl Presence {
    /// Tells whether the page has been seen and has not gone.
    pub const fn is_live(self) -> bool {
        match self {
            Self::Present | Self::Redirect => true,
            Self::Unknown | Self::Gone | Self::GoneForGood => false,
        }
    }
}

/// The headers that are stored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Headers {
    /// The entity tag, as sent.
    pub etag: Option<String>,
    /// The date of last modification, as sent.
    pub last_modified: Option<String>,
    /// Where a redirect leads, as sent.
    pub location: Option<String>,
    /// The media type with its parameters, as sent.
    pub content_type: Option<String>,
    /// Directives for robots, as sent in `X-Robots-Tag`; a line each where there were several.
    pub robots_tag: Option<String>,
}

impl Headers {
    /// Brings these headers up to date by those of a 304 (RFC 9111 section 3.2).
    pub fn update(&mut self, newer: &Self) {
        let Self { etag, last_modified, location, content_type, robots_tag } = self;
        for (header, newer) in [
            (etag, &newer.etag),
            (last_modified, &newer.last_modified),
            (location, &newer.location),
            (content_type, &newer.content_type),
            (robots_tag, &newer.robots_tag),
        ] {
            if newer.is_some() && header != newer {
                header.clone_from(newer);
            }
        }
    }

    /// Returns what a conditional request can carry, if there is anything.
    pub fn validators(&self) -> Option<Validators> {
        let validators = Validators { etag: self.etag.clone(), last_modified: self.last_modified.clone() };
        (validators != Validators::default()).then_some(validators)
    }
}

/// What makes a request conditional.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validators {
    /// For `If-None-Match`.
    pub etag: Option<String>,
    /// For `If-Modified-Since`.
    pub last_modified: Option<String>,
}

/// Names the content of a page: its bytes, and what they mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentRef {
    /// The bytes.
    pub hash: ContentHash,
    /// The meaning.
    pub semantic: SemanticHash,
    /// The rules by which the meaning was found.
    pub rules: RulesVersion,
    /// Where it leads and what it shows, where that is known.
    pub signatures: Option<Signatures>,
}

impl ContentRef {
    /// Returns from which sides two contents differ that were read by the same rules. Where a signature is not
    /// known, it does not differ.
    pub fn differences(&self, other: &Self) -> Aspects {
        let beside = self.signatures.zip(other.signatures);
        let beside = beside.map_or(Aspects::NONE, |(one, two)| one.differences(&two));
        if self.semantic == other.semantic { beside } else { beside.with(Aspect::Text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_304_updates_the_headers_it_carries_and_keeps_the_rest() {
        let stored = Headers {
            etag: Some("\"1\"".to_owned()),
            content_type: Some("text/html".to_owned()),
            ..Headers::default()
        };
        let newer = Headers { etag: Some("\"2\"".to_owned()), ..Headers::default() };
        let mut merged = stored;
        merged.update(&newer);
        assert_eq!(merged.etag.as_deref(), Some("\"2\""));
        assert_eq!(merged.content_type.as_deref(), Some("text/html"));
    }

    #[test]
    fn a_page_without_validators_is_asked_for_unconditionally() {
        assert_eq!(Headers::default().validators(), None);
    }
}
