//! What changed on all sites in a window of time, and what people do with it.

use axum::Json;
use axum::extract::{Path, State};
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::review::{ChangeId, Note, ReviewEdit};
use recrawl_reports::changes::{
    Bounds, ChangeCounts, ChangeName, ChangesFigures, Given, ReviewView, RowPlace, SiteFigures,
};
use recrawl_reports::crawls;
use recrawl_reports::reviews;
use recrawl_reports::sites::{SiteLine, found_site};
use recrawl_reports::{ChangeRow, Detail, Sort};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::authorized::{Authorized, Sent};
use super::operations::{Answer, limit};
use super::which_changes::WhichChanges;
use super::{List, cursor};
use crate::app::Served;
use crate::error::{Problem, ProblemDocument, WebError};
use crate::parameters::Parameters;

/// The most changes that are marked at once.
const MOST_MARKED: usize = 1_000;

/// What changed on sites in a window of time: a page of it, filtered
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct WindowPage {
    /// How many entries match, on all pages.
    total: usize,
    /// How many entries there are of each sort, whichever kind is asked for, whatever people did with them.
    counts: ChangeCounts,
    /// The same of each site.
    sites: Vec<SiteFigures>,
    /// What is to be said beside the list.
    figures: ChangesFigures,
    /// Crawls of the window that are unusual: their changes are not listed until somebody accepts them.
    unusual: Vec<WaitingCrawl>,
    /// First crawls of the window: what is new to them is not listed.
    first: Vec<CrawlName>,
    /// The entries of this page of the list, one a page of a site: by weight and address, then shared changes.
    changes: Vec<ChangeRow>,
    /// Passed as `cursor`, brings the next page; null on the last.
    next: Option<String>,
}

/// An unusual crawl that waits for somebody to decide
#[derive(Debug, Serialize, ToSchema)]
struct WaitingCrawl {
    /// Its site.
    #[schema(value_type = String)]
    site: SiteId,
    /// The crawl.
    #[schema(value_type = String)]
    crawl: CrawlId,
    /// How many changes of it wait.
    changes: usize,
}

/// Names a crawl
#[derive(Debug, Serialize, ToSchema)]
struct CrawlName {
    /// Its site.
    #[schema(value_type = String)]
    site: SiteId,
    /// The crawl.
    #[schema(value_type = String)]
    crawl: CrawlId,
}

impl Parameters {
    /// Returns the window in `since` and `until`: seven days unless given.
    async fn bounds(&self, served: &Served) -> Result<Bounds, WebError> {
        let since = self.given("since")?.unwrap_or_else(Given::a_week_ago);
        let until = self.given("until")?;
        let now = (served.app.clock)();
        let needs_look = since.is_last_look() || until.as_ref().is_some_and(Given::is_last_look);
        let looked = if needs_look { reviews::last_looked(&*served.app.library, now).await? } else { None };
        Ok(Given::bounds(&since, until.as_ref(), looked, now))
    }

    /// Returns the sites in `site`, or all.
    async fn sites(&self, served: &Served) -> Result<Vec<Site>, WebError> {
        let wanted: Vec<SiteId> = self.list("site")?;
        let sites = served.app.library.sites().await?;
        if let Some(absent) = wanted.iter().find(|wanted| sites.iter().all(|site| site.id != **wanted)) {
            return Err(WebError::NotFound(format!("there is no site {absent}")));
        }
        let is_wanted = |site: &Site| wanted.is_empty() || wanted.contains(&site.id);
        Ok(sites.into_iter().filter(is_wanted).collect())
    }
}

