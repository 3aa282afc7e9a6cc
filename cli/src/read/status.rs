//! `recrawl status`: where a site stands.

use std::io::Write;

use jiff::Timestamp;
use recrawl_core::model::scope::is_list_root;
use recrawl_core::model::verdict::Verdict;
use recrawl_reports::status::{Status, status};
use recrawl_stores::StoreAddress;

use super::source::{SourceArguments, store_flag};
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

impl StatusArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        wait_for(async {
            let source = self.source.open().await?;
            let now = Timestamp::now();
            let mut all = Vec::new();
            for site in source.sites().await? {
                let frontier = source.pull_frontier.as_deref();
                all.push(status(&*source.history, &*source.state_store, frontier, site, now).await?);
            }
            match self.format {
                PlainFormat::Json => output::print_json(&all)?,
                PlainFormat::Table => {
                    let mut out = output::styled();
                    for (place, status) in all.iter().enumerate() {
                        if place > 0 {
                            writeln!(out)?;
                        }
                        sheet(status, self.source.address(), now)
                            .write_table(&mut out, output::terminal_width())?;
                    }
                    out.flush()?;
                }
            }
            Ok(ExitStatus::Success)
        })
    }
}

fn sheet(status: &Status, store: &StoreAddress, now: Timestamp) -> Sheet {
    let mut sheet = Sheet::of_facts();
    let is_list = is_list_root(&status.root);
    let address = if is_list { "a list of pages" } else { status.root.as_str() };
    sheet.fact("site", format!("{} ({address})", status.site));
    let resume = if is_list {
        "the same list or statement".to_owned()
    } else {
        format!("`{}`", store.crawling(status.root.as_str()))
    };
    let flag = store_flag(store);
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
    let pages = if counts.is_empty() {
        "0".to_owned()
    } else {
        format!("{} ({counts})", grouped(summary.statistics.total))
    };
    sheet.fact("pages", pages);
    if let Some(archiving) = &status.archiving {
        let takes = archiving
            .seconds
            .map_or_else(String::new, |seconds| format!(", {} at its pace", duration(seconds)));
        let pages = counted(archiving.waiting, "page");
        sheet.fact("archiving", format!("{pages} to be captured by the Wayback Machine{takes}"));
    }
    if summary.closed_at.is_none() {
        if let Some(waiting) = status.waiting {
            sheet.fact("waiting", format!("{} or more", grouped(waiting)));
        }
        sheet.fact("next", going_on(store, &resume, &flag));
    } else if summary.is_suspect() {
        let accepting = summary.accepting(&flag);
        sheet.fact("next", format!("`recrawl changes{flag}` shows what it found, `{accepting}` accepts it"));
    } else {
        let begins = if store.is_crawled_by_service() {
            format!("the next begins on schedule, or now with {resume}")
        } else {
            format!("{resume} begins the next")
        };
        let site = if is_list { format!(" --site {}", status.site) } else { String::new() };
        sheet.fact("next", format!("`recrawl changes{flag}{site}` shows what it found, {begins}"));
    }
    sheet
}

/// Says how an open crawl goes on.
fn going_on(store: &StoreAddress, resume: &str, flag: &str) -> String {
    if store.is_crawled_by_service() {
        format!(
            "the service goes on with it, and a tick closes it once nothing is missing; `recrawl stop{flag}` ends it, \
             `recrawl check{flag}` says whether ticks arrive"
        )
    } else {
        format!("{resume} goes on with it, unless it is running now")
    }
}

fn when(time: Timestamp, now: Timestamp) -> String {
    match u64::try_from(now.duration_since(time).as_secs()) {
        Ok(seconds) => format!("{}, {} ago", day_and_time(time), duration(seconds)),
        Err(_) => format!("{}, ahead of this machine's clock", day_and_time(time)),
    }
}
