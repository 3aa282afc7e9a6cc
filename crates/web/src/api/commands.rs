//! What the API does, beside answering: the same as the buttons and forms of the pages.

use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use recrawl_core::model::ids::SiteId;
use recrawl_core::url::UrlRules;
use recrawl_reports::crawls::{self, CrawlView};
use recrawl_reports::sites::{self, SiteView, found_site};
use serde::Deserialize;
use utoipa::ToSchema;

use super::authorized::{Authorized, Sent};
use crate::app::App;
use crate::crawl_control::{IgnoreRules, NewSite, Schedule, SitePreview, SiteState};
use crate::error::{Problem, ProblemDocument, WebError};
use crate::parameters::Parameters;
use crate::rules_effect::{self, RulesEffect};

/// How long a look at a site is waited for, and how often it is asked after.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(200);

type Answer<T> = Result<Json<T>, Problem>;

async fn known(app: &App, site: &str) -> Result<SiteId, WebError> {
    Ok(found_site(&*app.library, &site.parse()?).await?.id)
}

/// What goes on with a site, and when it is crawled next
#[utoipa::path(
    get, path = "/api/v1/sites/{site}/state", tag = "doing", operation_id = "state",
    params(("site" = String, Path, description = "The name of the site")),
    responses((status = 200, body = SiteState), ProblemDocument)
)]
pub(super) async fn state(State(app): State<App>, Path(site): Path<String>) -> Answer<SiteState> {
    let site = known(&app, &site).await?;
    Ok(Json(app.found_controls()?.state(&site).await?))
}

/// Begin a crawl, or go on with the open one
#[utoipa::path(
    post, path = "/api/v1/sites/{site}/start", tag = "doing", operation_id = "start",
    params(("site" = String, Path, description = "The name of the site")),
    responses((status = 202, body = SiteState), ProblemDocument),
    security(("token" = []))
)]
pub(super) async fn start(
    State(app): State<App>,
    Path(site): Path<String>,
    Authorized(crawl_control): Authorized,
) -> Result<(StatusCode, Json<SiteState>), Problem> {
    let site = known(&app, &site).await?;
    crawl_control.start(&site).await?;
    Ok((StatusCode::ACCEPTED, Json(crawl_control.state(&site).await?)))
}

/// Let the open crawl rest after the pages in flight
#[utoipa::path(
    post, path = "/api/v1/sites/{site}/pause", tag = "doing", operation_id = "pause",
    params(("site" = String, Path, description = "The name of the site")),
    responses((status = 202, body = SiteState), ProblemDocument),
    security(("token" = []))
)]
pub(super) async fn pause(
    State(app): State<App>,
    Path(site): Path<String>,
    Authorized(crawl_control): Authorized,
) -> Result<(StatusCode, Json<SiteState>), Problem> {
    let site = known(&app, &site).await?;
    crawl_control.pause(&site).await?;
    Ok((StatusCode::ACCEPTED, Json(crawl_control.state(&site).await?)))
}

/// Close the open crawl as partial, after the pages in flight
#[utoipa::path(
    post, path = "/api/v1/sites/{site}/stop", tag = "doing", operation_id = "stop",
    params(("site" = String, Path, description = "The name of the site")),
    responses((status = 202, body = SiteState), ProblemDocument),
    security(("token" = []))
)]
pub(super) async fn stop(
    State(app): State<App>,
    Path(site): Path<String>,
    Authorized(crawl_control): Authorized,
) -> Result<(StatusCode, Json<SiteState>), Problem> {
    let site = known(&app, &site).await?;
    crawl_control.stop(&site).await?;
    Ok((StatusCode::ACCEPTED, Json(crawl_control.state(&site).await?)))
}

