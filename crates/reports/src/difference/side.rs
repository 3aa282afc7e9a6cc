//! One of two versions that are compared: what it says, or what is known of it where it says nothing.

use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, RulesVersion, SiteId};
use recrawl_core::model::record::{ContentRef, PageRecord};
use recrawl_core::ports::{History, StoreError};
use serde::Serialize;
use utoipa::ToSchema;

/// Something that is known of a version beside its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Fact {
    /// What it is: `status`, `size`, a header.
    pub name: String,
    /// Its value in the older version.
    pub older: Option<String>,
    /// Its value in the newer version.
    pub newer: Option<String>,
}

/// A stored body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The crawl that fetched it.
    pub crawl: CrawlId,
    /// When.
    pub fetched_at: Timestamp,
    /// How many bytes it has.
    pub size: u64,
    /// What it is, as the server said.
    pub media_type: String,
    /// It is kept, and can be had.
    pub is_kept: bool,
}

impl Stored {
    /// Returns the bodies of these visits.
    pub(super) async fn of<'a>(
        history: &dyn History,
        records: impl Iterator<Item = &'a PageRecord>,
    ) -> Result<Vec<Self>, StoreError> {
        let mut found = Vec::new();
        for record in records {
            let Some(content) = record.offered_content() else { continue };
            let Some(content) = history.content(&record.site, &content.hash).await? else { continue };
            found.push(Self {
                crawl: record.crawl,
                fetched_at: record.visit.fetched_at,
                size: content.size,
                media_type: content.media_type,
                is_kept: content.body.is_some(),
            });
        }
        Ok(found)
    }
}

/// Tells whether a content has a text: other files than HTML pages are judged by their bytes.
pub(crate) fn has_text(content: &ContentRef) -> bool {
    content.rules != RulesVersion::bytes()
}

/// Returns the text of a record's content, or nothing if it has none because it is no HTML page.
pub(crate) async fn text_of(
    history: &dyn History,
    site: &SiteId,
    content: Option<&ContentRef>,
) -> Result<Option<String>, StoreError> {
    match content.filter(|content| has_text(content)) {
        Some(content) => Ok(history.text(site, &content.semantic).await?),
        None => Ok(None),
    }
}

/// Returns the size of a content in bytes.
pub(crate) async fn size_of(
    history: &dyn History,
    site: &SiteId,
    content: Option<&ContentRef>,
) -> Result<Option<u64>, StoreError> {
    match content {
        Some(content) => Ok(history.content(site, &content.hash).await?.map(|content| content.size)),
        None => Ok(None),
    }
}

/// Returns what is known of two versions beside their text: all of it, or what differs.
pub(crate) async fn facts(
    history: &dyn History,
    older: Option<&PageRecord>,
    newer: &PageRecord,
) -> Result<Vec<Fact>, StoreError> {
    let of_older = match older {
        Some(older) => known_of(history, older).await?,
        None => Default::default(),
    };
    let pairs = NAMES.into_iter().zip(of_older.into_iter().zip(known_of(history, newer).await?));
    let known = pairs.filter(|(_, (older, newer))| older.is_some() || newer.is_some());
    Ok(known.map(|(name, (older, newer))| Fact { name: name.to_owned(), older, newer }).collect())
}

const NAMES: [&str; 8] =
    ["status", "location", "content-type", "size", "sha-256", "last-modified", "etag", "x-robots-tag"];

async fn known_of(history: &dyn History, record: &PageRecord) -> Result<[Option<String>; 8], StoreError> {
    let headers = &record.known.headers;
    let content = record.offered_content();
    let size = size_of(history, &record.site, content).await?;
    let more = if record.visit.truncated { " and more" } else { "" };
    Ok([
        record.visit.status.map(|status| status.to_string()),
        headers.location.clone(),
        headers.content_type.clone(),
        size.map(|size| format!("{size} bytes{more}")),
        content.map(|content| content.hash.to_string()),
        headers.last_modified.clone(),
        headers.etag.clone(),
        headers.robots_tag.clone(),
    ])
}

/// Returns the text of a version; where it has none, what is known of it, a line each.
pub async fn text_or_facts(history: &dyn History, record: &PageRecord) -> Result<String, StoreError> {
    if let Some(content) = record.offered_content().filter(|content| has_text(content)) {
        return Ok(history.text(&record.site, &content.semantic).await?.unwrap_or_default());
    }
    let known = NAMES.into_iter().zip(known_of(history, record).await?);
    let mut lines = String::new();
    for (name, value) in known.filter_map(|(name, value)| Some((name, value?))) {
        let value = if name == "location" { record.location().unwrap_or(value) } else { value };
        for part in [name, ": ", &value, "\n"] {
            lines.push_str(part);
        }
    }
    Ok(lines)
}
