//! `recrawl stats`: all figures of one crawl.

use std::io::Write;

use recrawl_core::crawl::Operations;
use recrawl_core::ids::CrawlId;
use serde::Serialize;

use super::source::SourceArguments;
use super::summary::Summary;
use super::wait_for;
use crate::exit::Done;
use crate::output::{self, PlainFormat, Sheet, bytes, day_and_time, duration, grouped, percent};

/// Show all figures of one crawl
#[derive(Debug, clap::Args)]
pub(crate) struct StatsArguments {
    #[command(flatten)]
    source: SourceArguments,

    /// The crawl, such as crawl-2026-11-16 [default: the latest]
    #[arg(long, value_name = "CRAWL")]
    crawl: Option<CrawlId>,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

impl StatsArguments {
    pub(crate) fn run(self) -> anyhow::Result<Done> {
        wait_for(async {
            let source = self.source.open().await?;
            let site = source.site().await?;
            let crawl = source.crawl(&site, self.crawl).await?;
            let summary = Summary::of(&*source.history, &crawl).await?;
            let operations = source.history.operations(&site.id, crawl.id).await?;
            match self.format {
                PlainFormat::Json => {
                    let mut out = output::raw();
                    output::write_json(&mut out, &Figures { summary: &summary, operations })?;
                    out.flush()?;
                }
                PlainFormat::Table => {
                    let mut out = output::styled();
                    sheet(&summary, operations).write_table(&mut out, output::terminal_width())?;
                    out.flush()?;
                }
            }
            Ok(Done::Well)
        })
    }
}

/// The figures of a crawl; its JSON form is stable.
#[derive(Debug, Serialize)]
struct Figures<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    /// What the provider counts, where the store is billed.
    #[serde(skip_serializing_if = "Option::is_none")]
    operations: Option<Operations>,
}

/// What Firestore gives away a day: documents read, written and deleted.
const FREE_READS: u64 = 50_000;
const FREE_WRITES: u64 = 20_000;
const FREE_DELETES: u64 = 20_000;

fn sheet(summary: &Summary, operations: Option<Operations>) -> Sheet {
    let mut sheet = Sheet::of_facts();
    sheet.fact("site", summary.site.as_str());
    sheet.fact("crawl", summary.crawl.to_string());
    sheet.fact("state", summary.state_and_reason());
    sheet.fact("opened (UTC)", day_and_time(summary.opened_at));
    if let Some(closed_at) = summary.closed_at {
        sheet.fact("closed (UTC)", day_and_time(closed_at));
    }
    sheet.fact("duration", duration(summary.duration_seconds));
    for (name, count) in [
        ("pages", summary.total),
        ("new", summary.new),
        ("changed", summary.changed),
        ("moved", summary.moved),
        ("gone", summary.gone),
        ("touched", summary.touched),
        ("unchanged", summary.unchanged),
        ("broken links", summary.missing),
        ("failed", summary.failed),
        ("excluded", summary.excluded),
        ("requests", summary.requests),
    ] {
        sheet.fact(name, grouped(count));
    }
    let not_modified = format!("{} ({})", grouped(summary.not_modified), percent(summary.not_modified_share));
    sheet.fact("not modified (304)", not_modified);
    sheet.fact("received", bytes(summary.received_bytes));
    sheet.fact("saved by 304s", format!("{} ({})", bytes(summary.saved_bytes), percent(summary.saved_share)));
    sheet.fact("mean change frequency", frequency(summary.mean_change_frequency));
    if let Some(Operations { reads, writes, deletes, messages }) = operations {
        sheet.fact("documents read", of_the_free(reads, FREE_READS));
        sheet.fact("documents written", of_the_free(writes, FREE_WRITES));
        sheet.fact("documents deleted", of_the_free(deletes, FREE_DELETES));
        sheet.fact("messages published", grouped(messages));
    }
    sheet
}

/// Writes a count and what part of a day's free allowance it is.
#[expect(clippy::cast_precision_loss, reason = "a share is shown in whole percents")]
fn of_the_free(count: u64, free: u64) -> String {
    format!("{} ({} of a day's free tier)", grouped(count), percent(count as f64 / free as f64))
}

/// Writes changes a day as people count them.
fn frequency(changes_a_day: f64) -> String {
    if changes_a_day <= 0.0 {
        return "no change seen yet".to_owned();
    }
    let days = 1.0 / changes_a_day;
    if days < 1.0 {
        format!("{changes_a_day:.1} changes a day and page")
    } else {
        format!("a page changes every {days:.0} days")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frequency_is_written_as_people_count() {
        for (changes_a_day, expected) in [
            (0.0, "no change seen yet"),
            (2.5, "2.5 changes a day and page"),
            (0.02, "a page changes every 50 days"),
        ] {
            assert_eq!(frequency(changes_a_day), expected);
        }
    }
}
