//! The lines of a difference: what is the page's own in full, the rest folded with its counts.

use maud::{Markup, html};
use recrawl_reports::changes::LineEdits;
use recrawl_reports::difference::{DiffRow, Fold, rows as folded};
use recrawl_reports::marks::{Mark, marks};
use recrawl_reports::text_diff::{Difference, Line, Tag};

use crate::pages::layout::pieces;
use crate::words::counted;

/// The most unchanged lines that stand in folds of one page, and the most of one fold: the page stays light.
const MOST_FOLDED: usize = 600;
const MOST_IN_FOLD: usize = 300;

/// The most characters of an edit that is named in a fold.
const MOST_IN_SHORT: usize = 80;

/// The form that asks what to ignore; it stands once on a page.
pub(in crate::pages) const IGNORE_FORM: &str = "ignore";

/// How the lines of a difference are shown.
pub(in crate::pages) struct Lines<'a> {
    /// Both versions beside each other.
    pub(in crate::pages) is_beside: bool,
    /// Nothing is folded.
    pub(in crate::pages) is_whole: bool,
    /// Lines can be ignored: those that came, and those that went.
    pub(in crate::pages) ignorable: (bool, bool),
    /// Where a fold leads that is too long to be opened here.
    pub(in crate::pages) whole: Option<&'a str>,
}

impl Lines<'_> {
    /// Returns rows one below the other.
    pub(in crate::pages) fn shown(&self, rows: &[DiffRow], name: &str) -> Markup {
        let mut room = MOST_FOLDED;
        let gutter = gutter(rows);
        html! {
            div.difference.beside[self.is_beside].(gutter) role="group" aria-label=(name) {
                @for row in rows { (self.row(row, &mut room)) }
            }
        }
    }

    fn row(&self, row: &DiffRow, room: &mut usize) -> Markup {
        html! {
            @match row {
                DiffRow::Same(line) => (self.same(line)),
                DiffRow::Edit(went, came) => (self.edit(went.as_ref(), came.as_ref())),
                DiffRow::Unchanged(count, lines) => (self.unchanged(*count, lines, room)),
                DiffRow::Folded(fold) => (self.fold(fold)),
                DiffRow::Around(lines) => (self.around(lines)),
            }
        }
    }

    fn same(&self, line: &Line) -> Markup {
        let text = html! { span.text dir="auto" { (pieces(line)) } };
        html! {
            div.line {
                (number(line.older))
                @if self.is_beside { (text) (number(line.newer)) (text) }
                @else { (number(line.newer)) span.sign {} (text) }
            }
        }
    }

    fn edit(&self, went: Option<&Line>, came: Option<&Line>) -> Markup {
        if self.is_beside {
            let class = match (went, came) {
                (Some(_), Some(_)) => "pair",
                (Some(_), None) => "only-old",
                (None, _) => "only-new",
            };
            return html! {
                div.line.(class) data-stop {
                    (number(went.and_then(|line| line.older)))
                    (half(went))
                    (number(came.and_then(|line| line.newer)))
                    (half(came))
                }
            };
        }
        html! {
            @if let Some(line) = went {
                div.line.went data-stop {
                    (number(line.older)) (number(None)) (sign(Tag::Removed))
                    span.text dir="auto" { (pieces(line)) }
                    @if came.is_none() && self.ignorable.1 { (ignore("went", line.older)) }
                }
            }
            @if let Some(line) = came {
                div.line.came data-stop[went.is_none()] {
                    (number(None)) (number(line.newer)) (sign(Tag::Added))
                    span.text dir="auto" { (pieces(line)) }
                    @if self.ignorable.0 { (ignore("came", line.newer)) }
                }
            }
        }
    }

    fn unchanged(&self, count: usize, lines: &[Line], room: &mut usize) -> Markup {
        let said = counted(count as u64, "unchanged line");
        let is_short = lines.len() == count && count <= MOST_IN_FOLD.min(*room);
        if self.is_whole && lines.len() == count {
            return html! { @for line in lines { (self.same(line)) } };
        }
        if is_short {
            *room -= count;
        }
        html! {
            @if is_short {
                details.fold {
                    summary { (said) }
                    div.inside { @for line in lines { (self.same(line)) } }
                }
            } @else {
                p.fold {
                    (said)
                    @if let Some(whole) = self.whole { ", too many to open here: " a href=(whole) { "the whole page" } }
                }
            }
        }
    }

    /// Folds the frame of a page that came or went as a whole.
    fn around(&self, lines: &[Line]) -> Markup {
        html! {
            details.fold open[self.is_whole] {
                summary { (counted(lines.len() as u64, "line")) " around its content" }
                div.inside {
                    @for line in lines {
                        @if line.tag == Tag::Removed { (self.edit(Some(line), None)) } @else { (self.edit(None, Some(line))) }
                    }
                }
            }
        }
    }

    fn fold(&self, fold: &Fold) -> Markup {
        let class = if fold.is_noise { "by-itself" } else { "many" };
        html! {
            details.fold.(class) open[self.is_whole] {
                summary {
                    b { (fold.count()) } " " (fold.place())
                    (only_edit(fold))
                }
                div.inside { @for row in &fold.rows { (self.row(row, &mut 0)) } }
            }
        }
    }
}

