//! What changed lately: the heaviest changes of the last crawl.

use maud::{Markup, html};
use recrawl_core::decide::{is_first_crawl, opened_before, told_singly};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::verdict::Verdict;
use recrawl_reports::changes::{Part, Slice};
use recrawl_reports::{ChangesFilter, Detail, Sort, day};

use crate::address;
use crate::app::Served;
use crate::error::WebError;
use crate::pages::changes::change_list;
use crate::words::{counted, date};

/// How many changes are shown.
const SHOWN: usize = 3;

/// Returns the heaviest changes of the last crawl that ended.
pub(super) async fn this_week(served: &Served, site: &Site, crawls: &[Crawl]) -> Result<Markup, WebError> {
    let now = (served.app.clock)();
    let Some(latest) = crawls.iter().rev().find(|crawl| !crawl.is_open()) else {
        return Ok(html! {});
    };
    let previous = opened_before(crawls, latest.id).last().map(|other| other.id);
    let is_first = is_first_crawl(crawls, latest.id);
    let statistics = latest.closed.as_ref().map(|closed| &closed.statistics);
    let pages = statistics.map_or(0, |statistics| statistics.total);
    if previous.is_none() {
        return Ok(html! {
            section aria-labelledby="news" {
                h2 #news { "First crawl, " (date(latest.opened_at, now)) }
                p { (counted(pages, "page")) " read. What changes is told after the next crawl." }
            }
        });
    }
    let told = [told_singly(is_first), &[Verdict::Shared]].concat();
    let filter = ChangesFilter { open_folders: true, ..ChangesFilter::of_verdicts(&told) };
    let part = Part { sort: Sort::Weight, slice: Slice::From(0, SHOWN) };
    let reports = served.reports();
    let view = reports.changes(site, latest, previous, &filter, part, Detail::Excerpts).await?;
    let shared = statistics.map_or(0, |statistics| statistics.shared_changes);
    let single = (view.total as u64).saturating_sub(shared);
    let all = address::crawl(&site.id, latest.id);
    let is_read = latest.closed.as_ref().is_some_and(|closed| closed.state.is_none());
    let when = if (now.duration_since(latest.opened_at)).as_hours() < 7 * 24 {
        "This week".to_owned()
    } else {
        day(latest.opened_at, now)
    };
    Ok(html! {
        section aria-labelledby="news" {
            div.heading {
                h2 #news {
                    (when) ": "
                    @if view.total == 0 {
                        @if is_read { "nothing changed" } @else { "no change could be seen" }
                    } @else {
                        (counted(single, "change"))
                        @if shared > 0 { " and " (counted(shared, "shared change")) }
                    }
                }
                @if view.total > 0 { a href=(all) { "All " (view.total) } }
            }
            @if view.total == 0 && is_read { p.soft { (counted(pages, "page")) " read." } }
            (change_list(&site.id, &view.changes, 3))
        }
    })
}
