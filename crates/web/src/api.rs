//! The same as JSON, under `/api/v1`, with a document that describes it.

mod authorized;
mod commands;
mod cursor;
mod document;
mod operations;
mod which_changes;
mod window;

use std::sync::LazyLock;

use axum::extract::{Path, State};
use axum::routing::get;
use axum::{Json, Router};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{ComponentsBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::authorized::Authorized;
use crate::app::{App, Served};
use crate::error::ProblemDocument;

pub(crate) use self::authorized::FORM_TOKEN;

/// The document, in `OpenAPI` 3.1. It is made of the same handlers as the routes.
pub(crate) static DOCUMENT: LazyLock<OpenApi> = LazyLock::new(|| documented().split_for_parts().1);

/// One page of a list.
#[derive(Debug, Serialize, ToSchema)]
struct List<T> {
    /// What is on it.
    items: Vec<T>,
    /// Passed as `cursor`, brings the next page; null on the last.
    next: Option<String>,
}

/// Returns the routes of the API and of its document.
pub(crate) fn routes() -> Router<Served> {
    // A site may have the name of an address that takes something else.
    let named_preview = |app: State<App>| operations::site(app, Path("preview".to_owned()));
    let preview_removal = |app: State<App>, authorized: Authorized| {
        commands::remove_site(app, Path("preview".to_owned()), authorized)
    };
    let (router, _) = documented().split_for_parts();
    router
        .route("/api/v1/openapi.json", get(served_document))
        .route("/api/v1/sites/preview", get(named_preview).delete(preview_removal))
}

fn documented() -> OpenApiRouter<Served> {
    let info = InfoBuilder::new()
        .title("Recrawl")
        .version("1")
        .description(Some(
            "What is new, changed or gone on web sites. Everything that the pages show and do. Lists come in \
             pages: pass `next` as `cursor`. Answers have entity tags: send them back in If-None-Match. \
             Errors are problem documents (RFC 9457). Reading needs no token; doing things needs the admin \
             token as `Authorization: Bearer TOKEN`, or, where none is set, JSON: \
             `Content-Type: application/json`.",
        ))
        .license(Some(LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0")).build()))
        .build();
    let token = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    let components = ComponentsBuilder::new().security_scheme("token", token);
    let components = components.schema_from::<ProblemDocument>().build();
    let document = OpenApiBuilder::new().info(info).components(Some(components)).build();
    OpenApiRouter::with_openapi(document)
        .routes(routes!(operations::sites, commands::add_site))
        .routes(routes!(operations::site, commands::remove_site))
        .routes(routes!(commands::rename_site))
        .routes(routes!(operations::crawls))
        .routes(routes!(operations::crawl))
        .routes(routes!(operations::changes))
        .routes(routes!(operations::report))
        .routes(routes!(operations::history))
        .routes(routes!(operations::version))
        .routes(routes!(operations::difference))
        .routes(routes!(operations::search))
        .routes(routes!(window::window))
        .routes(routes!(window::overview))
        .routes(routes!(window::see_window))
        .routes(routes!(window::mark))
        .routes(routes!(operations::search_history))
        .routes(routes!(commands::state))
        .routes(routes!(commands::start))
        .routes(routes!(commands::pause))
        .routes(routes!(commands::stop))
        .routes(routes!(commands::preview_site))
        .routes(routes!(commands::save_schedule))
        .routes(routes!(commands::rules, commands::save_rules))
        .routes(routes!(commands::preview_rules))
        .routes(routes!(commands::archive))
        .routes(routes!(commands::accept))
}

/// The document of a server on which whoever reaches it may do things.
static FOR_EVERYBODY: LazyLock<Value> = LazyLock::new(|| document::finished(&DOCUMENT, false));

/// The document of a server that demands the admin token for that.
static WITH_TOKEN: LazyLock<Value> = LazyLock::new(|| document::finished(&DOCUMENT, true));

async fn served_document(State(app): State<App>) -> Json<&'static Value> {
    Json(if app.access.demands_token() { &WITH_TOKEN } else { &FOR_EVERYBODY })
}
