//! One of two versions that are compared: what it says, or what is known of it where it says nothing.

use recrawl_core::model::ids::{RulesVersion, SiteId};
use recrawl_core::model::record::{ContentRef, PageRecord, Presence};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::Library;
use crate::error::WebError;

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

/// Returns the content that a record stands for: none where the page redirected or was gone.
pub(crate) fn content_of(record: &PageRecord) -> Option<&ContentRef> {
    record.known.content.as_ref().filter(|_| record.known.presence == Presence::Present)
}

/// Tells whether a content has a text: other files than HTML pages are judged by their bytes.
pub(super) fn has_text(content: &ContentRef) -> bool {
    content.rules != RulesVersion::bytes()
}

/// Returns the text of a record's content, or nothing if it has none because it is no HTML page.
pub(super) async fn text_of(
    library: &dyn Library,
    site: &SiteId,
    content: Option<&ContentRef>,
) -> Result<Option<String>, WebError> {
    match content.filter(|content| has_text(content)) {
        Some(content) => Ok(library.text(site, &content.semantic).await?),
        None => Ok(None),
    }
}

/// Returns the size of a content in bytes.
pub(super) async fn size_of(
    library: &dyn Library,
    site: &SiteId,
    content: Option<&ContentRef>,
) -> Result<Option<u64>, WebError> {
    match content {
        Some(content) => Ok(library.content(site, &content.hash).await?.map(|content| content.size)),
        None => Ok(None),
    }
}

/// Returns what is known of two versions beside their text: all of it, or what differs.
pub(super) async fn facts(
    library: &dyn Library,
    older: Option<&PageRecord>,
    newer: &PageRecord,
) -> Result<Vec<Fact>, WebError> {
    let of_older = match older {
        Some(older) => known_of(library, older).await?,
        None => Default::default(),
    };
    let pairs = NAMES.into_iter().zip(of_older.into_iter().zip(known_of(library, newer).await?));
    let known = pairs.filter(|(_, (older, newer))| older.is_some() || newer.is_some());
    Ok(known.map(|(name, (older, newer))| Fact { name: name.to_owned(), older, newer }).collect())
}

const NAMES: [&str; 8] =
    ["status", "location", "content-type", "size", "sha-256", "last-modified", "etag", "x-robots-tag"];

async fn known_of(library: &dyn Library, record: &PageRecord) -> Result<[Option<String>; 8], WebError> {
    let headers = &record.known.headers;
    let content = content_of(record);
    let size = size_of(library, &record.site, content).await?;
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
