//! Sites and their crawls.

use axum::extract::State;
use axum::http::HeaderMap;
use maud::{Markup, html};
use recrawl_core::verdict::Verdict;

use super::home::progress;
use super::layout::{Frame, Place, page, readable};
use super::words::{bytes, duration, number, time};
use crate::address;
use crate::app::App;
use crate::error::WebError;
use crate::views::{self, CrawlState, CrawlView};

/// `GET /sites`
pub(super) async fn sites(State(app): State<App>, headers: HeaderMap) -> Result<Markup, WebError> {
    let sites = views::sites(&*app.library).await?;
    Ok(page(
        &Frame::new("Sites", Place::Sites).for_visitor(&app, &headers),
        &html! {
            h1 { "Sites" }
            @if sites.is_empty() { p.lead { "There are no sites yet." } }
            @for site in &sites {
                section.site aria-labelledby=(site.id) {
                    h2 id=(site.id) { a href=(address::site(&site.id)) { (site.id) } }
                    p.muted {
                        "From " a href=(site.root) rel="noreferrer noopener external" {
                            (readable(site.root.as_str()))
                        }
                    }
                    @for open in site.crawls.iter().filter(|crawl| crawl.state == CrawlState::Open) {
                        (progress(open))
                    }
                    (crawl_table(&site.crawls))
                }
            }
        },
    ))
}

/// Returns a table with a row a crawl.
pub(super) fn crawl_table(crawls: &[CrawlView]) -> Markup {
    let kinds = [Verdict::New, Verdict::Changed, Verdict::Moved, Verdict::Gone, Verdict::Failed];
    html! {
        @if crawls.is_empty() { p { "It has not been crawled yet." } } @else {
            div.scroll {
                table.cards {
                    caption.unseen { "Crawls, the newest first" }
                    thead { tr {
                        th scope="col" { "Crawl" }
                        th scope="col" { "State" }
                        th.figure scope="col" { "Pages" }
                        @for kind in kinds { th.figure scope="col" { (kind) } }
                        th.figure scope="col" { "Took" }
                        th.figure scope="col" { "Received" }
                        th.figure scope="col" { "Saved" }
                        th scope="col" { "Opened" }
                    } }
                    tbody { @for crawl in crawls { (row(crawl, &kinds)) } }
                }
            }
        }
    }
}

fn row(crawl: &CrawlView, kinds: &[Verdict]) -> Markup {
    let counts = crawl.counts.as_ref();
    let figure = |value: Option<u64>| value.map_or_else(|| "–".to_owned(), number);
    html! {
        tr {
            th scope="row" { a href=(address::crawl(&crawl.site, crawl.id)) { (crawl.id) } }
            td data-label="State" {
                (state(crawl.state)) @if let Some(note) = &crawl.note { " " span.muted { (note) } }
            }
            td.figure data-label="Pages" { (figure(counts.map(|counts| counts.total))) }
            @for kind in kinds {
                td.figure data-label=(kind) {
                    @let count = counts.map(|counts| counts.of(*kind));
                    @if count.is_some_and(|count| count > 0) {
                        a class=(format!("count {kind}")) href=(address::with_query(&address::crawl(&crawl.site, crawl.id), &[("kind", kind.word())])) {
                            (figure(count)) span.unseen { " " (kind) " in " (crawl.id) }
                        }
                    } @else { span.muted { (figure(count)) } }
                }
            }
            td.figure data-label="Took" { (crawl.seconds.map_or_else(|| "–".to_owned(), duration)) }
            td.figure data-label="Received" {
                (counts.map_or_else(|| "–".to_owned(), |counts| bytes(counts.received_bytes)))
            }
            td.figure data-label="Saved" {
                (counts.map_or_else(|| "–".to_owned(), |counts| bytes(counts.saved_bytes)))
            }
            td data-label="Opened" { (time(crawl.opened_at)) }
        }
    }
}

/// Returns the state of a crawl as a mark.
pub(super) fn state(state: CrawlState) -> Markup {
    html! { span class=(format!("state {}", state.word())) { (state.word()) } }
}
