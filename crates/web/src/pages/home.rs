//! The first screen: what changed this week?

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use maud::{Markup, html};
use recrawl_core::decide::{is_first_crawl, told_singly};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::verdict::Verdict;
use recrawl_reports::changes::{ChangesView, Part, Slice};
use recrawl_reports::{ChangesFilter, CrawlState, CrawlView, Detail, SiteStateView, Sort};

use super::changes::{change_list, tally};
use super::forms::{Weight, act};
use super::layout::{Frame, NavigationPlace, page};
use super::notices::notices;
use super::sites::state;
use super::standing::Standing;
use crate::address::{self, ADD_SITE};
use crate::app::Served;
use crate::error::WebError;
use crate::parameters::Parameters;
use crate::visitor::Visitor;
use crate::words::{counted, day};

/// How many changes are shown where there is one site, and where there are several.
const SHOWN: (usize, usize) = (40, 8);

/// `GET /`
pub(super) async fn home(
    State(served): State<Served>,
    visitor: Visitor,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let app = &served.app;
    let sites = app.library.sites().await?;
    let shown = if sites.len() > 1 { SHOWN.1 } else { SHOWN.0 };
    let mut latest: Vec<Markup> = Vec::new();
    for site in &sites {
        latest.push(of_site(&served, &visitor, site, shown).await?);
    }
    let notices = notices(app, &visitor).await?;
    let frame = Frame::new("What changed", NavigationPlace::Home);
    let mut frame = frame.for_visitor(app, &headers).saying(parameters.message());
    if let [site] = &*sites {
        frame = frame.with_feed(format!("Changes of {}", site.id), address::site_feed(&site.id));
    }
    Ok(visitor.answer(page(
        &frame,
        &html! {
            h1 { "What changed?" }
            (notices)
            @if sites.is_empty() { (nothing_yet(&visitor)) }
            @for site in latest { (site) }
        },
    )))
}

fn nothing_yet(visitor: &Visitor) -> Markup {
    html! {
        p.lead { "Nothing has been crawled yet." }
        p { "Recrawl visits a web site again and again, and shows here what is new, changed or gone." }
        @if visitor.may_act() {
            p { a.button.main href=(ADD_SITE) { "Add a site" } }
        } @else {
            p { "Begin with " code { "recrawl crawl https://example.org/news" } "; then look here again." }
        }
    }
}

async fn of_site(served: &Served, visitor: &Visitor, site: &Site, shown: usize) -> Result<Markup, WebError> {
    let crawls = served.app.library.crawls(&site.id).await?;
    let open = crawls.iter().rev().find(|crawl| crawl.is_open()).map(CrawlView::from);
    let standing = Standing::of(&served.app, &site.id, open).await?;
    let closed: Vec<&Crawl> = crawls.iter().filter(|crawl| !crawl.is_open()).collect();
    let found = match &*closed {
        [.., previous, latest] => Some((*latest, Some(previous.id))),
        [latest] => Some((*latest, None)),
        [] => None,
    };
    let view = match found {
        Some((latest, previous)) => {
            // What is new to a first crawl is no news.
            let is_first = is_first_crawl(&crawls, latest.id);
            let told = [told_singly(is_first), &[Verdict::Shared]].concat();
            let filter = ChangesFilter { open_folders: true, ..ChangesFilter::of_verdicts(&told) };
            let part = Part { sort: Sort::Section, slice: Slice::From(0, shown) };
            let reports = served.reports();
            let view = reports.changes(site, latest, previous, &filter, part, Detail::Excerpts).await?;
            Some((view, is_first))
        }
        None => None,
    };
    Ok(html! {
        section.site aria-labelledby=(site.id) {
            div.heading {
                h2 id=(site.id) { a href=(address::site(&site.id)) { (site.id) } }
                div.acts { (standing.buttons(visitor)) }
            }
            (standing.shown())
            @match &view {
                Some((view, is_first)) => (told(visitor, site, view, *is_first)),
                None if crawls.is_empty() => p { "It has not been crawled yet." },
                None => {},
            }
        }
    })
}

