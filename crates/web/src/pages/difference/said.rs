//! What is said of a change before its lines: which versions, whether it is archived, what happened to the page.

use jiff::Timestamp;
use maud::{Markup, html};
use recrawl_core::model::archive::ArchiveState;
use recrawl_core::url::PageUrl;
use recrawl_reports::difference::{DifferenceView, Review, Told};

use crate::address::{self, Compared, Form};
use crate::pages::components::{Icon, icon};
use crate::pages::history::archive_now;
use crate::visitor::Visitor;
use crate::words::{counted, day, stamp};

/// Returns the line of the versions: from when to when, history, live page, archive.
pub(super) fn versions(review: &Review, visitor: &Visitor, whole: Option<&str>, now: Timestamp) -> Markup {
    let view = &review.view;
    let version = |side: &recrawl_reports::difference::SideView| {
        html! {
            a href=(address::version(&view.site, &view.url, side.crawl, Form::Text)) { (stamp(side.fetched_at, now)) }
        }
    };
    let count = view.versions.len() as u64;
    html! {
        div.versions {
            @if let Some(older) = &view.older {
                (version(older))
                span.soft aria-hidden="true" { "→" } span.only-read { "to" }
            }
            @if matches!(review.told, Told::Gone { .. }) { span { (stamp(view.newer.fetched_at, now)) } }
            @else { (version(&view.newer)) }
            (dot())
            a href=(address::page(&view.site, &view.url)) { "History, " (counted(count, "version")) }
            (dot())
            a href=(view.url) rel="noreferrer noopener external" data-live { "Live page" (icon(Icon::Out)) }
            (dot())
            (archived(review, visitor))
            @if let Some(whole) = whole { a.last href=(whole) { "Show the whole page" } }
        }
    }
}

fn dot() -> Markup {
    html! { span.soft aria-hidden="true" { "·" } }
}

/// Says whether the change is archived, and what can be done.
fn archived(review: &Review, visitor: &Visitor) -> Markup {
    let view = &review.view;
    let captures = format!("https://web.archive.org/web/*/{}", view.url);
    let all =
        html! { a href=(captures) rel="noreferrer noopener external" { "all captures" (icon(Icon::Out)) } };
    let archive = review.visit.archive.as_ref();
    let capture = |url: &Option<String>| {
        let url = url.as_deref().filter(|url| url.starts_with("https://"));
        html! {
            @if let Some(url) = url { ": " a href=(url) rel="noreferrer noopener external" { "capture" (icon(Icon::Out)) } }
        }
    };
    let last = view
        .newer
        .wayback_url
        .clone()
        .or_else(|| view.older.as_ref().and_then(|older| older.wayback_url.clone()));
    html! {
        @match archive.map(|archive| archive.state) {
            _ if view.unusual.is_some() => span { "Not archived: the crawl is unusual and not accepted yet" },
            Some(ArchiveState::Captured) => span {
                (icon(Icon::Check)) " Archived" (capture(&archive.and_then(|archive| archive.wayback_url.clone())))
            },
            Some(ArchiveState::Queued | ArchiveState::Submitted) => span { (icon(Icon::Wait)) " Waits to be archived" },
            Some(ArchiveState::Failed) => span { (icon(Icon::Cross)) " Not archived: the Wayback Machine could not" },
            None if last.is_some() => span { "Archived before" (capture(&last)) },
            None => (all),
        }
        // A page that is gone would be kept as the error that it answers.
        @if archive.is_none() && last.is_none() && !matches!(review.told, Told::Gone { .. }) && view.unusual.is_none() {
            (archive_now(visitor, &view.site, &view.url))
        }
    }
}

/// Returns an address without the host where that is the one of the page.
fn place<'a>(target: &'a PageUrl, text: &'a str, view: &DifferenceView) -> &'a str {
    if target.authority() == view.url.authority() { target.path_and_query() } else { text }
}

/// Says what happened to the page, where that is not seen by its lines.
pub(super) fn said(review: &Review, now: Timestamp) -> Markup {
    let view = &review.view;
    html! {
        @match &review.told {
            Told::Gone { since, status, asked_twice, last_seen } => p.lead {
                @match status {
                    Some(status) => { "Answers " (status) " since " (day(*since, now)) },
                    None => { "Gone since " (day(*since, now)) },
                }
                @if *asked_twice { ", asked twice" }
                ". On " (day(*last_seen, now)) " it said:"
            },
            Told::New { since } => p.lead { "New since " (day(*since, now)) ". It says:" },
            Told::Moved { since, target } => p.lead {
                "Since " (day(*since, now)) " it leads to "
                @match target.as_deref().and_then(|target| target.parse::<PageUrl>().ok().map(|page| (target, page))) {
                    Some((text, page)) => {
                        a href=(address::difference(&view.site, &page, None, None, Compared::Inline)) { (place(&page, text, view)) }
                    },
                    None => (target.as_deref().unwrap_or("another page")),
                }
                "."
            },
            Told::Unchanged { since } => p.lead {
                "Has not changed since " (day(*since, now)) "."
                @if !review.rows.is_empty() { " What differs is shared with other pages, or noise:" }
            },
            Told::Changed => {},
        }
    }
}
