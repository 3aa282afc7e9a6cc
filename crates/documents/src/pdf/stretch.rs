//! Glyphs that follow one another on one baseline.

use super::letters::compose;
use super::line::Place;

/// A stretch of glyphs that follow one another on one baseline.
pub(super) struct Stretch {
    pub(super) text: String,
    /// The direction of the baseline, of length 1.
    pub(super) direction: (f64, f64),
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) baseline: f64,
    pub(super) size: f64,
    /// Where the last glyph begins.
    last: f64,
}

impl Stretch {
    pub(super) fn new(text: &str, direction: (f64, f64), place: Place, end: f64, size: f64) -> Self {
        let Place { along: start, across: baseline } = place;
        Self { text: text.to_owned(), direction, start, end, baseline, size, last: start }
    }

    pub(super) fn place(&self) -> Place {
        Place { along: self.start, across: self.baseline }
    }

    /// Tells whether a glyph there belongs to the stretch.
    pub(super) fn goes_on_at(&self, place: Place, direction: (f64, f64), size: f64) -> bool {
        let em = self.size.max(size);
        let gap = place.along - self.end;
        // The baseline of the larger letters is that of the line; indices and exponents join it.
        let tolerance = if size < self.size * 0.9 || self.size < size * 0.9 { 0.55 } else { 0.25 };
        is_parallel(self.direction, direction)
            && (place.across - self.baseline).abs() < em * tolerance
            && gap > -0.5 * em
            && gap < 1.8 * em
    }

    /// Adds a glyph, and returns by how many bytes the text grew.
    pub(super) fn push(&mut self, text: &str, is_blank: bool, place: Place, end: f64, size: f64) -> usize {
        let before = self.text.len();
        if is_blank {
            self.push_blank();
            self.end = self.end.max(end);
            return self.text.len().saturating_sub(before);
        }
        let em = self.size.max(size);
        let gap = place.along - self.end;
        if gap > 0.13 * size.min(self.size) {
            self.push_blank();
        }
        // TeX draws an accent first and the letter over it.
        let is_over = place.along < self.last + 0.4 * em && gap < -0.05 * em;
        match compose(&self.text, text).filter(|_| is_over) {
            Some(letter) => {
                self.text.pop();
                self.text.push(letter);
                self.text.extend(text.chars().skip(1));
            }
            None => self.text.push_str(text),
        }
        (self.last, self.end) = (place.along, end);
        if size > self.size * 1.1 {
            (self.size, self.baseline) = (size, place.across);
        }
        self.text.len().saturating_sub(before)
    }

    fn push_blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(' ') {
            self.text.push(' ');
        }
    }
}

/// Tells whether two directions are the same.
pub(super) fn is_parallel(one: (f64, f64), other: (f64, f64)) -> bool {
    (one.0 - other.0).abs() < 0.02 && (one.1 - other.1).abs() < 0.02
}
