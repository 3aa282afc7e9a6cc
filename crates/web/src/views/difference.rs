//! The difference of two versions of a page.

use std::str::FromStr;

use jiff::Timestamp;
use recrawl_core::decide::Order;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::url::PageUrl;
use recrawl_core::versions::{Version, version_in, versions};
use serde::Serialize;
use utoipa::ToSchema;

use super::beside::Beside;
use super::comparison::ComparisonOptions;
use super::history::{Visited, visited};
use super::side::{Fact, content_of};
use crate::app::Served;
use crate::difference::Difference;
use crate::error::WebError;

/// The difference of two versions of a page.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct DifferenceView {
    /// The site.
    #[schema(value_type = String)]
    pub site: SiteId,
    /// The page.
    #[schema(value_type = String, format = "uri")]
    pub url: PageUrl,
    /// The title of the newer version.
    pub title: Option<String>,
    /// The older version; none where the page was new.
    pub older: Option<SideView>,
    /// The newer version.
    pub newer: SideView,
    /// What differs in the text, or in the markup where that is asked for; empty where there is no text.
    pub difference: Difference,
    /// The markup was compared, and not the text.
    pub of_markup: bool,
    /// Status, sizes, hashes and headers of both.
    pub facts: Vec<Fact>,
    /// Links and media that came and went.
    pub beside: Vec<Beside>,
    /// What cannot be told, and why.
    pub notes: Vec<String>,
    /// The crawls that found the versions of the page, the newest first.
    #[schema(value_type = Vec<String>)]
    pub versions: Vec<CrawlId>,
}

/// One of two versions that are compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SideView {
    /// The number of the version, counted from 1.
    pub number: usize,
    /// The crawl that saw it so.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub fetched_at: Timestamp,
    /// Where its capture can be seen.
    pub wayback_url: Option<String>,
    /// It has a text to compare.
    pub has_text: bool,
}

/// How a difference is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compared {
    /// Lines of both versions below each other.
    #[default]
    Inline,
    /// The versions beside each other.
    Side,
    /// The markup, below each other.
    Raw,
}

impl Compared {
    /// Every way, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Inline, Self::Side, Self::Raw];

    /// Returns the word in addresses.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Side => "side",
            Self::Raw => "raw",
        }
    }
}

impl FromStr for Compared {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|view| view.word() == text);
        found.ok_or_else(|| format!("{text:?} is no way to show a difference: one of inline, side, raw"))
    }
}

/// What is to be compared.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// The older version is the one of this crawl; by default the one before the newer.
    pub(crate) from: Option<CrawlId>,
    /// The newer version is the one of this crawl; by default the latest.
    pub(crate) to: Option<CrawlId>,
    /// How they are compared.
    pub(crate) options: ComparisonOptions,
}

/// Compares two versions of a page.
pub(crate) async fn difference(
    served: &Served,
    site: &Site,
    url: &PageUrl,
    asked: &Asked,
) -> Result<DifferenceView, WebError> {
    let library = &*served.app.library;
    let Visited { trusted: visits, order: of_crawls, .. } = visited(library, &site.id, url).await?;
    let versions = versions(&visits);
    let (older, newer) = chosen(&versions, asked, &of_crawls)?;
    // The older one as it last was: its text was made by the rules that the newer one was compared by.
    let (before, after) = (older.map(|version| version.last), newer.first);
    let compared = served.reading().comparison(&served.app, site, before, after, asked.options).await?;
    let hash = content_of(after).or(after.known.content.as_ref()).map(|content| content.hash);
    Ok(DifferenceView {
        site: site.id.clone(),
        url: url.clone(),
        title: library.titles(&site.id, hash.as_slice()).await?.into_values().next(),
        older: older.map(|version| side(version, version.last, compared.older_has_text)),
        newer: side(newer, after, compared.newer_has_text),
        difference: compared.difference.clone(),
        of_markup: asked.options.markup,
        facts: compared.facts.clone(),
        beside: compared.beside.clone(),
        notes: compared.notes.clone(),
        versions: versions.iter().rev().map(|version| version.first.crawl).collect(),
    })
}

fn chosen<'v, 'a>(
    versions: &'v [Version<'a>],
    asked: &Asked,
    of_crawls: &Order,
) -> Result<(Option<&'v Version<'a>>, &'v Version<'a>), WebError> {
    let found = |crawl: CrawlId| {
        version_in(versions, crawl, of_crawls)
            .ok_or_else(|| WebError::NotFound(format!("there is no version of the page in {crawl}")))
    };
    let newer = match asked.to {
        Some(crawl) => found(crawl)?,
        None => versions.last().ok_or_else(|| WebError::NotFound("the page has no version".to_owned()))?,
    };
    let older = match asked.from {
        Some(crawl) => Some(found(crawl)?),
        None => newer.number.checked_sub(2).and_then(|place| versions.get(place)),
    };
    Ok((older, newer))
}

fn side(version: &Version<'_>, record: &PageRecord, has_text: bool) -> SideView {
    SideView {
        number: version.number,
        crawl: record.crawl,
        fetched_at: record.visit.fetched_at,
        wayback_url: version.first.archive.as_ref().and_then(|archive| archive.wayback_url.clone()),
        has_text,
    }
}
