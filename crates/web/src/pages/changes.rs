//! What a crawl found.

mod doubts;
mod filters;
mod list;
mod shared;

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use jiff::Timestamp;
use maud::{Markup, html};
use recrawl_core::decide::{is_first_crawl, opened_after, opened_before};
use recrawl_core::model::crawl::{Crawl, shown_name};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::verdict::Verdict;
use recrawl_reports::changes::Row;
use recrawl_reports::crawls::{self, CrawlState, CrawlView};
use recrawl_reports::{day_among, sites};

use self::doubts::doubts;
use self::filters::filters;
pub(super) use self::list::{Heading, list_page, pagination};
use super::components::{Icon, KeysOf, icon};
use super::layout::{Frame, NavigationPlace, page};
use super::standing::Standing;
use super::unusual::unusual;
use crate::address;
use crate::app::Served;
use crate::error::WebError;
use crate::listing::{Listed, Listing};
use crate::parameters::Parameters;
use crate::visitor::Visitor;
use crate::words::{counted, number};

/// How many rows a page of the list has.
const PER_PAGE: usize = 50;

/// `GET /sites/{site}/crawls/{crawl}`
pub(super) async fn changes(
    State(served): State<Served>,
    Path((site, crawl)): Path<(String, String)>,
    visitor: Visitor,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let app = &served.app;
    let (id, crawl): (SiteId, CrawlId) = (site.parse()?, crawl.parse()?);
    let listing = Listing::crawl(id.clone(), crawl, &parameters)?;
    let number = parameters.number("page", 1_000_000)?.unwrap_or(1);
    let (crawls, crawl) = crawls::crawl(&*app.library, &id, crawl).await?;
    if crawl.is_unusual(None) && parameters.get("all").is_none() && parameters.get("shared").is_none() {
        let site = sites::found_site(&*app.library, &id).await?;
        if let Some(report) = served.reports().unusual(&site, &crawl).await? {
            return unusual(&served, (&site, &crawls, &crawl), &visitor, &headers, &parameters, report).await;
        }
    }
    let listed = listing.read(&served).await?;
    let now = (app.clock)();
    let view = CrawlView::from(&crawl);
    let standing = Standing::of(app, &id, listed.root(&id), Some(view.clone())).await?;
    let day = day_of(&crawl, &crawls, now);
    let name = listed.root(&id).map_or(id.as_str(), |root| shown_name(&id, root));
    let title = title(name, &view, &listed, &day);
    let frame = Frame::new(&*title, NavigationPlace::Sites)
        .below(&id, name, &[])
        .at(day)
        .with_keys(KeysOf::List)
        .for_visitor(app, &headers)
        .saying(parameters.message())
        .with_feed(format!("Changes of {name}"), address::site_feed(&id));
    if let Some(shared) = parameters.get("shared") {
        let content = shared::pages(&served, &listing, (&listed, &crawl), shared, number).await?;
        return Ok(visitor.answer(page(&frame, &content)));
    }
    let heading = Heading {
        title: "Changes",
        windows: None,
        feed: &address::site_feed(&id),
        number,
        per_page: PER_PAGE,
        now,
    };
    let content = html! {
        div.heading {
            h1 { (title) }
            div.acts { (neighbours(&id, &crawls, &crawl, now)) (review(&listing, &listed)) }
        }
        (lead(&view, &crawls, &listed, now))
        @if view.state == CrawlState::Open {
            (standing.shown())
            div.acts { (standing.buttons(&visitor)) }
        } @else {
            (doubts(&visitor, &view))
        }
        @if is_first_crawl(&crawls, crawl.id) && !opened_before(&crawls, crawl.id).is_empty() {
            p.notice {
                "No crawl before this one saw the whole site: what is new to it may have been there for long."
            }
        }
        (filters(&listing, &listed, &parameters))
        (list_page(&served, &visitor, &listing, &listed, &heading).await?)
    };
    Ok(visitor.answer(page(&frame, &content)))
}

