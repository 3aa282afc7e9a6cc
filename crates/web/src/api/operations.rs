//! What the API answers.

use axum::Json;
use axum::extract::{Path, State};
use recrawl_core::decide::opened_before;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_reports::changes::{ChangesView, Part, RowPlace, Slice};
use recrawl_reports::crawls::{self, CrawlView};
use recrawl_reports::difference::{Asked, ComparisonOptions, DifferenceView};
use recrawl_reports::history::{self, HistoryView, VersionView};
use recrawl_reports::search::{self, SearchHistoryView, SearchView};
use recrawl_reports::site_report::SiteReport;
use recrawl_reports::sites::{self, SiteView};
use recrawl_reports::text_diff::Context;
use recrawl_reports::{Detail, Sort};

use super::which_changes::WhichChanges;
use super::{List, cursor};
use crate::app::{App, Served};
use crate::blocking;
use crate::error::{Problem, ProblemDocument, WebError};
use crate::parameters::Parameters;

pub(super) type Answer<T> = Result<Json<T>, Problem>;

/// The most items of a list in one answer, and how many come unless another number is asked for.
const MOST: usize = 500;
const USUAL: usize = 100;

pub(super) fn limit(parameters: &Parameters) -> Result<usize, WebError> {
    Ok(parameters.number("limit", MOST)?.unwrap_or(USUAL))
}

/// Every site, with its crawls
#[utoipa::path(
    get, path = "/api/v1/sites", tag = "sites", operation_id = "sites",
    responses((status = 200, body = List<SiteView>))
)]
pub(super) async fn sites(State(app): State<App>) -> Answer<List<SiteView>> {
    Ok(Json(List { items: sites::sites(&*app.library).await?, next: None }))
}

/// A site, with its crawls
#[utoipa::path(
    get, path = "/api/v1/sites/{site}", tag = "sites", operation_id = "site",
    params(("site" = String, Path, description = "The name of the site")),
    responses((status = 200, body = SiteView), ProblemDocument)
)]
pub(super) async fn site(State(app): State<App>, Path(site): Path<String>) -> Answer<SiteView> {
    Ok(Json(sites::site(&*app.library, &site.parse()?).await?))
}

/// The crawls of a site, the newest first
#[utoipa::path(
    get, path = "/api/v1/sites/{site}/crawls", tag = "crawls", operation_id = "crawls",
    params(
        ("site" = String, Path, description = "The name of the site"),
        ("cursor" = Option<String>, Query, description = "Where to go on: `next` of the answer before"),
        ("limit" = Option<usize>, Query, description = "At most so many, up to 500; 100 unless given"),
    ),
    responses((status = 200, body = List<CrawlView>), ProblemDocument)
)]
pub(super) async fn crawls(
    State(app): State<App>,
    Path(site): Path<String>,
    parameters: Parameters,
) -> Answer<List<CrawlView>> {
    let limit = limit(&parameters)?;
    let before: Option<CrawlId> = parameters.get("cursor").map(cursor::read).transpose()?;
    let mut items = sites::site(&*app.library, &site.parse()?).await?.crawls;
    // The newest first: what was opened before comes after it here.
    if let Some(place) = before.and_then(|before| items.iter().position(|crawl| crawl.id == before)) {
        items.drain(..=place);
    }
    let has_more = items.len() > limit;
    items.truncate(limit);
    let next = items.last().filter(|_| has_more).map(|last| cursor::write(&last.id));
    Ok(Json(List { items, next }))
}

/// A crawl, in figures
#[utoipa::path(
    get, path = "/api/v1/sites/{site}/crawls/{crawl}", tag = "crawls", operation_id = "crawl",
    params(
        ("site" = String, Path, description = "The name of the site"),
        ("crawl" = String, Path, description = "The name of the crawl, such as crawl-2026-11-16"),
    ),
    responses((status = 200, body = CrawlView), ProblemDocument)
)]
pub(super) async fn crawl(
    State(app): State<App>,
    Path((site, crawl)): Path<(String, String)>,
) -> Answer<CrawlView> {
    let site: SiteId = site.parse()?;
    sites::found_site(&*app.library, &site).await?;
    let (_, crawl) = crawls::crawl(&*app.library, &site, crawl.parse()?).await?;
    Ok(Json(CrawlView::from(&crawl)))
}

