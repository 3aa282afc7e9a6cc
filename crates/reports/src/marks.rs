//! One edit on one line: what stayed, what went and what came, as people read it: `Consultants [-95,000-] {+195,000+}`.

use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::text_diff::LinePiece;

/// A stretch of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// It is in both.
    Same(String),
    /// It went.
    Went(String),
    /// It came.
    Came(String),
}

/// What stands for something that is left out.
const LEFT_OUT: &str = "...";

/// Two lines that have less than this in common, in percent of their letters, are shown one after the other.
const LIKENESS: usize = 30;

/// Returns an edit on one line of at most so many characters, with the marks counted.
pub fn marks(went: Option<&str>, came: Option<&str>, most: usize) -> Vec<Mark> {
    let (went, came) = (one_line(went.unwrap_or_default()), one_line(came.unwrap_or_default()));
    fitted(&segments(&went, &came), most)
}

/// Writes an edit with the marks that are readable everywhere.
pub fn written(marks: &[Mark]) -> String {
    let mark = |mark: &Mark| match mark {
        Mark::Same(text) => text.clone(),
        Mark::Went(text) => format!("[-{text}-]"),
        Mark::Came(text) => format!("{{+{text}+}}"),
    };
    marks.iter().map(mark).collect()
}

/// Returns the two sides of an edit on one line whole, each in pieces of which what differs is emphasised; where all of it
/// differs, nothing is.
pub fn sides(went: &str, came: &str) -> (Vec<LinePiece>, Vec<LinePiece>) {
    let (mut older, mut newer) = (Vec::new(), Vec::new());
    for segment in segments(went, came) {
        let (on_older, on_newer, emphasised) = match segment {
            Segment::Same(text) => (text.clone(), text, false),
            Segment::Edit(went, came) => (went, came, true),
        };
        for (side, text) in [(&mut older, on_older), (&mut newer, on_newer)] {
            if !text.is_empty() {
                side.push(LinePiece { text, emphasised });
            }
        }
    }
    for side in [&mut older, &mut newer] {
        if let [only] = side.as_mut_slice() {
            only.emphasised = false;
        }
    }
    (older, newer)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What stays, or what became what.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Same(String),
    Edit(String, String),
}

fn segments(went: &str, came: &str) -> Vec<Segment> {
    if went.is_empty() || came.is_empty() {
        return vec![Segment::Edit(went.to_owned(), came.to_owned())];
    }
    let (old, new) = (tokens(went), tokens(came));
    let mut segments: Vec<Segment> = Vec::new();
    for operation in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let (older, newer) = (old[operation.old_range()].concat(), new[operation.new_range()].concat());
        match operation.tag() {
            DiffTag::Equal => segments.push(Segment::Same(older)),
            DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => {
                segments.push(Segment::Edit(older, newer));
            }
        }
    }
    let same: usize = segments
        .iter()
        .map(|segment| if let Segment::Same(text) = segment { letters(text) } else { 0 })
        .sum();
    if same * 100 < LIKENESS * letters(went).max(letters(came)) {
        return vec![Segment::Edit(went.to_owned(), came.to_owned())];
    }
    joined(segments)
}

/// Makes one edit of two that have no word between them.
fn joined(segments: Vec<Segment>) -> Vec<Segment> {
    let mut joined: Vec<Segment> = Vec::new();
    for segment in segments {
        let Segment::Edit(went, came) = &segment else {
            joined.push(segment);
            continue;
        };
        if let [.., Segment::Edit(..), Segment::Same(between)] = joined.as_slice()
            && letters(between) == 0
        {
            let between = between.clone();
            joined.pop();
            if let Some(Segment::Edit(first_went, first_came)) = joined.last_mut() {
                first_went.extend([&*between, went]);
                first_came.extend([&*between, came]);
            }
            continue;
        }
        joined.push(segment);
    }
    joined
}

fn letters(text: &str) -> usize {
    text.chars().filter(|character| character.is_alphanumeric()).count()
}

/// Cuts a line into words, numbers, and all that stands between them.
fn tokens(line: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut last: Option<char> = None;
    for (place, character) in line.char_indices() {
        let next = line[place + character.len_utf8()..].chars().next();
        let is_inner = |character: char| {
            matches!(character, '.' | ',' | '\'' | '’')
                && last.is_some_and(char::is_alphanumeric)
                && next.is_some_and(char::is_alphanumeric)
        };
        let is_word =
            |character: char| character.is_alphanumeric() || matches!(character, '$' | '€' | '£' | '%');
        let goes_on = last.is_some_and(|last| {
            is_word(last) || matches!(last, '.' | ',' | '\'' | '’') && is_open(line, start, place)
        }) && (is_word(character) || is_inner(character));
        if !goes_on && place > start {
            tokens.push(&line[start..place]);
            start = place;
        }
        last = Some(character);
    }
    if start < line.len() {
        tokens.push(&line[start..]);
    }
    tokens
}

/// Tells whether a word began before the sign that stands before `place`.
fn is_open(line: &str, start: usize, place: usize) -> bool {
    line[start..place].chars().count() > 1
}

