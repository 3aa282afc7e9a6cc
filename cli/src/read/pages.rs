//! `recrawl pages`: the latest state of every page.

use std::cmp::{Ordering, Reverse};

use jiff::Timestamp;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::record::Presence;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use recrawl_reports::figure_if_known;
use recrawl_reports::pages::{PageEntry, complete, latest_pages};

use super::changes::below;
use super::source::{SourceArguments, note_left_out};
use super::wait_for;
use crate::exit::ExitStatus;
use crate::output::{Cell, Column, Format, Listing, Sheet, bytes, counted, day_and_time, style_of};

/// List pages as they were last seen: the most active, stalest, largest, slowest or broken ones first
#[derive(Debug, clap::Args)]
pub(crate) struct PagesArguments {
    #[command(flatten)]
    source: SourceArguments,

    /// What comes first; any order but `url` lists only the pages for which it is known
    #[arg(long, value_enum, default_value_t)]
    sort: Sort,

    /// Only pages that change this often or more, in changes a day
    #[arg(long, value_name = "F")]
    min_frequency: Option<f64>,

    /// Only pages of which no visit learnt anything for this many days or more
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
            let mut rows = latest_pages(history, &crawls, |record| {
                let row = PageEntry::new(record, now);
                self.lists(&row).then_some(row)
            })
            .await?;
            let found = rows.len();
            rows.sort_by(|one, other| self.sort.order(one, other));
            rows.truncate(self.limit.unwrap_or(usize::MAX));
            complete(history, &site, &mut rows).await?;
            note_left_out(&site.id, &crawls, &source.flag())?;
            self.print(&rows, &site, found)?;
            Ok(ExitStatus::Success)
        })
    }

    fn lists(&self, row: &PageEntry) -> bool {
        let is_meant = match self.sort {
            Sort::Url => true,
            Sort::Frequency | Sort::Stale | Sort::Size | Sort::Slow => row.is_live(),
            Sort::Errors => row.is_wrong(),
        };
        is_meant
            && self
                .min_frequency
                .is_none_or(|least| row.is_live() && row.frequency.changes_a_day >= Some(least))
            && self.stale_days.is_none_or(|days| row.is_live() && row.stale_days >= f64::from(days))
    }

    fn print(&self, rows: &[PageEntry], site: &Site, found: usize) -> anyhow::Result<()> {
        let headline = if rows.len() < found {
            format!("{}: {} of {}.", site.root, rows.len(), counted(found as u64, "page"))
        } else {
            format!("{}: {}.", site.root, counted(found as u64, "page"))
        };
        let sheet =
            |is_short| sheet(rows, |url| if is_short { below(&site.root, url) } else { url.as_str() });
        let spared = ["last changed", "how often", "took", "received", "visit it", "title"];
        Listing::new(rows, &PageEntry::FIELDS, &sheet)
            .under(&headline)
            .sparing(&spared)
            .print(self.format)?;
        Ok(())
    }
}

impl Sort {
    fn order(self, one: &PageEntry, other: &PageEntry) -> Ordering {
        let by = match self {
            Self::Url => Ordering::Equal,
            Self::Frequency => {
                // A page of which nothing is known yet comes last.
                let known = |row: &PageEntry| row.frequency.changes_a_day.unwrap_or(f64::NEG_INFINITY);
                known(other).total_cmp(&known(one))
            }
            Self::Stale => other.stale_days.total_cmp(&one.stale_days),
            Self::Size => other.received_bytes.cmp(&one.received_bytes),
            Self::Slow => other.fetch_ms.cmp(&one.fetch_ms),
            Self::Errors => {
                let fails = |row: &PageEntry| Reverse(row.is_failing());
                fails(one).cmp(&fails(other)).then(other.stale_days.total_cmp(&one.stale_days))
            }
        };
        by.then_with(|| one.url.cmp(&other.url))
    }
}

/// Says in a word or two what a page is.
fn state(row: &PageEntry) -> String {
    if row.is_failing() {
        return format!("failed {}", counted(row.failures as u64, "time"));
    }
    match (row.presence, row.last_verdict) {
        (_, Verdict::Excluded) => "excluded",
        (Presence::Present, _) => "present",
        (Presence::Redirect, _) => "redirect",
        (Presence::Gone, _) => "gone",
        (Presence::GoneForGood, _) => "gone for good",
        (Presence::Unknown, _) => "missing",
    }
    .to_owned()
}

fn sheet(rows: &[PageEntry], address: impl Fn(&PageUrl) -> &str) -> Sheet {
    let mut sheet = Sheet::new([
        Column::flexible("page"),
        Column::new("state"),
        Column::number("status"),
        Column::new("last seen (UTC)"),
        Column::new("last changed"),
        Column::number("changes a day"),
        Column::new("how often"),
        Column::new("visit it"),
        Column::number("received"),
        Column::number("took"),
        Column::flexible("title"),
    ]);
    for row in rows {
        let live = |text: String| if row.is_live() { text } else { "-".to_owned() };
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let remark =
            if row.is_failing() || row.last_verdict == Verdict::Excluded { &row.reason } else { &row.title };
        let cells: [Cell; 11] = [
            address(&row.url).into(),
            Cell::styled(state(row), style_of(row.last_verdict)),
            or_dash(row.status.map(|status| status.to_string())).into(),
            day_and_time(row.last_seen).into(),
            or_dash(row.last_changed.map(day_and_time)).into(),
            live(figure_if_known(row.frequency.changes_a_day)).into(),
            live(row.frequency.meaning.to_owned()).into(),
            live(row.frequency.interval()).into(),
            live(bytes(row.received_bytes)).into(),
            format!("{} ms", row.fetch_ms).into(),
            remark.clone().unwrap_or_default().into(),
        ];
        sheet.push(cells);
    }
    sheet
}
