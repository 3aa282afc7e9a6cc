//! Where the lines of a page's text stand, noted while they are written.

use super::places::{PlaceIndex, Places};
use crate::html::letters::{has_words, letters};

/// What is known of a line while a page is read; small, because there are many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    /// What stands above all of it.
    pub(super) place: PlaceIndex,
    /// How many of its letters stand in links.
    pub(super) linked: u32,
}

/// The lines of a page under way.
#[derive(Debug, Default)]
pub(super) struct Lines {
    lines: Vec<Line>,
    /// Whether the last one has a word yet: a star before a label stands for nothing.
    has_words: bool,
}

impl Lines {
    /// Notes a piece of text that was just written, after which the text has `count` lines.
    pub(super) fn note(&mut self, count: usize, piece: &str, is_linked: bool, places: &mut Places) {
        let place = places.current();
        let linked = if is_linked { letters(piece) } else { 0 };
        let is_begun = self.lines.len() == count;
        match self.lines.last_mut() {
            Some(last) if is_begun => {
                last.linked += linked;
                if last.place != place && has_words(piece) {
                    last.place = if self.has_words { places.common(last.place, place) } else { place };
                    self.has_words = true;
                }
            }
            _ => {
                self.lines.push(Line { place, linked });
                self.has_words = has_words(piece);
            }
        }
    }

    /// Returns the lines.
    pub(super) fn finish(self) -> Vec<Line> {
        self.lines
    }
}
