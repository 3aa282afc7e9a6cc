//! `recrawl crawls`: every crawl with its figures.

use std::io::Write;

use jiff::Timestamp;
use recrawl_core::decide::dated_ahead;
use recrawl_core::model::verdict::Verdict;
use recrawl_reports::CrawlSummary;

use super::source::SourceArguments;
use super::wait_for;
use crate::exit::ExitStatus;
use crate::output::{
    self, Cell, Column, PlainFormat, Sheet, bytes, day_and_time, duration, grouped, percent,
};

/// List crawls with their figures, oldest first
#[derive(Debug, clap::Args)]
pub(crate) struct CrawlsArguments {
    #[command(flatten)]
    source: SourceArguments,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

impl CrawlsArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        wait_for(async {
            let source = self.source.open().await?;
            let mut summaries = Vec::new();
            for site in source.sites().await? {
                let crawls = source.history.crawls(&site.id).await?;
                for crawl in &crawls {
                    summaries.push(CrawlSummary::of(&*source.history, crawl).await?);
                }
                let latest = crawls.last().map(|crawl| crawl.opened_at);
                if let Some(ahead) = latest.and_then(|latest| dated_ahead(latest, Timestamp::now())) {
                    output::note(&format!("{}: {ahead}.", site.id))?;
                }
            }
            match self.format {
                PlainFormat::Json => output::print_json(&summaries)?,
                PlainFormat::Table => {
                    let mut out = output::styled();
                    let width = output::terminal_width();
                    let spared = ["opened (UTC)", "received", "failed", "duration", "moved"];
                    sheet(&summaries).narrowed(width, &spared).write_table(&mut out, width)?;
                    out.flush()?;
                }
            }
            Ok(ExitStatus::Success)
        })
    }
}

fn sheet(summaries: &[CrawlSummary]) -> Sheet {
    let mut sheet = Sheet::new([
        Column::flexible("site"),
        Column::new("crawl"),
        Column::new("opened (UTC)"),
        Column::number("duration"),
        Column::number("pages"),
        Column::number("new"),
        Column::number("changed"),
        Column::number("moved"),
        Column::number("gone"),
        Column::number("failed"),
        Column::number("received"),
        Column::number("saved"),
        Column::flexible("state"),
    ]);
    for summary in summaries {
        let found = |verdict| grouped(summary.statistics.counts[verdict]).into();
        let cells: [Cell; 13] = [
            summary.site.as_str().into(),
            summary.crawl.to_string().into(),
            day_and_time(summary.opened_at).into(),
            duration(summary.duration_seconds).into(),
            grouped(summary.statistics.total).into(),
            found(Verdict::New),
            found(Verdict::Changed),
            found(Verdict::Moved),
            found(Verdict::Gone),
            found(Verdict::Failed),
            bytes(summary.statistics.received_bytes).into(),
            percent(summary.saved_share).into(),
            summary.state_and_reason().into(),
        ];
        sheet.push(cells);
    }
    sheet
}
