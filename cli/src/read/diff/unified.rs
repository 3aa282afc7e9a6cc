//! The comparison in one column, as `diff -u` writes it.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use recrawl_reports::text_diff::Tag;

use super::passages::Passage;
use super::side::Side;

pub(super) fn write(out: &mut dyn Write, older: &Side, newer: &Side, passages: &[Passage]) -> io::Result<()> {
    if passages.is_empty() {
        return Ok(());
    }
    let bold = Style::new().bold();
    writeln!(out, "{bold}--- {}{bold:#}", older.label())?;
    writeln!(out, "{bold}+++ {}{bold:#}", newer.label())?;
    for passage in passages {
        let header = AnsiColor::Cyan.on_default();
        writeln!(out, "{header}{}{header:#}", passage.heading)?;
        for line in &passage.lines {
            let style = style(line.tag);
            write!(out, "{style}{}{style:#}", line.tag.mark())?;
            for piece in &line.pieces {
                let style = if piece.emphasised { style.bold().underline() } else { style };
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
