//! The lines of a difference, below or beside each other.

use maud::{Markup, html};

use crate::pages::layout::{pieces, spoken, tag_class};
use crate::words::counted;
use recrawl_reports::text_diff::{Difference, Hunk, Line, Pair, Tag, side_by_side};

/// Returns a difference with the lines of both versions below each other.
pub(crate) fn hunks(difference: &Difference) -> Markup {
    html! {
        table.difference {
            caption.only-read { "What went and what came" }
            colgroup { col.number; col.number; col; }
            thead.only-read {
                tr {
                    th scope="col" { "Older line" }
                    th scope="col" { "Newer line" }
                    th scope="col" { "Text" }
                }
            }
            tbody {
                @for hunk in &difference.hunks {
                    (fold(hunk.skipped_before, 3))
                    @for (place, line) in hunk.lines.iter().enumerate() {
                        (inline_row(hunk, place, line))
                    }
                }
                (left_out(difference, 3))
                (fold(difference.skipped_after, 3))
            }
        }
    }
}

fn inline_row(hunk: &Hunk, place: usize, line: &Line) -> Markup {
    html! {
        tr class=(tag_class(line.tag)) data-stop[begins_change(&hunk.lines, place)] {
            td.number { @if let Some(number) = line.older { (number) } }
            td.number { @if let Some(number) = line.newer { (number) } }
            td.text { span.mark { (spoken(line.tag)) } (pieces(line)) }
        }
    }
}

fn begins_change(lines: &[Line], place: usize) -> bool {
    let changed = |line: Option<&Line>| line.is_some_and(|line| line.tag != Tag::Same);
    changed(lines.get(place)) && !changed(place.checked_sub(1).and_then(|before| lines.get(before)))
}

/// Returns a difference with the versions beside each other.
pub(super) fn beside(difference: &Difference) -> Markup {
    html! {
        table.difference.beside {
            caption.only-read { "Both versions beside each other" }
            colgroup { col.number; col; col.number; col; }
            thead { tr { th scope="col" colspan="2" { "Older" } th scope="col" colspan="2" { "Newer" } } }
            tbody {
                @for hunk in &difference.hunks {
                    (fold(hunk.skipped_before, 4))
                    @let pairs = side_by_side(&hunk.lines);
                    @for (place, pair) in pairs.iter().enumerate() {
                        tr data-stop[begins_pair(&pairs, place)] {
                            (half(pair.older, true)) (half(pair.newer, false))
                        }
                    }
                }
                (left_out(difference, 4))
                (fold(difference.skipped_after, 4))
            }
        }
    }
}

fn begins_pair(pairs: &[Pair<'_>], place: usize) -> bool {
    let is_same = |place: usize| pairs.get(place).is_some_and(|pair| pair.older == pair.newer);
    !is_same(place) && (place == 0 || is_same(place - 1))
}

fn half(line: Option<&Line>, is_older: bool) -> Markup {
    html! {
        @match line {
            Some(line) => {
                td.number {
                    @if let Some(number) = if is_older { line.older } else { line.newer } { (number) }
                }
                td class=(format!("text {}", tag_class(line.tag))) {
                    span.mark { (spoken(line.tag)) } (pieces(line))
                }
            }
            None => { td.number.empty {} td.text.empty {} },
        }
    }
}

fn fold(lines: usize, columns: u8) -> Markup {
    html! { @if lines > 0 { tr.fold { td colspan=(columns) { (counted(lines as u64, "unchanged line")) } } } }
}

fn left_out(difference: &Difference, columns: u8) -> Markup {
    let lines = difference.omitted_lines;
    html! {
        @if lines > 0 {
            tr.fold { td colspan=(columns) { (counted(lines as u64, "more line")) " went or came" } }
        }
    }
}
