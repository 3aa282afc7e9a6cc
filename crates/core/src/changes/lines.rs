//! Which lines went and came between two texts, place by place (diff), paired by likeness.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::shape::Shape;
use crate::model::edit::LineId;

/// A place with more lines on a side is paired in order only: comparing each with each would take too long.
const MAX_PAIRED: usize = 60;

/// Lines that share this part of their words are versions of one line.
const LIKENESS: f64 = 0.4;

/// A place with one short line on either side is that line, changed.
const SHORT_LINE: usize = 12;

/// A line that became another, that went, or that came: places in the two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LineEdit {
    pub(super) came: Option<usize>,
    pub(super) went: Option<usize>,
}

/// Finds the line beside each changed one that did not change.
type Neighbours = for<'text> fn(&[&'text str], &[usize]) -> Vec<Option<&'text str>>;

/// Returns the smallest edits between two texts, in linear time. Lines that stand elsewhere in the other text did not
/// change: the same lines in another order are no edit.
///
/// `are_versions` tells whether two lines may be versions of one line.
pub(super) fn line_edits(
    before: &[&str],
    after: &[&str],
    are_versions: &dyn Fn(usize, usize) -> bool,
) -> Vec<LineEdit> {
    let went = excess(before, after);
    let came = excess(after, before);
    let shapes = Shapes { went: shapes(before, &went), came: shapes(after, &came) };
    let mut edits = Vec::new();
    let (mut old_paired, mut new_paired) = (HashSet::new(), HashSet::new());
    // A place is what stands after the same line in both texts, or else before the same line.
    for (is_first, neighbours) in [(true, lines_above as Neighbours), (false, lines_below)] {
        let mut places: BTreeMap<Option<&str>, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for (line, neighbour) in went.iter().zip(neighbours(before, &went)) {
            if !old_paired.contains(line) {
                places.entry(neighbour).or_default().0.push(*line);
            }
        }
        for (line, neighbour) in came.iter().zip(neighbours(after, &came)) {
            if !new_paired.contains(line) {
                places.entry(neighbour).or_default().1.push(*line);
            }
        }
        for (went, came) in places.values() {
            let lone =
                is_first.then(|| only_short_lines((before, after), (went, came), are_versions)).flatten();
            let pairs = lone.map_or_else(
                || pairs((before, after), (went, came), &shapes, are_versions),
                |pair| vec![pair],
            );
            for (old, new) in pairs {
                old_paired.insert(old);
                new_paired.insert(new);
                edits.push(LineEdit { went: Some(old), came: Some(new) });
            }
        }
    }
    let lone_old = went.into_iter().filter(|line| !old_paired.contains(line));
    edits.extend(lone_old.map(|line| LineEdit { went: Some(line), came: None }));
    let lone_new = came.into_iter().filter(|line| !new_paired.contains(line));
    edits.extend(lone_new.map(|line| LineEdit { went: None, came: Some(line) }));
    edits.sort_unstable();
    edits
}

/// Returns the lines of a text that the other has not, or not as often.
fn excess(lines: &[&str], others: &[&str]) -> Vec<usize> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in others {
        *counts.entry(line).or_default() += 1;
    }
    let mut is_excess = |line: &str| match counts.get_mut(line).filter(|count| **count > 0) {
        Some(count) => {
            *count -= 1;
            false
        }
        None => true,
    };
    (0..lines.len()).filter(|line| is_excess(lines[*line])).collect()
}

/// Returns for each changed line the nearest line above it that did not change.
fn lines_above<'text>(lines: &[&'text str], changed: &[usize]) -> Vec<Option<&'text str>> {
    let (mut nearest, mut above) = (None, Vec::with_capacity(changed.len()));
    let mut changed = changed.iter().peekable();
    for (at, line) in lines.iter().enumerate() {
        if changed.next_if_eq(&&at).is_some() {
            above.push(nearest);
        } else {
            nearest = Some(*line);
        }
    }
    above
}

/// Returns for each changed line the nearest line below it that did not change.
fn lines_below<'text>(lines: &[&'text str], changed: &[usize]) -> Vec<Option<&'text str>> {
    let reversed: Vec<&str> = lines.iter().rev().copied().collect();
    let places: Vec<usize> = changed.iter().rev().map(|at| lines.len() - 1 - at).collect();
    let mut below = lines_above(&reversed, &places);
    below.reverse();
    below
}

/// The shapes of the lines that went and came, by their places.
struct Shapes {
    went: HashMap<usize, LineId>,
    came: HashMap<usize, LineId>,
}

fn shapes(lines: &[&str], changed: &[usize]) -> HashMap<usize, LineId> {
    changed.iter().map(|at| (*at, Shape::of(lines[*at]).id())).collect()
}

