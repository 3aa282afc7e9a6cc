//! `recrawl history`: the versions of one page.

use std::io::Write;

use jiff::Timestamp;
use recrawl_core::decide::Order;
use recrawl_core::model::archive::{Archive, ArchiveState};
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::ids::{ContentHash, CrawlId, SemanticHash};
use recrawl_core::model::record::{PageRecord, Presence};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, StoreError};
use recrawl_core::url::PageUrl;
use recrawl_core::versions::{Failures, Version, failures, versions};
use recrawl_core::words::short_title;
use serde::Serialize;

use super::changes::{kind, location};
use super::frequency::Frequency;
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
/// A version is a stretch of visits that found the same meaning. A text that comes back after
/// another is a version of its own.
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

    /// Also list visits of suspect crawls that nobody accepted; they make no versions
    #[arg(long)]
    all: bool,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// A version of a page; its JSON form is stable.
#[derive(Debug, Serialize)]
struct VersionRow {
    url: PageUrl,
    /// `null` for a visit of a suspect crawl, which makes no version.
    version: Option<usize>,
    /// The verdict of the visit that found it first.
    kind: Verdict,
    /// What differed from the version before, where contents were compared.
    aspects: Aspects,
    status: Option<u16>,
    /// When it was first seen.
    from: Timestamp,
    /// When it was last seen.
    to: Timestamp,
    first_crawl: CrawlId,
    last_crawl: CrawlId,
    visits: usize,
    /// When the page was found gone, where that ended the version.
    gone_at: Option<Timestamp>,
    /// The failed visits between this version and the next.
    failures: Option<FailuresRow>,
    title: Option<String>,
    location: Option<String>,
    media_type: Option<String>,
    size: Option<u64>,
    semantic_hash: Option<SemanticHash>,
    content_hash: Option<ContentHash>,
    /// How often the page changed, as of the last visit of this version.
    frequency: Frequency,
    /// What became of the wish to have it archived, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    archive: Option<Archive>,
}

/// Failed visits, however many, as one.
#[derive(Debug, Serialize)]
struct FailuresRow {
    from: Timestamp,
    to: Timestamp,
    visits: usize,
    /// When those began that nothing has ended yet.
    since: Option<Timestamp>,
    /// Why the last of them failed.
    reason: Option<String>,
}

impl FailuresRow {
    fn new(failures: &Failures<'_>) -> Self {
        Self {
            from: failures.first.visit.fetched_at,
            to: failures.last.visit.fetched_at,
            visits: failures.visits,
            since: failures.since.map(|(first, _)| first.visit.fetched_at),
            reason: failures.last.visit.reason.clone(),
        }
    }

    fn sentence(&self) -> String {
        let reason = self.reason.as_deref().unwrap_or("no reason is known");
        let visits = output::counted(self.visits as u64, "visit");
        match self.since {
            Some(since) => format!("failed since {}, {visits}: {reason}", day_and_time(since)),
            None => format!("failed until {}, {visits}: {reason}", day_and_time(self.to)),
        }
    }
}

impl HistoryArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let now = Timestamp::now();
        wait_for(async {
            let source = self.source.open().await?;
            let page = source.page(&self.url).await?;
            let all = versions(&page.visits);
            let order = page.order();
            let failures = failures(&page.visits);
            let mut rows = Vec::new();
            for version in self.chosen(&all, &order, now) {
                let failures = failures.iter().find(|failures| failures.after == version.number);
                let row = row(&*source.history, version).await?;
                rows.push(VersionRow { failures: failures.map(FailuresRow::new), ..row });
            }
            if rows.is_empty() {
                output::note(&nothing(&page, all.is_empty()))?;
            }
            if let Some(first) = failures.first().filter(|failures| failures.after == 0) {
                let when = if all.is_empty() { "All that is known" } else { "Before it was first seen" };
                output::note(&format!("{when}: {}.", FailuresRow::new(first).sentence()))?;
            }
            if self.all {
                for visit in &page.doubted {
                    rows.push(VersionRow { version: None, ..row(&*source.history, &alone(visit)).await? });
                }
                rows.sort_by_key(|row| order.place(row.first_crawl));
            } else if !page.doubted.is_empty() {
                let visits = output::counted(page.doubted.len() as u64, "visit");
                output::note(&format!("Left out: {visits} of suspect crawls; --all lists them."))?;
            }
            let current = page.visits.last().map(|visit| Frequency::of(&visit.known));
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
    let times = output::counted(page.visited(), "time");
    let why = if never { "never had content" } else { "has no version then" };
    format!("{} was visited {times} and {why}.", page.url)
}

/// Returns a visit as if it were a version.
fn alone(visit: &PageRecord) -> Version<'_> {
    Version { number: 0, first: visit, last: visit, visits: 1, gone: None }
}

async fn row(history: &dyn History, version: &Version<'_>) -> Result<VersionRow, StoreError> {
    let record = version.last;
    let reference = record.known.content.as_ref().filter(|_| record.known.presence == Presence::Present);
    let content = match reference {
        Some(reference) => history.content(&record.site, &reference.hash).await?,
        None => None,
    };
    Ok(VersionRow {
        url: record.url.clone(),
        version: Some(version.number),
        kind: version.first.visit.verdict,
        aspects: version.first.visit.aspects,
        status: record.visit.status,
        from: version.first_seen(),
        to: version.last_seen(),
        first_crawl: version.first.crawl,
        last_crawl: record.crawl,
        visits: version.visits,
        gone_at: version.gone_at(),
        failures: None,
        frequency: Frequency::of(&record.known),
        location: location(record),
        size: content.as_ref().map(|content| content.size),
        media_type: content.as_ref().map(|content| content.media_type.clone()),
        title: content.and_then(|content| content.extracted.title).map(short_title),
        semantic_hash: reference.map(|reference| reference.semantic),
        content_hash: reference.map(|reference| reference.hash),
        archive: version.first.archive.clone(),
    })
}

fn print(rows: &[VersionRow], current: Option<Frequency>, format: PlainFormat) -> anyhow::Result<()> {
    match format {
        PlainFormat::Json => output::print_json(&rows)?,
        PlainFormat::Table if rows.is_empty() => {}
        PlainFormat::Table => {
            let mut out = output::styled();
            let width = output::terminal_width();
            let spared = ["meaning", "first crawl", "visits", "size"];
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

fn sheet(rows: &[VersionRow]) -> Sheet {
    let mut sheet = Sheet::new([
        Column::number("version"),
        Column::new("from (UTC)"),
        Column::new("to (UTC)"),
        Column::new("first crawl"),
        Column::number("visits"),
        Column::new("kind"),
        Column::number("status"),
        Column::number("size"),
        Column::new("meaning"),
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
fn failed(failures: &FailuresRow) -> [Cell; 10] {
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
        failures.sentence().into(),
    ]
}

/// Returns where a capture can be seen, if there is one.
fn archived(archive: &Archive) -> Option<&str> {
    archive.wayback_url.as_deref().filter(|_| archive.state == ArchiveState::Captured)
}

fn detail(row: &VersionRow) -> String {
    let redirect = row.location.as_ref().map(|location| format!("→ {location}"));
    let what = redirect.or_else(|| row.title.clone()).unwrap_or_default();
    if row.version.is_none() {
        return format!("(suspect {}, not counted) {what}", row.first_crawl).trim_end().to_owned();
    }
    match row.gone_at {
        Some(gone_at) => format!("{what} (gone {})", day_and_time(gone_at)).trim_start().to_owned(),
        None => what,
    }
}
