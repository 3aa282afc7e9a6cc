//! `recrawl history`: the versions of one page.

use std::io::Write;

use jiff::Timestamp;
use recrawl_core::archive::{Archive, ArchiveState};
use recrawl_core::ids::{ContentHash, CrawlId, SemanticHash};
use recrawl_core::ports::{History, StoreError};
use recrawl_core::record::Presence;
use recrawl_core::url::PageUrl;
use recrawl_core::verdict::Verdict;
use recrawl_core::versions::{Version, version_at, versions};
use serde::Serialize;

use super::changes::location;
use super::source::SourceArguments;
use super::wait_for;
use super::when::{Edge, When};
use crate::exit::Done;
use crate::output::{self, Cell, Column, PlainFormat, Sheet, bytes, day_and_time, harmless, style_of};

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

    /// Only the version at this time: 2026-11-16T03:12:00Z, 2026-11-16 (end of day, UTC), "3 weeks ago"
    #[arg(long, value_name = "TIME", conflicts_with_all = ["from", "to", "latest"])]
    at: Option<When>,

    /// Only versions seen at this time or later (a date: its start, UTC)
    #[arg(long, value_name = "TIME", conflicts_with = "latest")]
    from: Option<When>,

    /// Only versions seen at this time or earlier (a date: its end, UTC)
    #[arg(long, value_name = "TIME", conflicts_with = "latest")]
    to: Option<When>,

    /// Only the latest version
    #[arg(long)]
    latest: bool,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// A version of a page; its JSON form is stable.
#[derive(Debug, Serialize)]
struct VersionRow {
    url: PageUrl,
    version: usize,
    /// The verdict of the visit that found it first.
    kind: Verdict,
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
    title: Option<String>,
    location: Option<String>,
    media_type: Option<String>,
    size: Option<u64>,
    semantic_hash: Option<SemanticHash>,
    content_hash: Option<ContentHash>,
    /// What became of the wish to have it archived, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    archive: Option<Archive>,
}

impl HistoryArguments {
    pub(crate) fn run(self) -> anyhow::Result<Done> {
        let now = Timestamp::now();
        wait_for(async {
            let source = self.source.open().await?;
            let page = source.page(&self.url).await?;
            let all = versions(&page.visits);
            let mut rows = Vec::new();
            for version in self.chosen(&all, now) {
                rows.push(row(&*source.history, version).await?);
            }
            if rows.is_empty() {
                let why = if all.is_empty() { "never had content" } else { "has no version then" };
                let times = output::counted(page.visits.len() as u64, "time");
                output::note(&format!("{} was visited {times} and {why}.", page.url))?;
            }
            print(&rows, self.format)?;
            Ok(Done::Well)
        })
    }

    fn chosen<'v, 'a>(&self, all: &'v [Version<'a>], now: Timestamp) -> Vec<&'v Version<'a>> {
        if self.latest {
            return all.last().into_iter().collect();
        }
        if let Some(at) = &self.at {
            return version_at(all, at.moment(Edge::End, now)).into_iter().collect();
        }
        let from = self.from.as_ref().map_or(Timestamp::MIN, |from| from.moment(Edge::Start, now));
        let to = self.to.as_ref().map_or(Timestamp::MAX, |to| to.moment(Edge::End, now));
        all.iter().filter(|version| version.last_seen() >= from && version.first_seen() <= to).collect()
    }
}

async fn row(history: &dyn History, version: &Version<'_>) -> Result<VersionRow, StoreError> {
    let record = version.last;
    let reference = record.known.content.as_ref().filter(|_| record.known.presence == Presence::Present);
    let content = match reference {
        Some(reference) => history.content(&reference.hash).await?,
        None => None,
    };
    Ok(VersionRow {
        url: record.url.clone(),
        version: version.number,
        kind: version.first.visit.verdict,
        status: record.visit.status,
        from: version.first_seen(),
        to: version.last_seen(),
        first_crawl: version.first.crawl,
        last_crawl: record.crawl,
        visits: version.visits,
        gone_at: version.gone_at(),
        location: location(record),
        size: content.as_ref().map(|content| content.size),
        media_type: content.as_ref().map(|content| content.media_type.clone()),
        title: content.and_then(|content| content.extracted.title),
        semantic_hash: reference.map(|reference| reference.semantic),
        content_hash: reference.map(|reference| reference.hash),
        archive: version.first.archive.clone(),
    })
}

fn print(rows: &[VersionRow], format: PlainFormat) -> anyhow::Result<()> {
    match format {
        PlainFormat::Json => {
            let mut out = output::raw();
            output::write_json(&mut out, &rows)?;
            out.flush()?;
        }
        PlainFormat::Table if rows.is_empty() => {}
        PlainFormat::Table => {
            let mut out = output::styled();
            let width = output::terminal_width();
            let spared = ["meaning", "first crawl", "visits", "size"];
            sheet(rows).narrowed(width, &spared).write_table(&mut out, width)?;
            for row in rows {
                if let Some(told) = row.archive.as_ref().and_then(archived) {
                    writeln!(out, "{}", harmless(&format!("version {} is archived at {told}", row.version)))?;
                }
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
            row.version.to_string().into(),
            day_and_time(row.from).into(),
            day_and_time(row.to).into(),
            row.first_crawl.to_string().into(),
            row.visits.to_string().into(),
            Cell::styled(row.kind.word(), style_of(row.kind)),
            or_dash(row.status.map(|status| status.to_string())).into(),
            or_dash(row.size.map(bytes)).into(),
            or_dash(row.semantic_hash.map(|hash| hash.to_string()[..12].to_owned())).into(),
            detail(row).into(),
        ];
        sheet.push(cells);
    }
    sheet
}

/// Returns where a capture can be seen, if there is one.
fn archived(archive: &Archive) -> Option<&str> {
    archive.wayback_url.as_deref().filter(|_| archive.state == ArchiveState::Captured)
}

fn detail(row: &VersionRow) -> String {
    let redirect = row.location.as_ref().map(|location| format!("→ {location}"));
    let what = redirect.or_else(|| row.title.clone()).unwrap_or_default();
    match row.gone_at {
        Some(gone_at) => format!("{what} (gone {})", day_and_time(gone_at)).trim_start().to_owned(),
        None => what,
    }
}
