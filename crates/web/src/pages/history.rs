//! The history of a page.

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use maud::{Markup, html};
use recrawl_core::model::archive::ArchiveState;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::record::Presence;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use recrawl_reports::history::{FailuresEntry, HistoryView, VersionEntry, VisitEntry};
use recrawl_reports::{Detail, sites};

use super::components::verdict_kind;
use super::forms::{Weight, act};
use super::layout::{self, Frame, NavigationPlace, live, page, readable, scrolled};
use crate::address::{self, Compared, Form};
use crate::app::App;
use crate::error::WebError;
use crate::parameters::Parameters;
use crate::visitor::Visitor;
use crate::words::{bytes, counted, duration, number, rate, time};

/// `GET /sites/{site}/page`
pub(super) async fn history(
    State(app): State<App>,
    Path(site): Path<String>,
    visitor: Visitor,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let id: SiteId = site.parse()?;
    let url = parameters.page()?;
    sites::found_site(&*app.library, &id).await?;
    let view = recrawl_reports::history::history(&*app.library, &id, &url, Detail::Titles).await?;
    let title = view.title.clone().unwrap_or_else(|| url.path().to_owned());
    let frame = Frame::new(format!("History: {title}"), NavigationPlace::Sites)
        .below(&id, &[])
        .with_feed(format!("Changes of {title}"), address::page_feed(&id, &url))
        .for_visitor(&app, &headers)
        .saying(parameters.message());
    Ok(visitor.answer(page(
        &frame,
        &html! {
            div.heading { h1 { (layout::title(&title)) } div.acts { (archive_now(&visitor, &id, &url)) } }
            p.where { (readable(url.as_str())) }
            p { (live(url.as_str())) " · "
                a href=(format!("https://web.archive.org/web/*/{url}")) rel="noreferrer noopener external" {
                    "all captures"
                }
                " · "
                a href=(address::page_feed(&id, &url)) { "feed" }
                // Redirects are versions, but nothing to look at.
                @if view.versions.iter().any(|version| version.location.is_none()) {
                    " · " a href=(format!("/timemap/link/{url}")) { "TimeMap" }
                }
            }
            (known(&view))
            h2 { "Versions" }
            (versions(&view))
            h2 { "Visits" }
            (visits(&view))
        },
    )))
}

/// Returns the button that asks for a capture.
pub(super) fn archive_now(visitor: &Visitor, site: &SiteId, url: &PageUrl) -> Markup {
    let action = format!("/sites/{site}/archive");
    act(visitor, &action, &[("url", url.as_str())], &html! { "Archive now" }, Weight::Quiet)
}

fn known(view: &HistoryView) -> Markup {
    let frequency = &view.frequency;
    let presence = match view.presence {
        Presence::Unknown => "never seen",
        Presence::Present => "there",
        Presence::Redirect => "redirects",
        Presence::Gone => "gone (404)",
        Presence::GoneForGood => "gone for good (410)",
    };
    html! {
        dl.facts {
            div { dt { "Now" } dd { (presence) } }
            div { dt { "First seen" } dd { (time(view.first_seen)) } }
            div {
                dt { "Last change" }
                dd { @match view.last_changed { Some(at) => (time(at)), None => "never seen to change" } }
            }
            div {
                dt { "Changes" }
                dd {
                    (counted(u64::from(frequency.changes), "change")) " in "
                    (counted(u64::from(frequency.observations), "visit")) " that could tell"
                }
            }
            div {
                dt { "Frequency" }
                dd {
                    (frequency.meaning)
                    @if let Some((of_late, estimated)) =
                        frequency.changes_a_day.zip(frequency.estimated_changes_a_day)
                    {
                        ": " (rate(of_late)) " changes a day lately, " (rate(estimated)) " estimated"
                    }
                }
            }
            div { dt { "Worth a visit" } dd { "every " (duration(frequency.suggested_interval_seconds)) } }
        }
    }
}

fn versions(view: &HistoryView) -> Markup {
    html! {
        @if view.versions.is_empty() { p { "No version was seen." } }
        ol.timeline reversed {
            @for version in &view.versions {
                @for failures in view.failures.iter().filter(|failures| failures.after == version.number) {
                    (failed(failures))
                }
                (version_item(view, version))
            }
            @for failures in view.failures.iter().filter(|failures| failures.after == 0) {
                (failed(failures))
            }
        }
    }
}

fn failed(failures: &FailuresEntry) -> Markup {
    html! {
        li.failed {
            (verdict_kind(Verdict::Failed)) " " (counted(failures.visits as u64, "visit")) " failed, "
            (time(failures.first))
            @if failures.visits > 1 { " to " (time(failures.last)) }
            @if failures.ongoing { ", and still do" }
        }
    }
}

fn version_item(view: &HistoryView, version: &VersionEntry) -> Markup {
    let to = Some(version.crawl);
    let difference = address::difference(&view.site, &view.url, None, to, Compared::Inline);
    html! {
        li value=(version.number) {
            p.head {
                (verdict_kind(version.kind)) " "
                a.title href=(address::version(&view.site, &view.url, version.crawl, Form::Text)) {
                    "Version " (version.number)
                }
                @if version.number > 1 {
                    " " a href=(difference) {
                        "difference" span.only-read { " from version " (version.number - 1) }
                    }
                }
            }
            p.muted {
                "Seen " (time(version.first_seen))
                @if version.visits > 1 {
                    " to " (time(version.last_seen)) ", " (counted(version.visits as u64, "visit"))
                }
                @if let Some(status) = version.status.filter(|status| *status != 200) {
                    ", answered " (status)
                }
                @if let Some(location) = &version.location { ", leads to " (readable(location)) }
            }
            @if let Some(unusual) = &version.unusual { p.muted { (unusual) } }
            @if let Some(gone) = version.gone_at { p { (verdict_kind(Verdict::Gone)) " " (time(gone)) } }
            @if let Some(archive) = &version.archive {
                p.muted {
                    @match archive.state {
                        ArchiveState::Queued => "Archiving is asked for.",
                        ArchiveState::Submitted => "The Wayback Machine works on it.",
                        ArchiveState::Failed => {
                            "The Wayback Machine did not archive it" @if let Some(error) = &archive.error {
                                ": " (error)
                            }
                            "."
                        },
                        ArchiveState::Captured => {
                            @let url = archive.wayback_url.as_deref();
                            @match url.filter(|capture| capture.starts_with("https://")) {
                                Some(capture) => a href=(capture) rel="noreferrer noopener external" {
                                    "Wayback capture"
                                },
                                None => "Archived.",
                            }
                        },
                    }
                }
            }
        }
    }
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
