//! `recrawl sites`: where every site stands, those that need a look first.

use std::io::Write;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use recrawl_core::decide::{is_first_crawl, told_singly};
use recrawl_core::model::crawl::{Closed, Crawl, Ending, Site};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use recrawl_reports::{ChangesFilter, ReportCache, Reports, Sort};
use serde::Serialize;

use super::source::{Source, SourceArguments};
use super::wait_for;
use crate::exit::ExitStatus;
use crate::output::{self, Column, PlainFormat, Sheet, counted, day, grouped};
use crate::settings;

/// List sites and where each stands, those that need a look first
#[derive(Debug, clap::Args)]
pub(crate) struct SitesArguments {
    #[command(flatten)]
    source: SourceArguments,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// Where a site stands; its JSON form is stable.
#[derive(Debug, Serialize)]
struct SiteRow {
    site: SiteId,
    root: PageUrl,
    state: State,
    /// Pages of its last crawl.
    pages: u64,
    crawl: Option<CrawlId>,
    last_crawl: Option<Timestamp>,
    /// When it is crawled next by its schedule.
    next_crawl: Option<Timestamp>,
    changes: usize,
    shared: usize,
    /// What there is to know, in words.
    what: String,
}

/// The state of a site, those that need a look first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Failed,
    Unusual,
    Crawling,
    Changes,
    Partial,
    Quiet,
    First,
    New,
}

impl State {
    const fn word(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Unusual => "unusual",
            Self::Crawling => "crawling",
            Self::Changes => "changes",
            Self::Partial => "partial",
            Self::Quiet => "quiet",
            Self::First => "first crawl",
            Self::New => "not crawled",
        }
    }
}

impl SitesArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let now = Timestamp::now();
        wait_for(async {
            let source = self.source.open().await?;
            let mut rows = Vec::new();
            for site in source.sites().await? {
                rows.push(row(&source, &site, now).await?);
            }
            rows.sort_by(|one, other| (one.state, &one.site).cmp(&(other.state, &other.site)));
            match self.format {
                PlainFormat::Json => output::print_json(&rows)?,
                PlainFormat::Table => {
                    let mut out = output::styled();
                    let width = output::terminal_width();
                    sheet(&rows, now)
                        .narrowed(width, &["next crawl", "last crawl"])
                        .write_table(&mut out, width)?;
                    out.flush()?;
                }
            }
            Ok(ExitStatus::Success)
        })
    }
}

async fn row(source: &Source, site: &Site, now: Timestamp) -> anyhow::Result<SiteRow> {
    let crawls = source.history.crawls(&site.id).await?;
    let latest = crawls.last();
    let cache = ReportCache::default();
    let reports = Reports { history: &*source.history, reviews: None, cache: &cache, now };
    let (mut changes, mut shared) = (0, 0);
    if let Some(crawl) = latest {
        let told = [told_singly(is_first_crawl(&crawls, crawl.id)), &[Verdict::Shared]].concat();
        let filter = ChangesFilter::of_verdicts(&told);
        let figures = reports.change_list(site, crawl, &filter, Sort::Weight).await?.figures;
        (changes, shared) = (figures.changes, figures.shared);
    }
    let state = state(&crawls, changes + shared);
    let closed = latest.and_then(|crawl| crawl.closed.as_ref());
    let statistics = closed.map(|closed| &closed.statistics);
    let file = settings::read_file(None)?;
    let in_force = recrawl_supervisor::settings::of_site(site, &file).ok();
    let timetable = in_force.and_then(|settings| settings.crawl.timetable());
    Ok(SiteRow {
        site: site.id.clone(),
        root: site.root.clone(),
        state,
        pages: statistics.map_or(0, |statistics| statistics.total),
        crawl: latest.map(|crawl| crawl.id),
        last_crawl: latest.map(|crawl| crawl.opened_at),
        next_crawl: timetable.and_then(|timetable| timetable.schedule.next_run(now)),
        changes,
        shared,
        what: what(state, closed, changes, shared),
    })
}

fn state(crawls: &[Crawl], changes: usize) -> State {
    let Some(latest) = crawls.last() else { return State::New };
    let Some(closed) = &latest.closed else { return State::Crawling };
    let statistics = &closed.statistics;
    if statistics.total > 0 && statistics.counts[Verdict::Failed] == statistics.total {
        State::Failed
    } else if !closed.is_trusted() {
        State::Unusual
    } else if changes > 0 {
        State::Changes
    } else if closed.ending != Ending::Complete {
        State::Partial
    } else if crawls.len() == 1 {
        State::First
    } else {
        State::Quiet
    }
}

fn what(state: State, closed: Option<&Closed>, changes: usize, shared: usize) -> String {
    let counts = if shared == 0 {
        counted(changes as u64, "change")
    } else {
        format!("{}, {} shared", counted(changes as u64, "change"), grouped(shared as u64))
    };
    match (state, closed.map(|closed| &closed.ending)) {
        (State::Unusual, _) => format!("{} wait for you", counted(changes as u64, "change")),
        (State::Changes, _) => counts,
        (State::Partial | State::Failed, Some(Ending::Partial(reason))) => reason.clone(),
        (State::Failed, _) => "no page could be read".to_owned(),
        (State::Crawling | State::Partial | State::Quiet | State::First | State::New, _) => String::new(),
    }
}

fn sheet(rows: &[SiteRow], now: Timestamp) -> Sheet {
    let mut sheet = Sheet::new([
        Column::new("site"),
        Column::new("state"),
        Column::number("pages"),
        Column::new("last crawl"),
        Column::new("next crawl"),
        Column::flexible("what"),
    ]);
    let time = |time: Option<Timestamp>| time.map(|time| moment(time, now)).unwrap_or_default();
    for row in rows {
        sheet.push([
            row.site.as_str().into(),
            row.state.word().into(),
            grouped(row.pages).into(),
            time(row.last_crawl).into(),
            time(row.next_crawl).into(),
            row.what.as_str().into(),
        ]);
    }
    sheet
}

/// Writes a time as people say it: `today, 05:30`, `16 November, 06:00`; in UTC.
fn moment(time: Timestamp, now: Timestamp) -> String {
    let date = |time: Timestamp| time.to_zoned(TimeZone::UTC).date();
    let clock = time.to_zoned(TimeZone::UTC).strftime("%H:%M").to_string();
    let day = match (date(time) - date(now)).get_days() {
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        -1 => "yesterday".to_owned(),
        _ => day(time, now),
    };
    format!("{day}, {clock}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_days_have_names() {
        let time = |text: &str| text.parse::<Timestamp>().unwrap();
        let now = time("2026-11-18T12:00:00Z");
        for (text, expected) in [
            ("2026-11-18T05:30:00Z", "today, 05:30"),
            ("2026-11-19T04:00:00Z", "tomorrow, 04:00"),
            ("2026-11-17T23:59:00Z", "yesterday, 23:59"),
            ("2026-11-16T06:00:00Z", "16 November, 06:00"),
        ] {
            assert_eq!(moment(time(text), now), expected);
        }
    }
}
