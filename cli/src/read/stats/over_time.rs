//! The figures of several crawls, as a table with bars and a line each.

use std::io::{self, Write};

use super::Summary;
use crate::output::{Cell, Column, Ink, Sheet, bar, bytes, grouped, percent, sparkline};
use crate::read::frequency::figure_if_known;

/// How long the longest bar is.
const LONGEST: u16 = 20;

/// Writes what each crawl found, with a bar for what is worth knowing, and how each figure went.
pub(super) fn write(
    out: &mut dyn Write,
    crawls: &[Summary],
    ink: Ink,
    width: Option<usize>,
) -> io::Result<()> {
    let spared = ["unchanged", "304s", "frequency", "saved", "new"];
    table(crawls, ink).narrowed(width, &spared).write_table(out, width)?;
    writeln!(out)?;
    lines(crawls, ink).write_table(out, width)
}

fn table(crawls: &[Summary], ink: Ink) -> Sheet {
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
            grouped(crawl.total).into(),
            grouped(crawl.new).into(),
            grouped(crawl.changed).into(),
            grouped(crawl.unchanged).into(),
            grouped(crawl.not_modified).into(),
            percent(crawl.saved_share).into(),
            figure_if_known(crawl.mean_change_frequency).into(),
            format!("{}{mark}", bar(found(crawl), most, LONGEST, ink)).trim_start().into(),
        ];
        sheet.push(cells);
    }
    sheet
}

/// The name of a figure, how to get it, and its last value.
type Line<'a> = (&'a str, fn(&Summary) -> f64, String);

/// Writes a line a figure: how it went, and its last value.
fn lines(crawls: &[Summary], ink: Ink) -> Sheet {
    let mut sheet =
        Sheet::new([Column::new("over time"), Column::new("oldest to newest"), Column::number("now")]);
    let Some(last) = crawls.last() else { return sheet };
    let figures: [Line<'_>; 7] = [
        ("pages", |crawl| count(crawl.total), grouped(last.total)),
        ("new", |crawl| count(crawl.new), grouped(last.new)),
        ("changed", |crawl| count(crawl.changed), grouped(last.changed)),
        ("unchanged", |crawl| count(crawl.unchanged), grouped(last.unchanged)),
        ("not modified (304)", |crawl| count(crawl.not_modified), grouped(last.not_modified)),
        ("saved", |crawl| count(crawl.saved_bytes), bytes(last.saved_bytes)),
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

fn found(crawl: &Summary) -> f64 {
    count(crawl.new + crawl.changed + crawl.moved + crawl.gone)
}

#[expect(clippy::cast_precision_loss, reason = "a chart has few steps")]
fn count(count: u64) -> f64 {
    count as f64
}
