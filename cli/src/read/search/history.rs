//! When pages said something.

use std::io::{self, Write};

use anstyle::Style;
use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{FoundPassages, Passage};
use recrawl_core::url::PageUrl;
use serde::Serialize;

use super::write_pieces;
use crate::exit::usage;
use crate::output::{
    self, Cell, Column, Format, Listing, Sheet, counted, day_and_time, sanitize_for_terminal,
};

/// A stretch of time in which a page said it; its JSON form is stable.
#[derive(Debug, Serialize)]
struct PassageRow {
    url: PageUrl,
    site: SiteId,
    title: Option<String>,
    excerpt: String,
    first_crawl: CrawlId,
    first_seen: Timestamp,
    last_crawl: CrawlId,
    last_seen: Timestamp,
    is_current: bool,
}

const FIELDS: [&str; 9] =
    ["url", "site", "title", "excerpt", "first_crawl", "first_seen", "last_crawl", "last_seen", "is_current"];

/// Prints what was found; a store that cannot compare what pages said before says what it can do.
pub(super) fn print(found: Option<FoundPassages>, limit: usize, format: Format) -> anyhow::Result<()> {
    let Some(found) = found else {
        return Err(usage(
            "on Firestore, search compares the beginning of addresses and nothing else; `recrawl history URL` lists the \
             versions of one page, and `recrawl copy` brings everything into a file that can be searched",
        ));
    };
    let headline = headline(&found, limit);
    if format == Format::Table {
        output::note(&headline)?;
        let mut out = output::styled();
        found.passages.iter().try_for_each(|passage| write_passage(&mut out, passage))?;
        out.flush()?;
    } else {
        let rows: Vec<PassageRow> = found.passages.into_iter().map(PassageRow::from).collect();
        Listing::new(&rows, &FIELDS, &|_| sheet(&rows)).under(&headline).print(format)?;
    }
    Ok(())
}

/// Says how much was found, and in what.
fn headline(found: &FoundPassages, limit: usize) -> String {
    let what = match found.passages.len() {
        0 => "Nothing found".to_owned(),
        count if count == limit => format!("The last {} found", counted(count as u64, "time")),
        count => format!("{} found", counted(count as u64, "time")),
    };
    let compared = counted(found.compared, "stored text");
    match found.left_out {
        0 => format!("{what}, in {compared} and in addresses."),
        visits => format!(
            "{what}, in {compared} and in addresses. {} saw what has no text, is not kept, or is too old to be compared.",
            counted(visits, "visit")
        ),
    }
}

fn write_passage(out: &mut dyn Write, passage: &Passage) -> io::Result<()> {
    let (bold, dimmed) = (Style::new().bold(), Style::new().dimmed());
    writeln!(out)?;
    writeln!(out, "{bold}{}{bold:#}", when(passage))?;
    if let Some(title) = &passage.title {
        writeln!(out, "{}", sanitize_for_terminal(title))?;
    }
    writeln!(out, "{dimmed}{}{dimmed:#}", sanitize_for_terminal(passage.url.as_str()))?;
    if !passage.excerpt.is_empty() {
        write!(out, "  ")?;
        write_pieces(out, &passage.excerpt, Style::new())?;
    }
    Ok(())
}

/// Says when a page said it.
fn when(passage: &Passage) -> String {
    let (first, last) = (day_and_time(passage.first.1), day_and_time(passage.last.1));
    match (passage.is_current, passage.first.0 == passage.last.0) {
        (true, true) => format!("since {first}: it says so now"),
        (true, false) => format!("since {first}, seen again until {last}: it says so now"),
        (false, true) => format!("on {first}, and not any more"),
        (false, false) => format!("from {first} to {last}, and not any more"),
    }
}

impl From<Passage> for PassageRow {
    fn from(passage: Passage) -> Self {
        Self {
            url: passage.url,
            site: passage.site,
            title: passage.title,
            excerpt: passage.excerpt.into_iter().map(|piece| piece.text).collect(),
            first_crawl: passage.first.0,
            first_seen: passage.first.1,
            last_crawl: passage.last.0,
            last_seen: passage.last.1,
            is_current: passage.is_current,
        }
    }
}

fn sheet(rows: &[PassageRow]) -> Sheet {
    let mut sheet = Sheet::new([
        Column::new("first seen"),
        Column::new("last seen"),
        Column::new("now"),
        Column::flexible("page"),
        Column::flexible("excerpt"),
    ]);
    for row in rows {
        sheet.push([
            Cell::from(day_and_time(row.first_seen)),
            day_and_time(row.last_seen).into(),
            if row.is_current { "yes" } else { "no" }.into(),
            row.url.as_str().into(),
            row.excerpt.as_str().into(),
        ]);
    }
    sheet
}
