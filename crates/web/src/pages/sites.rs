//! All sites: a line each, those that need somebody first.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use jiff::Timestamp;
use maud::{Markup, html};
use recrawl_core::decide::DoubtWord;
use recrawl_core::model::crawl::shown_name;
use recrawl_core::model::scope::is_list_root;
use recrawl_reports::sites::SiteLine;
use recrawl_reports::{CrawlState, CrawlView};

use super::changes::pagination;
use super::components::{Pill, pill};
use super::forms::{Weight, act};
use super::layout::{Frame, NavigationPlace, page, root_link};
use super::notices::notices;
use super::site_lines::Watched;
use crate::address::{self, ADD_SITE, SITES};
use crate::app::Served;
use crate::crawl_control::Activity;
use crate::error::WebError;
use crate::parameters::Parameters;
use crate::visitor::Visitor;
use crate::words::{counted, number};

/// How many sites a page of the list has.
const PER_PAGE: usize = 100;

/// Fewer need no search.
const MANY: usize = 9;

/// `GET /sites`, with `q` for a part of names and addresses.
pub(super) async fn sites(
    State(served): State<Served>,
    visitor: Visitor,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let app = &served.app;
    let sites = app.library.sites().await?;
    let wanted = parameters.get("q").unwrap_or_default();
    let lines = served.reports().site_lines(&sites).await?;
    let found: Vec<SiteLine> = lines.into_iter().filter(|line| is_found(line, wanted)).collect();
    let place = parameters.number("page", 1_000_000)?.unwrap_or(1);
    let pages = found.len().div_ceil(PER_PAGE).max(1);
    let start = ((place - 1) * PER_PAGE).min(found.len());
    let shown = &found[start..(start + PER_PAGE).min(found.len())];
    let watched = Watched::all(&served, shown).await?;
    let now = (app.clock)();
    let frame =
        Frame::new("Sites", NavigationPlace::Sites).for_visitor(app, &headers).saying(parameters.message());
    Ok(visitor.answer(page(
        &frame,
        &html! {
            div.heading {
                h1 { "Sites " span.soft.n { (number(sites.len() as u64)) } }
                @if visitor.may_set() { div.acts { a.button href=(ADD_SITE) { "Add a site" } } }
            }
            (notices(app, &visitor).await?)
            @if sites.is_empty() { p.lead { "There are no sites yet." } }
            @if sites.len() >= MANY { (search(wanted)) }
            @if !sites.is_empty() && shown.is_empty() {
                p.lead { "No site is called so. " a href=(SITES) { "Show all " (counted(sites.len() as u64, "site")) } }
            }
            @if !shown.is_empty() {
                ul.sites.whole {
                    @for site in &watched { (line(&visitor, site, now)) }
                }
            }
            (pagination(&address::with_query(SITES, &[("q", wanted)]), place, pages))
        },
    )))
}

fn is_found(line: &SiteLine, wanted: &str) -> bool {
    let wanted = wanted.to_lowercase();
    line.site.as_str().contains(&wanted) || line.root.as_str().to_lowercase().contains(&wanted)
}

fn search(wanted: &str) -> Markup {
    html! {
        form.filters action=(SITES) method="get" role="search" aria-label="Find a site" {
            div.field.wide {
                label for="name" { "Name or address" }
                input #name type="search" name="q" value=(wanted);
            }
            button type="submit" { "Find" }
        }
    }
}

fn line(visitor: &Visitor, site: &Watched<'_>, now: Timestamp) -> Markup {
    let line = site.line;
    let below = html! {
        span.path { (root_link(&line.root, &html! {})) }
        @if let Some(schedule) = &site.schedule { span.path { (schedule) } }
    };
    site.shown(&below, &button(visitor, site, now), now)
}

/// Returns what is done with a site as things are; where somebody has to decide, that comes first.
fn button(visitor: &Visitor, site: &Watched<'_>, now: Timestamp) -> Markup {
    let (verb, label) = match site.activity {
        Activity::Idle if site.line.state.needs_a_look() => return site.most_pressing(visitor, now),
        // A list is crawled by whoever has it.
        Activity::Idle if is_list_root(&site.line.root) => return html! {},
        Activity::Idle => ("start", "Crawl now"),
        Activity::Waiting => ("pause", "Do not wait"),
        Activity::TriedLater => ("start", "Try now"),
        Activity::Crawling => ("pause", "Pause"),
        Activity::Paused => ("start", "Go on"),
        Activity::Ending | Activity::Removing | Activity::CrawledElsewhere => return html! {},
    };
    if site.schedule.is_none() {
        return html! {};
    }
    let label = html! { (label) span.only-read { " " (shown_name(&site.line.site, &site.line.root)) } };
    act(visitor, &format!("{}/{verb}", address::site(&site.line.site)), &[], &label, Weight::Quiet)
}

/// Returns the state of a crawl as a mark.
pub(super) fn state(crawl: &CrawlView) -> Markup {
    match crawl.state {
        CrawlState::Open => pill(Pill::Running, "crawling"),
        CrawlState::Suspect => doubt(crawl.statistics.as_ref().map_or(DoubtWord::Unusual, DoubtWord::of)),
        CrawlState::Complete | CrawlState::Accepted => pill(Pill::Good, crawl.word),
        CrawlState::Partial => pill(Pill::Quiet, crawl.word),
    }
}

/// Returns what is said of a crawl whose findings are doubted, as a mark.
pub(super) fn doubt(word: DoubtWord) -> Markup {
    let look = if word == DoubtWord::Unusual { Pill::Unusual } else { Pill::Failed };
    pill(look, word.word())
}
