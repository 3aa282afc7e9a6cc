//! The first screen: what changed this week?

use axum::extract::State;
use axum::http::HeaderMap;
use maud::{Markup, html};
use recrawl_core::crawl::{Crawl, Site};

use super::changes::change_list;
use super::layout::{Frame, Place, page, verdict};
use super::sites::state;
use super::words::{counted, day};
use crate::address;
use crate::app::App;
use crate::error::WebError;
use crate::views::{ChangesFilter, ChangesView, CrawlState, CrawlView, Slice, changes};

/// How many changes are shown where there is one site, and where there are several.
const SHOWN: (usize, usize) = (40, 8);

/// `GET /`
pub(super) async fn home(State(app): State<App>, headers: HeaderMap) -> Result<Markup, WebError> {
    let sites = app.library.sites().await?;
    let shown = if sites.len() > 1 { SHOWN.1 } else { SHOWN.0 };
    let mut latest: Vec<Markup> = Vec::new();
    for site in &sites {
        latest.push(of_site(&app, site, shown).await?);
    }
    let mut frame = Frame::new("What changed", Place::Home).for_visitor(&app, &headers);
    if let [site] = &*sites {
        frame = frame.with_feed(format!("Changes of {}", site.id), address::site_feed(&site.id));
    }
    Ok(page(
        &frame,
        &html! {
            h1 { "What changed?" }
            @if sites.is_empty() {
                p.lead { "Nothing has been crawled yet." }
                p {
                    "Begin with " code { "recrawl crawl https://example.org/news" } "; then look here again."
                }
            }
            @for site in latest { (site) }
        },
    ))
}

async fn of_site(app: &App, site: &Site, shown: usize) -> Result<Markup, WebError> {
    let crawls = app.library.crawls(&site.id).await?;
    let open = crawls.iter().rev().find(|crawl| crawl.is_open()).map(CrawlView::from);
    let closed: Vec<&Crawl> = crawls.iter().filter(|crawl| !crawl.is_open()).collect();
    let found = match &*closed {
        [.., previous, latest] => Some((*latest, Some(previous.id))),
        [latest] => Some((*latest, None)),
        [] => None,
    };
    let view = match found {
        Some((latest, previous)) => {
            // Everything is new to the first crawl: that is no news.
            let count = if previous.is_none() { 0 } else { shown };
            let filter = ChangesFilter::default();
            Some(changes(&*app.library, site, latest, previous, &filter, Slice::From(0, count)).await?)
        }
        None => None,
    };
    Ok(html! {
        section.site aria-labelledby=(site.id) {
            h2 id=(site.id) { a href=(address::site(&site.id)) { (site.id) } }
            @if let Some(open) = &open { (progress(open)) }
            @match &view {
                Some(view) => (told(site, view)),
                None if open.is_none() => p { "It has not been crawled yet." },
                None => {},
            }
        }
    })
}

/// Returns how an open crawl comes on; the script keeps it up to date.
pub(super) fn progress(open: &CrawlView) -> Markup {
    html! {
        p.notice data-events=(format!("/events/{}", open.site)) {
            (state(open.state)) " A crawl is under way: "
            a href=(address::crawl(&open.site, open.id)) { (open.id) }
            ". " span.progress role="status" {}
        }
    }
}

fn told(site: &Site, view: &ChangesView) -> Markup {
    let crawl = &view.crawl;
    let counts = crawl.counts.unwrap_or_default();
    let all = address::crawl(&site.id, crawl.id);
    html! {
        p.lead {
            @if view.previous.is_none() {
                "First crawl, " (day(crawl.opened_at)) ": " (counted(counts.total, "page")) " recorded. "
                "What changes will be shown here after the next one."
            } @else if counts.changes() == 0 {
                "A quiet week: nothing changed in " (counted(counts.total, "page")) ", "
                "as seen on " (day(crawl.opened_at)) "."
            } @else {
                (counted(counts.changes(), "change")) " in " (counted(counts.total, "page")) ", "
                "as seen on " (day(crawl.opened_at)) "."
            }
        }
        @if crawl.state != CrawlState::Complete { (doubts(crawl)) }
        @if view.previous.is_some() && counts.changes() > 0 {
            p.tally {
                @for kind in ChangesFilter::default().verdicts() {
                    @if counts.of(*kind) > 0 {
                        a href=(address::with_query(&all, &[("kind", kind.word())])) {
                            (verdict(*kind)) " " strong { (super::words::number(counts.of(*kind))) }
                        }
                    }
                }
            }
            (change_list(&site.id, &view.changes, 3))
        }
        p.more {
            a href=(all) {
                @if view.changes.len() < view.total && view.previous.is_some() {
                    "All " (counted(counts.changes(), "change")) " of " (crawl.id)
                } @else { "Everything about " (crawl.id) }
            }
        }
    }
}

/// Returns what one must know before believing a crawl.
pub(super) fn doubts(crawl: &CrawlView) -> Markup {
    let note = crawl.note.as_deref().unwrap_or_default();
    html! {
        @match crawl.state {
            CrawlState::Open => p.notice { (state(crawl.state)) " This crawl is under way; more may come." },
            CrawlState::Complete => {},
            CrawlState::Partial => {
                p.notice {
                    (state(crawl.state)) " This crawl ended early: " (note) ". Pages that it did not see are not shown as gone."
                }
            },
            CrawlState::Suspect => {
                p.notice {
                    (state(crawl.state)) " These findings are doubted: " (note) ". Nothing was announced, and later crawls are not compared with this one."
                }
            },
            CrawlState::Accepted => p.notice {
                (state(crawl.state)) " These findings were doubted (" (note) ") and somebody accepted them."
            },
        }
    }
}
