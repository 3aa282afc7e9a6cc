//! The difference of two versions of a page (diff): text or markup, facts, links and media.

mod comparison;
mod foreign;
mod pairing;
mod review;
mod rows;
mod side;
mod surroundings;

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use recrawl_core::decide::Order;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use recrawl_core::versions::{self, Version, version_in};
use recrawl_extract::HtmlExtractor;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) use self::comparison::Comparison;
pub use self::comparison::ComparisonOptions;
pub use self::foreign::ForeignAddresses;
pub use self::review::{HeadChange, Review, ReviewedVisit, Told};
pub use self::rows::{DiffRow, Fold, fold_frame, only_folded, rows};
pub use self::side::{Fact, Stored, text_or_facts};
pub(crate) use self::side::{facts, has_text, size_of, text_of};
pub use self::surroundings::{Beside, Surroundings, compare_beside};
use crate::cache::Reports;
use crate::error::ReportError;
use crate::history::PageVisits;
use crate::text_diff::{Context, Difference, Limit, compare_within};

/// Returns what reads the pages of a site, by its rules.
pub type Reader = Arc<dyn Fn(&Site) -> Arc<HtmlExtractor> + Send + Sync>;

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
    /// That the crawl of the newer version is unusual and why, where no change of it was sent yet.
    pub unusual: Option<String>,
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

/// What is to be compared.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The older version is the one of this crawl; by default the one before the newer.
    pub from: Option<CrawlId>,
    /// The newer version is the one of this crawl; by default the latest.
    pub to: Option<CrawlId>,
    /// How they are compared.
    pub options: ComparisonOptions,
}

impl Reports<'_> {
    /// Compares the text of a record with that of the record before it; `None` where one has no text, or where
    /// nothing differs.
    pub async fn text_difference(
        &self,
        record: &PageRecord,
        patience: Duration,
        context: Context,
        limit: Limit,
    ) -> Result<Option<Difference>, StoreError> {
        let before = self.history.latest_before(&record.site, record.crawl, &record.url).await?;
        let older =
            text_of(self.history, &record.site, before.as_ref().and_then(PageRecord::offered_content))
                .await?;
        let newer = text_of(self.history, &record.site, record.offered_content()).await?;
        let Some((older, newer)) = older.zip(newer) else { return Ok(None) };
        let difference = compare_within(&older, &newer, context, Instant::now() + patience, limit);
        Ok(Some(difference).filter(|difference| !difference.hunks.is_empty()))
    }

    /// Compares two versions of a page.
    pub async fn difference(
        &self,
        reader: &Reader,
        site: &Site,
        url: &PageUrl,
        asked: &Asked,
    ) -> Result<DifferenceView, ReportError> {
        let visits = PageVisits::found(self.history, &site.id, url).await?;
        let judged = visits.judged(asked.to);
        let versions = versions::versions(&judged.visits);
        let newer = chosen(&versions, asked.to, &visits.order)?;
        let from = asked.from.map(|from| visits.judged(Some(from)));
        let earlier = from.as_ref().map(|from| versions::versions(&from.visits));
        let older = match &earlier {
            Some(earlier) => Some(chosen(earlier, asked.from, &visits.order)?),
            None => newer.number.checked_sub(2).and_then(|place| versions.get(place)),
        };
        // The older one as it last was: its text was made by the rules that the newer one was compared by.
        let (before, after) = (older.map(|version| version.last), newer.first);
        let compared = self.comparison(reader, site, before, after, asked.options).await?;
        let hash = after.content_hash();
        Ok(DifferenceView {
            site: site.id.clone(),
            url: url.clone(),
            title: self.history.titles(&site.id, hash.as_slice()).await?.into_values().next(),
            older: older.map(|version| side(version, version.last, compared.older_has_text)),
            newer: side(newer, after, compared.newer_has_text),
            unusual: judged.remark(after.crawl),
            difference: compared.difference.clone(),
            of_markup: asked.options.markup,
            facts: compared.facts.clone(),
            beside: compared.beside.clone(),
            notes: compared.notes.clone(),
            versions: versions.iter().rev().map(|version| version.first.crawl).collect(),
        })
    }
}

fn chosen<'v, 'a>(
    versions: &'v [Version<'a>],
    crawl: Option<CrawlId>,
    of_crawls: &Order,
) -> Result<&'v Version<'a>, ReportError> {
    let absent = || match crawl {
        Some(crawl) => format!("there is no version of the page in {crawl}"),
        None => "the page has no version".to_owned(),
    };
    let found = match crawl {
        Some(crawl) => version_in(versions, crawl, of_crawls),
        None => versions.last(),
    };
    found.ok_or_else(|| ReportError::Absent(absent()))
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
