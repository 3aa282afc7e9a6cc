use async_trait::async_trait;

use crate::model::content::{Extracted, Unreadable};
use crate::model::document::{Document, DocumentFormat, UnreadDocument};
use crate::url::PageUrl;

/// Reads the text of documents.
///
/// # Contract
/// Whatever the bytes are, an answer comes within a bounded time and takes a bounded amount of memory, and never more than
/// one reading is under way in a process. The same bytes give the same document. Where nothing could be read, the error
/// says why; it is never a document without lines.
#[async_trait]
pub trait DocumentReader: Send + Sync {
    /// Returns a short name of everything that decides what is read: it differs where the same bytes may give another
    /// document.
    fn version(&self) -> &str;

    /// Reads a document.
    async fn read(&self, format: DocumentFormat, body: &[u8]) -> Result<Document, UnreadDocument>;
}

/// Reads documents as pages are read.
#[async_trait]
pub trait DocumentExtractor: Send + Sync {
    /// Reads `body`, which `url` answered with `content_type`; `None` if it is no document.
    ///
    /// A document that cannot be read is [`Extracted::unread_document`], also one of which only the beginning was received.
    async fn extract(
        &self,
        url: &PageUrl,
        content_type: Option<&str>,
        body: &[u8],
        is_beginning: bool,
    ) -> Result<Option<Extracted>, Unreadable>;
}

/// Reads no documents: for programs that were built without.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoDocuments;

#[async_trait]
impl DocumentReader for NoDocuments {
    fn version(&self) -> &'static str {
        "none"
    }

    async fn read(&self, _: DocumentFormat, _: &[u8]) -> Result<Document, UnreadDocument> {
        Err(UnreadDocument::NotBuilt)
    }
}

/// Takes no body for a document.
#[async_trait]
impl DocumentExtractor for NoDocuments {
    async fn extract(
        &self,
        _: &PageUrl,
        _: Option<&str>,
        _: &[u8],
        _: bool,
    ) -> Result<Option<Extracted>, Unreadable> {
        Ok(None)
    }
}
