//! What a report says.

use recrawl_core::model::ids::CrawlId;
use recrawl_core::url::PageUrl;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::faults::{BrokenTarget, Fault, RedirectChain};

/// The ages of [`Freshness`]: how long ago a page last changed, in days, and in words.
pub const AGES: [(i64, &str); 5] =
    [(7, "a week"), (31, "a month"), (92, "three months"), (366, "a year"), (i64::MAX, "longer")];

/// The state of a site in one crawl.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SiteReport {
    /// The crawl.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// It saw the whole site and is believed; otherwise much may be missing.
    pub is_whole: bool,
    /// Pages by what they answered, most first.
    pub statuses: Vec<StatusRow>,
    /// Sections by the age of their last changes, the largest first.
    pub freshness: Vec<Freshness>,
    /// Pages that took longest, in milliseconds.
    pub slowest: Vec<Figure>,
    /// Pages that change most often, in changes a day.
    pub most_changing: Vec<Figure>,
    /// Links that lead nowhere.
    pub broken: FirstRows<BrokenRow>,
    /// Pages that are there although nothing leads to them.
    pub orphans: FirstRows<String>,
    /// Redirects, followed to their end.
    pub redirects: FirstRows<RedirectChain>,
    /// Addresses that say the same, in groups.
    pub duplicates: FirstRows<Vec<String>>,
}

/// The first rows of many.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FirstRows<T> {
    /// How many there are.
    pub total: usize,
    /// The first of them.
    pub rows: Vec<T>,
}

/// How many pages answered so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StatusRow {
    /// The status, or `no answer`, `not asked`.
    pub answer: String,
    /// How many pages.
    pub pages: u64,
}

/// How old the pages of a section are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Freshness {
    /// The section; empty for the root.
    pub section: String,
    /// Its pages.
    pub pages: u64,
    /// Those whose last change is at most a week, a month, three months, a year old when the crawl ended, and
    /// the rest.
    pub by_age: [u64; 5],
}

/// A figure of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Figure {
    /// The page.
    #[schema(value_type = String, format = "uri")]
    pub url: PageUrl,
    /// The figure.
    pub figure: f64,
}

/// A link that leads nowhere, in brief: [`BrokenTarget`] names every page that it stands on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BrokenRow {
    /// Where it leads.
    #[schema(value_type = String, format = "uri")]
    pub url: PageUrl,
    /// There is no page; otherwise it could not be read this time.
    pub is_absent: bool,
    /// The status, if there was an answer.
    pub status: Option<u16>,
    /// How many pages lead there.
    pub referrers: usize,
    /// The first of them.
    #[schema(value_type = Vec<String>)]
    pub first_referrers: Vec<PageUrl>,
}

impl From<BrokenTarget> for BrokenRow {
    fn from(target: BrokenTarget) -> Self {
        Self {
            url: target.url,
            is_absent: match target.fault {
                Fault::Absent => true,
                Fault::Failed => false,
            },
            status: target.status,
            referrers: target.referrers.len(),
            first_referrers: target.referrers.into_iter().take(3).collect(),
        }
    }
}