fn fitted(segments: &[Segment], most: usize) -> Vec<Mark> {
    let whole = spread(segments);
    if width(&whole) <= most {
        return whole;
    }
    let Some(first) = segments.iter().position(|segment| matches!(segment, Segment::Edit(..))) else {
        return whole;
    };
    let mut shown: Vec<Segment> = Vec::new();
    let Segment::Edit(went, came) = &segments[first] else { return whole };
    let sides = usize::from(!went.is_empty()) + usize::from(!came.is_empty());
    let room = (most.saturating_sub(5 * sides) / sides.max(1)).max(8);
    let is_short = |text: &str| text.chars().count() <= room;
    // What a short side does not need is for the other.
    let room_beside = |other: &str| {
        if other.is_empty() { room } else { room + room.saturating_sub(other.chars().count()) }
    };
    let edit = Segment::Edit(
        if is_short(went) { went.clone() } else { beginning(went, room_beside(came)) },
        if is_short(came) { came.clone() } else { beginning(came, room_beside(went)) },
    );
    let mut left = most.saturating_sub(width(&spread(std::slice::from_ref(&edit))));
    if let Some(Segment::Same(before)) = first.checked_sub(1).and_then(|place| segments.get(place)) {
        let after = width(&spread(&segments[first + 1..]));
        let lead = end(before, left - after.min(left / 2));
        left = left.saturating_sub(lead.chars().count());
        shown.push(Segment::Same(lead));
    }
    shown.push(edit);
    for segment in &segments[first + 1..] {
        let needed = width(&spread(std::slice::from_ref(segment)));
        match segment {
            _ if needed <= left => shown.push(segment.clone()),
            Segment::Same(text) if left > LEFT_OUT.len() + 1 => {
                shown.push(Segment::Same(beginning(text, left)));
                break;
            }
            Segment::Same(_) | Segment::Edit(..) => break,
        }
        left -= needed;
    }
    spread(&shown)
}

/// Returns segments as marks. Words that were replaced stand apart, parts of a word do not.
fn spread(segments: &[Segment]) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    for segment in segments {
        match segment {
            Segment::Same(text) if text.is_empty() => {}
            Segment::Same(text) => marks.push(Mark::Same(text.clone())),
            Segment::Edit(went, came) => {
                let is_apart = match marks.last() {
                    None => true,
                    Some(Mark::Same(text) | Mark::Went(text) | Mark::Came(text)) => text.ends_with(' '),
                };
                if !went.is_empty() {
                    marks.push(Mark::Went(went.clone()));
                }
                if !went.is_empty() && !came.is_empty() && is_apart {
                    marks.push(Mark::Same(" ".to_owned()));
                }
                if !came.is_empty() {
                    marks.push(Mark::Came(came.clone()));
                }
            }
        }
    }
    marks
}

fn width(marks: &[Mark]) -> usize {
    written(marks).chars().count()
}

/// Returns the beginning of a text, to the end of a word.
fn beginning(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(LEFT_OUT.len() + 1);
    let cut: String = text.chars().take(room + 1).collect();
    let kept = match cut.rfind(' ').filter(|place| *place > room / 2) {
        Some(place) => &cut[..place],
        None => cut.char_indices().nth(room).map_or(cut.as_str(), |(place, _)| &cut[..place]),
    };
    format!("{} {LEFT_OUT}", kept.trim_end())
}

/// Returns the end of a text, from the beginning of a word.
fn end(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(LEFT_OUT.len() + 1);
    let tail: String = text.chars().skip(length - room).collect();
    let kept = tail.split_once(' ').map_or("", |(_, kept)| kept);
    if kept.trim().is_empty() { format!("{LEFT_OUT} ") } else { format!("{LEFT_OUT} {kept}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(went: &str, came: &str, most: usize) -> String {
        written(&marks(Some(went), Some(came), most))
    }

    #[test]
    fn what_stays_is_told_once_and_words_are_not_torn() {
        for (went, came, expected) in [
            ("Consultants 95,000", "Consultants 195,000", "Consultants [-95,000-] {+195,000+}"),
            ("Telephone: 503-555-0134", "Telephone: 503-555-0199", "Telephone: 503-555-[-0134-]{+0199+}"),
            ("Lead: 4.1 ppb", "Lead: 11.8 ppb", "Lead: [-4.1-] {+11.8+} ppb"),
            ("Fee $4.10 a day", "Fee $4.60 a day", "Fee [-$4.10-] {+$4.60+} a day"),
            ("", "Jobs", "{+Jobs+}"),
            ("Old line", "", "[-Old line-]"),
            ("through November 28", "through October 31", "through [-November 28-] {+October 31+}"),
            (
                "entirely other words",
                "nothing in common here",
                "[-entirely other words-] {+nothing in common here+}",
            ),
            ("open to all", "open", "open[- to all-]"),
        ] {
            assert_eq!(shown(went, came, 200), expected);
        }
    }

    #[test]
    fn a_long_edit_is_cut_around_what_differs() {
        let before =
            "The board of the city meets in the old hall at the market and in winter elsewhere, monthly";
        let after = before.replace("monthly", "four times a year");
        let cut = shown(before, &after, 60);
        assert!(cut.chars().count() <= 60, "{cut}");
        assert_eq!(cut, "... in winter elsewhere, [-monthly-] {+four times a year+}");
        let long = shown(&"word ".repeat(50), "", 30);
        assert_eq!(long, "[-word word word word ...-]");
        for most in 20..120 {
            let cut = shown(before, &after, most);
            assert!(cut.chars().count() <= most.max(40), "{most}: {cut}");
        }
    }
}
