//! The figures of several crawls, as a table with bars and a line each.

use std::io::{self, Write};

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
        let mark = if crawl.is_suspect() { " suspect" } else { "" };
        let cells: [Cell; 9] = [
            crawl.crawl.to_string().into(),
            grouped(crawl.statistics.total).into(),
            grouped(crawl.statistics.new).into(),
            grouped(crawl.statistics.changed).into(),
            grouped(crawl.statistics.unchanged).into(),
            grouped(crawl.statistics.not_modified).into(),
            percent(crawl.saved_share).into(),
            figure_if_known(crawl.mean_change_frequency).into(),
            format!("{}{mark}", bar(found(crawl), most, LONGEST, ink)).trim_start().into(),
        ];
        sheet.push(cells);
    }
    sheet
}

/// The name of a figure, how to get it, and its last value.
type FigureLine<'a> = (&'a str, fn(&CrawlSummary) -> f64, String);

/// Writes a line a figure: how it went, and its last value.
fn lines(crawls: &[CrawlSummary], ink: Ink) -> Sheet {
    let mut sheet =
        Sheet::new([Column::new("over time"), Column::new("oldest to newest"), Column::number("now")]);
    let Some(last) = crawls.last() else { return sheet };
    let figures: [FigureLine<'_>; 7] = [
        ("pages", |crawl| count(crawl.statistics.total), grouped(last.statistics.total)),
        ("new", |crawl| count(crawl.statistics.new), grouped(last.statistics.new)),
        ("changed", |crawl| count(crawl.statistics.changed), grouped(last.statistics.changed)),
        ("unchanged", |crawl| count(crawl.statistics.unchanged), grouped(last.statistics.unchanged)),
        (
            "not modified (304)",
            |crawl| count(crawl.statistics.not_modified),
            grouped(last.statistics.not_modified),
        ),
        ("saved", |crawl| count(crawl.statistics.saved_bytes), bytes(last.statistics.saved_bytes)),
        (
            "changes a day and page",
            |crawl| crawl.mean_change_frequency.unwrap_or_default(),
            figure_if_known(last.mean_change_frequency),
        ),
    ];
    for (name, value, now) in figures {
        let values: Vec<f64> = crawls.iter().map(value).collect();
        sheet.push([name.into(), sparkline(&values, ink).into(), now.into()]);
    }
    sheet
}

fn found(crawl: &CrawlSummary) -> f64 {
    count(crawl.statistics.changes())
}

#[expect(clippy::cast_precision_loss, reason = "a chart has few steps")]
fn count(count: u64) -> f64 {
    count as f64
}
