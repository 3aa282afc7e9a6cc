//! Atom feeds (RFC 4287): of all sites, of a site, of a section, of a page; a hundred changes at a time (RFC 5005).

mod atom;
mod content;
mod scope;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use jiff::Timestamp;
use recrawl_core::model::ids::SiteId;
use recrawl_reports::sites::found_site;

use self::atom::Feed;
use self::scope::{Place, Scope};
use crate::address::{self, NO_SECTION};
use crate::app::Served;
use crate::error::WebError;
use crate::memento::base;
use crate::parameters::Parameters;

/// The most pages of a feed.
const MOST_PAGES: usize = 1_000_000;

/// The parameters that say which part of a feed is meant, and not which feed.
const PLACE: [&str; 2] = ["page", "until"];

/// Returns the routes of the feeds.
pub(crate) fn routes() -> Router<Served> {
    Router::new()
        .route("/feeds.atom", get(of_everything))
        .route("/feeds/{site}", get(of_site))
        .route("/feeds/{site}/section/{section}", get(of_section))
        .route("/feeds/{site}/page.atom", get(of_page))
}

/// `GET /feeds.atom`
async fn of_everything(
    State(served): State<Served>,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    feed(&served, &headers, &parameters, address::FEED_OF_EVERYTHING, Scope::Everything).await
}

/// `GET /feeds/{site}.atom`
async fn of_site(
    State(served): State<Served>,
    Path(name): Path<String>,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let site: SiteId = stem(&name)?.parse()?;
    let own = address::site_feed(&site);
    let scope = Scope::Site(found_site(&*served.app.library, &site).await?);
    feed(&served, &headers, &parameters, &own, scope).await
}

/// `GET /feeds/{site}/section/{name}.atom`
async fn of_section(
    State(served): State<Served>,
    Path((site, name)): Path<(String, String)>,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let (site, section): (SiteId, &str) = (site.parse()?, stem(&name)?);
    let section = if section == NO_SECTION { "" } else { section };
    let own = address::section_feed(&site, section);
    let scope = Scope::Section(found_site(&*served.app.library, &site).await?, section.to_owned());
    feed(&served, &headers, &parameters, &own, scope).await
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
    let scope = Scope::Page(found_site(&*served.app.library, &site).await?, url);
    feed(&served, &headers, &parameters, &own, scope).await
}

fn stem(name: &str) -> Result<&str, WebError> {
    name.strip_suffix(".atom").ok_or_else(|| WebError::NotFound("feeds end in .atom".to_owned()))
}

async fn feed(
    served: &Served,
    headers: &HeaderMap,
    parameters: &Parameters,
    feed: &str,
    scope: Scope,
) -> Result<Response, WebError> {
    let place = place(parameters)?;
    let filter = parameters.changes_filter()?;
    let named = parameters.crawl("crawl")?;
    let news = scope.news(served.reports(), filter, place, named).await?;
    if place.page > 1 && news.items.is_empty() {
        return Err(WebError::NotFound(format!("the feed has no page {}", place.page)));
    }
    // What stands in the path of a feed is a part of its name already.
    let given: Vec<(&str, &str)> =
        parameters.pairs().filter(|(name, _)| *name != "url" && !PLACE.contains(name)).collect();
    let whole = address::and_query(feed, &given);
    let at = |page: usize| {
        let until = news.until.or(place.until).map(|until| until.to_string()).unwrap_or_default();
        let page = page.to_string();
        address::and_query(&whole, &[("until", &until), ("page", &page)])
    };
    let own = if place.page == 1 && place.until.is_none() { whole.clone() } else { at(place.page) };
    let previous = match place.page {
        1 => None,
        2 => Some(whole.clone()),
        page => Some(at(page - 1)),
    };
    let next = news.has_more.then(|| at(place.page + 1));
    let base = &base(&served.app, headers);
    let feed = Feed { scope: &scope, base, whole: &whole, own: &own, previous, next, news: &news };
    Ok(([(header::CONTENT_TYPE, "application/atom+xml; charset=utf-8")], feed.written()).into_response())
}

fn place(parameters: &Parameters) -> Result<Place, WebError> {
    let until = parameters.get("until").map(str::parse::<Timestamp>).transpose();
    let until = until
        .map_err(|_| WebError::BadRequest("until must be a time such as 2026-11-16T04:00:00Z".to_owned()))?;
    Ok(Place { page: parameters.number("page", MOST_PAGES)?.unwrap_or(1), until })
}
