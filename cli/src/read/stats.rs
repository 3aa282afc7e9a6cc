//! `recrawl stats`: all figures of one crawl, and how they came to be.

mod over_time;
mod sitemaps;
mod usage;

use std::io::Write;

use recrawl_core::model::crawl::Operations;
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::prices::Free;
use recrawl_core::model::verdict::Verdict;
use recrawl_reports::stats::{ByAspect, CrawlFigures};
use recrawl_reports::usage::Usage;
use recrawl_settings::ProcessSettings;
use serde::Serialize;

use super::source::SourceArguments;
use super::wait_for;
use crate::exit::ExitStatus;
use crate::output::{self, Ink, PlainFormat, Sheet, bytes, day_and_time, duration, grouped, percent};

/// Show all figures of one crawl, and those of the crawls before it as small charts
#[derive(Debug, clap::Args)]
pub(crate) struct StatsArguments {
    #[command(flatten)]
    source: SourceArguments,

    /// The crawl, such as crawl-2026-11-16 [default: the latest]
    #[arg(long, value_name = "CRAWL")]
    crawl: Option<CrawlId>,

    /// How many crawls to chart, up to this one
    #[arg(long, value_name = "N", default_value_t = 12)]
    crawls: usize,

    /// Draw charts in ASCII; the default if the output is no terminal or `NO_COLOR` is set
    #[arg(long)]
    ascii: bool,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

impl StatsArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        wait_for(async {
            let source = self.source.open().await?;
            let site = source.site().await?;
            let crawl = source.crawl(&site, self.crawl).await?;
            let history = &*source.history;
            let figures =
                CrawlFigures::read(history, &*source.state_store, &site, &crawl, self.crawls).await?;
            let prices = ProcessSettings::of_this_process().prices;
            let usage = Usage::read(history, &history.sites().await?, self.crawls, prices).await?;
            let stats = Stats { figures, usage };
            match self.format {
                PlainFormat::Json => output::print_json(&stats)?,
                PlainFormat::Table => print(&stats, Ink::fitting(self.ascii))?,
            }
            Ok(ExitStatus::Success)
        })
    }
}

/// What is printed.
#[derive(Serialize)]
struct Stats {
    #[serde(flatten)]
    figures: CrawlFigures,
    /// What all sites of the store cost, where it is billed.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
}

/// Writes a count of changed pages, with what changed: `3 (text 2, links 1)`.
fn beside(by_aspect: &ByAspect, changed: u64) -> String {
    let ByAspect { text, links, media, meta } = by_aspect;
    let counts = [("text", *text), ("links", *links), ("media", *media), ("meta", *meta)];
    let counts: Vec<String> = counts
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(word, count)| format!("{word} {}", grouped(count)))
        .collect();
    if counts.is_empty() { grouped(changed) } else { format!("{} ({})", grouped(changed), counts.join(", ")) }
}

fn print(Stats { figures, usage }: &Stats, ink: Ink) -> anyhow::Result<()> {
    let width = output::terminal_width();
    let mut out = output::styled();
    sheet(figures).write_table(&mut out, width)?;
    if !figures.sitemaps.is_empty() {
        writeln!(out)?;
        sitemaps::sheet(&figures.sitemaps).write_table(&mut out, width)?;
    }
    if figures.over_time.len() > 1 {
        writeln!(out)?;
        over_time::write(&mut out, &figures.over_time, ink, width)?;
    }
    if let Some(usage) = usage {
        writeln!(out)?;
        usage::sheet(usage).write_table(&mut out, width)?;
        writeln!(out, "{}", usage::note(usage))?;
    }
    out.flush()?;
    Ok(())
}