/// Returns the lines of a place that has one short line on either side: that line, changed.
fn only_short_lines(
    (before, after): (&[&str], &[&str]),
    (went, came): (&[usize], &[usize]),
    are_versions: &dyn Fn(usize, usize) -> bool,
) -> Option<(usize, usize)> {
    let ([old], [new]) = (went, came) else { return None };
    let is_short = |line: &str| line.split_whitespace().count() <= SHORT_LINE;
    (are_versions(*old, *new) && is_short(before[*old]) && is_short(after[*new])).then_some((*old, *new))
}

/// Pairs the lines of one place, the most alike first; lines of one shape are alike.
fn pairs(
    (before, after): (&[&str], &[&str]),
    (went, came): (&[usize], &[usize]),
    shapes: &Shapes,
    are_versions: &dyn Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let mut candidates = Vec::new();
    let is_large = went.len() > MAX_PAIRED || came.len() > MAX_PAIRED;
    for (place, old) in went.iter().enumerate() {
        let near = if is_large { place.min(came.len())..(place + 1).min(came.len()) } else { 0..came.len() };
        for new in &came[near] {
            let is_same_shape = shapes.went.get(old) == shapes.came.get(new);
            let likeness = if is_same_shape { 1.0 } else { likeness(before[*old], after[*new]) };
            if likeness >= LIKENESS && are_versions(*old, *new) {
                candidates.push((likeness, *old, *new));
            }
        }
    }
    candidates.sort_by(|one, two| two.0.total_cmp(&one.0).then((one.1, one.2).cmp(&(two.1, two.2))));
    let (mut olds, mut news) = (HashSet::new(), HashSet::new());
    candidates.retain(|(_, old, new)| {
        let is_free = !olds.contains(old) && !news.contains(new);
        if is_free {
            olds.insert(*old);
            news.insert(*new);
        }
        is_free
    });
    candidates.into_iter().map(|(_, old, new)| (old, new)).collect()
}

/// Returns which part of their words two lines share, from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "a line has fewer than 2^52 words")]
fn likeness(one: &str, two: &str) -> f64 {
    let mut counts: HashMap<&str, i32> = HashMap::new();
    let (mut total, mut common) = (0_usize, 0_usize);
    for word in words(one) {
        *counts.entry(word).or_default() += 1;
        total += 1;
    }
    for word in words(two) {
        total += 1;
        if let Some(count) = counts.get_mut(word).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    if total == 0 { 0.0 } else { 2.0 * common as f64 / total as f64 }
}

/// Returns the words of a line.
pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Returns how many words of each line the other does not have.
pub(super) fn differing_words(went: &str, came: &str) -> (u32, u32) {
    let mut counts: HashMap<&str, i32> = HashMap::new();
    for word in went.split_whitespace() {
        *counts.entry(word).or_default() += 1;
    }
    let mut new = 0;
    for word in came.split_whitespace() {
        match counts.get_mut(word).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => new += 1,
        }
    }
    let old = counts.values().map(|count| u32::try_from(*count).unwrap_or(0)).sum();
    (old, new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(before: &str, after: &str) -> Vec<(Option<String>, Option<String>)> {
        let (before, after): (Vec<&str>, Vec<&str>) =
            (before.split('|').collect(), after.split('|').collect());
        let text = |lines: &[&str], line: Option<usize>| line.map(|line| lines[line].to_owned());
        line_edits(&before, &after, &|_, _| true)
            .into_iter()
            .map(|edit| (text(&before, edit.went), text(&after, edit.came)))
            .collect()
    }

    #[test]
    fn edits_are_as_small_as_can_be() {
        let some = |text: &str| Some(text.to_owned());
        for (before, after, expected) in [
            ("a|b", "a|b", vec![]),
            ("a|b|c", "c|a|b", vec![]),
            ("a|Costs 5|c", "a|Costs 6|c", vec![(some("Costs 5"), some("Costs 6"))]),
            ("a|c", "a|b|c", vec![(None, some("b"))]),
            ("a|b|c", "a|c", vec![(some("b"), None)]),
            (
                "a|The board meets monthly in the hall|Bring a lamp|z",
                "a|Everything else is new here|The board meets weekly in the hall|z",
                vec![
                    (some("Bring a lamp"), None),
                    (None, some("Everything else is new here")),
                    (some("The board meets monthly in the hall"), some("The board meets weekly in the hall")),
                ],
            ),
        ] {
            assert_eq!(described(before, after), expected, "{before} -> {after}");
        }
    }

    #[test]
    fn words_that_differ_are_counted_on_both_sides() {
        assert_eq!(differing_words("it costs 5 now", "it costs 6 now"), (1, 1));
        assert_eq!(differing_words("a a b", "a b c d"), (1, 2));
    }
}
