//! Adding a site, with a look at what it would be.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};

use super::changes::site_state;
use super::forms::{fault, lines, proof, refused, schedule};
use super::layout::{Frame, NavigationPlace, page, readable};
use crate::address::{self, ADD_SITE, with_message};
use crate::app::App;
use crate::crawl_control::{ControlError, NewSite, SitePreview};
use crate::error::WebError;
use crate::message::Message;
use crate::parameters::{Parameters, Typed};
use crate::schedule_form::{Often, ScheduleFields};
use crate::visitor::{Visitor, permitted_write};
use crate::words::{counted, duration, number};

/// What is in the form, and what was found by it.
#[derive(Default)]
struct AddSiteForm<'a> {
    wish: NewSite,
    schedule: ScheduleFields,
    preview: Option<SitePreview>,
    reason: Option<&'a str>,
}

/// `GET /add-site`
pub(super) async fn form(
    State(app): State<App>,
    visitor: Visitor,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    visitor.crawl_control(&app)?;
    let schedule = ScheduleFields { often: Often::Weekly, ..ScheduleFields::default() };
    let shown = AddSiteForm { schedule, ..AddSiteForm::default() };
    Ok(visitor.answer(written(&app, &visitor, &headers, &shown)))
}

/// `POST /add-site`: `step` is `preview`, `add` or `crawl`
pub(super) async fn add(
    State(app): State<App>,
    visitor: Visitor,
    headers: HeaderMap,
    Typed(typed): Typed,
) -> Result<Response, WebError> {
    let crawl_control = permitted_write(&app, &headers, typed.get("form_token").unwrap_or_default())?;
    let (wish, schedule) = read(&typed);
    let is_wanted = matches!(typed.get("step"), Some("add" | "crawl"));
    let outcome = if is_wanted {
        match crawl_control.add_site(&wish).await {
            Ok(site) => {
                let page = address::site(&site.id);
                if typed.get("step") != Some("crawl") {
                    return Ok(Redirect::to(&with_message(&page, Message::Added)).into_response());
                }
                return Ok(match crawl_control.start(&site.id).await {
                    Ok(()) => Redirect::to(&with_message(&page, Message::AddedAndStarted)).into_response(),
                    Err(error) => refused(error.into(), &page),
                });
            }
            Err(error) => Err(error),
        }
    } else {
        crawl_control.preview_site(&wish).await.map(Some)
    };
    let shown = AddSiteForm { wish, schedule, ..AddSiteForm::default() };
    match outcome {
        Ok(preview) => {
            Ok(visitor.answer(written(&app, &visitor, &headers, &AddSiteForm { preview, ..shown })))
        }
        Err(ControlError::Refused(reason)) => {
            let content = written(&app, &visitor, &headers, &AddSiteForm { reason: Some(&reason), ..shown });
            Ok((StatusCode::UNPROCESSABLE_ENTITY, visitor.answer(content)).into_response())
        }
        Err(ControlError::Store(error)) => Err(error.into()),
    }
}

fn read(typed: &Parameters) -> (NewSite, ScheduleFields) {
    let schedule = ScheduleFields::read(typed);
    let wish = NewSite {
        root: typed.get("root").unwrap_or_default().to_owned(),
        name: typed.get("name").map(str::to_owned),
        include: typed.lines("include"),
        exclude: typed.lines("exclude"),
        schedule: schedule.schedule(),
    };
    (wish, schedule)
}

fn written(app: &App, visitor: &Visitor, headers: &HeaderMap, shown: &AddSiteForm<'_>) -> Markup {
    let title = "Add a site";
    let there = format!("{ADD_SITE}#preview");
    page(
        &Frame::new(title, NavigationPlace::Sites).for_visitor(app, headers),
        &html! {
            h1 { (title) }
            (fault(shown.reason))
            form.sheet action=(ADD_SITE) method="post" {
                (proof(visitor))
                (fields(shown))
                @if let Some(preview) = &shown.preview { (previewed(preview)) }
                div.buttons {
                    @if shown.preview.is_some() {
                        button.main type="submit" name="step" value="crawl" { "Add and crawl now" }
                        button.quiet type="submit" name="step" value="add" { "Add" }
                        button.quiet type="submit" name="step" value="preview" formaction=(there) {
                            "Preview again"
                        }
                    } @else {
                        button.main type="submit" name="step" value="preview" formaction=(there) { "Preview" }
                        small.muted {
                            "The preview asks for robots.txt, sitemaps and the first page. Nothing is kept."
                        }
                    }
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
            small.muted id="root-hint" { "Crawls begin here and stay below it." }
        }
        div.field {
            label for="name" { "Name (optional)" }
            input #name type="text" name="name" value=[&wish.name] autocomplete="off" spellcheck="false"
                aria-describedby="name-hint";
            small.muted id="name-hint" { "Made from the address unless you give one." }
        }
        (schedule(&shown.schedule))
        details.more open[!wish.include.is_empty() || !wish.exclude.is_empty()] {
            summary { "Only some of its pages" }
            (lines("include", "Only pages that match one of", &globs("/news/**"), &wish.include))
            (lines("exclude", "Never pages that match", &globs("**/print/*"), &wish.exclude))
        }
    }
}

fn previewed(preview: &SitePreview) -> Markup {
    let took =
        i64::try_from((preview.known as u64).saturating_mul(preview.delay_seconds)).unwrap_or(i64::MAX);
    html! {
        section.preview aria-labelledby="preview" {
            h2 #preview { "What would be crawled" }
            @if let Some(state) = &preview.state { div role="alert" { (site_state(state)) } }
            @else if let Some(trouble) = &preview.trouble { p.notice.fault role="alert" { (trouble) } }
            dl.facts {
                div { dt { "Name" } dd { (preview.site) } }
                div { dt { "Begins at" } dd { (readable(preview.root.as_str())) } }
                div { dt { "robots.txt" } dd { (preview.robots) } }
                div {
                    dt { "Pace" }
                    dd { "one request every " (counted(preview.delay_seconds, "second")) }
                }
                div {
                    dt { "Sitemaps" }
                    dd {
                        @if preview.sitemaps.is_empty() { "none found" }
                        @for sitemap in &preview.sitemaps { div { (sitemap) } }
                    }
                }
                div {
                    dt { "Known so far" }
                    dd {
                        (counted(preview.known as u64, "page"))
                        @if preview.known > 1 { ", which take about " (duration(took)) }
                    }
                }
            }
            div.columns {
                section {
                    h3 { "Would be visited" }
                    @if preview.admitted.is_empty() { p.muted { "No page so far." } }
                    ul.addresses { @for url in &preview.admitted { li { (readable(url.as_str())) } } }
                    @if preview.known > preview.admitted.len() {
                        p.muted { "and " (number((preview.known - preview.admitted.len()) as u64)) " more" }
                    }
                }
                section {
                    h3 { "Would not be visited" }
                    @if preview.refused.is_empty() { p.muted { "None of those that were seen." } }
                    ul.addresses {
                        @for page in &preview.refused {
                            li { (readable(page.url.as_str())) " " span.muted { (page.reason) } }
                        }
                    }
                }
            }
        }
    }
}
