//! Atom feeds (RFC 4287): of a site, of a section, of a page.

mod atom;
mod entries;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use recrawl_core::ids::SiteId;

use self::atom::Feed;
use self::entries::Scope;
use crate::address;
use crate::app::App;
use crate::error::WebError;
use crate::memento::base;
use crate::parameters::Parameters;
use crate::views::found_site;

/// Returns the routes of the feeds.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/feeds/{site}", get(of_site))
        .route("/feeds/{site}/section/{section}", get(of_section))
        .route("/feeds/{site}/page.atom", get(of_page))
}

/// `GET /feeds/{site}.atom`
async fn of_site(
    State(app): State<App>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let site: SiteId = stem(&name)?.parse()?;
    let own = address::site_feed(&site);
    feed(&app, &headers, &site, &own, &Scope::Site).await
}

/// `GET /feeds/{site}/section/{name}.atom`
async fn of_section(
    State(app): State<App>,
    Path((site, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let (site, section): (SiteId, &str) = (site.parse()?, stem(&name)?);
    let section = if section == "-" { "" } else { section };
    let own = address::section_feed(&site, section);
    feed(&app, &headers, &site, &own, &Scope::Section(section.to_owned())).await
}

/// `GET /feeds/{site}/page.atom?url=U`
async fn of_page(
    State(app): State<App>,
    Path(site): Path<String>,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let (site, url): (SiteId, _) = (site.parse()?, parameters.page()?);
    let own = address::page_feed(&site, &url);
    feed(&app, &headers, &site, &own, &Scope::Page(url)).await
}

fn stem(name: &str) -> Result<&str, WebError> {
    name.strip_suffix(".atom").ok_or_else(|| WebError::NotFound("feeds end in .atom".to_owned()))
}

async fn feed(
    app: &App,
    headers: &HeaderMap,
    site: &SiteId,
    own: &str,
    scope: &Scope,
) -> Result<Response, WebError> {
    let site = found_site(&*app.library, site).await?;
    let entries = entries::entries(app, &site, scope).await?;
    let feed = Feed { site: &site, scope, base: &base(app, headers), own, entries: &entries };
    Ok(([(header::CONTENT_TYPE, "application/atom+xml; charset=utf-8")], feed.written()).into_response())
}
