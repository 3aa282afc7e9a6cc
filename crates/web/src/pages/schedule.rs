//! The schedule of a site.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use recrawl_core::model::ids::SiteId;

use super::forms::{fault, proof, schedule};
use super::layout::{Frame, NavigationPlace, page};
use crate::address::{self, with_message};
use crate::app::App;
use crate::crawl_control::{ControlError, SiteState};
use crate::error::WebError;
use crate::message::Message;
use crate::parameters::Typed;
use crate::schedule_form::{self, ScheduleFields};
use crate::visitor::{Visitor, permitted_write};
use crate::words::time;
use recrawl_reports::sites::found_site;

/// `GET /sites/{site}/schedule`
pub(super) async fn form(
    State(app): State<App>,
    Path(site): Path<String>,
    visitor: Visitor,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let crawl_control = visitor.crawl_control(&app)?;
    let site = found_site(&*app.library, &site.parse()?).await?;
    let state = crawl_control.state(&site.id).await?;
    let fields = ScheduleFields::of(state.schedule.as_ref());
    let frame = frame(&site.id).for_visitor(&app, &headers);
    Ok(visitor.answer(page(&frame, &content(&visitor, &site.id, &state, &fields, None))))
}

/// `POST /sites/{site}/schedule`
pub(super) async fn save(
    State(app): State<App>,
    Path(site): Path<String>,
    visitor: Visitor,
    headers: HeaderMap,
    Typed(typed): Typed,
) -> Result<Response, WebError> {
    let crawl_control = permitted_write(&app, &headers, typed.get("form_token").unwrap_or_default())?;
    let site = found_site(&*app.library, &site.parse()?).await?;
    let fields = ScheduleFields::read(&typed);
    match crawl_control.save_schedule(&site.id, fields.schedule().as_ref()).await {
        Ok(()) => {
            Ok(Redirect::to(&with_message(&address::site(&site.id), Message::Scheduled)).into_response())
        }
        Err(ControlError::Refused(reason)) => {
            let state = crawl_control.state(&site.id).await?;
            let content = content(&visitor, &site.id, &state, &fields, Some(&reason));
            let content = page(&frame(&site.id).for_visitor(&app, &headers), &content);
            Ok((StatusCode::UNPROCESSABLE_ENTITY, visitor.answer(content)).into_response())
        }
        Err(ControlError::Store(error)) => Err(error.into()),
    }
}

fn frame(site: &SiteId) -> Frame {
    Frame::new(format!("Schedule of {site}"), NavigationPlace::Sites)
        .below(site, site.as_str(), &[])
        .at("schedule")
}

fn content(
    visitor: &Visitor,
    site: &SiteId,
    state: &SiteState,
    fields: &ScheduleFields,
    reason: Option<&str>,
) -> Markup {
    html! {
        h1 { "Schedule of " (site) }
        (fault(reason))
        p {
            @match &state.schedule {
                Some(schedule) => { "Now: " (schedule_form::words(schedule)) "." },
                None => "Now: crawled by hand only.",
            }
            @if let Some(next) = state.next_crawl { " Next: " (time(next)) }
        }
        form.sheet action=(address::schedule(site)) method="post" {
            (proof(visitor))
            (schedule(fields))
            div.buttons {
                button.main type="submit" { "Save" }
                a href=(address::site(site)) { "Cancel" }
            }
        }
    }
}
