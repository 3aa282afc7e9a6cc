//! Memento (RFC 7089): versions by time, for clients that travel.

mod headers;
mod link;
mod shelf;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use jiff::Timestamp;
use recrawl_core::url::{PageUrl, UrlRules};

use self::headers::{accept_datetime, http_date, stamp};
use self::link::{Links, TIMEMAP_TYPE};
use self::shelf::{Memento, Shelf};
use crate::app::App;
use crate::error::WebError;
use crate::stored::body_of;

/// Returns the routes of Memento. The address of the page is the rest of the path, with its query.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/timemap/link/{*rest}", get(timemap))
        .route("/timegate/{*rest}", get(timegate))
        .route("/memento/{*rest}", get(memento))
}

/// Returns where our pages are found, without a slash at the end.
pub(crate) fn base(app: &App, headers: &HeaderMap) -> String {
    if let Some(url) = &app.public_url {
        return url.as_str().trim_end_matches('/').to_owned();
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    format!("http://{host}")
}

/// `GET /timemap/link/{U}`, and `/timemap/link/{page}/{U}` where there are many
async fn timemap(State(app): State<App>, uri: Uri, headers: HeaderMap) -> Result<Response, WebError> {
    let rest = rest(&uri, "/timemap/link/");
    let (page, address) = match rest.split_once('/') {
        Some((page, address)) if !page.is_empty() && page.bytes().all(|byte| byte.is_ascii_digit()) => {
            let page = page.parse().ok().filter(|page| *page > 0);
            (page.ok_or_else(|| WebError::BadRequest("pages are counted from 1".to_owned()))?, address)
        }
        Some(_) | None => (1, &*rest),
    };
    let url = read(address)?;
    let shelf = Shelf::of(&app, &url).await?;
    let links = Links { base: &base(&app, &headers), url: &url, shelf: &shelf };
    let body =
        links.timemap(page).ok_or_else(|| WebError::NotFound(format!("the TimeMap has no page {page}")))?;
    Ok(([(header::CONTENT_TYPE, TIMEMAP_TYPE)], body).into_response())
}

/// `GET /timegate/{U}`: leads to the version of the time in `Accept-Datetime`, or to the latest
async fn timegate(State(app): State<App>, uri: Uri, headers: HeaderMap) -> Result<Response, WebError> {
    let url = read(&rest(&uri, "/timegate/"))?;
    let wanted = accept_datetime(&headers)?;
    let shelf = Shelf::of(&app, &url).await?;
    let found = match wanted {
        Some(time) => shelf.at(time),
        None => shelf.last(),
    };
    let links = Links { base: &base(&app, &headers), url: &url, shelf: &shelf };
    let mut response = StatusCode::FOUND.into_response();
    set(&mut response, header::LOCATION, &links.memento(found));
    set(&mut response, header::VARY, "accept-datetime");
    set(&mut response, header::LINK, &links.of_timegate());
    Ok(response)
}

/// `GET /memento/{YYYYMMDDhhmmss}/{U}`
async fn memento(State(app): State<App>, uri: Uri, headers: HeaderMap) -> Result<Response, WebError> {
    let rest = rest(&uri, "/memento/");
    let (time, address) = rest.split_once('/').unwrap_or((&rest, ""));
    let time = stamp(time)
        .ok_or_else(|| WebError::BadRequest("a memento is named /memento/YYYYMMDDhhmmss/URL".to_owned()))?;
    let url = read(address)?;
    let shelf = Shelf::of(&app, &url).await?;
    let links = Links { base: &base(&app, &headers), url: &url, shelf: &shelf };
    let found = shelf.at(time);
    if to_the_second(found.time) != to_the_second(time) {
        let mut response = StatusCode::FOUND.into_response();
        set(&mut response, header::LOCATION, &links.memento(found));
        return Ok(response);
    }
    let mut response = body(&app, found).await?;
    set(&mut response, header::HeaderName::from_static("memento-datetime"), &http_date(found.time));
    set(&mut response, header::LINK, &links.of_memento(found));
    Ok(response)
}

/// Returns the stored body, or the text where no body was kept.
async fn body(app: &App, memento: &Memento) -> Result<Response, WebError> {
    if let Some(response) = body_of(app, &memento.record).await? {
        return Ok(response);
    }
    let content = memento.record.known.content.as_ref();
    let text = match content {
        Some(content) => app.library.text(&memento.record.site, &content.semantic).await?,
        None => None,
    };
    let text =
        text.ok_or_else(|| WebError::NotFound("neither body nor text of this version was kept".to_owned()))?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

fn to_the_second(time: Timestamp) -> i64 {
    time.as_second()
}

/// Returns what stands behind `prefix`, with its query: both belong to the address of the page.
fn rest(uri: &Uri, prefix: &str) -> String {
    let whole = uri.path_and_query().map_or("", |both| both.as_str());
    whole.strip_prefix(prefix).unwrap_or_default().to_owned()
}

fn read(address: &str) -> Result<PageUrl, WebError> {
    Ok(UrlRules::keep_all_parameters().page(address, None)?)
}

fn set(response: &mut Response, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}
