//! What commands print: data to stdout, everything else to stderr.

mod charts;
mod formats;
mod sanitize_for_terminal;
mod sheet;

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use anstyle::{AnsiColor, Style};
use recrawl_core::model::verdict::Verdict;
pub(crate) use recrawl_core::words::{bytes, counted, grouped};
use recrawl_reports::marks::{Mark, written};
pub(crate) use recrawl_reports::{day, day_and_time, duration};
use serde::Serialize;

pub(crate) use self::charts::{Ink, bar, sparkline};
pub(crate) use self::formats::{Format, Listing, write_json, write_json_line};
pub(crate) use self::sanitize_for_terminal::{harmless_lines, sanitize_for_terminal};
pub(crate) use self::sheet::{Cell, Column, Sheet, cut};

/// How figures are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum PlainFormat {
    /// Columns for people
    #[default]
    Table,
    /// For programs
    Json,
}

/// Returns stdout for text with styles, which reach terminals only.
pub(crate) fn styled() -> BufWriter<anstream::AutoStream<StdoutLock<'static>>> {
    BufWriter::new(anstream::stdout().lock())
}

/// Returns stdout for data that must arrive byte for byte.
pub(crate) fn raw() -> BufWriter<StdoutLock<'static>> {
    BufWriter::new(io::stdout().lock())
}

/// Prints a value as JSON.
pub(crate) fn print_json<V: Serialize>(value: &V) -> io::Result<()> {
    let mut out = raw();
    write_json(&mut out, value)?;
    out.flush()
}

/// Writes a share of 1 in percent: `98.5 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Tells whether a person reads stdout.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Returns the width of the terminal on stdout; `None` where nothing limits a line.
pub(crate) fn terminal_width() -> Option<usize> {
    if !is_terminal() {
        return None;
    }
    terminal_size::terminal_size().map(|(terminal_size::Width(width), _)| usize::from(width))
}

/// Writes text to stdout: harmless on a terminal, byte for byte elsewhere.
pub(crate) fn print_text(text: &[u8]) -> io::Result<()> {
    let mut out = raw();
    if is_terminal() {
        out.write_all(harmless_lines(&String::from_utf8_lossy(text)).as_bytes())?;
        out.write_all(b"\n")?;
    } else {
        out.write_all(text)?;
    }
    out.flush()
}

/// Tells people something that is not data.
pub(crate) fn note(message: &str) -> io::Result<()> {
    writeln!(anstream::stderr().lock(), "{}", harmless_lines(message))
}

/// Tells whether what is printed has colours; otherwise marks say what they would.
pub(crate) fn has_colours() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// Returns an edit as a cell: with colours, or with marks where there are none.
pub(crate) fn marked(marks: &[Mark], with_colours: bool) -> Cell {
    if !with_colours {
        return written(marks).into();
    }
    let spans = marks.iter().map(|mark| match mark {
        Mark::Same(text) => (text.as_str(), Style::new()),
        Mark::Went(text) => (text.as_str(), AnsiColor::Red.on_default().strikethrough()),
        Mark::Came(text) => (text.as_str(), AnsiColor::Green.on_default()),
    });
    Cell::of_spans(spans)
}

/// Returns the style in which a verdict is shown.
pub(crate) const fn style_of(verdict: Verdict) -> Style {
    match verdict {
        Verdict::New => AnsiColor::Green.on_default(),
        Verdict::Changed => AnsiColor::Yellow.on_default(),
        Verdict::Moved => AnsiColor::Cyan.on_default(),
        Verdict::Gone => AnsiColor::Red.on_default(),
        Verdict::Failed | Verdict::Missing => AnsiColor::Magenta.on_default(),
        Verdict::Shared => AnsiColor::Blue.on_default(),
        Verdict::Touched | Verdict::Unchanged | Verdict::Excluded => Style::new().dimmed(),
    }
}
