//! Removing from a text what a user's regular expression matches.

use recrawl_core::model::content::Unreadable;
use regex::Regex;

use crate::budget::WorkBudget;

/// A longer text is searched in parts of whole lines, because a search cannot be interrupted. What would match
/// beyond the end of such a part is not found.
const PART: usize = 128 << 10;

/// Returns a text without what matches, telling `note` of it and where it stood; `None` if nothing does.
pub(super) fn without_matches(
    pattern: &Regex,
    text: &str,
    budget: &WorkBudget,
    mut note: impl FnMut(&str, usize),
) -> Result<Option<String>, Unreadable> {
    let mut kept = String::new();
    let mut is_changed = false;
    let mut part_start = 0;
    for part in parts(text) {
        budget.check()?;
        let mut rest = part;
        let mut at = 0;
        for found in pattern.find_iter(part).filter(|found| !found.is_empty()) {
            let (before, after) = rest.split_at(found.start() - at);
            // To find it, the search may have looked at all that follows.
            budget.work_on(rest)?;
            kept.push_str(before);
            note(found.as_str(), part_start + found.start());
            rest = after.get(found.len()..).unwrap_or_default();
            at = found.end();
            is_changed = true;
        }
        kept.push_str(rest);
        part_start += part.len();
    }
    budget.check()?;
    Ok(is_changed.then_some(kept))
}

/// Divides a text after line ends, so that no part is much longer than [`PART`] unless a line is.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let tail = rest.get(rest.floor_char_boundary(PART)..).unwrap_or_default();
        let after = tail.split_once('\n').map_or("", |(_, after)| after);
        let (part, others) = rest.split_at(rest.len() - after.len());
        rest = others;
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_text_is_its_parts() {
        let line = "0123456789\u{e9}\n";
        for text in
            [String::new(), "x".to_owned(), line.repeat(30_000), "x".repeat(3 * PART), "\u{e9}".repeat(PART)]
        {
            let parts: Vec<&str> = parts(&text).collect();
            assert_eq!(parts.concat(), text);
            let (last, others) = parts.split_last().unwrap_or((&"", &[]));
            assert!(others.iter().all(|part| part.ends_with('\n') && part.len() <= PART + line.len()));
            assert!(last.is_empty() || last.len() < 4 * PART);
        }
    }

    #[test]
    fn matches_are_removed_as_if_there_were_no_parts() {
        let budget = WorkBudget::of(Duration::MAX);
        let pattern = Regex::new("(?m)^Visitors: [0-9]+$|x*").unwrap();
        let text = "a xx b\nVisitors: 12\nVisitors: many\n".repeat(20_000);
        let mut removals = 0;
        let removed = without_matches(&pattern, &text, &budget, |_, _| removals += 1).unwrap();
        assert_eq!(removed, Some(pattern.replace_all(&text, "").into_owned()));
        assert_eq!(removals, 40_000);
        assert_eq!(without_matches(&pattern, "a b", &budget, |_, _| ()), Ok(None));
    }
}