/// What a crawl found: a page of it, filtered
#[derive(Debug, serde::Serialize, utoipa::ToSchema)]
pub(super) struct ChangesPage {
    #[serde(flatten)]
    changes: ChangesView,
    /// Passed as `cursor`, brings the next page; null on the last.
    next: Option<String>,
}

/// What a crawl found, one entry each distinct change, what matters most first
#[utoipa::path(
    get, path = "/api/v1/sites/{site}/crawls/{crawl}/changes", tag = "crawls", operation_id = "changes",
    params(
        ("site" = String, Path, description = "The name of the site"),
        ("crawl" = String, Path, description = "The name of the crawl, such as crawl-2026-11-16"),
        WhichChanges,
    ),
    responses((status = 200, body = ChangesPage), ProblemDocument)
)]
pub(super) async fn changes(
    State(served): State<Served>,
    Path((site, crawl)): Path<(String, String)>,
    parameters: Parameters,
) -> Answer<ChangesPage> {
    let limit = limit(&parameters)?;
    let filter = parameters.changes_filter()?;
    let sort = parameters.sort()?;
    let slice = match (parameters.get("cursor"), sort) {
        (None, _) => Slice::From(0, limit + 1),
        (Some(place), Sort::Weight) => Slice::After(cursor::read(place)?, limit + 1),
        (Some(place), Sort::Path | Sort::Time | Sort::Size | Sort::Section) => {
            Slice::From(cursor::read(place)?, limit + 1)
        }
    };
    let part = Part { sort, slice: slice.clone() };
    let library = &*served.app.library;
    let site = sites::found_site(library, &site.parse()?).await?;
    let (crawls, crawl) = crawls::crawl(library, &site.id, crawl.parse()?).await?;
    let previous = opened_before(&crawls, crawl.id).last().map(|other| other.id);
    let mut view = served.reports().changes(&site, &crawl, previous, &filter, part, Detail::All).await?;
    let has_more = view.changes.len() > limit;
    view.changes.truncate(limit);
    let last = view.changes.last().filter(|_| has_more);
    let next = last.map(|last| match (&slice, sort) {
        (_, Sort::Weight) | (Slice::After(..), _) => cursor::write(&RowPlace::of(last)),
        (Slice::From(start, _), Sort::Path | Sort::Time | Sort::Size | Sort::Section) => {
            cursor::write(&(start + limit))
        }
    });
    Ok(Json(ChangesPage { changes: view, next }))
}

/// The state of a site in its latest whole crawl: answers, freshness, slow and lively pages, faults
#[utoipa::path(
    get, path = "/api/v1/sites/{site}/report", tag = "sites", operation_id = "report",
    params(("site" = String, Path, description = "The name of the site")),
    responses((status = 200, body = SiteReport), ProblemDocument)
)]
pub(super) async fn report(State(served): State<Served>, Path(site): Path<String>) -> Answer<SiteReport> {
    let site = sites::found_site(&*served.app.library, &site.parse()?).await?;
    let report = served.reports().site_report(&*served.app.library, &site).await?;
    let report =
        report.ok_or_else(|| WebError::NotFound(format!("no crawl of site {} is closed yet", site.id)))?;
    Ok(Json(report))
}

/// The history of a page
#[utoipa::path(
    get, path = "/api/v1/sites/{site}/page", tag = "pages", operation_id = "history",
    params(
        ("site" = String, Path, description = "The name of the site"),
        ("url" = String, Query, description = "The page"),
    ),
    responses((status = 200, body = HistoryView), ProblemDocument)
)]
pub(super) async fn history(
    State(app): State<App>,
    Path(site): Path<String>,
    parameters: Parameters,
) -> Answer<HistoryView> {
    let site = sites::found_site(&*app.library, &site.parse()?).await?;
    Ok(Json(history::history(&*app.library, &site.id, &parameters.page()?, Detail::All).await?))
}

