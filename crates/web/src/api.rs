//! The same as JSON, under `/api/v1`, with a document that describes it.

mod cursor;
mod operations;

use std::sync::LazyLock;

use axum::routing::get;
use axum::{Json, Router};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::{InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;

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
pub(crate) fn routes() -> Router<App> {
    documented().split_for_parts().0.route("/api/v1/openapi.json", get(document))
}

fn documented() -> OpenApiRouter<App> {
    let info = InfoBuilder::new()
        .title("Recrawl")
        .version("1")
        .description(Some(
            "What is new, changed or gone on web sites. Everything that the pages show; read-only. Lists come in pages: pass \
             `next` as `cursor`. Answers have entity tags: send them back in If-None-Match. Errors are problem documents (RFC 9457).",
        ))
        .license(Some(LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0")).build()))
        .build();
    OpenApiRouter::with_openapi(OpenApiBuilder::new().info(info).build())
        .routes(routes!(operations::sites))
        .routes(routes!(operations::site))
        .routes(routes!(operations::crawls))
        .routes(routes!(operations::crawl))
        .routes(routes!(operations::changes))
        .routes(routes!(operations::report))
        .routes(routes!(operations::history))
        .routes(routes!(operations::version))
        .routes(routes!(operations::difference))
        .routes(routes!(operations::search))
}

async fn document() -> Json<&'static OpenApi> {
    Json(&DOCUMENT)
}
