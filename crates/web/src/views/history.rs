//! What is known of one page: its versions and visits.

use jiff::Timestamp;
use recrawl_core::decide::Order;
use recrawl_core::model::archive::Archive;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::{PageRecord, Presence};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::plan::change_rate::Shown;
use recrawl_core::url::PageUrl;
use recrawl_core::versions::{Version, by_trust, failures, versions};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::Library;
use crate::error::WebError;

/// What is known of one page.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct HistoryView {
    /// The site.
    #[schema(value_type = String)]
    pub site: SiteId,
    /// The page.
    #[schema(value_type = String, format = "uri")]
    pub url: PageUrl,
    /// Its title when it was last seen.
    pub title: Option<String>,
    /// What it last was: `present`, `redirect`, `gone`, `goneforgood` or `unknown`.
    #[schema(value_type = String)]
    pub presence: Presence,
    /// When it was first seen.
    #[schema(value_type = String, format = DateTime)]
    pub first_seen: Timestamp,
    /// When a change was last seen.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_changed: Option<Timestamp>,
    /// How often it changes.
    pub frequency: FrequencyView,
    /// Its versions, the newest first.
    pub versions: Vec<VersionRow>,
    /// Failures that last, or lay between versions, the newest first.
    pub failures: Vec<FailuresView>,
    /// Every visit, the newest first; also those of crawls that are not believed.
    pub visits: Vec<VisitRow>,
}

/// How often a page changes.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct FrequencyView {
    /// Changes a day, as it did lately; null while no visit could have seen a change.
    pub changes_a_day: Option<f64>,
    /// Changes a day by all visits, allowing for changes that nobody saw; null while no visit could have seen one.
    pub estimated_changes_a_day: Option<f64>,
    /// What that means, in words.
    pub meaning: String,
    /// After how many seconds another visit is worth while.
    pub suggested_interval_seconds: i64,
    /// How many changes were seen.
    pub changes: u32,
    /// How many visits could have seen one.
    pub observations: u32,
}

/// A version of a page.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct VersionRow {
    /// Its number, counted from 1.
    pub number: usize,
    /// The crawl that found it.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// What that crawl found.
    #[schema(value_type = String)]
    pub kind: Verdict,
    /// The HTTP status then.
    pub status: Option<u16>,
    /// When it was first seen.
    #[schema(value_type = String, format = DateTime)]
    pub first_seen: Timestamp,
    /// When it was last seen.
    #[schema(value_type = String, format = DateTime)]
    pub last_seen: Timestamp,
    /// How many visits found it.
    pub visits: usize,
    /// When the page was found gone, if that ended the version.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub gone_at: Option<Timestamp>,
    /// Where the version redirects, as sent.
    pub location: Option<String>,
    /// What became of the wish to have it archived.
    #[schema(value_type = Option<Object>)]
    pub archive: Option<Archive>,
}

/// Failed visits after a version.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct FailuresView {
    /// The number of the version that they follow; 0 where there was none yet.
    pub after: usize,
    /// The first of them.
    #[schema(value_type = String, format = DateTime)]
    pub first: Timestamp,
    /// The last of them.
    #[schema(value_type = String, format = DateTime)]
    pub last: Timestamp,
    /// How many there were.
    pub visits: usize,
    /// Nothing has ended them yet.
    pub ongoing: bool,
}

/// A visit of a page.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct VisitRow {
    /// The crawl.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// What it found.
    #[schema(value_type = String)]
    pub kind: Verdict,
    /// The HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// The server said 304.
    pub not_modified: bool,
    /// Why it failed or did not take place.
    pub reason: Option<String>,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub fetched_at: Timestamp,
    /// How long it took.
    pub fetch_ms: u32,
    /// Bytes received.
    pub received_bytes: u64,
    /// The crawl is believed.
    pub trusted: bool,
}

/// All visits of a page, in order of their crawls.
pub(crate) struct Visited {
    /// Those of crawls that are believed.
    pub(crate) trusted: Vec<PageRecord>,
    /// The others.
    pub(crate) doubted: Vec<PageRecord>,
    /// The order of the crawls.
    pub(crate) order: Order,
}

/// Returns all visits of a page; a page without any is not found.
pub(crate) async fn visited(
    library: &dyn Library,
    site: &SiteId,
    url: &PageUrl,
) -> Result<Visited, WebError> {
    let crawls = library.crawls(site).await?;
    let visits = library.visits(site, url).await?;
    if visits.is_empty() {
        return Err(WebError::NotFound(format!("site {site} has no page {url}")));
    }
    let (trusted, doubted) = by_trust(visits, &crawls);
    Ok(Visited { trusted, doubted, order: Order::of(&crawls) })
}

/// Returns the history of a page.
pub(crate) async fn history(
    library: &dyn Library,
    site: &SiteId,
    url: &PageUrl,
) -> Result<HistoryView, WebError> {
    let Visited { trusted, doubted, order } = visited(library, site, url).await?;
    let newest = trusted.last().or(doubted.last());
    let newest = newest.ok_or_else(|| WebError::NotFound(format!("site {site} has no page {url}")))?;
    let known = &newest.known;
    let hash = known.content.as_ref().map(|content| content.hash);
    let title = library.titles(site, hash.as_slice()).await?.into_values().next();
    let mut visits: Vec<VisitRow> = trusted.iter().map(|record| visit_row(record, true)).collect();
    visits.extend(doubted.iter().map(|record| visit_row(record, false)));
    visits.sort_by_key(|visit| std::cmp::Reverse(order.place(visit.crawl)));
    let failures = failures(&trusted).into_iter().rev();
    let failures = failures.map(|failures| FailuresView {
        after: failures.after,
        first: failures.first.visit.fetched_at,
        last: failures.last.visit.fetched_at,
        visits: failures.visits,
        ongoing: failures.since.is_some(),
    });
    let shown = Shown::from(known);
    Ok(HistoryView {
        site: site.clone(),
        url: url.clone(),
        title,
        presence: known.presence,
        first_seen: known.first_seen,
        last_changed: known.last_changed,
        frequency: FrequencyView {
            changes_a_day: shown.changes_a_day,
            estimated_changes_a_day: shown.estimated_changes_a_day,
            meaning: shown.meaning().to_owned(),
            suggested_interval_seconds: shown.interval.as_secs(),
            changes: shown.changes,
            observations: shown.observations,
        },
        versions: versions(&trusted).iter().rev().map(version_row).collect(),
        failures: failures.collect(),
        visits,
    })
}

fn version_row(version: &Version<'_>) -> VersionRow {
    let first = version.first;
    VersionRow {
        number: version.number,
        crawl: first.crawl,
        kind: first.visit.verdict,
        status: first.visit.status,
        first_seen: version.first_seen(),
        last_seen: version.last_seen(),
        visits: version.visits,
        gone_at: version.gone_at(),
        location: first.known.headers.location.clone(),
        archive: first.archive.clone(),
    }
}

fn visit_row(record: &PageRecord, trusted: bool) -> VisitRow {
    let visit = &record.visit;
    VisitRow {
        crawl: record.crawl,
        kind: visit.verdict,
        status: visit.status,
        not_modified: visit.not_modified,
        reason: visit.reason.clone(),
        fetched_at: visit.fetched_at,
        fetch_ms: visit.fetch_ms,
        received_bytes: visit.received_bytes,
        trusted,
    }
}
