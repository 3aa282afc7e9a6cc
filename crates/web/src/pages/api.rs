//! A page to try the API, written from its document.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Redirect;
use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use recrawl_core::url::PageUrl;
use utoipa::openapi::Required;
use utoipa::openapi::path::{Operation, Parameter, ParameterIn};

use super::layout::{Frame, Place, page};
use crate::address::with_query;
use crate::api::DOCUMENT;
use crate::app::App;
use crate::error::WebError;
use crate::parameters::Parameters;

/// Names that are tried unless others are typed.
struct Samples {
    site: String,
    crawl: String,
    url: Option<PageUrl>,
}

/// `GET /api`
pub(super) async fn api(State(app): State<App>, headers: HeaderMap) -> Result<Markup, WebError> {
    let samples = samples(&app).await?;
    let description = DOCUMENT.info.description.as_deref().unwrap_or_default().replace('`', "");
    Ok(page(
        &Frame::new("API", Place::Api).for_visitor(&app, &headers),
        &html! {
            h1 { "API" }
            p.lead { (description) }
            p { a href="/api/v1/openapi.json" { "The OpenAPI document" } }
            @for (path, operation) in operations() { (described(path, operation, &samples)) }
        },
    ))
}

/// `GET /api/try`: leads to the address that a form describes, for browsers without JavaScript
pub(super) async fn try_out(parameters: Parameters) -> Result<Redirect, WebError> {
    let wanted = parameters.get("operation").unwrap_or_default();
    let found = operations().find(|(_, operation)| operation.operation_id.as_deref() == Some(wanted));
    let (path, operation) =
        found.ok_or_else(|| WebError::NotFound("there is no such operation".to_owned()))?;
    let mut address = path.to_owned();
    let mut query: Vec<(&str, &str)> = Vec::new();
    for parameter in operation.parameters.iter().flatten() {
        let value = parameters.get(&parameter.name).unwrap_or_default();
        match parameter.parameter_in {
            ParameterIn::Path => {
                let encoded = utf8_percent_encode(value, NON_ALPHANUMERIC).to_string();
                address = address.replace(&format!("{{{}}}", parameter.name), &encoded);
            }
            ParameterIn::Query => query.push((&parameter.name, value)),
            ParameterIn::Header | ParameterIn::Cookie => {}
        }
    }
    Ok(Redirect::to(&with_query(&address, &query)))
}

fn operations() -> impl Iterator<Item = (&'static str, &'static Operation)> {
    DOCUMENT.paths.paths.iter().filter_map(|(path, item)| Some((path.as_str(), item.get.as_ref()?)))
}

async fn samples(app: &App) -> Result<Samples, WebError> {
    let site = app.library.sites().await?.into_iter().next();
    let crawl = match &site {
        Some(site) => app.library.crawls(&site.id).await?.pop(),
        None => None,
    };
    Ok(Samples {
        site: site.as_ref().map_or_else(String::new, |site| site.id.to_string()),
        crawl: crawl.map_or_else(String::new, |crawl| crawl.id.to_string()),
        url: site.map(|site| site.root),
    })
}

fn described(path: &str, operation: &Operation, samples: &Samples) -> Markup {
    let id = operation.operation_id.as_deref().unwrap_or_default();
    html! {
        section.operation aria-labelledby=(format!("operation-{id}")) {
            h2 id=(format!("operation-{id}")) { code { "GET " (path) } }
            p { (operation.summary.as_deref().unwrap_or_default()) "." }
            form.filters action="/api/try" method="get" data-try=(path) {
                input type="hidden" name="operation" value=(id);
                @for parameter in operation.parameters.iter().flatten() { (field(id, parameter, samples)) }
                button type="submit" { "Try it" }
            }
            pre.answer hidden tabindex="0" aria-live="polite" {}
        }
    }
}

fn field(operation: &str, parameter: &Parameter, samples: &Samples) -> Markup {
    let is_required = matches!(parameter.required, Required::True);
    let is_path = matches!(parameter.parameter_in, ParameterIn::Path);
    let value = match (parameter.name.as_str(), is_path) {
        ("site", true) => samples.site.as_str(),
        ("crawl", true) => samples.crawl.as_str(),
        ("url", false) => samples.url.as_ref().map_or("", |url| url.as_str()),
        (_, _) => "",
    };
    let id = format!("{operation}-{}", parameter.name);
    let hint = format!("{id}-hint");
    html! {
        div.field {
            label for=(id) { (parameter.name) @if is_required { " (needed)" } }
            input id=(id) type="text" name=(parameter.name) value=(value) required[is_required] data-path[is_path] aria-describedby=(hint);
            small.muted id=(hint) { (parameter.description.as_deref().unwrap_or_default().replace('`', "")) }
        }
    }
}