/// One version of a page: text, headers, links
#[utoipa::path(
    get, path = "/api/v1/sites/{site}/version", tag = "pages", operation_id = "version",
    params(
        ("site" = String, Path, description = "The name of the site"),
        ("url" = String, Query, description = "The page"),
        ("crawl" = Option<String>, Query, description = "As this crawl saw it; the latest unless given"),
    ),
    responses((status = 200, body = VersionView), ProblemDocument)
)]
pub(super) async fn version(
    State(app): State<App>,
    Path(site): Path<String>,
    parameters: Parameters,
) -> Answer<VersionView> {
    let site = sites::found_site(&*app.library, &site.parse()?).await?;
    let crawl = parameters.crawl("crawl")?;
    Ok(Json(history::version(&*app.library, &site.id, &parameters.page()?, crawl).await?))
}

/// The difference of two versions of a page
#[utoipa::path(
    get, path = "/api/v1/sites/{site}/difference", tag = "pages", operation_id = "difference",
    params(
        ("site" = String, Path, description = "The name of the site"),
        ("url" = String, Query, description = "The page"),
        (
            "from" = Option<String>, Query,
            description = "The older version, by a crawl; the one before the newer unless given"
        ),
        (
            "to" = Option<String>, Query,
            description = "The newer version, by a crawl; the latest unless given"
        ),
        ("of" = Option<String>, Query, description = "`text` (unless given) or `html`, for the markup"),
        (
            "context" = Option<String>, Query,
            description = "`all` for every line; 3 around a change unless given"
        ),
    ),
    responses((status = 200, body = DifferenceView), ProblemDocument)
)]
pub(super) async fn difference(
    State(served): State<Served>,
    Path(site): Path<String>,
    parameters: Parameters,
) -> Answer<DifferenceView> {
    let site = sites::found_site(&*served.app.library, &site.parse()?).await?;
    let asked = Asked {
        from: parameters.crawl("from")?,
        to: parameters.crawl("to")?,
        options: ComparisonOptions {
            markup: match parameters.get("of") {
                None | Some("text") => false,
                Some("html") => true,
                Some(_) => return Err(WebError::BadRequest("of must be text or html".to_owned()).into()),
            },
            context: match parameters.get("context") {
                None => Context::Lines(3),
                Some("all") => Context::All,
                Some(_) => {
                    return Err(WebError::BadRequest("context must be all, or absent".to_owned()).into());
                }
            },
        },
    };
    Ok(Json(served.reports().difference(&served.app.reader, &site, &parameters.page()?, &asked).await?))
}

/// Pages by what they say; nothing is found where the store cannot be searched
#[utoipa::path(
    get, path = "/api/v1/search", tag = "pages", operation_id = "search",
    params(
        ("q" = String, Query, description = "What to look for: at least one word, or a path"),
        ("site" = Option<String>, Query, description = "Only in this site"),
        ("limit" = Option<usize>, Query, description = "At most so many, up to 500; 100 unless given"),
    ),
    responses((status = 200, body = SearchView), ProblemDocument)
)]
pub(super) async fn search(State(app): State<App>, parameters: Parameters) -> Answer<SearchView> {
    let site: Option<SiteId> = parameters.get("site").map(str::parse).transpose()?;
    let query = asked_for(&parameters)?;
    Ok(Json(search::search(app.search.as_deref(), site.as_ref(), query, limit(&parameters)?).await?))
}

/// When pages said something, also those that have gone or say something else now
#[utoipa::path(
    get, path = "/api/v1/search/history", tag = "pages", operation_id = "search_history",
    params(
        ("q" = String, Query, description = "What to look for: at least one word, or a path"),
        ("site" = Option<String>, Query, description = "Only in this site"),
        ("limit" = Option<usize>, Query, description = "At most so many, up to 500; 100 unless given"),
    ),
    responses((status = 200, body = SearchHistoryView), ProblemDocument)
)]
pub(super) async fn search_history(
    State(served): State<Served>,
    parameters: Parameters,
) -> Answer<SearchHistoryView> {
    let site: Option<SiteId> = parameters.get("site").map(str::parse).transpose()?;
    let query = asked_for(&parameters)?;
    let limit = limit(&parameters)?;
    Ok(Json(blocking::search_history(&served, site, query, limit).await?))
}

fn asked_for(parameters: &Parameters) -> Result<&str, WebError> {
    parameters.get("q").ok_or_else(|| WebError::BadRequest("the parameter q is missing".to_owned()))
}
