//! Atom feeds (RFC 4287): of a site, of a section, of a page.

mod atom;
mod entries;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use recrawl_core::model::ids::SiteId;
use recrawl_reports::sites::found_site;

use self::atom::Feed;
use self::entries::Scope;
use crate::address::{self, NO_SECTION};
use crate::app::Served;
use crate::error::WebError;
use crate::memento::base;
use crate::parameters::Parameters;

/// Returns the routes of the feeds.
pub(crate) fn routes() -> Router<Served> {
    Router::new()
        .route("/feeds/{site}", get(of_site))
        .route("/feeds/{site}/section/{section}", get(of_section))
        .route("/feeds/{site}/page.atom", get(of_page))
}

/// `GET /feeds/{site}.atom`
async fn of_site(
    State(served): State<Served>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let site: SiteId = stem(&name)?.parse()?;
    let own = address::site_feed(&site);
    feed(&served, &headers, &site, &own, &Scope::Site).await
}

/// `GET /feeds/{site}/section/{name}.atom`
async fn of_section(
    State(served): State<Served>,
    Path((site, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let (site, section): (SiteId, &str) = (site.parse()?, stem(&name)?);
    let section = if section == NO_SECTION { "" } else { section };
    let own = address::section_feed(&site, section);
    feed(&served, &headers, &site, &own, &Scope::Section(section.to_owned())).await
}

/// `GET /feeds/{site}/page.atom?url=U`
async fn of_page(
    State(served): State<Served>,
    Path(site): Path<String>,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let (site, url): (SiteId, _) = (site.parse()?, parameters.page()?);
    let own = address::page_feed(&site, &url);
    feed(&served, &headers, &site, &own, &Scope::Page(url)).await
}

fn stem(name: &str) -> Result<&str, WebError> {
    name.strip_suffix(".atom").ok_or_else(|| WebError::NotFound("feeds end in .atom".to_owned()))
}

async fn feed(
    served: &Served,
    headers: &HeaderMap,
    site: &SiteId,
    own: &str,
    scope: &Scope,
) -> Result<Response, WebError> {
    let site = found_site(&*served.app.library, site).await?;
    let entries = entries::entries(served, &site, scope).await?;
    let states = match scope {
        Scope::Site => entries::states(served, &site).await?,
        Scope::Section(_) | Scope::Page(_) => Vec::new(),
    };
    let base = &base(&served.app, headers);
    let feed = Feed { site: &site, scope, base, own, entries: &entries, states: &states };
    Ok(([(header::CONTENT_TYPE, "application/atom+xml; charset=utf-8")], feed.written()).into_response())
}
