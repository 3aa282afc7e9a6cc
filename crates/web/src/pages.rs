//! Pages for people, written from views.

mod api;
mod changes;
mod charts;
mod difference;
mod history;
mod home;
mod layout;
mod login;
mod search;
mod site;
mod sites;
mod version;
mod words;

use axum::Router;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use maud::{Markup, html};

use self::layout::{Frame, Place, page};
use crate::app::App;
use crate::error::{Problem, WebError};

pub(crate) use self::difference::hunks;

/// Returns the routes of all pages.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/", get(home::home))
        .route("/sites", get(sites::sites))
        .route("/sites/{site}", get(site::site))
        .route("/sites/{site}/crawls/{crawl}", get(changes::changes))
        .route("/sites/{site}/page", get(history::history))
        .route("/sites/{site}/diff", get(difference::difference))
        .route("/sites/{site}/version", get(version::version))
        .route("/search", get(search::search))
        .route("/login", get(login::form).post(login::log_in))
        .route("/logout", post(login::log_out))
        .route("/api", get(api::api))
        .route("/api/try", get(api::try_out))
}

/// Answers for addresses that nobody has: a problem document below `/api/`, a page elsewhere.
pub(crate) async fn not_found(uri: Uri) -> Response {
    let error = WebError::NotFound("there is no such page".to_owned());
    if uri.path().starts_with("/api/") { Problem(error).into_response() } else { error.into_response() }
}

/// Answers for methods that an address does not take.
pub(crate) async fn method_not_allowed(method: Method) -> Response {
    let status = StatusCode::METHOD_NOT_ALLOWED;
    (status, error(status, &format!("{method} is not possible here"))).into_response()
}

/// Returns the page of an error.
pub(crate) fn error(status: StatusCode, detail: &str) -> Markup {
    let title = status.canonical_reason().unwrap_or("Error");
    page(
        &Frame::new(title, Place::Elsewhere),
        &html! {
            h1 { (title) }
            p.lead { (capitalised(detail)) "." }
            p { a href="/" { "Back to what changed" } }
        },
    )
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
