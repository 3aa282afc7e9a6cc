//! Lines as they stand on a page.

use super::stretch::{Stretch, is_parallel};

/// A place on a page, along a baseline and across it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub(super) along: f64,
    pub(super) across: f64,
}

impl Place {
    pub(super) fn is_near(self, other: Self, distance: f64) -> bool {
        (self.along - other.along).abs() < distance && (self.across - other.across).abs() < distance
    }
}

/// A line on a page: stretches on one baseline that were drawn one after the other.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) text: String,
    /// Where it begins and ends along its baseline.
    pub(super) left: f64,
    pub(super) right: f64,
    /// How high it stands, if it is horizontal.
    pub(super) baseline: f64,
    pub(super) size: f64,
    pub(super) direction: (f64, f64),
    /// Of how many stretches it consists: several are the cells of a table.
    pub(super) cells: usize,
}

impl Line {
    pub(super) fn new(text: &str, stretch: &Stretch) -> Self {
        Self {
            text: text.to_owned(),
            left: stretch.start,
            right: stretch.end,
            baseline: stretch.baseline,
            size: stretch.size,
            direction: stretch.direction,
            cells: 1,
        }
    }

    /// Tells whether a stretch stands on the line, behind what is there.
    pub(super) fn goes_on_with(&self, stretch: &Stretch) -> bool {
        is_parallel(self.direction, stretch.direction)
            && (self.baseline - stretch.baseline).abs() < 0.3 * self.size.min(stretch.size)
            && stretch.start >= self.right - 0.1 * stretch.size
    }

    /// Adds a stretch. Cells are apart by one blank however far they stand apart, so that another program that writes the
    /// same file anew changes nothing.
    pub(super) fn append(&mut self, text: &str, stretch: &Stretch) {
        self.text.push(' ');
        self.text.push_str(text);
        self.right = stretch.end;
        self.size = self.size.max(stretch.size);
        self.cells += 1;
    }

    pub(super) fn is_horizontal(&self) -> bool {
        is_parallel(self.direction, (1.0, 0.0))
    }

    /// Returns about how wide its first word is.
    pub(super) fn first_word_width(&self) -> f64 {
        let first = self.text.split_whitespace().next().unwrap_or_default().chars().count();
        let all = self.text.chars().count().max(1);
        // Lines are short enough for any float.
        #[expect(clippy::cast_precision_loss, reason = "a line has not so many letters")]
        let share = first as f64 / all as f64;
        share * (self.right - self.left)
    }
}
