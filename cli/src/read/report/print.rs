//! Prints the rows of a report.

use std::io::Write;

use serde::Serialize;

use super::Subject;
use crate::output::{self, Format, Sheet};

/// Prints rows in any format, under a headline for people.
pub(super) fn print<R: Serialize>(
    subject: &Subject<'_>,
    format: Format,
    fields: &[&str],
    rows: &[R],
    found: &str,
    sheet: impl FnOnce(&[R]) -> Sheet,
) -> anyhow::Result<()> {
    let headline = format!("{} of {}: {found}.", subject.crawl.id, subject.site.root);
    match format {
        Format::Json => output::print_json(&rows)?,
        Format::Csv => output::print_csv(fields, rows)?,
        Format::Markdown => {
            let mut out = output::styled();
            writeln!(out, "{headline}")?;
            if !rows.is_empty() {
                writeln!(out)?;
                sheet(rows).write_markdown(&mut out)?;
            }
            out.flush()?;
        }
        Format::Table => {
            output::note(&headline)?;
            if !rows.is_empty() {
                let mut out = output::styled();
                sheet(rows).write_table(&mut out, output::terminal_width())?;
                out.flush()?;
            }
        }
    }
    Ok(())
}
