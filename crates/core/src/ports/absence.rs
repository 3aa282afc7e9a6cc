use async_trait::async_trait;

use crate::url::PageUrl;

/// How a host answers for a page that it does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotFoundAnswer {
    /// By a status that says so, or in a way that nobody can tell.
    Honest,
    /// By a page with this canonical text, as if it had the page.
    Page {
        /// The address that was asked for.
        asked: PageUrl,
        /// The canonical text of the answer.
        text: String,
    },
    /// By a redirect to this page.
    Redirect(PageUrl),
}

/// Knows how hosts answer for pages that they do not have.
///
/// # Contract
/// A host is asked at most once a day, for an address that nobody gave out, in its turn and as far as its
/// robots.txt permits. A host that cannot be asked counts as [`NotFoundAnswer::Honest`].
#[async_trait]
pub trait SoftErrorProbe: Send + Sync {
    /// Tells how the host of `url` answers for pages that it does not have.
    async fn absence(&self, url: &PageUrl) -> NotFoundAnswer;
}
