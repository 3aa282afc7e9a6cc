//! The history of a page: a calendar strip, and one time line of its versions and what lay between them.

mod strip;
mod time_line;

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use jiff::Timestamp;
use maud::{Markup, html};
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::record::Presence;
use recrawl_core::url::PageUrl;
use recrawl_reports::history::{HistoryView, VisitEntry};
use recrawl_reports::{Detail, sites};

use self::strip::strip;
use self::time_line::time_line;
use super::capitalised;
use super::components::{Icon, KeysOf, icon, verdict_kind};
use super::forms::{Weight, act};
use super::layout::{self, Frame, NavigationPlace, page, readable, scrolled};
use crate::address;
use crate::app::App;
use crate::error::WebError;
use crate::parameters::Parameters;
use crate::visitor::Visitor;
use crate::words::{bytes, counted, date, number, shortened, time};

/// `GET /sites/{site}/page`: `year` chooses that of the calendar strip
pub(super) async fn history(
    State(app): State<App>,
    Path(site): Path<String>,
    visitor: Visitor,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let id: SiteId = site.parse()?;
    let url = parameters.page()?;
    let site = sites::found_site(&*app.library, &id).await?;
    let view = recrawl_reports::history::history(&*app.library, &id, &url, Detail::Excerpts).await?;
    let year = parameters.number("year", 9999)?.and_then(|year| i16::try_from(year).ok());
    let title = view.title.clone().unwrap_or_else(|| url.path().to_owned());
    let now = (app.clock)();
    let frame = Frame::new(format!("History: {title}"), NavigationPlace::Sites)
        .below(&id, site.shown_name(), &[])
        .at(shortened(url.path_and_query(), 60, 20))
        .with_keys(KeysOf::History)
        .with_feed(format!("Changes of {title}"), address::page_feed(&id, &url))
        .for_visitor(&app, &headers)
        .saying(parameters.message());
    Ok(visitor.answer(page(
        &frame,
        &html! {
            div.heading {
                h1 dir="auto" { (layout::title(&title)) }
                div.acts { (archive_now(&visitor, &id, &url)) }
            }
            (facts(&view, now))
            (strip(&view, year))
            (time_line(&view, now))
            details.fold-line.block {
                summary {
                    strong { "Visits" } " "
                    span.soft { (counted(view.visits.len() as u64, "visit")) ", each with its answer" }
                }
                div.inside { (visits(&view)) }
            }
        },
    )))
}

fn facts(view: &HistoryView, now: Timestamp) -> Markup {
    let (presence, class) = match view.presence {
        Presence::Unknown => ("Never seen", "missing"),
        Presence::Present => ("Online", "new"),
        Presence::Redirect => ("Redirects", "moved"),
        Presence::Gone => ("Gone (404)", "gone"),
        Presence::GoneForGood => ("Gone for good (410)", "gone"),
    };
    html! {
        p.inline-facts {
            a.mono href=(view.url) rel="noreferrer noopener external" { (readable(view.url.as_str())) (icon(Icon::Out)) }
            span {
                strong class={ "presence " (class) } { (presence) }
                @if let Some(last) = view.visits.first() { ", read " (date(last.fetched_at, now)) }
            }
            span { (capitalised(&view.frequency.sentence())) }
            a href=(format!("https://web.archive.org/web/*/{}", view.url)) rel="noreferrer noopener external" {
                "All captures"
            }
            a href=(address::page_feed(&view.site, &view.url)) { (icon(Icon::Feed)) "Feed" }
            // Redirects are versions, but nothing to look at.
            @if view.versions.iter().any(|version| version.location.is_none()) {
                a href=(format!("/timemap/link/{}", view.url)) { "TimeMap" }
            }
        }
    }
}

/// Returns the button that asks for a capture.
pub(super) fn archive_now(visitor: &Visitor, site: &SiteId, url: &PageUrl) -> Markup {
    if !visitor.may_set() {
        return html! {};
    }
    let action = format!("/sites/{site}/archive");
    act(visitor, &action, &[("url", url.as_str())], &html! { "Archive now" }, Weight::Quiet)
}

fn visits(view: &HistoryView) -> Markup {
    let table = html! {
        table.stack {
            caption.only-read { "Visits, the newest first" }
            thead { tr {
                th scope="col" { "Crawl" } th scope="col" { "Found" } th scope="col" { "Answer" }
                th.figure scope="col" { "Took" }
                th.figure scope="col" { "Received" }
                th scope="col" { "When" }
            } }
            tbody { @for visit in &view.visits { (visit_row(view, visit)) } }
        }
    };
    scrolled("Visits", &table)
}

fn visit_row(view: &HistoryView, visit: &VisitEntry) -> Markup {
    html! {
        tr {
            th scope="row" { a href=(address::crawl(&view.site, visit.crawl)) { (visit.crawl) } }
            td data-label="Found" {
                (verdict_kind(visit.kind)) @if !visit.trusted { " " span.muted { "not believed" } }
            }
            td data-label="Answer" {
                @if visit.not_modified {
                    "304"
                } @else {
                    (visit.status.map_or_else(|| "–".to_owned(), |status| status.to_string()))
                }
                @if let Some(reason) = &visit.reason { " " span.muted { (reason) } }
            }
            td.figure data-label="Took" { (number(u64::from(visit.fetch_ms))) " ms" }
            td.figure data-label="Received" { (bytes(visit.received_bytes)) }
            td data-label="When" { (time(visit.fetched_at)) }
        }
    }
}
