//! Who looks at a page, and what that one may do.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::access::Session;
use crate::app::App;
use crate::crawl_control::CrawlControl;
use crate::error::WebError;

/// What somebody may do; each may do what stands before it, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Leave {
    /// Look.
    Look,
    /// Decide about open crawls and about what was found.
    Decide,
    /// Set what is crawled, when, and by which rules.
    Set,
}

/// Who looks at a page.
pub(crate) struct Visitor {
    session: Session,
    is_unknown: bool,
    is_secure: bool,
    leave: Leave,
    form_token: String,
}

impl Visitor {
    /// Returns who sent `headers`; somebody whom nobody knows gets a new session.
    pub(crate) fn of(app: &App, headers: &HeaderMap) -> Self {
        let known = Session::of(headers);
        let is_unknown = known.is_none();
        let session = known.unwrap_or_else(Session::fresh);
        let leave = match &app.crawl_control {
            Some(_) if !app.access.admits(headers, (app.clock)()) => Leave::Look,
            Some(crawl_control) if crawl_control.sets_sites() => Leave::Set,
            Some(_) => Leave::Decide,
            None => Leave::Look,
        };
        Self {
            form_token: app.access.form_token(&session),
            session,
            is_unknown,
            is_secure: app.is_secure(),
            leave,
        }
    }

    /// Tells whether buttons are shown.
    pub(crate) fn may_act(&self) -> bool {
        self.leave >= Leave::Decide
    }

    /// Tells whether buttons are shown that set what is crawled, when, and by which rules.
    pub(crate) fn may_set(&self) -> bool {
        self.leave == Leave::Set
    }

    /// Returns what does things, for a page that is nothing without; others may not see it.
    pub(crate) fn crawl_control(&self, app: &App) -> Result<Arc<dyn CrawlControl>, WebError> {
        let crawl_control = app.found_controls()?;
        if self.may_act() { Ok(crawl_control) } else { Err(WebError::LoginNeeded) }
    }

    /// Returns what the forms of this visitor must carry.
    pub(crate) fn form_token(&self) -> &str {
        &self.form_token
    }

    /// Returns an answer that may have forms. Whoever may use them is told the name of the session; others
    /// are not, so that a visit without cookies, by a link from elsewhere, never ends the session of
    /// somebody who logged in.
    pub(crate) fn answer(&self, content: impl IntoResponse) -> Response {
        let mut response = content.into_response();
        if self.may_act() {
            let headers = response.headers_mut();
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
            if self.is_unknown {
                headers.insert(header::SET_COOKIE, self.session.cookie(self.is_secure));
            }
        }
        response
    }
}

impl<S: Sync> FromRequestParts<S> for Visitor
where
    App: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&App::from_ref(state), &parts.headers))
    }
}

/// Returns what does things for the one who sent a form, or why it is not done: the pages are read-only,
/// the form is not ours, the visitor may not.
pub(crate) fn permitted(
    app: &App,
    headers: &HeaderMap,
    form_token: &str,
) -> Result<Arc<dyn CrawlControl>, WebError> {
    let crawl_control = app.found_controls()?;
    check_form(app, headers, form_token)?;
    if !app.access.admits(headers, (app.clock)()) {
        return Err(WebError::LoginNeeded);
    }
    Ok(crawl_control)
}

/// As [`permitted`], for what changes something, or asks other servers for something: not more often than
/// people do it.
pub(crate) fn permitted_write(
    app: &App,
    headers: &HeaderMap,
    form_token: &str,
) -> Result<Arc<dyn CrawlControl>, WebError> {
    let crawl_control = permitted(app, headers, form_token)?;
    if app.access.admits_write((app.clock)()) { Ok(crawl_control) } else { Err(WebError::TooMany) }
}

/// Refuses a form that was not made for the one who sends it.
pub(crate) fn check_form(app: &App, headers: &HeaderMap, form_token: &str) -> Result<(), WebError> {
    if app.access.is_own_form(headers, form_token) {
        return Ok(());
    }
    Err(WebError::Forbidden("this form is too old: go back, reload the page and send it again".to_owned()))
}
