//! `recrawl pages`: the latest state of every page.

mod row;

use std::cmp::{Ordering, Reverse};
use std::collections::HashSet;
use std::io::Write;

use jiff::Timestamp;
use recrawl_core::decide::baseline;
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::ContentHash;
use recrawl_core::model::record::PageRecord;
use recrawl_core::ports::{History, StoreError};

use self::row::{FIELDS, PageRow};
use super::changes::below;
use super::scan::Scan;
use super::source::{SourceArguments, note_left_out};
use super::wait_for;
use crate::exit::ExitStatus;
use crate::output::{self, Format, counted};

/// List pages as they were last seen: the liveliest, stalest, largest, slowest or broken ones first
#[derive(Debug, clap::Args)]
pub(crate) struct PagesArguments {
    #[command(flatten)]
    source: SourceArguments,

    /// What comes first; beside `url`, only pages are listed of which that can be said
    #[arg(long, value_enum, default_value_t)]
    sort: Sort,

    /// Only pages that change this often or more, in changes a day
    #[arg(long, value_name = "F")]
    min_frequency: Option<f64>,

    /// Only pages of which no visit told anything for this many days or more
    #[arg(long, value_name = "N")]
    stale_days: Option<u32>,

    /// List this many pages at most
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
enum Sort {
    /// By address
    #[default]
    Url,
    /// Those that change most often
    Frequency,
    /// Those that were last seen longest ago
    Stale,
    /// Those that cost most to receive
    Size,
    /// Those that took longest to answer
    Slow,
    /// Those that fail, the longest first, then those that are not there
    Errors,
}

impl PagesArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let now = Timestamp::now();
        wait_for(async {
            let source = self.source.open().await?;
            let site = source.site().await?;
            let history = &*source.history;
            let crawls = history.crawls(&site.id).await?;
            let mut rows = latest(history, &crawls, |record| {
                let row = PageRow::new(record, now);
                self.lists(&row).then_some(row)
            })
            .await?;
            let found = rows.len();
            rows.sort_by(|one, other| self.sort.order(one, other));
            rows.truncate(self.limit.unwrap_or(usize::MAX));
            complete(history, &site, &mut rows).await?;
            note_left_out(&site.id, &crawls)?;
            self.print(&rows, &site, found)?;
            Ok(ExitStatus::Success)
        })
    }

    fn lists(&self, row: &PageRow) -> bool {
        let is_meant = match self.sort {
            Sort::Url => true,
            Sort::Frequency | Sort::Stale | Sort::Size | Sort::Slow => row.is_live(),
            Sort::Errors => row.is_wrong(),
        };
        is_meant
            && self.min_frequency.is_none_or(|least| row.is_live() && row.changes_a_day() >= Some(least))
            && self.stale_days.is_none_or(|days| row.is_live() && row.stale_days >= f64::from(days))
    }

    fn print(&self, rows: &[PageRow], site: &Site, found: usize) -> anyhow::Result<()> {
        let headline = if rows.len() < found {
            format!("{}: {} of {}.", site.root, rows.len(), counted(found as u64, "page"))
        } else {
            format!("{}: {}.", site.root, counted(found as u64, "page"))
        };
        match self.format {
            Format::Json => output::print_json(&rows)?,
            Format::Csv => output::print_csv(&FIELDS, rows)?,
            Format::Markdown => {
                let mut out = output::styled();
                writeln!(out, "{headline}")?;
                if !rows.is_empty() {
                    writeln!(out)?;
                    row::sheet(rows, |url| url.as_str()).write_markdown(&mut out)?;
                }
                out.flush()?;
            }
            Format::Table => {
                output::note(&headline)?;
                if rows.is_empty() {
                    return Ok(());
                }
                let width = output::terminal_width();
                let whole = row::sheet(rows, |url| url.as_str());
                let shown =
                    if whole.fits(width) { whole } else { row::sheet(rows, |url| below(&site.root, url)) };
                let mut out = output::styled();
                let spared = ["last changed", "meaning", "took", "received", "visit it", "title"];
                shown.narrowed(width, &spared).write_table(&mut out, width)?;
                out.flush()?;
            }
        }
        Ok(())
    }
}

impl Sort {
    fn order(self, one: &PageRow, other: &PageRow) -> Ordering {
        let by = match self {
            Self::Url => Ordering::Equal,
            Self::Frequency => {
                // A page of which nothing is known yet comes last.
                let known = |row: &PageRow| row.changes_a_day().unwrap_or(f64::NEG_INFINITY);
                known(other).total_cmp(&known(one))
            }
            Self::Stale => other.stale_days.total_cmp(&one.stale_days),
            Self::Size => other.received_bytes.cmp(&one.received_bytes),
            Self::Slow => other.fetch_ms.cmp(&one.fetch_ms),
            Self::Errors => {
                let fails = |row: &PageRow| Reverse(row.is_failing());
                fails(one).cmp(&fails(other)).then(other.stale_days.total_cmp(&one.stale_days))
            }
        };
        by.then_with(|| one.url.cmp(&other.url))
    }
}

/// Calls `keep` with the newest record of every page in a crawl that is believed, and returns what it keeps.
async fn latest<T>(
    history: &dyn History,
    crawls: &[Crawl],
    keep: impl Fn(&PageRecord) -> Option<T>,
) -> Result<Vec<T>, StoreError> {
    let mut seen: HashSet<u128> = HashSet::new();
    let mut kept = Vec::new();
    for id in baseline(crawls) {
        let Some(crawl) = crawls.iter().find(|crawl| crawl.id == id) else { continue };
        let mut scan = Scan::new(history, crawl, &[]);
        loop {
            let records = scan.next().await?;
            if records.is_empty() {
                break;
            }
            for record in records {
                if seen.insert(record.url.fingerprint()) {
                    kept.extend(keep(&record));
                }
            }
        }
    }
    Ok(kept)
}

/// Adds what is worth a look only for the pages that are listed.
async fn complete(history: &dyn History, site: &Site, rows: &mut [PageRow]) -> Result<(), StoreError> {
    let contents: Vec<ContentHash> = rows.iter().filter_map(|row| row.content).collect();
    let titles = history.titles(&site.id, &contents).await?;
    for row in rows {
        row.title = row.content.and_then(|hash| titles.get(&hash).cloned());
        if row.is_failing() {
            row.count_failures(&history.visits(&site.id, &row.url).await?);
        }
    }
    Ok(())
}
