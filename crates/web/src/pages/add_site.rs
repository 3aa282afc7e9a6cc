//! Adding a site. The button works at once; a first look at the address fills in beside the form by itself.

mod look;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};

use self::look::look;
use super::forms::{fault, lines, proof, refused, schedule};
use super::layout::{Frame, NavigationPlace, page};
use crate::address::{self, ADD_SITE, with_message};
use crate::app::App;
use crate::crawl_control::{ControlError, NewSite, SitePreview};
use crate::error::WebError;
use crate::message::Message;
use crate::parameters::{Parameters, Typed};
use crate::schedule_form::{Often, ScheduleFields};
use crate::visitor::{Visitor, permitted, permitted_write};

/// What is in the form, and what is known of the site by now.
#[derive(Default)]
struct AddSiteForm<'a> {
    wish: NewSite,
    schedule: ScheduleFields,
    seen: Option<SitePreview>,
    reason: Option<&'a str>,
}

/// `GET /add-site`: `root` fills the address in
pub(super) async fn form(
    State(app): State<App>,
    visitor: Visitor,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    visitor.crawl_control(&app)?;
    let schedule = ScheduleFields { often: Often::Weekly, ..ScheduleFields::default() };
    let root = parameters.get("root").unwrap_or_default().to_owned();
    let shown =
        AddSiteForm { wish: NewSite { root, ..NewSite::default() }, schedule, ..AddSiteForm::default() };
    Ok(visitor.answer(written(&app, &visitor, &headers, &shown)))
}

/// `POST /add-site`: `step` is `look`, `again` or `fragment` to look at the address, `add` or `crawl` to add it
pub(super) async fn add(
    State(app): State<App>,
    visitor: Visitor,
    headers: HeaderMap,
    Typed(typed): Typed,
) -> Result<Response, WebError> {
    let form_token = typed.get("form_token").unwrap_or_default();
    let step = typed.get("step");
    let (wish, schedule) = read(&typed);
    // Asking after a look that goes on changes nothing.
    let crawl_control = match step {
        Some("again") if !app.access.admits_preview((app.clock)()) => return Err(WebError::TooMany),
        Some("again") => permitted(&app, &headers, form_token)?,
        _ => permitted_write(&app, &headers, form_token)?,
    };
    if matches!(step, Some("add" | "crawl")) {
        return match crawl_control.add_site(&wish).await {
            Ok(site) => {
                let page = address::site(&site.id);
                if step != Some("crawl") {
                    return Ok(Redirect::to(&with_message(&page, Message::Added)).into_response());
                }
                Ok(match crawl_control.start(&site.id).await {
                    Ok(()) => {
                        let crawling = format!("{page}/crawling");
                        Redirect::to(&with_message(&crawling, Message::AddedAndStarted)).into_response()
                    }
                    Err(error) => refused(error.into(), &page),
                })
            }
            Err(ControlError::Refused(reason)) => {
                let shown = AddSiteForm { wish, schedule, reason: Some(&reason), ..AddSiteForm::default() };
                let content = written(&app, &visitor, &headers, &shown);
                Ok((StatusCode::UNPROCESSABLE_ENTITY, visitor.answer(content)).into_response())
            }
            Err(ControlError::Store(error)) => Err(error.into()),
        };
    }
    let is_fragment = typed.get("fragment").is_some();
    match crawl_control.first_look(&wish).await {
        Ok(seen) if is_fragment => Ok(visitor.answer(look(Some(&seen), &visitor))),
        Ok(seen) => {
            let shown = AddSiteForm { wish, schedule, seen: Some(seen), ..AddSiteForm::default() };
            Ok(visitor.answer(written(&app, &visitor, &headers, &shown)))
        }
        Err(ControlError::Refused(reason)) if is_fragment => Ok(visitor.answer(fault(Some(&reason)))),
        Err(ControlError::Refused(reason)) => {
            let shown = AddSiteForm { wish, schedule, reason: Some(&reason), ..AddSiteForm::default() };
            let content = written(&app, &visitor, &headers, &shown);
            Ok((StatusCode::UNPROCESSABLE_ENTITY, visitor.answer(content)).into_response())
        }
        Err(ControlError::Store(error)) => Err(error.into()),
    }
}

fn read(typed: &Parameters) -> (NewSite, ScheduleFields) {
    let schedule = ScheduleFields::read(typed);
    let wish = NewSite {
        root: typed.get("use").or(typed.get("root")).unwrap_or_default().to_owned(),
        name: typed.get("name").map(str::to_owned),
        include: typed.lines("include"),
        exclude: typed.lines("exclude"),
        schedule: schedule.schedule(),
    };
    (wish, schedule)
}

fn written(app: &App, visitor: &Visitor, headers: &HeaderMap, shown: &AddSiteForm<'_>) -> Markup {
    let title = "Add a site";
    page(
        &Frame::new(title, NavigationPlace::Sites).under_sites().at(title).for_visitor(app, headers),
        &html! {
            h1 { (title) }
            form.with-look action=(ADD_SITE) method="post" data-look {
                (proof(visitor))
                div.sheet {
                    (fault(shown.reason))
                    (fields(shown))
                    div.acts {
                        button.main type="submit" name="step" value="crawl" { "Add and crawl now" }
                        button type="submit" name="step" value="add" { "Add, crawl later" }
                    }
                }
                section.card aria-labelledby="look" {
                    header {
                        h2.small #look { "First look" }
                        span.soft.small { "goes on by itself, no need to wait" }
                    }
                    div data-looked aria-live="polite" { (look(shown.seen.as_ref(), visitor)) }
                }
            }
        },
    )
}

fn fields(shown: &AddSiteForm<'_>) -> Markup {
    let wish = &shown.wish;
    let globs = |example: &str| html! { "Globs, one a line: " code { (example) } };
    html! {
        div.field {
            label for="root" { "Address" }
            input #root type="url" name="root" value=(wish.root) required autocomplete="url"
                placeholder="https://www.portland.gov/transportation" aria-describedby="root-hint";
            small #root-hint { "Everything below this address is watched, on this host." }
        }
        div.field {
            label for="name" { "Name" }
            input #name type="text" name="name" value=[&wish.name] autocomplete="off" spellcheck="false"
                aria-describedby="name-hint";
            small #name-hint { "Made from the address unless you give one." }
        }
        (schedule(&shown.schedule))
        details.more open[!wish.include.is_empty() || !wish.exclude.is_empty()] {
            summary { "More: only some of its pages" }
            (lines("include", "Only pages that match one of", &globs("/news/**"), &wish.include))
            (lines("exclude", "Never pages that match", &globs("**/print/*"), &wish.exclude))
        }
    }
}
