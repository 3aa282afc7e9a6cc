//! `recrawl plan`: the pages that are due.

use std::collections::HashMap;
use std::io::Write;

use jiff::Timestamp;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::record::PageSummary;
use recrawl_core::plan::change_rate::Shown;
use recrawl_core::plan::due::{Candidate, Due, due};
use recrawl_core::ports::{Store, StoreError};
use recrawl_core::url::PageUrl;
use recrawl_reports::figure_if_known;
use serde::Serialize;

use crate::exit::ExitStatus;
use crate::output::{self, Cell, Column, Format, Listing, Sheet, counted, day_and_time, duration, grouped};
use crate::read::source::SourceArguments;
use crate::read::wait_for;

/// List the pages that are due by how often they change, the most valuable first
///
/// A page is due when it was not visited for as long as such a page is usually left alone: a month if it
/// hardly changes, a day if it changes daily. With a budget, this lists the best pages, due or not. `recrawl
/// crawl URL --due` visits them.
#[derive(Debug, clap::Args)]
pub(crate) struct PlanArguments {
    #[command(flatten)]
    source: SourceArguments,

    /// List at most this many pages, the best
    #[arg(long, value_name = "N")]
    budget: Option<usize>,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// A page that is due; its JSON form is stable.
#[derive(Debug, Serialize)]
struct PlanRow {
    url: PageUrl,
    last_seen: Option<Timestamp>,
    /// As `recrawl pages` has it; nothing while no visit could have seen a change.
    changes_a_day: Option<f64>,
    interval_seconds: i64,
    due_since: Option<Timestamp>,
}

const FIELDS: [&str; 5] = ["url", "last_seen", "changes_a_day", "interval_seconds", "due_since"];

impl PlanArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        wait_for(async {
            let source = self.source.open().await?;
            let site = source.site().await?;
            let pages = live_pages(&*source.history, &site).await?;
            let rows = rows(&pages, Timestamp::now(), self.budget);
            self.print(&site, pages.len(), &rows)?;
            Ok(ExitStatus::Success)
        })
    }

    fn print(&self, site: &Site, known: usize, rows: &[PlanRow]) -> anyhow::Result<()> {
        if self.format == Format::Table {
            let mut out = output::styled();
            let due = grouped(rows.len() as u64);
            let what = if self.budget.is_some() { "the best" } else { "due" };
            let known = counted(known as u64, "known page");
            writeln!(
                out,
                "{}: {due} of {known}, {what}.",
                output::sanitize_for_terminal(site.root.as_str())
            )?;
            out.flush()?;
            if rows.is_empty() {
                return Ok(());
            }
        }
        Listing::new(rows, &FIELDS, &|_| sheet(rows)).print(self.format)?;
        Ok(())
    }
}

/// Returns the pages of a site that were live when last seen.
async fn live_pages(store: &(impl Store + ?Sized), site: &Site) -> Result<Vec<PageSummary>, StoreError> {
    let mut pages = Vec::new();
    let mut each = |page: PageSummary| {
        if page.presence.is_live() {
            pages.push(page);
        }
    };
    store.page_summaries(&site.id, None, &mut each).await?;
    Ok(pages)
}

fn rows(pages: &[PageSummary], now: Timestamp, budget: Option<usize>) -> Vec<PlanRow> {
    let candidates: Vec<Candidate> = pages.iter().map(Candidate::from).collect();
    let shown: HashMap<&PageUrl, Shown> = pages.iter().map(|page| (&page.url, Shown::from(page))).collect();
    let row = |due: Due| {
        let last_seen = due.age.and_then(|age| now.checked_sub(age).ok());
        PlanRow {
            changes_a_day: shown.get(&due.url).and_then(|shown| shown.changes_a_day),
            last_seen,
            interval_seconds: due.interval.as_secs(),
            due_since: last_seen.and_then(|seen| seen.checked_add(due.interval).ok()),
            url: due.url,
        }
    };
    due(&candidates, now, budget).into_iter().map(row).collect()
}

fn sheet(rows: &[PlanRow]) -> Sheet {
    let mut sheet = Sheet::new([
        Column::flexible("url"),
        Column::new("last seen (UTC)"),
        Column::number("changes a day"),
        Column::number("interval"),
        Column::new("due since (UTC)"),
    ]);
    let time = |time: Option<Timestamp>| time.map_or_else(|| "never".to_owned(), day_and_time);
    for row in rows {
        let cells: [Cell; 5] = [
            row.url.as_str().into(),
            time(row.last_seen).into(),
            figure_if_known(row.changes_a_day).into(),
            duration(row.interval_seconds.unsigned_abs()).into(),
            time(row.due_since).into(),
        ];
        sheet.push(cells);
    }
    sheet
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;
    use recrawl_core::model::record::{FoundBy, Presence};

    use super::*;

    const NOW: Timestamp = Timestamp::constant(1_800_000_000, 0);

    /// Returns a page that was watched for a year in as many visits, up to so many days ago.
    fn page(path: &str, days_ago: i64, observations: u32, changes_detected: u32) -> PageSummary {
        let last_seen = NOW - (24 * days_ago).hours();
        PageSummary {
            url: format!("http://a/{path}").parse().unwrap(),
            presence: Presence::Present,
            found_by: FoundBy::Link,
            depth: 1,
            first_seen: last_seen - (24 * 365).hours(),
            last_seen,
            changes_detected,
            observations,
            change_frequency: 0.25,
        }
    }

    #[test]
    fn a_page_is_due_since_its_last_visit_and_its_interval() {
        let pages = [page("daily", 3, 365, 200), page("quiet", 3, 365, 0), page("old", 40, 365, 0)];
        let named = |budget| -> Vec<String> {
            rows(&pages, NOW, budget).iter().map(|row| row.url.path().to_owned()).collect()
        };
        assert_eq!(named(None), ["/daily", "/old"]);
        assert_eq!(named(Some(1)), ["/daily"]);
        let rows = rows(&pages, NOW, None);
        assert_eq!(rows[0].last_seen, Some(NOW - 72.hours()));
        assert_eq!(rows[0].due_since, Some(NOW - 48.hours()));
    }

    #[test]
    fn a_page_changes_as_often_as_the_list_of_pages_says() {
        let rows = rows(&[page("known", 60, 50, 3), page("new", 60, 0, 0)], NOW, None);
        let figure = |path: &str| rows.iter().find(|row| row.url.path() == path).unwrap().changes_a_day;
        assert_eq!((figure("/known"), figure("/new")), (Some(0.25), None));
    }
}
