//! Buttons: what somebody wants to have done, without more to say about it.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use recrawl_core::model::ids::{CrawlId, SiteId};

use super::forms::refused;
use crate::address::{self, with_message};
use crate::app::App;
use crate::crawl_control::{ControlError, CrawlControl};
use crate::error::WebError;
use crate::message::Message;
use crate::parameters::{Parameters, Typed};
use crate::visitor::permitted_write;
use recrawl_reports::sites::found_site;

/// `POST /sites/{site}/start`
pub(super) async fn start(
    State(app): State<App>,
    Path(site): Path<String>,
    headers: HeaderMap,
    Typed(typed): Typed,
) -> Result<Response, WebError> {
    let (crawl_control, site) = checked(&app, &headers, &typed, &site).await?;
    Ok(followed(crawl_control.start(&site).await, &address::site(&site), Message::Started))
}

/// `POST /sites/{site}/pause`
pub(super) async fn pause(
    State(app): State<App>,
    Path(site): Path<String>,
    headers: HeaderMap,
    Typed(typed): Typed,
) -> Result<Response, WebError> {
    let (crawl_control, site) = checked(&app, &headers, &typed, &site).await?;
    Ok(followed(crawl_control.pause(&site).await, &address::site(&site), Message::Paused))
}

/// `POST /sites/{site}/stop`
pub(super) async fn stop(
    State(app): State<App>,
    Path(site): Path<String>,
    headers: HeaderMap,
    Typed(typed): Typed,
) -> Result<Response, WebError> {
    let (crawl_control, site) = checked(&app, &headers, &typed, &site).await?;
    Ok(followed(crawl_control.stop(&site).await, &address::site(&site), Message::Stopped))
}

/// `POST /sites/{site}/archive`, with `url`
pub(super) async fn archive(
    State(app): State<App>,
    Path(site): Path<String>,
    headers: HeaderMap,
    Typed(typed): Typed,
) -> Result<Response, WebError> {
    let (crawl_control, site) = checked(&app, &headers, &typed, &site).await?;
    let url = typed.page()?;
    let back = address::page(&site, &url);
    Ok(followed(crawl_control.archive(&site, &url).await, &back, Message::ArchiveAsked))
}

/// `POST /sites/{site}/crawls/{crawl}/accept`
pub(super) async fn accept(
    State(app): State<App>,
    Path((site, crawl)): Path<(String, String)>,
    headers: HeaderMap,
    Typed(typed): Typed,
) -> Result<Response, WebError> {
    let (crawl_control, site) = checked(&app, &headers, &typed, &site).await?;
    let crawl: CrawlId = crawl.parse()?;
    let back = address::crawl(&site, crawl);
    Ok(followed(crawl_control.accept(&site, crawl).await, &back, Message::Accepted))
}

async fn checked(
    app: &App,
    headers: &HeaderMap,
    typed: &Parameters,
    site: &str,
) -> Result<(Arc<dyn CrawlControl>, SiteId), WebError> {
    let crawl_control = permitted_write(app, headers, typed.get("form_token").unwrap_or_default())?;
    let site = found_site(&*app.library, &site.parse()?).await?;
    Ok((crawl_control, site.id))
}

fn followed(outcome: Result<(), ControlError>, back: &str, message: Message) -> Response {
    match outcome {
        Ok(()) => Redirect::to(&with_message(back, message)).into_response(),
        Err(error) => refused(error.into(), back),
    }
}