/// Returns the title for people: `rivertown: 6 changes, 17 November`.
fn title(site: &str, crawl: &CrawlView, listed: &Listed, day: &str) -> String {
    let changes = listed.changes.figures.of as u64;
    match (crawl.state, &crawl.site_state) {
        (CrawlState::Open, _) => format!("{site}: {} so far, {day}", counted(changes, "change")),
        (_, Some(state)) if changes == 0 => format!("{site}: {}, {day}", state.mark),
        (CrawlState::Partial, None) if changes == 0 => format!("{site}: no change seen, {day}"),
        _ if changes == 0 => format!("{site}: quiet, {day}"),
        _ => format!("{site}: {}, {day}", counted(changes, "change")),
    }
}

/// Says in figures what the crawl found.
fn lead(crawl: &CrawlView, crawls: &[Crawl], listed: &Listed, now: Timestamp) -> Markup {
    let Some(statistics) = &crawl.statistics else { return html! {} };
    let figures = &listed.changes.figures;
    let before = opened_before(crawls, crawl.id);
    let previous = before.last();
    html! {
        p.lead {
            (counted(statistics.total, "page"))
            @match previous {
                None => ". The first crawl of this site: everything is new to it.",
                Some(previous) => {
                    ", compared with " (day_of(previous, crawls, now)) ": "
                    @if figures.of + figures.shared == 0 {
                        @if crawl.state == CrawlState::Partial { "no change seen" } @else { "nothing changed" }
                    }
                    @else { strong { (counted(figures.of as u64, "change")) } }
                    @if figures.shared > 0 { ", " strong { (counted(figures.shared as u64, "shared change")) } }
                    @if figures.around > 0 { ", " (counted(figures.around as u64, "page")) " around their content" }
                    @if figures.noise > 0 { ", " (number(figures.noise)) " only noise" }
                    "."
                },
            }
        }
    }
}

fn neighbours(site: &SiteId, crawls: &[Crawl], crawl: &Crawl, now: Timestamp) -> Markup {
    html! {
        @if let Some(previous) = opened_before(crawls, crawl.id).last() {
            a.button rel="prev" href=(address::crawl(site, previous.id)) {
                (icon(Icon::Left)) (day_of(previous, crawls, now)) (found(previous, crawls))
            }
        }
        @if let Some(next) = opened_after(crawls, crawl.id).first() {
            a.button rel="next" href=(address::crawl(site, next.id)) {
                (day_of(next, crawls, now)) (found(next, crawls)) (icon(Icon::Right))
            }
        }
    }
}

/// Returns how many changes of pages a crawl found, as far as it is closed; to a first crawl everything is new.
fn found(crawl: &Crawl, crawls: &[Crawl]) -> Markup {
    let closed = crawl.closed.as_ref().filter(|_| !is_first_crawl(crawls, crawl.id));
    let changes =
        closed.map(|closed| Verdict::CHANGES.map(|kind| closed.statistics.listed(kind)).iter().sum());
    html! {
        @if let Some(changes) = changes {
            " " span.soft.n { (number(changes)) span.only-read { " changes" } }
        }
    }
}

/// Leads to the first change of the list, and from there to the next.
fn review(listing: &Listing, listed: &Listed) -> Markup {
    let first = listed.changes.rows.iter().find_map(|row| match row {
        Row::Page(page) if page.listed.record.visit.verdict.change().is_some() => {
            let record = &page.listed.record;
            Some(listing.change(&record.site, &record.url, page.before, record.crawl))
        }
        Row::Page(_) | Row::Folder(_) | Row::Shared(_) => None,
    });
    html! { @if let Some(first) = first { a.button.main href=(first) { "Review" } } }
}

/// Returns the day of a crawl, with its hour where another one was opened on that day.
pub(super) fn day_of(crawl: &Crawl, crawls: &[Crawl], now: Timestamp) -> String {
    day_among(crawl.opened_at, crawls.iter().map(|other| other.opened_at), now)
}

/// Returns how a section of a site is called.
pub(super) fn section_name(name: &str) -> &str {
    if name.is_empty() { "top of the site" } else { name }
}

/// Returns how many pages a crawl found to be of this kind.
fn pages_of(crawl: &CrawlView, kind: Verdict) -> u64 {
    crawl.statistics.as_ref().map_or(0, |statistics| statistics.counts[kind])
}
