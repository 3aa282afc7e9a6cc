//! A shared change in a list of changes.

use recrawl_core::model::aspect::Aspect;
use recrawl_core::model::edit::EditId;
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::model::kind::{Kinds, Tier};
use recrawl_core::model::region::Region;
use recrawl_core::model::shared_change::{MAX_SAMPLES, MAX_URLS, SharedBy, SharedChange};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use serde::Serialize;
use utoipa::ToSchema;

use super::{ChangeName, ReviewView};

/// The same edit on several pages.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct SharedEntry {
    /// The first of its pages.
    #[schema(value_type = Option<String>, format = "uri")]
    pub url: Option<PageUrl>,
    /// Always `shared`.
    #[schema(value_type = String)]
    pub kind: Verdict,
    /// The crawl that found it.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// Its id: 16 hexadecimal digits, the same wherever the same words went and came.
    #[schema(value_type = String)]
    pub id: EditId,
    /// The site.
    #[schema(value_type = String)]
    pub site: SiteId,
    /// The tier of the place where it stands: 1 content, 2 around it, 3 noise.
    #[schema(value_type = u8)]
    pub tier: Tier,
    /// How much it matters, from 0 to 1,000.
    pub weight: u32,
    /// What kinds of change it is.
    #[schema(value_type = Vec<String>)]
    pub kinds: Kinds,
    /// What differs: `text`, `links`, `media` or `meta`.
    #[schema(value_type = String)]
    pub aspect: Aspect,
    /// What the pages have in common: `edit` (the same words), `shape` (words of the same shape), `shift` (a list moved
    /// on), `loss` (they lost their text), `return` (they say again what they said before), `rule` (a noise rule removed
    /// something else; `came` names it).
    #[schema(value_type = String)]
    pub by: SharedBy,
    /// What went, in short.
    pub went: Option<String>,
    /// What came, in short.
    pub came: Option<String>,
    /// On how many pages.
    pub pages: u64,
    /// Some of them, at most ten.
    #[schema(value_type = Vec<String>)]
    pub samples: Vec<PageUrl>,
    /// Where it stands: `content`, `nav`, `header`, `footer`, `aside`, `other`.
    #[schema(value_type = String)]
    pub region: Region,
    /// It is an edit of the site's frame.
    pub template: bool,
    /// It happens by itself.
    pub noise: bool,
    /// The same in other crawls of the window that told it again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<ChangeName>,
    /// What people did with it.
    #[serde(flatten)]
    #[schema(value_type = ReviewView)]
    pub review: Option<ReviewView>,
    /// All of its pages, at most a thousand; in tier 1 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    pub urls: Option<Vec<PageUrl>>,
    /// There are more; false where it is absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub urls_cut: bool,
}

impl SharedEntry {
    /// Returns a shared change of a crawl as it is listed.
    pub fn of(site: &SiteId, crawl: CrawlId, change: &SharedChange) -> Self {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let has_urls = change.tier == Tier::Content;
        Self {
            url: change.urls.first().cloned(),
            kind: Verdict::Shared,
            crawl,
            id: change.id,
            site: site.clone(),
            tier: change.tier,
            weight: change.weight,
            kinds: change.kinds,
            aspect: change.aspect,
            by: change.by,
            went: some(&change.went),
            came: some(&change.came),
            pages: change.pages,
            samples: change.urls.iter().take(MAX_SAMPLES).cloned().collect(),
            region: change.region,
            template: change.template,
            noise: change.noise,
            also: Vec::new(),
            review: None,
            urls: has_urls.then(|| change.urls.iter().take(MAX_URLS).cloned().collect()),
            urls_cut: has_urls && change.is_cut(),
        }
    }

    /// Returns the stable id of what is told of it: the SHA-256 of crawl, line feed and its own id.
    pub fn event(&self) -> EventId {
        EventId::of_shared(self.crawl, self.id)
    }
}
