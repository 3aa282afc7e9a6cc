//! Sites and their crawls.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use maud::{Markup, html};
use recrawl_core::decide::DoubtWord;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::verdict::Verdict;
use recrawl_reports::sites::{self, SiteView};
use recrawl_reports::{CrawlState, CrawlView};

use super::components::{Pill, pill};
use super::layout::{Frame, NavigationPlace, page, readable, scrolled};
use super::notices::notices;
use super::standing::Standing;
use crate::address::{self, ADD_SITE};
use crate::app::App;
use crate::error::WebError;
use crate::parameters::Parameters;
use crate::visitor::Visitor;
use crate::words::{bytes, duration, number, time};

/// `GET /sites`
pub(super) async fn sites(
    State(app): State<App>,
    visitor: Visitor,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let sites = sites::sites(&*app.library).await?;
    let mut shown: Vec<Markup> = Vec::new();
    for site in &sites {
        shown.push(of_site(&app, &visitor, site).await?);
    }
    let notices = notices(&app, &visitor).await?;
    Ok(visitor.answer(page(
        &Frame::new("Sites", NavigationPlace::Sites).for_visitor(&app, &headers).saying(parameters.message()),
        &html! {
            div.heading {
                h1 { "Sites" }
                @if visitor.may_act() { div.acts { a.button href=(ADD_SITE) { "Add a site" } } }
            }
            (notices)
            @if sites.is_empty() { p.lead { "There are no sites yet." } }
            @for site in shown { (site) }
        },
    )))
}

async fn of_site(app: &App, visitor: &Visitor, site: &SiteView) -> Result<Markup, WebError> {
    let standing = Standing::of(app, &site.id, site.open().cloned()).await?;
    Ok(html! {
        section.site aria-labelledby=(site.id) {
            div.heading {
                h2 id=(site.id) { a href=(address::site(&site.id)) { (site.id) } }
                div.acts { (standing.buttons(visitor)) }
            }
            p.muted {
                "From " a href=(site.root) rel="noreferrer noopener external" {
                    (readable(site.root.as_str()))
                }
            }
            (standing.schedule(visitor))
            (standing.shown())
            (crawl_table(&site.id, &site.crawls))
        }
    })
}

/// Returns a table with a row a crawl.
pub(super) fn crawl_table(site: &SiteId, crawls: &[CrawlView]) -> Markup {
    if crawls.is_empty() {
        return html! { p { "It has not been crawled yet." } };
    }
    let kinds: Vec<Verdict> = Verdict::CHANGES.into_iter().chain([Verdict::Failed]).collect();
    let table = html! {
        table.stack {
            caption.only-read { "Crawls, the newest first" }
            thead { tr {
                th scope="col" { "Crawl" }
                th scope="col" { "State" }
                th.figure scope="col" { "Pages" }
                @for kind in &kinds { th.figure scope="col" { (kind) } }
                th.figure scope="col" { "Took" }
                th.figure scope="col" { "Received" }
                th.figure scope="col" { "Saved" }
                th scope="col" { "Opened" }
            } }
            tbody { @for crawl in crawls { (row(crawl, &kinds)) } }
        }
    };
    scrolled(&format!("Crawls of {site}"), &table)
}

fn row(crawl: &CrawlView, kinds: &[Verdict]) -> Markup {
    let statistics = crawl.statistics.as_ref();
    let all = address::crawl(&crawl.site, crawl.id);
    let found = |kind: Verdict| address::with_query(&all, &[("kind", kind.word())]);
    let figure = |value: Option<u64>| value.map_or_else(|| "–".to_owned(), number);
    html! {
        tr {
            th scope="row" { a href=(all) { (crawl.id) } }
            td data-label="State" {
                @match &crawl.site_state {
                    Some(unread) => {
                        span.state.failed data-state=(unread.word) { (unread.mark) } " "
                        span.muted { (unread.sentence) }
                    },
                    None => {
                        (state(crawl)) @if let Some(note) = &crawl.note { " " span.muted { (note) } }
                    },
                }
            }
            td.figure data-label="Pages" { (figure(statistics.map(|statistics| statistics.total))) }
            @for kind in kinds {
                td.figure data-label=(kind) {
                    @let count = statistics.map(|statistics| statistics.counts[*kind]);
                    @if count.is_some_and(|count| count > 0) {
                        a class=(format!("count {kind}")) href=(found(*kind)) {
                            (figure(count)) span.only-read { " " (kind) " in " (crawl.id) }
                        }
                    } @else { span.muted { (figure(count)) } }
                }
            }
            td.figure data-label="Took" { (crawl.seconds.map_or_else(|| "–".to_owned(), duration)) }
            td.figure data-label="Received" {
                (statistics.map_or_else(|| "–".to_owned(), |statistics| bytes(statistics.received_bytes)))
            }
            td.figure data-label="Saved" {
                (statistics.map_or_else(|| "–".to_owned(), |statistics| bytes(statistics.saved_bytes)))
            }
            td data-label="Opened" { (time(crawl.opened_at)) }
        }
    }
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
