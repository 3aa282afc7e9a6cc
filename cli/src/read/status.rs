//! `recrawl status`: where a site stands.

use std::io::Write;

use jiff::Timestamp;
use recrawl_core::decide::dated_ahead;
use recrawl_core::model::crawl::Suspicion;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use serde::Serialize;

use super::source::{Source, SourceArguments};
use super::summary::{State, Summary};
use super::wait_for;
use crate::exit::ExitStatus;
use crate::output::{self, PlainFormat, Sheet, counted, day_and_time, duration, grouped};

/// Show the open crawl of each site, or its last one, and what comes next
#[derive(Debug, clap::Args)]
pub(crate) struct StatusArguments {
    #[command(flatten)]
    source: SourceArguments,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// Where a site stands; its JSON form is stable.
#[derive(Debug, Serialize)]
struct Status {
    site: SiteId,
    root: PageUrl,
    crawl: Option<CrawlId>,
    state: Option<State>,
    reason: Option<String>,
    suspicion: Option<Suspicion>,
    opened_at: Option<Timestamp>,
    closed_at: Option<Timestamp>,
    last_visit: Option<Timestamp>,
    pages: u64,
    /// Pages that are queued and not visited; `null` where the store does not know.
    waiting: Option<u64>,
    /// How many crawls the site has had, this one included.
    crawls: usize,
    /// What is wrong where the latest crawl is dated ahead of now.
    #[serde(skip)]
    clock: Option<String>,
    #[serde(skip)]
    summary: Option<Summary>,
}

impl StatusArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        wait_for(async {
            let source = self.source.open().await?;
            let now = Timestamp::now();
            let mut all = Vec::new();
            for site in source.sites().await? {
                all.push(status(&source, site.id, site.root, now).await?);
            }
            match self.format {
                PlainFormat::Json => output::print_json(&all)?,
                PlainFormat::Table => {
                    let mut out = output::styled();
                    for (place, status) in all.iter().enumerate() {
                        if place > 0 {
                            writeln!(out)?;
                        }
                        sheet(status, now).write_table(&mut out, output::terminal_width())?;
                    }
                    out.flush()?;
                }
            }
            Ok(ExitStatus::Success)
        })
    }
}

async fn status(source: &Source, site: SiteId, root: PageUrl, now: Timestamp) -> anyhow::Result<Status> {
    let crawls = source.history.crawls(&site).await?;
    let crawl = crawls.iter().find(|crawl| crawl.is_open()).or(crawls.last());
    let summary = match crawl {
        Some(crawl) => Some(Summary::of(&*source.history, crawl).await?),
        None => None,
    };
    let waiting = match (crawl, &source.pull_frontier) {
        // What a crawl that ended early left waiting is nobody's any more.
        (Some(crawl), _) if !crawl.is_open() => Some(0),
        (Some(crawl), Some(pull_frontier)) => Some(pull_frontier.waiting(&site, crawl.id).await?),
        (None, _) | (_, None) => None,
    };
    let of = summary.as_ref();
    Ok(Status {
        site,
        root,
        crawl: of.map(|summary| summary.crawl),
        state: of.map(|summary| summary.state),
        reason: of.and_then(|summary| summary.reason.clone()),
        suspicion: of.and_then(|summary| summary.suspicion.clone()),
        opened_at: of.map(|summary| summary.opened_at),
        closed_at: of.and_then(|summary| summary.closed_at),
        last_visit: of.and_then(Summary::last_visit),
        pages: of.map_or(0, |summary| summary.total),
        waiting,
        crawls: crawls.len(),
        clock: crawls.last().and_then(|latest| dated_ahead(latest.opened_at, now)),
        summary,
    })
}

fn sheet(status: &Status, now: Timestamp) -> Sheet {
    let mut sheet = Sheet::of_facts();
    sheet.fact("site", format!("{} ({})", status.site, status.root));
    let resume = format!("`recrawl crawl {}`", status.root);
    let Some(summary) = &status.summary else {
        sheet.fact("next", format!("{resume} begins the first crawl"));
        return sheet;
    };
    sheet.fact("crawl", format!("{} ({} so far)", summary.crawl, counted(status.crawls as u64, "crawl")));
    sheet.fact("state", summary.state_and_reason());
    sheet.fact("opened (UTC)", when(summary.opened_at, now));
    if let Some(clock) = &status.clock {
        sheet.fact("clock", clock.clone());
    }
    match (summary.closed_at, status.last_visit) {
        (Some(closed_at), _) => sheet.fact("closed (UTC)", when(closed_at, now)),
        (None, Some(last)) => sheet.fact("last visit (UTC)", when(last, now)),
        (None, None) => {}
    }
    let counts = summary.counts(&Verdict::ALL);
    let pages =
        if counts.is_empty() { "0".to_owned() } else { format!("{} ({counts})", grouped(summary.total)) };
    sheet.fact("pages", pages);
    if summary.state == State::Open {
        if let Some(waiting) = status.waiting {
            sheet.fact("waiting", format!("{} or more", grouped(waiting)));
        }
        sheet.fact("next", format!("{resume} goes on with it, unless it is running now"));
    } else if summary.is_suspect() {
        sheet.fact(
            "next",
            format!("`recrawl changes` shows what it found, `{}` accepts it", summary.accepting()),
        );
    } else {
        sheet.fact("next", format!("`recrawl changes` shows what it found, {resume} begins the next"));
    }
    sheet
}

fn when(time: Timestamp, now: Timestamp) -> String {
    match u64::try_from(now.duration_since(time).as_secs()) {
        Ok(seconds) => format!("{}, {} ago", day_and_time(time), duration(seconds)),
        Err(_) => format!("{}, ahead of this machine's clock", day_and_time(time)),
    }
}
