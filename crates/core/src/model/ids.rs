//! Identifiers: what names a site, a crawl, a body and a change.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::model::edit::EditId;
use crate::model::verdict::Verdict;
use crate::url::PageUrl;

/// Why a text is not an identifier.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IdError {
    /// See [`SiteId`].
    #[error(
        "{0:?} is not a site name: 1 to 100 of a-z, 0-9, '.', '_' and '-', beginning with a letter or digit"
    )]
    Site(String),
    /// See [`CrawlId`].
    #[error("{0:?} is not a crawl: crawl-YYYY-MM-DD, or crawl-YYYY-MM-DD-N for the N-th of a day")]
    Crawl(String),
    /// See [`ContentHash`] and [`SemanticHash`].
    #[error("{0:?} is not a SHA-256 in 64 hexadecimal digits")]
    Hash(String),
}

/// The name of a site in a store: short, and safe in file names and URLs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SiteId(Arc<str>);

impl SiteId {
    const MAX_LENGTH: usize = 100;

    /// Derives the name of a site from its root: `www.example.org`, or `www.example.org-news`.
    pub fn from_root(root: &PageUrl) -> Self {
        // A capsule is another site than the web site of its host.
        let protocol = if root.is_gemini() { "gemini-" } else { "" };
        let address = format!("{protocol}{}{}", root.authority(), root.path());
        let mut name = String::new();
        for character in address.chars() {
            let character = character.to_ascii_lowercase();
            let plain = character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-');
            let plain = if plain { character } else { '-' };
            if name.len() < Self::MAX_LENGTH && (plain != '-' || !name.ends_with('-')) {
                name.push(plain);
            }
        }
        let name = name.trim_matches(|character: char| !character.is_ascii_alphanumeric());
        Self(if name.is_empty() { "site".into() } else { name.into() })
    }

    /// Tells whether it is the site of a deployment that was there before there were others.
    pub fn is_default(&self) -> bool {
        &*self.0 == "default"
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SiteId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let valid = text.len() <= Self::MAX_LENGTH
            && text.bytes().next().is_some_and(plain)
            && text.bytes().all(|byte| plain(byte) || matches!(byte, b'.' | b'_' | b'-'));
        if valid { Ok(Self(text.into())) } else { Err(IdError::Site(text.to_owned())) }
    }
}

/// The name of a crawl: the UTC day on which it was opened, and which one of that day it is.
///
/// The day is what the clock said, which may have been wrong, so names have no order. A store gives every crawl a
/// running number when it is opened, and [`Store::crawls`](crate::ports::Store::crawls) returns them in that order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CrawlId {
    day: Date,
    ordinal: u32,
}

impl CrawlId {
    /// Names the first crawl of `day`.
    pub const fn first_of(day: Date) -> Self {
        Self { day, ordinal: 1 }
    }

    /// Names the next crawl of the same day.
    #[must_use]
    pub const fn following(self) -> Self {
        Self { day: self.day, ordinal: self.ordinal + 1 }
    }

    /// Returns the UTC day on which the crawl was opened.
    pub const fn day(self) -> Date {
        self.day
    }

    /// Returns which crawl of its day it is, counted from 1.
    pub const fn ordinal(self) -> u32 {
        self.ordinal
    }
}

impl fmt::Display for CrawlId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "crawl-{}", self.day)?;
        if self.ordinal > 1 {
            write!(formatter, "-{}", self.ordinal)?;
        }
        Ok(())
    }
}

impl FromStr for CrawlId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let parse = || {
            let rest = text.strip_prefix("crawl-")?;
            let (day, ordinal) = match rest.get(10..) {
                Some("") => (rest, 1),
                Some(suffix) => (rest.get(..10)?, suffix.strip_prefix('-')?.parse().ok()?),
                None => return None,
            };
            let id = Self { day: day.parse().ok()?, ordinal };
            (id.to_string() == text).then_some(id)
        };
        parse().ok_or_else(|| IdError::Crawl(text.to_owned()))
    }
}

