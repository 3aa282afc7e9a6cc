//! The entries of a summary: kind, title, path and size on one line, what changed most below.

use std::io::{self, Write};

use anstyle::Style;
use recrawl_core::model::shared_change::SharedBy;
use recrawl_core::url::PageUrl;
use recrawl_reports::marks::Mark;
use recrawl_reports::{ChangeRow, SharedEntry};
use unicode_width::UnicodeWidthStr;

use crate::output::{Cell, cut, has_colours, marked, sanitize_for_terminal, style_of};
use crate::read::changes::below;
use recrawl_reports::told::{place, shown, size};

/// What stands before the title.
const INDENT: usize = 11;

/// The widths between which an entry keeps its form.
const WIDEST: usize = 100;
const NARROWEST: usize = 60;

/// Writes an entry for lines of this width.
pub(super) fn write(out: &mut dyn Write, row: &ChangeRow, root: &PageUrl, width: usize) -> io::Result<()> {
    let width = width.min(WIDEST).saturating_sub(1);
    let (kind, title, address) = match row {
        ChangeRow::Page(entry) => {
            let address = below(root, &entry.url).to_owned();
            (entry.kind, entry.title.clone().unwrap_or_default(), address)
        }
        ChangeRow::Folder(entry) => (entry.kind, String::new(), entry.folder.clone()),
        ChangeRow::Shared(entry) => (entry.kind, title_of(entry), place(entry)),
    };
    let (title, address) = (sanitize_for_terminal(&title), sanitize_for_terminal(&address));
    let style: Style = style_of(kind);
    let size = size(row, false);
    write!(out, "  {style}{kind:<8}{style:#} ")?;
    if width + 1 < NARROWEST {
        writeln!(out, "{}", cut(&title, width.saturating_sub(INDENT).max(8)))?;
        writeln!(out, "    {address}  {size}")?;
    } else {
        let title_width = if width + 1 >= WIDEST { 36 } else { 36 - (WIDEST - 1 - width).min(40) * 3 / 10 };
        let space = width - INDENT - title_width - 1;
        let title = cut(&title, title_width);
        let address = cut(&address, space.saturating_sub(size.width() + 1));
        let gap = space.saturating_sub(address.width() + size.width()).max(1);
        let after = title_width + 1 - title.width();
        let line = format!("{title}{0:after$}{address}{0:gap$}{size}", "");
        writeln!(out, "{}", line.trim_end())?;
    }
    let marks = match row {
        ChangeRow::Shared(_) => Vec::new(),
        ChangeRow::Page(_) | ChangeRow::Folder(_) => shown(row, width.saturating_sub(INDENT)),
    };
    if marks.iter().all(|mark| matches!(mark, Mark::Same(text) if text.is_empty())) {
        return Ok(());
    }
    let cell: Cell = marked(&marks, has_colours());
    write!(out, "{:INDENT$}", "")?;
    cell.write_whole(out)?;
    writeln!(out)
}

/// Says what a shared change is, in a few words.
fn title_of(entry: &SharedEntry) -> String {
    let region = recrawl_reports::told::region(entry.region);
    let quoted = |text: &str| {
        let short: String = text.chars().take(24).collect();
        if short == text { format!("\"{text}\"") } else { format!("\"{} ...\"", short.trim_end()) }
    };
    match (&entry.went, &entry.came) {
        (None, Some(came)) if entry.by == SharedBy::Edit => format!("{} added to the {region}", quoted(came)),
        (Some(went), None) if entry.by != SharedBy::Return => {
            format!("{} removed from the {region}", quoted(went))
        }
        _ => recrawl_reports::marks::written(&shown(&ChangeRow::Shared(entry.clone()), 36)),
    }
}
