//! Contents: bodies, and what was read out of them.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::model::aspect::Signatures;
use crate::model::ids::{ContentHash, RulesVersion, SemanticHash};
use crate::model::outline::Outline;
use crate::model::record::ContentRef;
use crate::url::PageUrl;

/// A body, addressed by its hash, with what was read out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The SHA-256 of the decoded bytes, or of as many as were read.
    pub hash: ContentHash,
    /// The number of those bytes.
    pub size: u64,
    /// The media type without parameters, lower-case; empty if unknown.
    pub media_type: String,
    /// What was read out of it.
    pub extracted: Extracted,
    /// The decoded bytes, where the policy keeps them.
    pub body: Option<Vec<u8>>,
}

impl Content {
    /// Returns the names of the content.
    pub fn reference(&self) -> ContentRef {
        ContentRef {
            hash: self.hash,
            semantic: self.extracted.semantic,
            rules: self.extracted.rules.clone(),
            signatures: self.extracted.signatures,
        }
    }
}

/// What a content says, as pages are compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// The canonical text.
    pub text: String,
    /// What it holds beside it, where that is known.
    pub outline: Option<Outline>,
}

/// What was read out of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// The hash of what it means.
    pub semantic: SemanticHash,
    /// The rules by which it was found.
    pub rules: RulesVersion,
    /// Where it leads and what it shows, where the body is HTML.
    pub signatures: Option<Signatures>,
    /// The title, white space collapsed.
    pub title: Option<String>,
    /// The language that the page claims.
    pub language: Option<String>,
    /// The canonical address that the page claims.
    pub canonical: Option<PageUrl>,
    /// Links to follow, in document order, without doubles.
    pub links: Vec<PageUrl>,
    /// The canonical text; empty where the body is not text.
    pub text: String,
    /// What it holds beside its text, where the body is text.
    pub outline: Option<Outline>,
    /// What the page asks of robots.
    pub directives: Directives,
    /// Why the body is not the page that was asked for, in words: a page of a firewall, a captcha.
    pub block_page: Option<String>,
    /// The body is HTML with next to no text: scripts make it. Not stored: the page's record says it.
    pub needs_scripts: bool,
    /// The body is HTML and breaks off before its end.
    pub breaks_off: bool,
    /// Why only a part of the body was read, in words: it is out of proportion to its length. The same bytes are always
    /// cut at the same place. Not stored: the visit says it.
    pub cut: Option<String>,
    /// What is said beside the name of a document, such as "PDF, 12 pages", or why it could not be read. Not stored: the
    /// page's record says it.
    pub document: Option<String>,
}

impl Extracted {
    /// Describes a body that is judged by its bytes alone.
    pub fn opaque(hash: ContentHash) -> Self {
        Self {
            semantic: SemanticHash::from(*hash.as_bytes()),
            rules: RulesVersion::bytes(),
            signatures: None,
            title: None,
            language: None,
            canonical: None,
            links: Vec::new(),
            text: String::new(),
            outline: None,
            directives: Directives::default(),
            block_page: None,
            needs_scripts: false,
            breaks_off: false,
            cut: None,
            document: None,
        }
    }

    /// Describes a document of which nothing but its bytes is known, for this reason in words.
    pub fn unread_document(hash: ContentHash, remark: String) -> Self {
        Self { document: Some(remark), ..Self::opaque(hash) }
    }
}

/// What a page asks of robots, in its markup or its headers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directives {
    /// The page does not want to be listed. Recorded.
    pub noindex: bool,
    /// The page does not want its links followed. Obeyed unless told otherwise.
    pub nofollow: bool,
}

impl Directives {
    /// Reads `X-Robots-Tag` headers, a line each, for the robot with this product token.
    ///
    /// A name such as in `otherbot: noindex` holds for the rest of its line, or until another name.
    pub fn from_headers(headers: &str, product_token: &str) -> Self {
        let of_line = |line: &str| Self::from_header(line, product_token);
        headers.lines().map(of_line).fold(Self::default(), Self::or)
    }

    fn from_header(header: &str, product_token: &str) -> Self {
        let mut directives = Self::default();
        let mut meant = true;
        for part in header.split(',') {
            let rule = match part.split_once(':') {
                Some((name, rule)) if !takes_value(name) => {
                    meant = name.trim().eq_ignore_ascii_case(product_token);
                    rule
                }
                Some(_) | None => part,
            };
            if meant {
                directives = directives.or(Self::from_rule(rule.trim()));
            }
        }
        directives
    }

    fn from_rule(rule: &str) -> Self {
        let none = rule.eq_ignore_ascii_case("none");
        Self {
            noindex: none || rule.eq_ignore_ascii_case("noindex"),
            nofollow: none || rule.eq_ignore_ascii_case("nofollow"),
        }
    }

    /// Returns what either of the two asks.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self { noindex: self.noindex || other.noindex, nofollow: self.nofollow || other.nofollow }
    }
}

/// Tells whether a name before a colon is a directive with a value, and not a robot.
fn takes_value(name: &str) -> bool {
    let known = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];
    known.iter().any(|directive| name.trim().eq_ignore_ascii_case(directive))
}

/// Which bodies are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeepBodies {
    /// Every body with other bytes.
    All,
    /// Bodies that mean something else than the one before.
    #[default]
    Changed,
    /// None; texts are kept all the same.
    None,
}

/// Why a body could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unreadable {
    /// Reading it took more processor time than a page gets.
    #[error("reading it took more than {} s of processor time", .0.as_secs())]
    Time(Duration),
    /// A rule of the user took more than its share.
    #[error("the rule `{rule}` takes too long on it; a simpler rule would do")]
    Rule {
        /// The setting and its value, such as `ignore-selector b ~ p`.
        rule: String,
    },
}

/// Reads bodies. Pure: the same bytes give the same result, or none where reading takes too long.
pub trait Extractor: Send + Sync {
    /// Returns the version of the rules in force.
    fn rules(&self) -> &RulesVersion;

    /// Reads `body`, which `url` answered with `content_type`.
    ///
    /// A body that is no text is [`Extracted::opaque`]. One that would take too much memory is
    /// [cut](Extracted::cut), one that takes too much time is an error.
    fn extract(
        &self,
        url: &PageUrl,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Result<Extracted, Unreadable>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_robots_header_is_read_for_us_alone() {
        let cases = [
            ("noindex", (true, false)),
            ("NoFollow, noindex", (true, true)),
            ("none", (true, true)),
            ("otherbot: noindex, nofollow", (false, false)),
            ("otherbot: noindex, recrawl: nofollow", (false, true)),
            ("unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow", (false, true)),
            ("noindex, nofollow", (true, true)),
            ("recrawl: nofollow", (false, true)),
            ("max-snippet:20, nofollow", (false, true)),
            ("otherbot: noindex\nnofollow", (false, true)),
            ("recrawl: noindex\notherbot: nofollow", (true, false)),
            ("otherbot: noindex\notherbot: none\n\nnoindex", (true, false)),
            ("unavailable_after: 25 Jun 2030 15:00:00 PST, noindex", (true, false)),
            ("", (false, false)),
        ];
        for (headers, (noindex, nofollow)) in cases {
            let expected = Directives { noindex, nofollow };
            assert_eq!(Directives::from_headers(headers, "recrawl"), expected, "{headers:?}");
        }
    }
}
