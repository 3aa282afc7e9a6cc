//! Pages for people, written from reports.

mod add_site;
mod api;
mod changes;
mod charts;
mod commands;
mod components;
mod crawling;
mod difference;
mod first_run;
mod forms;
mod gemtext;
mod history;
mod home;
mod ignore;
mod layout;
mod login;
mod marks;
mod notices;
mod rename_and_delete;
mod rules;
mod schedule;
mod search;
mod site;
mod site_lines;
mod sites;
mod spreadsheet;
mod standing;
mod states;
mod unusual;
mod version;

use axum::Router;
use axum::http::{Method, Uri};
use axum::response::Response;
use axum::routing::{get, post};
use maud::{Markup, html};

use self::layout::{Frame, NavigationPlace, page};
use crate::address::{MARK_ALL, MARKS, SITES, SPREADSHEET};
use crate::app::Served;
use crate::error::WebError;

/// Returns the routes of all pages.
pub(crate) fn routes() -> Router<Served> {
    Router::new()
        .route("/", get(home::home))
        .route(SITES, get(sites::sites))
        .route("/add-site", get(add_site::form).post(add_site::add))
        .route("/sites/{site}", get(site::site))
        .route("/sites/{site}/crawling", get(crawling::crawling))
        .route("/sites/{site}/rename", get(rename_and_delete::rename_form).post(rename_and_delete::rename))
        .route("/sites/{site}/delete", get(rename_and_delete::delete_form).post(rename_and_delete::delete))
        .route("/sites/{site}/noise", post(commands::noise))
        .route("/sites/{site}/start", post(commands::start))
        .route("/sites/{site}/pause", post(commands::pause))
        .route("/sites/{site}/stop", post(commands::stop))
        .route("/sites/{site}/archive", post(commands::archive))
        .route("/sites/{site}/schedule", get(schedule::form).post(schedule::save))
        .route("/sites/{site}/rules", get(rules::form).post(rules::save))
        .route("/sites/{site}/ignore", get(ignore::ask).post(ignore::save))
        .route("/sites/{site}/crawls/{crawl}", get(changes::changes))
        .route("/sites/{site}/crawls/{crawl}/accept", post(commands::accept))
        .route("/sites/{site}/crawls/{crawl}/outage", post(commands::outage))
        .route("/sites/{site}/page", get(history::history))
        .route("/sites/{site}/diff", get(difference::difference))
        .route("/sites/{site}/version", get(version::version))
        .route(MARKS, post(marks::mark))
        .route(MARK_ALL, get(marks::ask_all).post(marks::mark_all))
        .route(SPREADSHEET, get(spreadsheet::spreadsheet))
        .route("/search", get(search::search))
        .route("/login", get(login::form).post(login::log_in))
        .route("/logout", post(login::log_out))
        .route("/api", get(api::api))
        .route("/api/try", get(api::try_out))
}

/// Answers for addresses that nobody has: a problem document below `/api/`, a page elsewhere.
pub(crate) async fn not_found(uri: Uri) -> Response {
    let error = WebError::NotFound("there is no such page".to_owned());
    error.answer_at(uri.path())
}

/// Answers for methods that an address does not take.
pub(crate) async fn method_not_allowed(method: Method, uri: Uri) -> Response {
    WebError::NotTaken(method).answer_at(uri.path())
}

/// Returns the page of an error.
pub(crate) fn error(error: &WebError) -> Markup {
    let title = capitalised(&error.status().canonical_reason().unwrap_or("Error").to_lowercase());
    page(
        &Frame::new(title.as_str(), NavigationPlace::Elsewhere),
        &html! {
            h1 { (title) }
            p.lead { (capitalised(&error.to_string())) "." }
            @if matches!(error, WebError::LoginNeeded) { p { a.button href="/login" { "Log in" } } }
            p { a href="/" { "Back to what changed" } }
        },
    )
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
