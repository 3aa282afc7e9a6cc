//! The crawls of a site, the newest first.

use jiff::Timestamp;
use maud::{Markup, html};
use recrawl_core::model::verdict::Verdict;
use recrawl_reports::sites::SiteView;
use recrawl_reports::{CrawlView, day_among};

use crate::address;
use crate::pages::layout::scrolled;
use crate::pages::sites::state;
use crate::pages::states::state_pill;
use crate::words::{duration, number};

/// How many are shown unless all are asked for.
const SHOWN: usize = 6;

/// What is counted one by one.
const SINGLE: [Verdict; 4] = [Verdict::New, Verdict::Changed, Verdict::Moved, Verdict::Gone];

/// Returns the last crawls, or all of them.
pub(super) fn crawls_section(view: &SiteView, all: bool, now: Timestamp) -> Markup {
    let shown = if all { view.crawls.len() } else { SHOWN };
    html! {
        section.block aria-labelledby="crawls" {
            div.heading {
                h2 #crawls { "Crawls" }
                @if view.crawls.len() > shown {
                    a href={ (address::site(&view.id)) "?crawls=all#crawls" } { "All " (number(view.crawls.len() as u64)) }
                }
            }
            @if view.crawls.is_empty() { p { "It has not been crawled yet." } } @else {
                (table(view, shown, now))
            }
        }
    }
}

fn table(view: &SiteView, shown: usize, now: Timestamp) -> Markup {
    let table = html! {
        table.stack.crawls {
            caption.only-read { "Crawls, the newest first" }
            thead { tr {
                th scope="col" { "Crawl" }
                th scope="col" { "State" }
                th.figure scope="col" { "Pages" }
                @for kind in SINGLE { th.figure scope="col" { (kind) } }
                th.figure scope="col" { "Shared" }
                th.figure scope="col" { "Around" }
                th.figure scope="col" { "Noise" }
                th.figure.took scope="col" { "Took" }
            } }
            tbody { @for crawl in view.crawls.iter().take(shown) { (row(crawl, view, now)) } }
        }
    };
    scrolled(&format!("Crawls of {}", view.id), &table)
}

fn row(crawl: &CrawlView, view: &SiteView, now: Timestamp) -> Markup {
    let day = day_among(crawl.opened_at, view.crawls.iter().map(|other| other.opened_at), now);
    let all = address::crawl(&crawl.site, crawl.id);
    let counts = crawl.statistics.as_ref();
    let rest = [
        ("shared", counts.map(|counts| counts.shared_changes)),
        ("around", counts.map(|counts| counts.around)),
        ("noise", counts.map(|counts| counts.only_noise)),
    ];
    html! {
        tr {
            th scope="row" { a href=(all) title=(crawl.id) { (day) } }
            td data-label="State" {
                @match &crawl.site_state {
                    Some(unread) => (state_pill(unread)),
                    None => (state(crawl)),
                }
                @if let (None, Some(note)) = (&crawl.site_state, &crawl.note) { " " span.soft.small { (note) } }
            }
            (figure("pages", counts.map(|counts| counts.total), None))
            @for kind in SINGLE {
                @let found = address::with_query(&all, &[("kind", kind.word())]);
                (figure(kind.word(), counts.map(|counts| counts.listed(kind)), Some((kind, &found))))
            }
            @for (label, count) in rest { (figure(label, count, None)) }
            td.figure.took data-label="took" { (crawl.seconds.map_or_else(|| "–".to_owned(), duration)) }
        }
    }
}

fn figure(label: &str, count: Option<u64>, leads: Option<(Verdict, &str)>) -> Markup {
    html! {
        td.figure.zero[count.is_none_or(|count| count == 0)] data-label=(label) {
            @match (count, leads) {
                (None, _) => "–",
                (Some(count), Some((kind, found))) if count > 0 => {
                    a class={ "count " (kind.word()) } href=(found) { (number(count)) span.only-read { " " (kind) } }
                },
                (Some(count), _) => (number(count)),
            }
        }
    }
}
