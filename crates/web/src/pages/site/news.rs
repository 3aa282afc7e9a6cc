//! What changed lately: the heaviest changes of the last seven days, or of the last crawl where that is older.

use jiff::SignedDuration;
use maud::{Markup, html};
use recrawl_core::decide::{DoubtWord, opened_before};
use recrawl_core::model::crawl::{Closed, Crawl, Site};
use recrawl_core::model::statistics::Statistics;
use recrawl_reports::changes::Since;
use recrawl_reports::{ChangeRow, Detail, day};

use crate::address;
use crate::app::Served;
use crate::error::WebError;
use crate::listing::{Listing, days_ago};
use crate::pages::changes::day_of;
use crate::pages::components::Rows;
use crate::pages::marks::marks_form;
use crate::pages::sites::doubt;
use crate::parameters::Parameters;
use crate::visitor::Visitor;
use crate::words::{counted, date, number};

/// How many changes are shown.
const SHOWN: usize = 3;

/// What counts as this week.
const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Returns the heaviest changes of the last days, or of the last crawl that ended.
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
    if let Some(suspicion) = latest.closed.as_ref().and_then(|closed| closed.suspicion.as_ref())
        && latest.is_unusual(None)
    {
        return Ok(unusual(latest, statistics, &suspicion.reason, &day_of(latest, crawls, now)));
    }
    let is_recent = |crawl: &&Crawl| now.duration_since(crawl.opened_at) < WEEK;
    let recent = crawls.iter().filter(|crawl| !crawl.is_open()).filter(is_recent).count();
    let listing = if recent > 1 {
        let week = Parameters::read(&format!("since=7d&site={}", site.id));
        Listing::window(&week, Since::Time(days_ago(7, now)), now)?
    } else {
        Listing::crawl(site.id.clone(), latest.id, &Parameters::read(""))?
    };
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
    let when = if recent > 0 { "This week".to_owned() } else { day(latest.opened_at, now) };
    Ok(html! {
        section aria-labelledby="news" {
            div.heading {
                h2 #news {
                    (when) ": "
                    @if total == 0 {
                        @if is_whole { "nothing changed" } @else { "no change could be seen" }
                    } @else {
                        @if single > 0 || shared == 0 { (counted(single, "change")) }
                        @if single > 0 && shared > 0 { " and " }
                        @if shared > 0 { (counted(shared, "shared change")) }
                    }
                }
                @if total > 0 { a href=(listing.address) { "All " (number(total)) } }
            }
            @if total == 0 && is_whole { p.soft { (counted(pages, "page")) " read." } }
            (marks_form(visitor, &address::site(&site.id)))
            @if !rows.is_empty() { (view.shown(&rows)) }
        }
    })
}

/// Says why the last crawl is not believed yet, and leads to the decision.
fn unusual(crawl: &Crawl, statistics: Option<&Statistics>, reason: &str, day: &str) -> Markup {
    let word = statistics.map_or(DoubtWord::Unusual, DoubtWord::of);
    html! {
        section.card.trouble aria-labelledby="news" {
            h2 #news { (doubt(word)) " crawl, " (day) }
            p.happened { (reason) "." }
            p { "Nothing was sent or archived yet." }
            div.acts { a.button.main href=(address::crawl(&crawl.site, crawl.id)) { "Review" } }
        }
    }
}
