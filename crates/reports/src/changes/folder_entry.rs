//! Many pages below one folder in a list of changes.

use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::model::kind::{Tier, WordCount};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use serde::Serialize;
use utoipa::ToSchema;

use super::entry::Words;
use super::{ChangeName, ReviewView};

/// Many pages below one folder that are new, or gone.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct FolderEntry {
    /// The first of the pages.
    #[schema(value_type = String, format = "uri")]
    pub url: PageUrl,
    /// What happened to them: `new` or `gone`.
    #[schema(value_type = String)]
    pub kind: Verdict,
    /// The crawl that found it; the first, where several did.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// Its stable id.
    #[schema(value_type = String)]
    pub id: EventId,
    /// The same in other crawls of the window.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<ChangeName>,
    /// What people did with it.
    #[serde(flatten)]
    #[schema(value_type = ReviewView)]
    pub review: Option<ReviewView>,
    /// The section of the site that the folder is in.
    pub section: String,
    /// The site.
    #[schema(value_type = String)]
    pub site: SiteId,
    /// Always 1.
    #[schema(value_type = u8)]
    pub tier: Tier,
    /// How much the heaviest of the pages matters, from 0 to 1,000.
    pub weight: u32,
    /// How large they are together.
    #[schema(value_type = Words)]
    pub words: WordCount,
    /// The path of the folder, such as `/news/`; on another host than the site's, with that.
    pub folder: String,
    /// How many pages.
    pub pages: u64,
    /// The first of them, at most ten.
    #[schema(value_type = Vec<String>)]
    pub samples: Vec<PageUrl>,
    /// All of them, at most a thousand.
    #[schema(value_type = Vec<String>)]
    pub urls: Vec<PageUrl>,
    /// There are more; false where it is absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub urls_cut: bool,
}
