//! Memos about pages that serve one crawl: how they are named, and when they are forgotten.

use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::{MemoIndex, StoreError};
use recrawl_core::url::PageUrl;

/// What a memo about a page of an open crawl says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageNote {
    /// The page was absent once.
    MissingOnce,
    /// The page was asked for in vain in earlier runs.
    Postponed,
}

impl PageNote {
    const ALL: [Self; 2] = [Self::MissingOnce, Self::Postponed];

    /// Returns the name of the memo about a page.
    pub fn key(self, site: &SiteId, url: &PageUrl) -> String {
        format!("{}{url}", self.beginning(site))
    }

    fn beginning(self, site: &SiteId) -> String {
        let word = match self {
            Self::MissingOnce => "absent",
            Self::Postponed => "postponed",
        };
        format!("{word} {site} ")
    }
}

/// Forgets what was noted about pages of a site whose crawl is about to be closed.
///
/// Before it is closed, because nobody looks at a closed crawl again: what a crash left behind would stay.
pub async fn forget_notes(memos: &(impl MemoIndex + ?Sized), site: &SiteId) -> Result<(), StoreError> {
    for note in PageNote::ALL {
        for (key, _) in memos.memos_with_prefix(&note.beginning(site)).await? {
            memos.delete_memo(&key).await?;
        }
    }
    Ok(())
}