macro_rules! sha256_newtype {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name([u8; 32]);

        impl $name {
            /// Hashes `bytes`.
            pub fn of(bytes: &[u8]) -> Self {
                Self(Sha256::digest(bytes).into())
            }

            /// Returns the 32 bytes of the hash.
            pub const fn as_bytes(&self) -> &[u8; 32] {
                &self.0
            }
        }

        impl From<[u8; 32]> for $name {
            fn from(hash: [u8; 32]) -> Self {
                Self(hash)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, formatter)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                let refused = || IdError::Hash(text.to_owned());
                if text.len() != 64 || !text.is_ascii() {
                    return Err(refused());
                }
                let mut hash = [0; 32];
                for (byte, start) in hash.iter_mut().zip((0..64).step_by(2)) {
                    *byte = u8::from_str_radix(&text[start..start + 2], 16).map_err(|_| refused())?;
                }
                Ok(Self(hash))
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;

            fn try_from(text: String) -> Result<Self, IdError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(hash: $name) -> Self {
                hash.to_string()
            }
        }
    };
}

sha256_newtype! {
    /// The SHA-256 of a body as decoded: what a body is stored under.
    ContentHash
}

sha256_newtype! {
    /// The SHA-256 of what a body means: of its canonical text, or of its bytes where it is not HTML.
    SemanticHash
}

sha256_newtype! {
    /// The stable id of an announcement or archive request, the same however often it is sent.
    EventId
}

impl EventId {
    /// Names what `crawl` found out about `page`.
    pub fn new(crawl: CrawlId, page: &PageUrl) -> Self {
        Self::of_address(&crawl.to_string(), page.as_str())
    }

    /// Names the same by the name of the crawl and the address of the page, which are not checked.
    pub fn of_address(crawl: &str, address: &str) -> Self {
        Self::of([crawl, "\n", address].concat().as_bytes())
    }

    /// Returns the name of the same among those of all sites of a deployment: two sites may have a page, and a crawl of one
    /// name. Those of the default site are as they are, because they were so before there were others.
    #[must_use]
    pub fn among_sites(self, site: &SiteId) -> Self {
        if site.is_default() { self } else { Self::of(format!("{site}\n{self}").as_bytes()) }
    }

    /// Names a shared change that `crawl` found.
    pub fn of_shared(crawl: CrawlId, change: EditId) -> Self {
        Self::of_address(&crawl.to_string(), &format!("{:016x}", change.0))
    }

    /// Names the pages below a folder that `crawl` found to be new, or gone, together. No address has a blank in it.
    pub fn of_folder(crawl: CrawlId, verdict: Verdict, folder: &str) -> Self {
        Self::of_address(&crawl.to_string(), &format!("{verdict} {folder}"))
    }
}

/// How a [`RulesVersion`] ends that is for the beginning of bodies.
const BEGINNING: &str = " (beginning)";

/// The version of everything that turns a body into a [`SemanticHash`].
///
/// Hashes of different versions are never compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RulesVersion(pub String);

impl RulesVersion {
    /// How the versions begin that are for files which are text, but no pages.
    pub const TEXT_FILE: &'static str = "text ";

    /// How the versions begin that are for documents, such as PDF.
    pub const DOCUMENT: &'static str = "document ";

    /// Names the one rule for what is no text: the bytes are the meaning.
    pub fn bytes() -> Self {
        Self("bytes".to_owned())
    }

    /// Tells whether the bytes are the meaning.
    pub fn is_bytes(&self) -> bool {
        *self == Self::bytes()
    }

    /// Returns the version for text of which every visit is a version of its own, whatever it says.
    pub fn of_each_visit() -> Self {
        Self(format!("{}each visit", Self::TEXT_FILE))
    }

    /// Tells whether every visit is a version of its own.
    pub fn is_of_each_visit(&self) -> bool {
        self.0.strip_suffix(BEGINNING).unwrap_or(&self.0) == Self::of_each_visit().0
    }

