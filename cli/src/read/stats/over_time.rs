//! The figures of several crawls, as a table with bars and a line each.

use std::io::{self, Write};

use recrawl_core::decide::DoubtWord;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_reports::{CrawlSummary, figure_if_known};

use crate::output::{Cell, Column, Ink, Sheet, bar, bytes, grouped, percent, sparkline};

/// How long the longest bar is.
const LONGEST: u16 = 20;

/// Writes what each crawl found, with a bar for what is worth knowing, and how each figure went.
pub(super) fn write(
    out: &mut dyn Write,
    crawls: &[CrawlSummary],
    ink: Ink,
    width: Option<usize>,
) -> io::Result<()> {
    let spared = ["unchanged", "304s", "frequency", "saved", "new"];
    table(crawls, ink).narrowed(width, &spared).write_table(out, width)?;
    writeln!(out)?;
    lines(crawls, ink).write_table(out, width)
}

fn table(crawls: &[CrawlSummary], ink: Ink) -> Sheet {
    let most = crawls.iter().map(found).fold(0.0, f64::max);
    let mut sheet = Sheet::new([
        Column::new("crawl"),
        Column::number("pages"),
        Column::number("new"),
        Column::number("changed"),
        Column::number("unchanged"),
        Column::number("304s"),
        Column::number("saved"),
        Column::number("frequency"),
        Column::new("new, changed, moved or gone"),
    ]);
    for crawl in crawls {
        let pages = |verdict| grouped(crawl.statistics.counts[verdict]).into();
        let doubt = DoubtWord::of(&crawl.statistics).word();
        let mark = if crawl.is_suspect() { format!(" {doubt}") } else { String::new() };
        let cells: [Cell; 9] = [
            crawl.crawl.to_string().into(),
            grouped(crawl.statistics.total).into(),
            pages(Verdict::New),
            pages(Verdict::Changed),
            pages(Verdict::Unchanged),
            grouped(crawl.statistics.not_modified).into(),
            percent(crawl.saved_share).into(),
            figure_if_known(crawl.mean_change_frequency).into(),
            format!("{}{mark}", bar(found(crawl), most, LONGEST, ink)).trim_start().into(),
        ];
        sheet.push(cells);
    }
    sheet
}

/// The name of a figure, how to get it, and how it is written.
type FigureLine = (&'static str, fn(&Statistics) -> u64, fn(u64) -> String);

/// Writes a line a figure: how it went, and its last value.
fn lines(crawls: &[CrawlSummary], ink: Ink) -> Sheet {
    let mut sheet =
        Sheet::new([Column::new("over time"), Column::new("oldest to newest"), Column::number("now")]);
    let Some(last) = crawls.last() else { return sheet };
    let figures: [FigureLine; 6] = [
        ("pages", |figures| figures.total, grouped),
        ("new", |figures| figures.counts[Verdict::New], grouped),
        ("changed", |figures| figures.counts[Verdict::Changed], grouped),
        ("unchanged", |figures| figures.counts[Verdict::Unchanged], grouped),
        ("not modified (304)", |figures| figures.not_modified, grouped),
        ("saved", |figures| figures.saved_bytes, bytes),
    ];
    let mut line = |name: &str, values: Vec<f64>, now: String| {
        sheet.push([name.into(), sparkline(&values, ink).into(), now.into()]);
    };
    for (name, figure, written) in figures {
        let values = crawls.iter().map(|crawl| count(figure(&crawl.statistics))).collect();
        line(name, values, written(figure(&last.statistics)));
    }
    let frequencies = crawls.iter().map(|crawl| crawl.mean_change_frequency.unwrap_or_default()).collect();
    line("changes a day and page", frequencies, figure_if_known(last.mean_change_frequency));
    sheet
}

fn found(crawl: &CrawlSummary) -> f64 {
    count(crawl.statistics.changes())
}

#[expect(clippy::cast_precision_loss, reason = "a chart has few steps")]
fn count(count: u64) -> f64 {
    count as f64
}
