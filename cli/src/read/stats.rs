//! `recrawl stats`: all figures of one crawl.

use std::io::Write;

use recrawl_core::ids::CrawlId;

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
        let source = self.source.open()?;
        wait_for(async {
            let site = source.site().await?;
            let crawl = source.crawl(&site, self.crawl).await?;
            let summary = Summary::of(&*source.history, &crawl).await?;
            match self.format {
                PlainFormat::Json => {
                    let mut out = output::raw();
                    output::write_json(&mut out, &summary)?;
                    out.flush()?;
                }
                PlainFormat::Table => {
                    let mut out = output::styled();
                    sheet(&summary).write_table(&mut out, output::terminal_width())?;
                    out.flush()?;
                }
            }
            Ok(Done::Well)
        })
    }
}

fn sheet(summary: &Summary) -> Sheet {
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
    sheet
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
