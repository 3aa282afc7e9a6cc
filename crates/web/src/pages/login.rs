//! Logging in and out.

use axum::Form;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use serde::Deserialize;

use super::layout::{Frame, NavigationPlace, page};
use crate::access::{Login, Session};
use crate::app::App;
use crate::caller::Caller;
use crate::error::WebError;
use crate::visitor::check_form;

/// What the form sends.
#[derive(Deserialize)]
pub(super) struct LoginForm {
    #[serde(default)]
    token: String,
    #[serde(default)]
    form_token: String,
}

/// `GET /login`
pub(super) async fn form(State(app): State<App>, headers: HeaderMap) -> Response {
    let session = Session::of(&headers).unwrap_or_else(Session::fresh);
    let is_in = app.access.admits(&headers, (app.clock)());
    let content = shown(&app, &session, is_in, None);
    ([(header::SET_COOKIE, session.cookie(app.is_secure()))], content).into_response()
}

/// `POST /login`
pub(super) async fn log_in(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Form(form): Form<LoginForm>,
) -> Result<Response, WebError> {
    check_form(&app, &headers, &form.form_token)?;
    // A new name, so that nobody who planted the old one is let in with it.
    let session = Session::fresh();
    match app.access.log_in(&session, &form.token, caller, (app.clock)()) {
        Login::Right => {
            Ok(([(header::SET_COOKIE, session.cookie(app.is_secure()))], Redirect::to("/")).into_response())
        }
        Login::Wrong => {
            let content = shown(&app, &session, false, Some("This is not the token."));
            let cookie = [(header::SET_COOKIE, session.cookie(app.is_secure()))];
            Ok((StatusCode::FORBIDDEN, cookie, content).into_response())
        }
        Login::TooMany => Err(WebError::TooMany),
    }
}

/// `POST /logout`
pub(super) async fn log_out(
    State(app): State<App>,
    headers: HeaderMap,
    Form(form): Form<LoginForm>,
) -> Result<Response, WebError> {
    check_form(&app, &headers, &form.form_token)?;
    if let Some(session) = Session::of(&headers) {
        app.access.log_out(&session);
    }
    Ok(Redirect::to("/").into_response())
}

fn shown(app: &App, session: &Session, is_in: bool, fault: Option<&str>) -> Markup {
    let form_token = app.access.form_token(session);
    page(
        &Frame::new("Log in", NavigationPlace::Elsewhere),
        &html! {
            h1 { @if is_in && app.access.demands_token() { "You are logged in" } @else { "Log in" } }
            @if !app.access.demands_token() {
                p.lead { "There is nothing to log in to: everybody who can reach this page may use it." }
            } @else if is_in {
                form.stacked action="/logout" method="post" {
                    input type="hidden" name="form_token" value=(form_token);
                    button type="submit" { "Log out" }
                }
            } @else {
                @if let Some(fault) = fault { p.notice.fault role="alert" { (fault) } }
                p { "Looking needs no token; starting crawls and changing settings does." }
                form.stacked action="/login" method="post" {
                    input type="hidden" name="form_token" value=(form_token);
                    label {
                        "Admin token "
                        input type="password" name="token" autocomplete="current-password" required;
                    }
                    button type="submit" { "Log in" }
                }
            }
        },
    )
}
