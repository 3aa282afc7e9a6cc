//! `recrawl history`: the versions of one page.

use std::io::Write;

use jiff::Timestamp;
use recrawl_core::decide::Order;
use recrawl_core::model::archive::{Archive, ArchiveState};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::versions::{Version, failures, versions};
use recrawl_reports::history::{FailuresEntry, PageVisits, VersionEntry};
use recrawl_reports::{Detail, Frequency};

use super::changes::kind;
use super::page::Page;
use super::source::SourceArguments;
use super::wait_for;
use super::when::Point;
use crate::exit::ExitStatus;
use crate::output::{
    self, Cell, Column, PlainFormat, Sheet, bytes, day_and_time, sanitize_for_terminal, style_of,
};

/// List the versions of one page: what it said, from when to when
///
/// A version is a run of visits that found the same text. A text that returns after another is a version
/// of its own.
#[derive(Debug, clap::Args)]
pub(crate) struct HistoryArguments {
    /// The page: its URL, or its path below the site
    url: String,

    #[command(flatten)]
    source: SourceArguments,

    /// Only the version at this time: 2026-11-16T03:12:00Z, 2026-11-16 (end of day, UTC), "3 weeks ago", or as of a crawl
    #[arg(long, value_name = "TIME|CRAWL", conflicts_with_all = ["from", "to", "latest"])]
    at: Option<Point>,

    /// Only versions seen at this time or later (a date: its start, UTC), or in this crawl or later
    #[arg(long, value_name = "TIME|CRAWL", conflicts_with = "latest")]
    from: Option<Point>,

    /// Only versions seen at this time or earlier (a date: its end, UTC), or in this crawl or earlier
    #[arg(long, value_name = "TIME|CRAWL", conflicts_with = "latest")]
    to: Option<Point>,

    /// Only the latest version
    #[arg(long)]
    latest: bool,

    /// Also list visits of unusual crawls that were not accepted, beside the newest; they make no versions
    #[arg(long)]
    all: bool,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// Says in words what failed.
fn sentence(failures: &FailuresEntry) -> String {
    let reason = failures.reason.as_deref().unwrap_or("no reason is known");
    let visits = output::counted(failures.visits as u64, "visit");
    match failures.since {
        Some(since) => format!("failed since {}, {visits}: {reason}", day_and_time(since)),
        None => format!("failed until {}, {visits}: {reason}", day_and_time(failures.to)),
    }
}

impl HistoryArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let now = Timestamp::now();
        wait_for(async {
            let source = self.source.open().await?;
            let page = source.page(&self.url).await?;
            let PageVisits { doubted, order, .. } = &page.visits;
            let judged = page.visits.judged(self.at.as_ref().and_then(Point::crawl));
            let (all, failures) = (versions(&judged.visits), failures(&judged.visits));
            let unusual = judged.unusual.as_ref().map(|(crawl, _)| *crawl);
            let doubted: Vec<_> = doubted.iter().filter(|visit| Some(visit.crawl) != unusual).collect();
            let history = &*source.history;
            let mut rows = Vec::new();
            for version in self.chosen(&all, order, now) {
                let entry = VersionEntry::of(history, version, &failures, Detail::All).await?;
                rows.push(VersionEntry { unusual: judged.remark_of(version), ..entry });
            }
            if rows.is_empty() {
                output::note(&nothing(&page, all.is_empty()))?;
            }
            if let Some(first) = failures.first().filter(|failures| failures.after == 0) {
                let when = if all.is_empty() { "All that is known" } else { "Before it was first seen" };
                output::note(&format!("{when}: {}.", sentence(&FailuresEntry::from(first))))?;
            }
            if self.all {
                for visit in doubted {
                    rows.push(VersionEntry::of_doubted(history, visit).await?);
                }
                rows.sort_by_key(|row| order.place(row.first_crawl));
            } else if !doubted.is_empty() {
                let visits = output::counted(doubted.len() as u64, "visit");
                output::note(&format!("Left out: {visits} of unusual crawls; --all lists them."))?;
            }
            if let Some(remark) = rows.iter().find_map(|row| row.unusual.as_ref()) {
                output::note(&output::sanitize_for_terminal(remark))?;
            }
            let current = page.visits.trusted.last().map(|visit| Frequency::of(&visit.known));
            print(&rows, current, self.format)?;
            Ok(ExitStatus::Success)
        })
    }

    fn chosen<'v, 'a>(&self, all: &'v [Version<'a>], order: &Order, now: Timestamp) -> Vec<&'v Version<'a>> {
        if self.latest {
            return all.last().into_iter().collect();
        }
        if let Some(at) = &self.at {
            return at.version(all, order, now).into_iter().collect();
        }
        let is_in = |version: &&Version<'_>| {
            self.from.as_ref().is_none_or(|from| from.is_not_after(version, order, now))
                && self.to.as_ref().is_none_or(|to| to.is_not_before(version, order, now))
        };
        all.iter().filter(is_in).collect()
    }
}

