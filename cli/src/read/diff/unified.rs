//! The comparison in one column, as `diff -u` writes it.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::hunks::{Hunk, Tag};
use super::side::Side;

pub(super) fn write(out: &mut dyn Write, older: &Side, newer: &Side, hunks: &[Hunk]) -> io::Result<()> {
    if hunks.is_empty() {
        return Ok(());
    }
    let bold = Style::new().bold();
    writeln!(out, "{bold}--- {}{bold:#}", older.label())?;
    writeln!(out, "{bold}+++ {}{bold:#}", newer.label())?;
    for hunk in hunks {
        let header = AnsiColor::Cyan.on_default();
        writeln!(out, "{header}{}{header:#}", hunk.heading())?;
        for line in &hunk.lines {
            let style = style(line.tag);
            write!(out, "{style}{}{style:#}", line.tag.mark())?;
            for piece in &line.pieces {
                let style = if piece.is_emphasised { style.bold().underline() } else { style };
                write!(out, "{style}{}{style:#}", piece.text)?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

/// Returns the style of a line.
pub(super) const fn style(tag: Tag) -> Style {
    match tag {
        Tag::Same => Style::new(),
        Tag::Removed => AnsiColor::Red.on_default(),
        Tag::Added => AnsiColor::Green.on_default(),
    }
}
