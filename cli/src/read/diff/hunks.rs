//! What differs between two texts, line by line and word by word, as a terminal shows it.

use std::time::{Duration, Instant};

pub(super) use recrawl_web::difference::Tag;
use recrawl_web::difference::{self, Context, compare};
use recrawl_web::views::Beside;

use crate::output::sanitize_for_terminal;

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 3;

/// How long words are looked for in lines that were replaced; then lines are shown as they are.
const PATIENCE: Duration = Duration::from_secs(2);

/// A stretch of lines around changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    header: Header,
    pub(super) lines: Vec<Line>,
}

/// What stands above a [`Hunk`].
#[derive(Debug, Clone, PartialEq, Eq)]
enum Header {
    /// Where in the text it is: `@@ -1,3 +1,4 @@`, as unified diffs have it.
    CrawlPosition(String),
    /// What it is about, where that is not the text.
    Title(String),
}

impl Hunk {
    /// Makes a hunk of addresses that came and went.
    pub(super) fn of_addresses(beside: &Beside) -> Self {
        let line = |tag| move |text: &String| Line { tag, pieces: vec![piece(text, false)] };
        let went = beside.went.iter().map(line(Tag::Removed));
        let came = beside.came.iter().map(line(Tag::Added));
        Self { header: Header::Title(beside.what.clone()), lines: went.chain(came).collect() }
    }

    /// Returns what stands above the hunk.
    pub(super) fn heading(&self) -> &str {
        match &self.header {
            Header::CrawlPosition(place) => place,
            Header::Title(title) => title,
        }
    }

    /// Returns what the hunk is about, where that is not the text.
    pub(super) fn title(&self) -> Option<&str> {
        match &self.header {
            Header::CrawlPosition(_) => None,
            Header::Title(title) => Some(title),
        }
    }
}

/// One line of a [`Hunk`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) tag: Tag,
    pub(super) pieces: Vec<Piece>,
}

/// Part of a line, harmless for terminals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    /// It is what differs within its line.
    pub(super) is_emphasised: bool,
}

/// Compares two texts; also tells whether they are too large to be compared line by line.
pub(super) fn hunks(older: &str, newer: &str) -> (Vec<Hunk>, bool) {
    let difference = compare(older, newer, Context::Lines(CONTEXT), Instant::now() + PATIENCE);
    let mut hunks = Vec::with_capacity(difference.hunks.len());
    for hunk in difference.hunks {
        let place = place(&hunk.lines);
        let line = |line: difference::Line| Line {
            tag: line.tag,
            pieces: line.pieces.iter().map(|part| piece(&part.text, part.emphasised)).collect(),
        };
        let lines = hunk.lines.into_iter().map(line).collect();
        hunks.push(Hunk { header: Header::CrawlPosition(place), lines });
    }
    (hunks, difference.coarse)
}

/// Returns where in both texts lines are, as unified diffs have it.
fn place(lines: &[difference::Line]) -> String {
    let range = |number: fn(&difference::Line) -> Option<usize>| {
        let mut numbers = lines.iter().filter_map(number);
        match (numbers.next(), numbers.count() + 1) {
            // Text that is nowhere stands after line 0.
            (None, _) => "0,0".to_owned(),
            (Some(first), 1) => first.to_string(),
            (Some(first), count) => format!("{first},{count}"),
        }
    };
    format!("@@ -{} +{} @@", range(|line| line.older), range(|line| line.newer))
}

fn piece(text: &str, is_emphasised: bool) -> Piece {
    Piece { text: sanitize_for_terminal(text).into_owned(), is_emphasised }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(older: &str, newer: &str) -> String {
        let mut shown = String::new();
        for hunk in hunks(older, newer).0 {
            shown.push_str(hunk.heading());
            shown.push('\n');
            for line in hunk.lines {
                shown.push_str(line.tag.mark());
                for piece in line.pieces {
                    let marked = if piece.is_emphasised { format!("[{}]", piece.text) } else { piece.text };
                    shown.push_str(&marked);
                }
                shown.push('\n');
            }
        }
        shown
    }

    #[test]
    fn words_that_differ_are_marked() {
        insta::assert_snapshot!(shown("Title\nopen from 9 to 17 today\nend", "Title\nopen from 9 to 18 today\nend"), @r"
        @@ -1,3 +1,3 @@
         Title
        -open from 9 to [17] today
        +open from 9 to [18] today
         end
        ");
    }

    #[test]
    fn the_last_line_needs_no_end() {
        insta::assert_snapshot!(shown("a", "a\nb"), @r"
        @@ -1 +1,2 @@
         a
        +b
        ");
    }

    #[test]
    fn distant_changes_are_apart() {
        let lines: Vec<String> = (0..20).map(|number| format!("line {number}")).collect();
        let older = lines.join("\n");
        let newer = older.replace("line 1\n", "").replace("line 18", "line eighteen");
        assert_eq!(hunks(&older, &newer).0.len(), 2);
    }

    #[test]
    fn equal_texts_have_no_hunks() {
        assert!(hunks("a\nb", "a\nb").0.is_empty());
        assert!(hunks("", "").0.is_empty());
    }

    #[test]
    fn escape_sequences_are_shown_not_sent() {
        assert!(shown("", "\u{1b}[2Jx").contains("+\\u{1b}[2Jx"));
    }
}
