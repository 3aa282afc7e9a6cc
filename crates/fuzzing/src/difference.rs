//! Differences: both texts can be read off, and long ones take no longer than the deadline.

use std::time::{Duration, Instant};

use recrawl_core::difference::in_brief;
use recrawl_reports::text_diff::{
    Context, Difference, Line, Tag, compare, excerpt, first_change, side_by_side,
};

use crate::stretched;

/// A text that begins with this is made long.
const LONG: char = '*';

/// How long a text is made.
const LENGTH: usize = 128 << 10;

/// What the longest difference in brief may have.
const BRIEF: usize = 4_100;

/// Compares what stands before the first zero with what stands behind it.
pub fn compare_texts(data: &[u8]) {
    let half = data.iter().position(|byte| *byte == 0).unwrap_or(data.len() / 2);
    let (older, newer) = (text_of(&data[..half]), text_of(data.get(half + 1..).unwrap_or_default()));
    let brief = in_brief(&older, &newer);
    assert!(brief.len() <= BRIEF, "{} bytes in brief", brief.len());
    assert_eq!(brief.is_empty(), older.lines().eq(newer.lines()), "{brief:?}");
    for deadline in [Instant::now(), Instant::now() + Duration::from_millis(200)] {
        let all = compare(&older, &newer, Context::All, deadline);
        assert_shows_both(&all, &older, &newer);
        let some = compare(&older, &newer, Context::Lines(2), deadline);
        assert_eq!((some.removed, some.added), counted(&some));
        assert!(excerpt(&some).len() <= 2);
        assert!(first_change(&older, &newer, deadline).len() <= 2);
    }
}

/// Returns an input as the text of a page is: with one kind of line end.
fn text_of(data: &[u8]) -> String {
    let text = String::from_utf8_lossy(data).replace('\r', " ");
    match text.strip_prefix(LONG) {
        // Numbered, or every line would be the same.
        Some(rest) => {
            let long = stretched(&format!("{rest}\n"), LENGTH);
            let numbered = long.lines().enumerate().map(|(number, line)| format!("{line}{}\n", number % 997));
            numbered.collect()
        }
        None => text,
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.strip_suffix('\n').unwrap_or(text).split('\n').collect()
}

fn assert_shows_both(difference: &Difference, older: &str, newer: &str) {
    assert_eq!((difference.removed, difference.added), counted(difference));
    let [hunk] = &*difference.hunks else {
        assert_eq!((difference.hunks.len(), lines(older)), (0, lines(newer)));
        return;
    };
    let text = |line: &Line| line.pieces.iter().map(|piece| &*piece.text).collect::<String>();
    let side = |hidden: Tag| -> Vec<String> {
        hunk.lines.iter().filter(|line| line.tag != hidden).map(text).collect()
    };
    let shown = |text: &str| {
        if text.is_empty() { Vec::new() } else { lines(text).into_iter().map(str::to_owned).collect() }
    };
    assert_eq!(side(Tag::Added), shown(older));
    assert_eq!(side(Tag::Removed), shown(newer));
    let pairs = side_by_side(&hunk.lines);
    let count = |is_there: fn(&recrawl_reports::text_diff::Pair<'_>) -> bool| {
        pairs.iter().filter(|pair| is_there(pair)).count()
    };
    assert_eq!(count(|pair| pair.older.is_some()), shown(older).len());
    assert_eq!(count(|pair| pair.newer.is_some()), shown(newer).len());
}

fn counted(difference: &Difference) -> (usize, usize) {
    let count = |tag: Tag| {
        let lines = difference.hunks.iter().flat_map(|hunk| &hunk.lines);
        lines.filter(|line| line.tag == tag).count()
    };
    (count(Tag::Removed), count(Tag::Added))
}