/// Says why there is nothing to list.
fn nothing(page: &Page, never: bool) -> String {
    let times = output::counted(page.visits.all().len() as u64, "time");
    let why = if never { "never had content" } else { "has no version then" };
    format!("{} was visited {times} and {why}.", page.url)
}

fn print(rows: &[VersionEntry], current: Option<Frequency>, format: PlainFormat) -> anyhow::Result<()> {
    match format {
        PlainFormat::Json => output::print_json(&rows)?,
        PlainFormat::Table if rows.is_empty() => {}
        PlainFormat::Table => {
            let mut out = output::styled();
            let width = output::terminal_width();
            let spared = ["text id", "first crawl", "visits", "size"];
            sheet(rows).narrowed(width, &spared).write_table(&mut out, width)?;
            for (version, row) in rows.iter().filter_map(|row| Some((row.version?, row))) {
                if let Some(told) = row.archive.as_ref().and_then(archived) {
                    writeln!(
                        out,
                        "{}",
                        sanitize_for_terminal(&format!("version {version} is archived at {told}"))
                    )?;
                }
            }
            if let Some(current) = current {
                writeln!(out, "{}", current.sentence())?;
            }
            out.flush()?;
        }
    }
    Ok(())
}

fn sheet(rows: &[VersionEntry]) -> Sheet {
    let mut sheet = Sheet::new([
        Column::number("version"),
        Column::new("from (UTC)"),
        Column::new("to (UTC)"),
        Column::new("first crawl"),
        Column::number("visits"),
        Column::new("kind"),
        Column::number("status"),
        Column::number("size"),
        Column::new("text id"),
        Column::flexible("title"),
    ]);
    for row in rows {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let cells: [Cell; 10] = [
            or_dash(row.version.map(|version| version.to_string())).into(),
            day_and_time(row.from).into(),
            day_and_time(row.to).into(),
            row.first_crawl.to_string().into(),
            row.visits.to_string().into(),
            Cell::styled(kind(row.kind, row.aspects), style_of(row.kind)),
            or_dash(row.status.map(|status| status.to_string())).into(),
            or_dash(row.size.map(bytes)).into(),
            or_dash(row.semantic_hash.map(|hash| hash.to_string()[..12].to_owned())).into(),
            detail(row).into(),
        ];
        sheet.push(cells);
        if let Some(failures) = &row.failures {
            sheet.push(failed(failures));
        }
    }
    sheet
}

/// Returns the row of visits that failed after a version.
fn failed(failures: &FailuresEntry) -> [Cell; 10] {
    [
        "-".into(),
        day_and_time(failures.from).into(),
        day_and_time(failures.to).into(),
        "-".into(),
        failures.visits.to_string().into(),
        Cell::styled(Verdict::Failed.word(), style_of(Verdict::Failed)),
        "-".into(),
        "-".into(),
        "-".into(),
        sentence(failures).into(),
    ]
}

/// Returns where a capture can be seen, if there is one.
fn archived(archive: &Archive) -> Option<&str> {
    archive.wayback_url.as_deref().filter(|_| archive.state == ArchiveState::Captured)
}

fn detail(row: &VersionEntry) -> String {
    let redirect = row.location.as_ref().map(|location| format!("→ {location}"));
    let what = redirect.or_else(|| row.title.clone()).unwrap_or_default();
    if row.version.is_none() {
        return format!("(unusual {}, not counted) {what}", row.first_crawl).trim_end().to_owned();
    }
    match row.gone_at {
        Some(gone_at) => format!("{what} (gone {})", day_and_time(gone_at)).trim_start().to_owned(),
        None => what,
    }
}