/// Add a site
#[utoipa::path(
    post, path = "/api/v1/sites", tag = "doing", operation_id = "add_site",
    request_body(content = NewSite, example = json!({ "root": "https://example.org/news" })),
    responses((status = 201, body = SiteView, headers(("location" = String, description = "The site"))), ProblemDocument),
    security(("token" = []))
)]
pub(super) async fn add_site(
    State(app): State<App>,
    Authorized(crawl_control): Authorized,
    Sent(wish): Sent<NewSite>,
) -> Result<impl IntoResponse, Problem> {
    let site = crawl_control.add_site(&wish).await.map_err(WebError::of_typed)?;
    let place = [(header::LOCATION, format!("/api/v1/sites/{}", site.id))];
    Ok((StatusCode::CREATED, place, Json(sites::described(&*app.library, site).await?)))
}

/// Look at what a site would be, without adding it
#[utoipa::path(
    post, path = "/api/v1/sites/preview", tag = "doing", operation_id = "preview_site",
    request_body(content = NewSite, example = json!({ "root": "https://example.org/news" })),
    responses((status = 200, body = SitePreview), ProblemDocument),
    security(("token" = []))
)]
pub(super) async fn preview_site(
    Authorized(crawl_control): Authorized,
    Sent(wish): Sent<NewSite>,
) -> Answer<SitePreview> {
    let begin = Instant::now();
    loop {
        let preview = crawl_control.first_look(&wish).await.map_err(WebError::of_typed)?;
        if preview.done || begin.elapsed() >= PATIENCE {
            return Ok(Json(preview));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// The name that a site is to have.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RenameInput {
    /// The name.
    name: String,
}

/// Give a site another name; its old addresses lead to the new ones
#[utoipa::path(
    post, path = "/api/v1/sites/{site}/rename", tag = "doing", operation_id = "rename_site",
    params(("site" = String, Path, description = "The name of the site")),
    request_body(content = RenameInput, example = json!({ "name": "city-news" })),
    responses((status = 200, body = SiteView), ProblemDocument),
    security(("token" = []))
)]
pub(super) async fn rename_site(
    State(app): State<App>,
    Path(site): Path<String>,
    Authorized(crawl_control): Authorized,
    Sent(wish): Sent<RenameInput>,
) -> Answer<SiteView> {
    let site = known(&app, &site).await?;
    let renamed = crawl_control.rename_site(&site, &wish.name).await.map_err(WebError::of_typed)?;
    Ok(Json(sites::site(&*app.library, &renamed).await?))
}

/// Delete a site with all that was read of it; a large one takes a while
#[utoipa::path(
    delete, path = "/api/v1/sites/{site}", tag = "doing", operation_id = "remove_site",
    params(("site" = String, Path, description = "The name of the site")),
    responses((status = 202, description = "It is being deleted"), ProblemDocument),
    security(("token" = []))
)]
pub(super) async fn remove_site(
    State(app): State<App>,
    Path(site): Path<String>,
    Authorized(crawl_control): Authorized,
) -> Result<StatusCode, Problem> {
    let site = known(&app, &site).await?;
    crawl_control.remove_site(&site).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Replace the schedule of a site; null takes it away
#[utoipa::path(
    put, path = "/api/v1/sites/{site}/schedule", tag = "doing", operation_id = "save_schedule",
    params(("site" = String, Path, description = "The name of the site")),
    request_body(content = Option<Schedule>, example = json!({ "cron": "0 3 * * 0", "time_zone": "UTC" })),
    responses((status = 200, body = SiteState), ProblemDocument),
    security(("token" = []))
)]
pub(super) async fn save_schedule(
    State(app): State<App>,
    Path(site): Path<String>,
    Authorized(crawl_control): Authorized,
    Sent(schedule): Sent<Option<Schedule>>,
) -> Answer<SiteState> {
    let site = known(&app, &site).await?;
    crawl_control.save_schedule(&site, schedule.as_ref()).await.map_err(WebError::of_typed)?;
    Ok(Json(crawl_control.state(&site).await?))
}

/// The ignore rules of a site
#[utoipa::path(
    get, path = "/api/v1/sites/{site}/rules", tag = "doing", operation_id = "rules",
    params(("site" = String, Path, description = "The name of the site")),
    responses((status = 200, body = IgnoreRules), ProblemDocument)
)]
pub(super) async fn rules(State(app): State<App>, Path(site): Path<String>) -> Answer<IgnoreRules> {
    let site = known(&app, &site).await?;
    Ok(Json(app.found_controls()?.rules(&site).await?))
}

