//! Sitemaps and feeds: XML, indexes, plain lists, RSS and Atom, compressed or not.
//!
//! Nothing here fails: of a broken file what could be read is returned, with warnings in words. An
//! index is not followed; that is for the caller, within [`MAX_DEPTH`] and [`MAX_SITEMAPS`].

mod body;
mod collector;
mod date;
mod list;
mod staleness;
mod xml;

use serde::Serialize;

use self::collector::Collector;

pub use self::date::LastModified;
pub use self::staleness::{ChangeFrequency, is_stale};

/// The most entries that are read of one file, as the sitemap protocol allows.
pub const MAX_ENTRIES: usize = 50_000;

/// The most bytes that are read of one file after decompression.
pub const MAX_BYTES: usize = 50 * 1024 * 1024;

/// How far indexes may be nested below the sitemaps a site names.
pub const MAX_DEPTH: usize = 3;

/// The most sitemaps that are fetched for one site.
pub const MAX_SITEMAPS: usize = 1_000;

/// Where sitemaps are looked for when robots.txt names none.
pub const WELL_KNOWN_PATHS: [&str; 13] = [
    "/sitemap.xml",
    "/sitemap_index.xml",
    "/sitemap-index.xml",
    "/sitemapindex.xml",
    "/sitemap/sitemap.xml",
    "/sitemaps/sitemap.xml",
    "/sitemap1.xml",
    "/sitemap-1.xml",
    "/post-sitemap.xml",
    "/page-sitemap.xml",
    "/product-sitemap.xml",
    "/category-sitemap.xml",
    "/wp-sitemap.xml",
];

/// What one file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sitemap {
    /// The entries in the order of the file, each address once.
    pub entries: Vec<Entry>,
    /// What is wrong with the file, in words.
    pub warnings: Vec<String>,
}

/// One address in a sitemap, and what is said about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// Whether the address is a page or another sitemap.
    pub kind: EntryKind,
    /// The absolute http or https address, as the URL Standard serialises it.
    pub loc: String,
    /// When it was last changed.
    pub lastmod: Option<LastModified>,
    /// How often it is said to change.
    pub changefreq: Option<ChangeFrequency>,
    /// How important it is said to be, from 0 to 1.
    pub priority: Option<f64>,
}

/// What an address in a sitemap is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// A page.
    Page,
    /// A sitemap, because this one is an index.
    Sitemap,
}

/// Reads the sitemap at `url`.
///
/// Gzip is recognised by its first bytes: a file that is called `.gz` and does not have them was
/// decompressed on its way. The encoding is that of the byte order mark, of `content_type` or of the
/// XML declaration, in this order, or else UTF-8.
pub fn parse(bytes: &[u8], content_type: Option<&str>, url: &str) -> Sitemap {
    let mut collector = Collector::new(url);
    let bytes = body::decompress(bytes, &mut collector);
    let text = body::decode(&bytes, content_type);
    if text.trim_start().starts_with('<') {
        xml::read(&text, &mut collector);
    } else {
        list::read(&text, &mut collector);
    }
    collector.finish()
}

#[cfg(test)]
mod tests;