fn sheet(figures: &CrawlFigures) -> Sheet {
    let summary = &figures.summary;
    let mut sheet = Sheet::of_facts();
    sheet.fact("site", summary.site.as_str());
    sheet.fact("crawl", summary.crawl.to_string());
    sheet.fact("mode", summary.mode.word());
    sheet.fact("state", summary.state_and_reason());
    sheet.fact("opened (UTC)", day_and_time(summary.opened_at));
    if let Some(closed_at) = summary.closed_at {
        sheet.fact("closed (UTC)", day_and_time(closed_at));
    }
    sheet.fact("duration", duration(summary.duration_seconds));
    sheet.fact("pages", grouped(summary.statistics.total));
    for verdict in Verdict::ALL {
        let count = summary.statistics.counts[verdict];
        let name = if verdict == Verdict::Missing { "broken links" } else { verdict.said() };
        let is_changed = verdict == Verdict::Changed;
        sheet.fact(name, if is_changed { beside(&figures.changed_by_aspect, count) } else { grouped(count) });
        if verdict == Verdict::Unchanged {
            sheet.fact("presumed unchanged", grouped(summary.statistics.presumed));
        }
    }
    sheet.fact("requests", grouped(summary.statistics.requests));
    let not_modified =
        format!("{} ({})", grouped(summary.statistics.not_modified), percent(summary.not_modified_share));
    sheet.fact("not modified (304)", not_modified);
    if summary.statistics.same_by_head > 0 {
        sheet.fact("the same by HEAD", grouped(summary.statistics.same_by_head));
    }
    sheet.fact("304s checked", checked(summary.statistics.checked, summary.statistics.refuted));
    sheet.fact("received", bytes(summary.statistics.received_bytes));
    sheet.fact(
        "saved",
        format!("{} ({})", bytes(summary.statistics.saved_bytes), percent(summary.saved_share)),
    );
    sheet.fact("mean change frequency", frequency(summary.mean_change_frequency));
    if let Some(Operations { reads, writes, deletes, messages, stored_bytes, busy_ms }) = figures.operations {
        sheet.fact("documents read", of_the_free(reads, Free::READS));
        sheet.fact("documents written", of_the_free(writes, Free::WRITES));
        sheet.fact("documents deleted", of_the_free(deletes, Free::DELETES));
        sheet.fact("messages published", grouped(messages));
        sheet.fact("stored with indexes", bytes(stored_bytes));
        sheet.fact("vCPU-seconds", grouped(busy_ms.div_ceil(1_000)));
    }
    sheet
}

fn checked(checked: u64, refuted: u64) -> String {
    match (checked, refuted) {
        (0, _) => "0".to_owned(),
        (_, 0) => format!("{}, all true", grouped(checked)),
        (_, _) => format!("{}, {} not true", grouped(checked), grouped(refuted)),
    }
}

/// Writes a count and what part of a day's free allowance it is.
#[expect(clippy::cast_precision_loss, reason = "a share is shown in whole percents")]
fn of_the_free(count: u64, free: u64) -> String {
    format!("{} ({} of a day's free tier)", grouped(count), percent(count as f64 / free as f64))
}

/// Writes changes a day as people count them.
fn frequency(changes_a_day: Option<f64>) -> String {
    let Some(changes_a_day) = changes_a_day else { return "not known yet".to_owned() };
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
            (None, "not known yet"),
            (Some(0.0), "no change seen yet"),
            (Some(2.5), "2.5 changes a day and page"),
            (Some(0.02), "a page changes every 50 days"),
        ] {
            assert_eq!(frequency(changes_a_day), expected);
        }
    }

    #[test]
    fn checks_of_304s_say_how_many_were_not_true() {
        for (counts, expected) in [((0, 0), "0"), ((12, 0), "12, all true"), ((1200, 3), "1,200, 3 not true")]
        {
            assert_eq!(checked(counts.0, counts.1), expected);
        }
    }

    #[test]
    fn changed_pages_are_counted_by_what_changed() {
        for (counts, expected) in [
            ((0, 0, 0, 0), "4"),
            ((3, 1, 0, 2), "4 (text 3, links 1, meta 2)"),
            ((0, 0, 1, 0), "4 (media 1)"),
        ] {
            let (text, links, media, meta) = counts;
            assert_eq!(beside(&ByAspect { text, links, media, meta }, 4), expected);
        }
    }
}