/// Returns a difference without anything that is known of its edits: for rules that are tried.
pub(in crate::pages) fn plain(difference: Difference, name: &str) -> Markup {
    let lines = Lines { is_beside: false, is_whole: false, ignorable: (false, false), whole: None };
    let rows = folded(difference, &LineEdits::default(), &[], usize::MAX);
    lines.shown(&rows, name)
}

/// Returns the only edit of a fold in short.
fn only_edit(fold: &Fold) -> Markup {
    let Some(text) = fold.only_edit() else { return html! {} };
    let [DiffRow::Edit(Some(went), Some(came))] = fold.rows.as_slice() else {
        return html! { " " span dir="auto" { (text) } };
    };
    html! {
        " " span dir="auto" {
            @for mark in marks(Some(&went.text()), Some(&came.text()), MOST_IN_SHORT) {
                @match mark {
                    Mark::Same(text) => (text), Mark::Went(text) => del { (text) }, Mark::Came(text) => ins { (text) },
                }
            }
        }
    }
}

fn half(line: Option<&Line>) -> Markup {
    html! {
        span.text dir="auto" {
            @if let Some(line) = line {
                @if line.pieces.iter().any(|piece| piece.emphasised) { (pieces(line)) }
                @else if line.tag == Tag::Removed { del { (pieces(line)) } }
                @else { ins { (pieces(line)) } }
            }
        }
    }
}

fn number(number: Option<usize>) -> Markup {
    html! { span.no { @if let Some(number) = number { (number) } } }
}

/// Returns the sign of a line for the eye, and a word for the ear. It stands outside of the text, which may run the other way.
fn sign(tag: Tag) -> Markup {
    let (sign, word) = match tag {
        Tag::Same => ("", ""),
        Tag::Removed => ("−", "removed: "),
        Tag::Added => ("+", "added: "),
    };
    html! { span.sign { span aria-hidden="true" { (sign) } span.only-read { (word) } } }
}

fn ignore(side: &str, number: Option<usize>) -> Markup {
    html! {
        @if let Some(number) = number {
            button.line-act form=(IGNORE_FORM) name="line" value={ (side) "-" (number) }
                aria-label={ "Ignore line " (number) "…" } { "Ignore…" }
        }
    }
}

/// Returns the class of a gutter that is as wide as the largest number.
fn gutter(rows: &[DiffRow]) -> &'static str {
    let of_line = |line: &Line| line.older.max(line.newer).unwrap_or(0);
    let largest = rows.iter().rev().find_map(|row| match row {
        DiffRow::Same(line) => Some(of_line(line)),
        DiffRow::Edit(went, came) => [went, came].into_iter().flatten().map(of_line).max(),
        DiffRow::Unchanged(_, lines) | DiffRow::Around(lines) => lines.last().map(of_line),
        DiffRow::Folded(fold) => match fold.rows.last() {
            Some(DiffRow::Edit(went, came)) => [went, came].into_iter().flatten().map(of_line).max(),
            _ => None,
        },
    });
    match largest.unwrap_or(0) {
        0..100 => "digits-2",
        100..1_000 => "digits-3",
        1_000..10_000 => "digits-4",
        _ => "digits-6",
    }
}
