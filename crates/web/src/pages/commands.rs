//! Buttons: what somebody wants to have done, without more to say about it.

use std::collections::HashMap;
use std::sync::Arc;

use axum::RequestExt;
use axum::extract::{FromRef, FromRequest, Path, Request};
use axum::response::{IntoResponse, Redirect, Response};
use recrawl_core::changes::noise::Said;
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
pub(super) async fn start(Button { crawl_control, site, .. }: Button) -> Response {
    followed(crawl_control.start(&site).await, &address::site(&site), Message::Started)
}

/// `POST /sites/{site}/pause`
pub(super) async fn pause(Button { crawl_control, site, .. }: Button) -> Response {
    followed(crawl_control.pause(&site).await, &address::site(&site), Message::Paused)
}

/// `POST /sites/{site}/stop`
pub(super) async fn stop(Button { crawl_control, site, .. }: Button) -> Response {
    followed(crawl_control.stop(&site).await, &address::site(&site), Message::Stopped)
}

/// `POST /sites/{site}/noise`, with `shape`, and `said`: `noise`, `no-noise` or nothing, which takes it back
pub(super) async fn noise(Button { crawl_control, site, typed }: Button) -> Result<Response, WebError> {
    let said = match typed.get("said").unwrap_or_default() {
        "noise" => Some(Said::Noise),
        "no-noise" => Some(Said::NoNoise),
        "" => None,
        other => return Err(WebError::BadRequest(format!("{other:?} is none of noise and no-noise"))),
    };
    let shape = typed.get("shape").unwrap_or_default();
    let back = address::site(&site);
    Ok(followed(crawl_control.judge_noise(&site, shape, said).await, &back, Message::NoiseNoted))
}

/// `POST /sites/{site}/archive`, with `url`
pub(super) async fn archive(Button { crawl_control, site, typed }: Button) -> Result<Response, WebError> {
    let url = typed.page()?;
    let back = address::page(&site, &url);
    Ok(followed(crawl_control.archive(&site, &url).await, &back, Message::ArchiveAsked))
}

/// `POST /sites/{site}/crawls/{crawl}/accept`
pub(super) async fn accept(
    Path((_, crawl)): Path<(String, String)>,
    Button { crawl_control, site, .. }: Button,
) -> Result<Response, WebError> {
    let crawl: CrawlId = crawl.parse()?;
    let back = address::crawl(&site, crawl);
    Ok(followed(crawl_control.accept(&site, crawl).await, &back, Message::Accepted))
}

/// `POST /sites/{site}/crawls/{crawl}/outage`, with the `line` that stands in for content
pub(super) async fn outage(
    Path((_, crawl)): Path<(String, String)>,
    Button { crawl_control, site, typed }: Button,
) -> Result<Response, WebError> {
    let crawl: CrawlId = crawl.parse()?;
    let line = typed.get("line").ok_or_else(|| WebError::BadRequest("the line is missing".to_owned()))?;
    let back = address::crawl(&site, crawl);
    let judged = crawl_control.outage(&site, crawl, line).await;
    let is_believed = judged.as_ref().is_ok_and(|judged| judged.doubt.is_none());
    let message = if is_believed { Message::Believed } else { Message::StillUnusual };
    Ok(followed(judged.map(drop), &back, message))
}

/// A button of a site, pressed by somebody who may.
pub(super) struct Button {
    pub(super) crawl_control: Arc<dyn CrawlControl>,
    pub(super) site: SiteId,
    pub(super) typed: Parameters,
}

impl<S: Send + Sync> FromRequest<S> for Button
where
    App: FromRef<S>,
{
    type Rejection = WebError;

    async fn from_request(mut request: Request, state: &S) -> Result<Self, WebError> {
        let app = App::from_ref(state);
        let headers = request.headers().clone();
        let path = request.extract_parts::<Path<HashMap<String, String>>>().await;
        let Path(path) = path.map_err(|error| WebError::BadRequest(error.body_text()))?;
        let Typed(typed) = Typed::from_request(request, state).await?;
        let crawl_control = permitted_write(&app, &headers, typed.get("form_token").unwrap_or_default())?;
        let site = found_site(&*app.library, &path["site"].parse()?).await?.id;
        Ok(Self { crawl_control, site, typed })
    }
}

fn followed(outcome: Result<(), ControlError>, back: &str, message: Message) -> Response {
    match outcome {
        Ok(()) => Redirect::to(&with_message(back, message)).into_response(),
        Err(error) => refused(error.into(), back),
    }
}
