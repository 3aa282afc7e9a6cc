//! Who may do things by the API, and what they send.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRef, FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::access::Bearer;
use crate::app::App;
use crate::caller::Caller;
use crate::crawl_control::CrawlControl;
use crate::error::{Problem, WebError};
use crate::visitor::check_form;

/// The header in which our own script proves that it speaks for a page of ours.
pub(crate) const FORM_TOKEN: &str = "x-recrawl-form-token";

/// What does things, for somebody who may have them done.
///
/// A program shows the admin token. A page of ours shows the token of its form beside the cookie, which
/// alone is never enough. Where no token is demanded, a request must be JSON, which no other web site can
/// send without our leave; requests that say themselves that they came from another site were refused
/// before.
pub(super) struct Authorized(pub(super) Arc<dyn CrawlControl>);

impl<S: Sync> FromRequestParts<S> for Authorized
where
    App: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let app = App::from_ref(state);
        let crawl_control = app.found_controls()?;
        check(&app, &parts.headers, Caller::of(parts))?;
        if !app.access.admits_write((app.clock)()) {
            return Err(WebError::TooMany.into());
        }
        Ok(Self(crawl_control))
    }
}

fn check(app: &App, headers: &HeaderMap, caller: Caller) -> Result<(), WebError> {
    let now = (app.clock)();
    let form_token = headers.get(FORM_TOKEN).map(|token| token.to_str().unwrap_or_default());
    if app.access.demands_token() {
        match app.access.bearer(headers, caller, now) {
            Bearer::Right => return Ok(()),
            Bearer::Wrong => return Err(WebError::Unauthorized),
            Bearer::TooMany => return Err(WebError::TooMany),
            Bearer::Absent => {}
        }
    }
    match form_token {
        Some(form_token) => {
            check_form(app, headers, form_token)?;
            if app.access.admits(headers, now) { Ok(()) } else { Err(WebError::LoginNeeded) }
        }
        None if app.access.demands_token() => Err(WebError::Unauthorized),
        None if is_json(headers) => Ok(()),
        None => Err(WebError::NotJson),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

/// What was sent, as JSON.
pub(super) struct Sent<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Sent<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            return Err(WebError::NotJson.into());
        }
        let bytes = Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(|error| WebError::BadRequest(error.body_text()))?;
        let read = serde_json::from_slice(&bytes).map_err(|error| match error.classify() {
            Category::Data => WebError::Invalid(error.to_string()),
            Category::Syntax | Category::Eof | Category::Io => WebError::BadRequest(error.to_string()),
        });
        Ok(Self(read?))
    }
}