/// What changed on all sites since then, also in crawls that ended early, one entry a page, what matters most first
#[utoipa::path(
    get, path = "/api/v1/changes", tag = "changes", operation_id = "window",
    params(
        (
            "since" = Option<String>, Query,
            description = "Since when: `7d` (unless given), `2w`, `12h`, a date, a time, a crawl, or `last-look` for the end \
                of the last visit of a person to the pages"
        ),
        (
            "until" = Option<String>, Query,
            description = "Until when: the same, the day or the crawl included; now unless given"
        ),
        (
            "site" = Option<String>, Query,
            description = "Only these sites, with commas between them; all unless given"
        ),
        WhichChanges,
    ),
    responses((status = 200, body = WindowPage), ProblemDocument)
)]
pub(super) async fn window(State(served): State<Served>, parameters: Parameters) -> Answer<WindowPage> {
    let limit = limit(&parameters)?;
    let (filter, sort) = (parameters.changes_filter()?, parameters.sort()?);
    let sites = parameters.sites(&served).await?;
    let bounds = parameters.bounds(&served).await?;
    let reports = served.reports();
    let window = reports.window(&sites, bounds, &filter, sort).await?;
    let rows = &window.changes.rows;
    // By weight the place is that of a row, so that none is passed over because another was marked meanwhile.
    let start = match (parameters.get("cursor"), sort) {
        (None, _) => 0,
        (Some(place), Sort::Weight) => {
            let place: RowPlace = cursor::read(place)?;
            rows.partition_point(|row| row.place() <= place)
        }
        (Some(place), Sort::Path | Sort::Time | Sort::Size | Sort::Section) => {
            cursor::read::<usize>(place)?.min(rows.len())
        }
    };
    let end = start.saturating_add(limit).min(rows.len());
    let last = rows[start..end].last().filter(|_| end < rows.len());
    let next = last.map(|last| match sort {
        Sort::Weight => cursor::write(&last.place()),
        Sort::Path | Sort::Time | Sort::Size | Sort::Section => cursor::write(&end),
    });
    let changes = reports.described_window(&sites, &rows[start..end], Detail::All).await?;
    let waiting = window.waiting.into_iter();
    let unusual =
        waiting.map(|(crawl, changes)| WaitingCrawl { site: crawl.site, crawl: crawl.id, changes }).collect();
    let first = window.first.into_iter().map(|crawl| CrawlName { site: crawl.site, crawl: crawl.id });
    Ok(Json(WindowPage {
        total: rows.len(),
        counts: window.counts,
        sites: window.sites,
        figures: window.changes.figures,
        unusual,
        first: first.collect(),
        changes,
        next,
    }))
}

/// How many changes nobody had seen before
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Seen {
    /// How many.
    seen: usize,
}

/// Make all changes of a window seen
///
/// Takes what `GET /api/v1/changes` takes to choose changes. Pass as `until` the time when they were shown, so that what
/// came later stays unseen.
#[utoipa::path(
    post, path = "/api/v1/changes/seen", tag = "doing", operation_id = "see_window",
    params(
        ("since" = Option<String>, Query, description = "Since when: `7d` unless given"),
        ("until" = Option<String>, Query, description = "Until when; now unless given"),
        (
            "site" = Option<String>, Query,
            description = "Only these sites, with commas between them; all unless given"
        ),
        ("starred" = Option<bool>, Query, description = "Only what somebody starred"),
        ("kind" = Option<String>, Query, description = "Verdicts, with commas between them"),
        ("tier" = Option<u8>, Query, description = "Up to this tier"),
        ("min-weight" = Option<u32>, Query, description = "How much it must matter, from 1 to 1,000"),
        ("path" = Option<String>, Query, description = "What the path must begin with"),
        ("q" = Option<String>, Query, description = "Text that address or title must contain"),
    ),
    responses((status = 200, body = Seen), ProblemDocument),
    security(("token" = []))
)]
pub(super) async fn see_window(
    State(served): State<Served>,
    parameters: Parameters,
    _: Authorized,
) -> Answer<Seen> {
    let filter = parameters.changes_filter()?;
    let sites = parameters.sites(&served).await?;
    let bounds = parameters.bounds(&served).await?;
    let seen = served.reports().see_window(&*served.app.library, &sites, bounds, &filter).await?;
    Ok(Json(Seen { seen }))
}

