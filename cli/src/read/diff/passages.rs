//! What differs between two versions, as a terminal shows it: stretches of text, then links and media.

use std::time::{Duration, Instant};

use recrawl_reports::difference::Beside;
use recrawl_reports::text_diff::{Context, Line, LinePiece, Tag, compare};

use crate::output::sanitize_for_terminal;

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 3;

/// How long words are looked for in lines that were replaced; then lines are shown as they are.
const PATIENCE: Duration = Duration::from_secs(2);

/// A stretch of lines under a heading, harmless for terminals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Passage {
    /// What stands above it: where in the text it is, as unified diffs have it, or its title.
    pub(super) heading: String,
    /// What it is about, where that is not the text.
    pub(super) title: Option<String>,
    pub(super) lines: Vec<Line>,
}

impl Passage {
    /// Makes a passage of addresses that came and went.
    pub(super) fn of_addresses(beside: &Beside) -> Self {
        let line = |tag| {
            move |text: &String| Line {
                tag,
                older: None,
                newer: None,
                pieces: vec![LinePiece { text: sanitize_for_terminal(text).into_owned(), emphasised: false }],
            }
        };
        let went = beside.went.iter().map(line(Tag::Removed));
        let came = beside.came.iter().map(line(Tag::Added));
        let title = beside.what.clone();
        Self { heading: title.clone(), title: Some(title), lines: went.chain(came).collect() }
    }
}

/// Compares two texts; also tells whether they are too large to be compared line by line.
pub(super) fn passages(older: &str, newer: &str) -> (Vec<Passage>, bool) {
    let difference = compare(older, newer, Context::Lines(CONTEXT), Instant::now() + PATIENCE);
    let passage = |mut lines: Vec<Line>| {
        for piece in lines.iter_mut().flat_map(|line| &mut line.pieces) {
            piece.text = sanitize_for_terminal(&piece.text).into_owned();
        }
        Passage { heading: place(&lines), title: None, lines }
    };
    (difference.hunks.into_iter().map(|hunk| passage(hunk.lines)).collect(), difference.coarse)
}

/// Returns where in both texts lines are, as unified diffs have it: `@@ -1,3 +1,4 @@`.
fn place(lines: &[Line]) -> String {
    let range = |number: fn(&Line) -> Option<usize>| {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(older: &str, newer: &str) -> String {
        let mut shown = String::new();
        for passage in passages(older, newer).0 {
            shown.push_str(&passage.heading);
            shown.push('\n');
            for line in passage.lines {
                shown.push_str(line.tag.mark());
                for piece in line.pieces {
                    let marked = if piece.emphasised { format!("[{}]", piece.text) } else { piece.text };
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
        assert_eq!(passages(&older, &newer).0.len(), 2);
    }

    #[test]
    fn equal_texts_have_no_hunks() {
        assert!(passages("a\nb", "a\nb").0.is_empty());
        assert!(passages("", "").0.is_empty());
    }

    #[test]
    fn escape_sequences_are_shown_not_sent() {
        assert!(shown("", "\u{1b}[2Jx").contains("+\\u{1b}[2Jx"));
    }
}
