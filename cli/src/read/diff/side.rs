//! One of the two versions that are compared.

use jiff::Timestamp;
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::record::PageRecord;
use recrawl_core::ports::{History, StoreError};
use recrawl_core::url::PageUrl;
use recrawl_core::versions::Version;
use recrawl_extract::HtmlExtractor;
use recrawl_reports::difference::{Surroundings, text_or_facts};

/// One of the two versions that are compared.
#[derive(Debug, Clone)]
pub(super) struct Side {
    pub(super) url: PageUrl,
    pub(super) crawl: CrawlId,
    pub(super) time: Timestamp,
    pub(super) text: String,
    /// What it leads to and shows.
    pub(super) surroundings: Surroundings,
    /// There is no page on this side.
    pub(super) is_absent: bool,
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
        Ok(Self {
            url: record.url.clone(),
            crawl: record.crawl,
            time: record.visit.fetched_at,
            text: text_or_facts(history, record).await?,
            surroundings: Surroundings::of(history, extractor, record).await?,
            is_absent: false,
        })
    }

    /// Returns the side on which there is no page, as a visit found, or as it was before a visit.
    pub(super) fn absent(record: &PageRecord) -> Self {
        Self {
            url: record.url.clone(),
            crawl: record.crawl,
            time: record.visit.fetched_at,
            text: String::new(),
            surroundings: Surroundings::default(),
            is_absent: true,
        }
    }

    /// Returns what names the side: `URL crawl-2026-11-16 2026-11-16T03:12:00Z`, and `/dev/null` where there is no page.
    pub(super) fn label(&self) -> String {
        if self.is_absent {
            return "/dev/null".to_owned();
        }
        format!("{} {} {}", self.url, self.crawl, self.time)
    }
}
