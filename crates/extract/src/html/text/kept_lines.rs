//! Which lines of a text are left after parts of it were removed.

use std::ops::Range;

use recrawl_core::model::content::Unreadable;

use crate::html::letters::lines_of;

/// The places of lines in the text as it was, in order; `None` while every line is left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct KeptLines(Option<Vec<u32>>);

impl KeptLines {
    /// Drops lines after noise was removed from `before`, line by line, which gave `after`. A line that became empty
    /// vanished; `is_removed` tells whether that is so for a line that is not the next of those that are left.
    pub(super) fn drop_noise(
        &mut self,
        before: &str,
        after: &str,
        mut is_removed: impl FnMut(&str) -> Result<bool, Unreadable>,
    ) -> Result<(), Unreadable> {
        let mut left = lines_of(after).peekable();
        let mut kept = Vec::new();
        for (number, line) in lines_of(before).enumerate() {
            let is_kept = match left.peek() {
                Some(next) if *next == line => true,
                Some(_) => !is_removed(line)?,
                None => false,
            };
            if is_kept {
                left.next();
                kept.push(number);
            }
        }
        // Whatever a rule does, each line that is left has a place.
        let last = kept.last().copied().unwrap_or_default();
        kept.extend(left.map(|_| last));
        self.keep(kept.into_iter());
        Ok(())
    }

    /// Drops lines after parts were removed from a text.
    pub(super) fn drop_parts(&mut self, parts: RemovedParts<'_>) {
        self.keep(parts.finish().into_iter());
    }

    /// Drops the empty lines of a text that is not tidy yet.
    pub(super) fn drop_empty(&mut self, text: &str) {
        let full = text.split('\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty());
        self.keep(full.map(|(number, _)| number));
    }

    fn keep(&mut self, numbers: impl Iterator<Item = usize>) {
        let earlier = self.0.take();
        let original = |number: usize| match &earlier {
            None => u32::try_from(number).ok(),
            Some(kept) => kept.get(number).copied(),
        };
        self.0 = Some(numbers.filter_map(original).collect());
    }

    /// Returns the places.
    pub(super) fn finish(self) -> Option<Vec<u32>> {
        self.0
    }
}

/// Parts that are removed from a text one after the other. They may join lines: the first of them counts.
#[derive(Debug)]
pub(super) struct RemovedParts<'text> {
    before: &'text str,
    /// How much of the text was seen.
    at: usize,
    /// The number of the line there.
    number: usize,
    /// The number of the line on which the current line that is left began.
    start: Option<usize>,
    /// The numbers of the lines that are left.
    kept: Vec<usize>,
}

impl<'text> RemovedParts<'text> {
    /// Begins with a text of which nothing was removed yet.
    pub(super) fn of(before: &'text str) -> Self {
        Self { before, at: 0, number: 0, start: None, kept: Vec::new() }
    }

    /// Removes a part that stands behind those before it.
    pub(super) fn remove(&mut self, part: Range<usize>) {
        self.pass(part.start);
        self.number += memchr::memchr_iter(b'\n', &self.before.as_bytes()[part.clone()]).count();
        self.at = part.end;
    }

    /// Keeps what stands before this place.
    fn pass(&mut self, end: usize) {
        for (place, line) in self.before[self.at..end].split('\n').enumerate() {
            if place > 0 {
                self.kept.push(self.start.take().unwrap_or(self.number));
                self.number += 1;
            }
            if !line.trim_ascii().is_empty() {
                self.start.get_or_insert(self.number);
            }
        }
    }

    fn finish(mut self) -> Vec<usize> {
        self.pass(self.before.len());
        self.kept.push(self.start.unwrap_or(self.number));
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_became_empty_are_dropped_and_changed_ones_stay() {
        for (before, after, expected) in [
            ("a\nx\nb", "a\nb", vec![0, 2]),
            ("a\nx1\nb", "a\n1\nb", vec![0, 1, 2]),
            ("x\nx\na", "a", vec![2]),
            ("a\nx", "a", vec![0]),
            ("x", "", vec![]),
            ("a\nb", "a\nb\nb", vec![0, 1, 1]),
        ] {
            let mut kept = KeptLines::default();
            kept.drop_noise(before, after, |line| Ok(line == "x")).unwrap();
            assert_eq!(kept.finish().as_deref(), Some(&*expected), "{before:?}");
        }
    }

    #[test]
    fn parts_take_lines_with_them_or_join_them() {
        for (before, removed, expected) in [
            ("a\nb\nc", vec![(2, 3)], vec![0, 2]),
            ("a\nb\nc", vec![(1, 2)], vec![0, 2]),
            ("a\nb\nc", vec![(0, 2)], vec![1, 2]),
            ("a\nb\nc", vec![(0, 1), (2, 3)], vec![2]),
            ("a\nb\nc", vec![(0, 5)], vec![]),
            ("a b\nc", vec![(0, 1)], vec![0, 1]),
            ("a\nb\nc\nd", vec![(1, 5)], vec![0, 3]),
        ] {
            let mut kept = KeptLines::default();
            let mut parts = RemovedParts::of(before);
            for (start, end) in &removed {
                parts.remove(*start..*end);
            }
            kept.drop_parts(parts);
            let mut rest = before.to_owned();
            for (start, end) in removed.iter().rev() {
                rest.replace_range(*start..*end, "");
            }
            kept.drop_empty(&rest);
            assert_eq!(kept.finish().as_deref(), Some(&*expected), "{before:?} {removed:?}");
        }
    }
}