    /// Tells whether it is a version for files which are text, but no pages.
    pub fn is_of_text_file(&self) -> bool {
        self.0.starts_with(Self::TEXT_FILE)
    }

    /// Tells whether it is a version for documents.
    pub fn is_of_document(&self) -> bool {
        self.0.starts_with(Self::DOCUMENT)
    }

    /// Returns the version for bodies of which only the beginning was received.
    #[must_use]
    pub fn of_beginning(&self) -> Self {
        Self(format!("{}{BEGINNING}", self.0))
    }

    /// Tells whether it is the version for bodies of which only the beginning was received.
    pub fn is_of_beginning(&self) -> bool {
        self.0.ends_with(BEGINNING)
    }

    /// Returns the version for whole bodies.
    #[must_use]
    pub fn of_whole(&self) -> Self {
        Self(self.0.strip_suffix(BEGINNING).unwrap_or(&self.0).to_owned())
    }

    /// Tells whether hashes by the two can be compared.
    ///
    /// HTML that became something else, or the other way round, means something else. Text files and documents were once
    /// judged by their bytes, and are where they cannot be read: what has both kinds of hashes may be the same.
    pub fn is_comparable_with(&self, other: &Self) -> bool {
        let is_page =
            |rules: &Self| *rules != Self::bytes() && !rules.is_of_text_file() && !rules.is_of_document();
        self == other || is_page(self) != is_page(other)
    }
}

macro_rules! text_id {
    ($name:ident) => {
        impl TryFrom<String> for $name {
            type Error = IdError;

            fn try_from(text: String) -> Result<Self, IdError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.to_string()
            }
        }
    };
}

text_id!(SiteId);
text_id!(CrawlId);

impl fmt::Display for SiteId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crawl_is_named_by_its_day_and_ordinal() {
        for text in ["crawl-2026-11-16", "crawl-2026-11-16-2", "crawl-2026-11-16-17"] {
            assert_eq!(text.parse::<CrawlId>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "crawl-",
            "crawl-2026-13-01",
            "crawl-2026-11-16-",
            "crawl-2026-11-16-1",
            "crawl-2026-11-16-02",
            "2026-11-16",
        ] {
            assert!(text.parse::<CrawlId>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_site_is_named_after_its_root() {
        let cases = [
            ("https://www.portland.gov/transportation", "www.portland.gov-transportation"),
            ("http://127.0.0.1:8080/", "127.0.0.1-8080"),
            ("http://example.org/a/b/?q=1", "example.org-a-b"),
            ("http://[::1]/", "1"),
        ];
        for (root, name) in cases {
            let id = SiteId::from_root(&root.parse().unwrap());
            assert_eq!(id.as_str(), name);
            assert_eq!(name.parse::<SiteId>().unwrap(), id);
        }
    }

    #[test]
    fn a_hash_reads_back_from_its_text() {
        let hash = ContentHash::of(b"abc");
        assert_eq!(hash.to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(hash.to_string().parse::<ContentHash>().unwrap(), hash);
        assert!("xyz".parse::<ContentHash>().is_err());
    }

    #[test]
    fn what_became_something_else_can_be_compared_and_what_is_only_read_otherwise_cannot() {
        let rules = |name: &str| RulesVersion(name.to_owned());
        for (one, other, expected) in [
            ("4-a", "4-a", true),
            ("4-a", "4-b", false),
            ("4-a", "bytes", true),
            ("4-a", "text 1", true),
            ("bytes", "bytes", true),
            ("text 1", "text 1", true),
            ("text 1", "bytes", false),
            ("text 1", "text 2", false),
            ("text 1", "text 1 (beginning)", false),
            ("document 1", "document 1", true),
            ("document 1", "document 2", false),
            ("document 1", "bytes", false),
            ("document 1", "text 1", false),
            ("document 1", "4-a", true),
        ] {
            assert_eq!(rules(one).is_comparable_with(&rules(other)), expected, "{one}, {other}");
            assert_eq!(rules(other).is_comparable_with(&rules(one)), expected, "{other}, {one}");
        }
    }
}