/// Replace the ignore rules of a site
#[utoipa::path(
    put, path = "/api/v1/sites/{site}/rules", tag = "doing", operation_id = "save_rules",
    params(("site" = String, Path, description = "The name of the site")),
    request_body(content = IgnoreRules, example = json!({ "selectors": [".counter"], "patterns": [] })),
    responses((status = 200, body = IgnoreRules), ProblemDocument),
    security(("token" = []))
)]
pub(super) async fn save_rules(
    State(app): State<App>,
    Path(site): Path<String>,
    Authorized(crawl_control): Authorized,
    Sent(rules): Sent<IgnoreRules>,
) -> Answer<IgnoreRules> {
    let site = known(&app, &site).await?;
    crawl_control.save_rules(&site, &rules).await.map_err(WebError::of_typed)?;
    Ok(Json(crawl_control.rules(&site).await?))
}

/// What ignore rules would do to the last difference of a page
#[utoipa::path(
    post, path = "/api/v1/sites/{site}/rules/preview", tag = "doing", operation_id = "preview_rules",
    params(
        ("site" = String, Path, description = "The name of the site"),
        ("url" = String, Query, description = "The page"),
    ),
    request_body(content = IgnoreRules, example = json!({ "selectors": [".counter"], "patterns": [] })),
    responses((status = 200, body = RulesEffect), ProblemDocument),
    security(("token" = []))
)]
pub(super) async fn preview_rules(
    State(app): State<App>,
    Path(site): Path<String>,
    parameters: Parameters,
    Authorized(crawl_control): Authorized,
    Sent(rules): Sent<IgnoreRules>,
) -> Answer<RulesEffect> {
    let site = found_site(&*app.library, &site.parse()?).await?;
    let effect = rules_effect::effect(&*crawl_control, &site, &parameters.page()?, &rules).await;
    Ok(Json(effect.map_err(WebError::of_typed)?))
}

/// A page that shall be archived.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ArchiveInput {
    /// The page.
    #[schema(format = "uri")]
    url: String,
}

/// Ask the Wayback Machine for a capture of a page
#[utoipa::path(
    post, path = "/api/v1/sites/{site}/archive", tag = "doing", operation_id = "archive",
    params(("site" = String, Path, description = "The name of the site")),
    request_body(content = ArchiveInput, example = json!({ "url": "https://example.org/news" })),
    responses((status = 202, description = "It is asked for"), ProblemDocument),
    security(("token" = []))
)]
pub(super) async fn archive(
    State(app): State<App>,
    Path(site): Path<String>,
    Authorized(crawl_control): Authorized,
    Sent(wish): Sent<ArchiveInput>,
) -> Result<StatusCode, Problem> {
    let site = known(&app, &site).await?;
    let url = UrlRules::keep_all_parameters().page(&wish.url, None);
    let url = url.map_err(|error| WebError::Invalid(format!("the address is no page: {error}")))?;
    crawl_control.archive(&site, &url).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Accept the findings of an unusual crawl
#[utoipa::path(
    post, path = "/api/v1/sites/{site}/crawls/{crawl}/accept", tag = "doing", operation_id = "accept",
    params(
        ("site" = String, Path, description = "The name of the site"),
        ("crawl" = String, Path, description = "The name of the crawl, such as crawl-2026-11-16"),
    ),
    responses((status = 200, body = CrawlView), ProblemDocument),
    security(("token" = []))
)]
pub(super) async fn accept(
    State(app): State<App>,
    Path((site, crawl)): Path<(String, String)>,
    Authorized(crawl_control): Authorized,
) -> Answer<CrawlView> {
    let site = known(&app, &site).await?;
    let (_, crawl) = crawls::crawl(&*app.library, &site, crawl.parse()?).await?;
    crawl_control.accept(&site, crawl.id).await?;
    let (_, crawl) = crawls::crawl(&*app.library, &site, crawl.id).await?;
    Ok(Json(CrawlView::from(&crawl)))
}
