//! What changed lately: the heaviest changes of the last crawl.

use maud::{Markup, html};
use recrawl_core::decide::opened_before;
use recrawl_core::model::crawl::{Closed, Crawl, Site};
use recrawl_reports::{ChangeRow, Detail, day};

use crate::address;
use crate::app::Served;
use crate::error::WebError;
use crate::listing::Listing;
use crate::pages::components::Rows;
use crate::pages::marks::marks_form;
use crate::parameters::Parameters;
use crate::visitor::Visitor;
use crate::words::{counted, date, number};

/// How many changes are shown.
const SHOWN: usize = 3;

/// Returns the heaviest changes of the last crawl that ended.
pub(super) async fn this_week(
    served: &Served,
    visitor: &Visitor,
    site: &Site,
    crawls: &[Crawl],
) -> Result<Markup, WebError> {
    let now = (served.app.clock)();
    let Some(latest) = crawls.iter().rev().find(|crawl| !crawl.is_open()) else {
        return Ok(html! {});
    };
    let previous = opened_before(crawls, latest.id).last().map(|other| other.id);
    let statistics = latest.closed.as_ref().map(|closed| &closed.statistics);
    let pages = statistics.map_or(0, |statistics| statistics.total);
    let is_read = latest.closed.as_ref().is_some_and(|closed| closed.state.is_none());
    // Only of a crawl that saw all of the site can it be said that nothing changed.
    let is_whole = is_read && latest.closed.as_ref().is_some_and(Closed::is_whole);
    if previous.is_none() && !is_read {
        return Ok(html! {});
    }
    if previous.is_none() {
        return Ok(html! {
            section aria-labelledby="news" {
                h2 #news { "First crawl, " (date(latest.opened_at, now)) }
                p { (counted(pages, "page")) " read. What changes is told after the next crawl." }
            }
        });
    }
    let listing = Listing::crawl(site.id.clone(), latest.id, &Parameters::read(""))?;
    let listed = listing.read(served).await?;
    let figures = &listed.changes.figures;
    let shown = &listed.changes.rows[..listed.changes.rows.len().min(SHOWN)];
    let rows = served.reports().described_window(&listed.sites, shown, Detail::Excerpts).await?;
    let rows: Vec<&ChangeRow> = rows.iter().collect();
    let view = Rows {
        listing: &listing,
        listed: &listed,
        names_sites: false,
        can_pick: false,
        may_mark: visitor.may_act(),
    };
    let (single, shared) = (figures.changes as u64, figures.shared as u64);
    let total = single + shared;
    let all = address::crawl(&site.id, latest.id);
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
                    @if total == 0 {
                        @if is_whole { "nothing changed" } @else { "no change could be seen" }
                    } @else {
                        (counted(single, "change"))
                        @if shared > 0 { " and " (counted(shared, "shared change")) }
                    }
                }
                @if total > 0 { a href=(all) { "All " (number(total)) } }
            }
            @if total == 0 && is_whole { p.soft { (counted(pages, "page")) " read." } }
            (marks_form(visitor, &address::site(&site.id)))
            @if !rows.is_empty() { (view.shown(&rows)) }
        }
    })
}