fn told(visitor: &Visitor, site: &Site, view: &ChangesView, is_first: bool) -> Markup {
    let crawl = &view.crawl;
    let statistics = crawl.statistics.clone().unwrap_or_default();
    let new = statistics.counts[Verdict::New];
    let all = address::crawl(&site.id, crawl.id);
    if let Some(state) = &crawl.site_state {
        return unread(site, view, state);
    }
    html! {
        p.lead {
            @if is_first && view.previous.is_some() && new > 0 {
                (counted(new, "new page")) " in " (counted(statistics.total, "page")) ", "
                "as seen on " (day(crawl.opened_at)) ". No crawl before saw the whole site, so they are not listed."
            } @else if view.previous.is_none() {
                "First crawl, " (day(crawl.opened_at)) ": " (counted(statistics.total, "page")) " recorded. "
                "What changes will be shown here after the next one."
            } @else if statistics.changes() == 0 {
                "A quiet week: nothing changed in " (counted(statistics.total, "page")) ", "
                "as seen on " (day(crawl.opened_at)) "."
            } @else {
                (counted(statistics.changes(), "change")) " in " (counted(statistics.total, "page")) ", "
                "as seen on " (day(crawl.opened_at)) "."
            }
        }
        @if crawl.state != CrawlState::Complete { (doubts(visitor, crawl)) }
        @if view.previous.is_some() && view.total > 0 {
            (tally(crawl, &[]))
            (change_list(&site.id, &view.changes, 3))
        }
        p.more {
            a href=(all) {
                @if view.changes.len() < view.total && view.previous.is_some() {
                    "All " (counted(statistics.changes(), "change")) " of " (crawl.id)
                } @else { "Everything about " (crawl.id) }
            }
        }
    }
}

/// Says why a site could not be read, or not all of it, and what changed all the same.
fn unread(site: &Site, view: &ChangesView, state: &SiteStateView) -> Markup {
    let crawl = &view.crawl;
    html! {
        (site_state(state))
        @if view.previous.is_some() && view.total > 0 {
            (tally(crawl, &[]))
            (change_list(&site.id, &view.changes, 3))
        }
        p.more { a href=(address::crawl(&site.id, crawl.id)) { "Everything about " (crawl.id) } }
    }
}

/// Returns why a site could not be read, and what to do.
pub(super) fn site_state(state: &SiteStateView) -> Markup {
    html! {
        div.notice.fault {
            p { span.state.failed data-state=(state.word) { (state.mark) } " " (capitalised(&state.sentence)) "." }
            p { (state.advice) }
        }
    }
}

fn capitalised(sentence: &str) -> String {
    // Names of hosts and of robots.txt are spelt as they are.
    match sentence.split_once("the ") {
        Some(("", rest)) => format!("The {rest}"),
        _ => sentence.to_owned(),
    }
}

/// Returns what one must know before believing a crawl.
pub(super) fn doubts(visitor: &Visitor, crawl: &CrawlView) -> Markup {
    let note = crawl.note.as_deref().unwrap_or_default();
    let accept = format!("{}/accept", address::crawl(&crawl.site, crawl.id));
    html! {
        @match crawl.state {
            CrawlState::Open => p.notice { (state(crawl.state)) " This crawl is under way; more may come." },
            CrawlState::Complete => {},
            CrawlState::Partial => p.notice.doubt {
                (state(crawl.state)) " This crawl ended early: " (note) ". "
                "Pages that it did not see are not shown as gone."
            },
            CrawlState::Suspect => div.notice.doubt {
                @if let Some(by) = crawl.confirmed_by {
                    p { (state(crawl.state)) " " (note) ". " (by) " found the same and told it." }
                } @else {
                    p {
                        (state(crawl.state)) " " (note) ". No change was sent yet. "
                        "If the next whole crawl finds the same, it is accepted by itself."
                    }
                    (act(visitor, &accept, &[], &html! { "Accept these findings" }, Weight::Main))
                }
            },
            CrawlState::Accepted => p.notice.doubt {
                @if crawl.is_told {
                    (state(crawl.state)) " Unusual: " (note) ". "
                    "Its changes were sent all the same, because the crawl before was unusual, too."
                } @else {
                    (state(crawl.state)) " It was unusual (" (note) "), and somebody accepted it."
                }
            },
        }
    }
}
