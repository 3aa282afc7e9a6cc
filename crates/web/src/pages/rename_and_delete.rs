//! Renaming and deleting a site: each is asked for on a page of its own, which says what becomes of what.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use recrawl_core::model::ids::SiteId;
use recrawl_reports::Extent;
use recrawl_reports::sites::found_site;

use super::commands::Button;
use super::forms::{fault, proof};
use super::layout::{Frame, NavigationPlace, page};
use crate::address::{self, with_message};
use crate::app::App;
use crate::crawl_control::ControlError;
use crate::error::WebError;
use crate::message::Message;
use crate::visitor::Visitor;

/// `GET /sites/{site}/rename`
pub(super) async fn rename_form(
    State(app): State<App>,
    Path(site): Path<String>,
    visitor: Visitor,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    visitor.crawl_control(&app)?;
    let site = found_site(&*app.library, &site.parse()?).await?.id;
    Ok(visitor.answer(renaming(&app, &visitor, &headers, &site, site.as_str(), None)))
}

/// `POST /sites/{site}/rename`, with `name`
pub(super) async fn rename(
    State(app): State<App>,
    visitor: Visitor,
    headers: HeaderMap,
    Button { crawl_control, site, typed }: Button,
) -> Result<Response, WebError> {
    let name = typed.get("name").unwrap_or_default();
    match crawl_control.rename_site(&site, name).await {
        Ok(renamed) => {
            Ok(Redirect::to(&with_message(&address::site(&renamed), Message::Renamed)).into_response())
        }
        Err(ControlError::Refused(reason)) => {
            let content = renaming(&app, &visitor, &headers, &site, name, Some(&reason));
            Ok((StatusCode::UNPROCESSABLE_ENTITY, visitor.answer(content)).into_response())
        }
        Err(ControlError::Store(error)) => Err(error.into()),
    }
}

/// `GET /sites/{site}/delete`
pub(super) async fn delete_form(
    State(app): State<App>,
    Path(site): Path<String>,
    visitor: Visitor,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    visitor.crawl_control(&app)?;
    let site = found_site(&*app.library, &site.parse()?).await?.id;
    Ok(visitor.answer(deleting(&app, &visitor, &headers, &site, None).await?))
}

/// `POST /sites/{site}/delete`, with the name of the site as `name`
pub(super) async fn delete(
    State(app): State<App>,
    visitor: Visitor,
    headers: HeaderMap,
    Button { crawl_control, site, typed }: Button,
) -> Result<Response, WebError> {
    let refused = if typed.get("name").map(str::trim) == Some(site.as_str()) {
        match crawl_control.remove_site(&site).await {
            Ok(()) => return Ok(Redirect::to(&with_message("/sites", Message::Removed)).into_response()),
            Err(ControlError::Refused(reason)) => reason,
            Err(ControlError::Store(error)) => return Err(error.into()),
        }
    } else {
        format!("type {site}, the name of the site, to delete it")
    };
    let content = deleting(&app, &visitor, &headers, &site, Some(&refused)).await?;
    Ok((StatusCode::UNPROCESSABLE_ENTITY, visitor.answer(content)).into_response())
}

fn frame(app: &App, headers: &HeaderMap, site: &SiteId, title: &str, at: &str) -> Frame {
    Frame::new(format!("{title}: {site}"), NavigationPlace::Sites)
        .below(site, site.as_str(), &[])
        .at(at)
        .for_visitor(app, headers)
}

fn renaming(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    site: &SiteId,
    name: &str,
    reason: Option<&str>,
) -> Markup {
    page(
        &frame(app, headers, site, "Rename", "rename"),
        &html! {
            h1 { "Rename " (site) }
            p.lead { "Everything that was read of it is found under the new name." }
            (fault(reason))
            form.sheet action={ (address::site(site)) "/rename" } method="post" {
                (proof(visitor))
                div.field {
                    label for="name" { "New name" }
                    input #name type="text" name="name" value=(name) required autocomplete="off"
                        spellcheck="false" aria-describedby="name-hint";
                    small #name-hint {
                        "Old addresses of its pages and feeds lead to the new ones, as long as no other site gets the old "
                        "name. Feed readers may show the entries of the feed once more. The settings file is edited as well."
                    }
                }
                div.acts { button.main type="submit" { "Rename" } a href=(address::site(site)) { "Cancel" } }
            }
        },
    )
}

async fn deleting(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    site: &SiteId,
    reason: Option<&str>,
) -> Result<Markup, WebError> {
    let extent = Extent::of(&*app.library, site).await?;
    Ok(page(
        &frame(app, headers, site, "Delete", "delete"),
        &html! {
            h1 { "Delete " (site) "?" }
            p.lead {
                strong { (extent.in_words()) } " are deleted for good, with what was learnt, noted and starred."
            }
            p {
                "Captures in the Wayback Machine stay. To stop watching and keep what was read, "
                a href=(address::schedule(site)) { "take its schedule away" } " instead."
            }
            (fault(reason))
            form.sheet action={ (address::site(site)) "/delete" } method="post" {
                (proof(visitor))
                div.field {
                    label for="name" { "To delete it, type its name: " strong { (site) } }
                    input #name type="text" name="name" required autocomplete="off" spellcheck="false";
                }
                div.acts {
                    button.danger type="submit" { "Delete " (site) }
                    a href=(address::site(site)) { "Cancel" }
                }
            }
        },
    ))
}
