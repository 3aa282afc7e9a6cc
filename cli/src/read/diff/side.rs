//! One of the two versions that are compared.

use std::fmt::Write as _;

use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, RulesVersion};
use recrawl_core::model::record::{PageRecord, Presence};
use recrawl_core::ports::{History, StoreError};
use recrawl_core::url::PageUrl;
use recrawl_core::versions::Version;
use recrawl_extract::HtmlExtractor;
use recrawl_web::views::Surroundings;

use crate::read::changes::location;

/// One of the two versions that are compared.
#[derive(Debug, Clone)]
pub(super) struct Side {
    pub(super) url: PageUrl,
    pub(super) crawl: CrawlId,
    pub(super) time: Timestamp,
    pub(super) text: String,
    /// What it leads to and shows.
    pub(super) surroundings: Surroundings,
}

impl Side {
    /// Reads the older version as it last was: its text was made by the rules that the newer one
    /// was compared by.
    pub(super) async fn older(
        history: &dyn History,
        extractor: &HtmlExtractor,
        version: &Version<'_>,
    ) -> Result<Self, StoreError> {
        Self::of(history, extractor, version.last).await
    }

    /// Reads the newer version as it first was.
    pub(super) async fn newer(
        history: &dyn History,
        extractor: &HtmlExtractor,
        version: &Version<'_>,
    ) -> Result<Self, StoreError> {
        Self::of(history, extractor, version.first).await
    }

    async fn of(
        history: &dyn History,
        extractor: &HtmlExtractor,
        record: &PageRecord,
    ) -> Result<Self, StoreError> {
        let text = text(history, record).await?;
        let surroundings = Surroundings::of(history, extractor, record).await?;
        Ok(Self {
            url: record.url.clone(),
            crawl: record.crawl,
            time: record.visit.fetched_at,
            text,
            surroundings,
        })
    }

    /// Returns what names the side: `URL crawl-2026-11-16 2026-11-16T03:12:00Z`.
    pub(super) fn label(&self) -> String {
        format!("{} {} {}", self.url, self.crawl, self.time)
    }
}

/// Returns the text of a page, or a description of what has none.
async fn text(history: &dyn History, record: &PageRecord) -> Result<String, StoreError> {
    let known = &record.known;
    let reference = known.content.as_ref().filter(|_| known.presence == Presence::Present);
    if let Some(reference) = reference.filter(|reference| reference.rules != RulesVersion::bytes()) {
        return Ok(history.text(&record.site, &reference.semantic).await?.unwrap_or_default());
    }
    let content = match reference {
        Some(reference) => history.content(&record.site, &reference.hash).await?,
        None => None,
    };
    let truncated = if record.visit.truncated { " and more" } else { "" };
    let mut lines = String::new();
    for (name, value) in [
        ("status", record.visit.status.map(|status| status.to_string())),
        ("location", location(record)),
        ("content-type", known.headers.content_type.clone()),
        ("size", content.map(|content| format!("{} bytes{truncated}", content.size))),
        ("sha-256", reference.map(|reference| reference.hash.to_string())),
        ("last-modified", known.headers.last_modified.clone()),
        ("etag", known.headers.etag.clone()),
    ] {
        if let Some(value) = value {
            // Writing into a string cannot fail.
            let _ = writeln!(lines, "{name}: {value}");
        }
    }
    Ok(lines)
}
