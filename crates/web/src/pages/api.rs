//! A page to try the API, written from its document.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{Redirect, Response};
use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use recrawl_core::url::PageUrl;
use utoipa::openapi::Required;
use utoipa::openapi::path::{Operation, Parameter, ParameterIn};

use super::layout::{Frame, NavigationPlace, page};
use crate::address::with_query;
use crate::api::{DOCUMENT, FORM_TOKEN};
use crate::app::App;
use crate::error::WebError;
use crate::parameters::Parameters;
use crate::visitor::Visitor;

/// Names that are tried unless others are typed.
struct Samples {
    site: String,
    crawl: String,
    url: Option<PageUrl>,
}

/// `GET /api`
pub(super) async fn api(
    State(app): State<App>,
    visitor: Visitor,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let samples = samples(&app).await?;
    let description = DOCUMENT.info.description.as_deref().unwrap_or_default().replace('`', "");
    Ok(visitor.answer(page(
        &Frame::new("API", NavigationPlace::Api).for_visitor(&app, &headers),
        &html! {
            h1 { "API" }
            p { (description) }
            p { a href="/api/v1/openapi.json" { "The OpenAPI document" } }
            h2 { "What can be read" }
            @for (path, operation) in reading() {
                (described("GET", path, operation, &read_form(path, operation, &samples)))
            }
            h2 { "What can be done" }
            @if app.crawl_control.is_none() { p { "Nothing here: these pages only show what was found." } } @else {
                @for (method, path, operation) in doing() {
                    @let form = write_form(method, path, operation, &samples, &visitor);
                    (described(method, path, operation, &form))
                }
            }
        },
    )))
}

/// `GET /api/try`: leads to the address that a form describes, for browsers without JavaScript
pub(super) async fn try_out(parameters: Parameters) -> Result<Redirect, WebError> {
    let wanted = parameters.get("operation").unwrap_or_default();
    let found = reading().find(|(_, operation)| operation.operation_id.as_deref() == Some(wanted));
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

fn reading() -> impl Iterator<Item = (&'static str, &'static Operation)> {
    DOCUMENT.paths.paths.iter().filter_map(|(path, item)| Some((path.as_str(), item.get.as_ref()?)))
}

fn doing() -> impl Iterator<Item = (&'static str, &'static str, &'static Operation)> {
    DOCUMENT.paths.paths.iter().flat_map(|(path, item)| {
        let of = |method, operation: &'static Option<Operation>| {
            Some((method, path.as_str(), operation.as_ref()?))
        };
        [of("POST", &item.post), of("PUT", &item.put), of("DELETE", &item.delete)].into_iter().flatten()
    })
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

fn described(method: &str, path: &str, operation: &Operation, form: &Markup) -> Markup {
    let id = operation.operation_id.as_deref().unwrap_or_default();
    html! {
        section.operation aria-labelledby=(format!("operation-{id}")) {
            h3 id=(format!("operation-{id}")) { code { (method) " " (path) } }
            p { (operation.summary.as_deref().unwrap_or_default()) "." }
            (form)
            pre.answer hidden tabindex="0" aria-live="polite" {}
        }
    }
}

fn read_form(path: &str, operation: &Operation, samples: &Samples) -> Markup {
    let id = operation.operation_id.as_deref().unwrap_or_default();
    html! {
        form.filters action="/api/try" method="get" data-try=(path) data-method="GET" {
            input type="hidden" name="operation" value=(id);
            @for parameter in operation.parameters.iter().flatten() { (field(id, parameter, samples)) }
            button type="submit" { "Try it" }
        }
    }
}

/// Returns a form for the script, as no form without it sends JSON, and the same as a command.
fn write_form(
    method: &str,
    path: &str,
    operation: &Operation,
    samples: &Samples,
    visitor: &Visitor,
) -> Markup {
    let id = operation.operation_id.as_deref().unwrap_or_default();
    let body = body_of(operation);
    html! {
        pre.command tabindex="0" { code { (command(method, path, body.as_deref())) } }
        @if visitor.may_act() {
            form.filters.needs-script action="/api" method="get" data-try=(path) data-method=(method)
                data-token-header=(FORM_TOKEN) data-token=(visitor.form_token()) {
                @for parameter in operation.parameters.iter().flatten() { (field(id, parameter, samples)) }
                @if let Some(body) = &body {
                    div.field {
                        label for=(format!("{id}-body")) { "body" }
                        textarea id=(format!("{id}-body")) data-body rows="3" spellcheck="false" {
                            "\n" (body)
                        }
                    }
                }
                button type="submit" { "Do it" }
            }
        }
    }
}

fn command(method: &str, path: &str, body: Option<&str>) -> String {
    let sent = body.map_or_else(String::new, |body| format!(" --data '{body}'"));
    format!(
        "curl --request {method} --header 'Authorization: Bearer TOKEN' \
         --header 'Content-Type: application/json'{sent} ADDRESS{path}"
    )
}

fn body_of(operation: &Operation) -> Option<String> {
    let content = operation.request_body.as_ref()?.content.get("application/json")?;
    content.example.as_ref().map(ToString::to_string)
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
            input id=(id) type="text" name=(parameter.name) value=(value) required[is_required]
                data-path[is_path] aria-describedby=(hint);
            small.muted id=(hint) { (parameter.description.as_deref().unwrap_or_default().replace('`', "")) }
        }
    }
}