/// What is to be done with changes; what is not named stays as it is.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewMarks {
    /// The changes, at most a thousand.
    #[schema(max_items = 1000)]
    changes: Vec<NamedChange>,
    /// Whether they are seen.
    #[serde(default)]
    seen: Option<bool>,
    /// Whether they are starred.
    #[serde(default)]
    starred: Option<bool>,
    /// What is noted about them, at most 1,000 characters; empty takes the note away.
    #[serde(default)]
    #[schema(max_length = 1000)]
    note: Option<String>,
}

/// Names a change as lists do.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NamedChange {
    /// The crawl that found it.
    #[schema(value_type = String)]
    crawl: CrawlId,
    /// Its `id`.
    id: String,
}

/// What people did with a change
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MarkedChange {
    /// The change.
    #[serde(flatten)]
    change: ChangeName,
    /// What people did with it.
    #[serde(flatten)]
    review: ReviewView,
}

/// Make changes seen or unseen, star them, write a note about them
#[utoipa::path(
    post, path = "/api/v1/sites/{site}/marks", tag = "doing", operation_id = "mark",
    params(("site" = String, Path, description = "The name of the site")),
    request_body(
        content = NewMarks,
        example = json!({
            "changes": [{
                "crawl": "crawl-2026-11-16",
                "id": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            }],
            "seen": true,
        })
    ),
    responses((status = 200, body = List<MarkedChange>), ProblemDocument),
    security(("token" = []))
)]
pub(super) async fn mark(
    State(served): State<Served>,
    Path(site): Path<String>,
    _: Authorized,
    Sent(wish): Sent<NewMarks>,
) -> Answer<List<MarkedChange>> {
    let library = &*served.app.library;
    let site = found_site(library, &site.parse()?).await?.id;
    if wish.changes.len() > MOST_MARKED {
        return Err(WebError::Invalid(format!("at most {MOST_MARKED} changes are marked at once")).into());
    }
    let note = wish.note.as_deref().map(Note::of).transpose();
    let note = note.map_err(|error| WebError::Invalid(error.to_string()))?;
    let edit = ReviewEdit { seen: wish.seen, starred: wish.starred, note };
    let mut changes = Vec::with_capacity(wish.changes.len());
    for named in &wish.changes {
        let change = ChangeId::read(named.crawl, &named.id);
        changes.push(change.map_err(|error| WebError::Invalid(error.to_string()))?);
    }
    let mut crawls: Vec<CrawlId> = Vec::new();
    for change in &changes {
        if !crawls.contains(&change.crawl) {
            crawls::crawl(library, &site, change.crawl).await?;
            crawls.push(change.crawl);
        }
    }
    reviews::edit(library, &site, &changes, &edit, (served.app.clock)()).await?;
    let marks = reviews::marks_of(library, &site, &crawls).await?;
    let marked = |change: &ChangeId| {
        let place = crawls.iter().position(|crawl| *crawl == change.crawl)?;
        let change_name = ChangeName { crawl: change.crawl, id: change.event };
        Some(MarkedChange { change: change_name, review: marks[place].of(&change.event).into() })
    };
    Ok(Json(List { items: changes.iter().filter_map(marked).collect(), next: None }))
}

/// Where each site stands, those that need a look first, then by name
#[utoipa::path(
    get, path = "/api/v1/overview", tag = "sites", operation_id = "overview",
    responses((status = 200, body = List<SiteLine>))
)]
pub(super) async fn overview(State(served): State<Served>) -> Result<Json<List<SiteLine>>, Problem> {
    let sites = served.app.library.sites().await?;
    let mut items = served.reports().site_lines(&sites).await?;
    if let Some(crawl_control) = &served.app.crawl_control {
        for line in &mut items {
            line.next_crawl = crawl_control.state(&line.site).await?.next_crawl;
        }
    }
    Ok(Json(List { items, next: None }))
}
