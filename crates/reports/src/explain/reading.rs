//! A stored body, read again.

use recrawl_core::model::content::Unreadable;
use recrawl_core::model::record::PageRecord;
use recrawl_core::ports::{History, StoreError};
use recrawl_extract::{Explanation, HtmlExtractor};

/// A stored body, read again by the rules in force.
#[derive(Debug)]
pub(super) enum Reading {
    /// The page has no content.
    Nothing,
    /// The body was not kept.
    NotKept,
    /// It is no HTML: no noise rule is about it.
    Opaque,
    /// It takes too long, for this reason.
    Unreadable(Unreadable),
    /// What counts, and what does not.
    Read(Box<Explanation>),
}

impl Reading {
    /// Reads the content that was known after a visit.
    pub(super) async fn of(
        history: &dyn History,
        extractor: &HtmlExtractor,
        record: &PageRecord,
    ) -> Result<Self, StoreError> {
        let Some(reference) = record.offered_content() else {
            return Ok(Self::Nothing);
        };
        // Another body with the same meaning would not do: it may hold other noise.
        let content = history.content(&record.site, &reference.hash).await?;
        let Some(body) = content.and_then(|content| content.body) else {
            return Ok(Self::NotKept);
        };
        let content_type = record.known.headers.content_type.as_deref();
        Ok(match extractor.explain(&record.url, content_type, &body) {
            Ok(Some(explanation)) => Self::Read(Box::new(explanation)),
            Ok(None) => Self::Opaque,
            Err(unreadable) => Self::Unreadable(unreadable),
        })
    }

    /// Returns what was read, if it was.
    pub(super) fn explanation(&self) -> Option<&Explanation> {
        match self {
            Self::Read(explanation) => Some(explanation),
            Self::Nothing | Self::NotKept | Self::Opaque | Self::Unreadable(_) => None,
        }
    }
}
