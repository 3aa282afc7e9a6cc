//! A log of what was left out of a page and why, for people who ask. A crawl takes none.

use crate::noise::NoiseRule;

/// A longer text is shortened: it is to be recognised, not to be read.
const MAX_LENGTH: usize = 200;

/// Why something does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RemovalCause {
    /// A rule about noise.
    Noise(NoiseRule),
    /// The user's selector of this number.
    IgnoreSelector(usize),
    /// The user's regular expression of this number.
    IgnorePattern(usize),
    /// It stands outside of what the user limits the page to.
    Outside,
}

/// What was left out of one page, in the order of the page.
#[derive(Debug, Default)]
pub(crate) struct RemovalLog {
    pub(crate) removals: Vec<(RemovalCause, String)>,
    /// The text of the element that is being left out.
    open: Option<(RemovalCause, String)>,
    outside: String,
}

impl RemovalLog {
    /// Logs something that was left out.
    pub(crate) fn add(&mut self, cause: RemovalCause, what: &str) {
        let what = shorten(what);
        if !what.is_empty() {
            self.removals.push((cause, what));
        }
    }

    /// An element begins that is left out as a whole.
    pub(crate) fn begin(&mut self, cause: RemovalCause) {
        self.open = Some((cause, String::new()));
    }

    /// Logs what the element says or shows.
    pub(crate) fn continue_with(&mut self, what: &str) {
        if let Some((_, text)) = &mut self.open {
            text.push_str(what);
            text.push(' ');
        }
    }

    /// The element ends.
    pub(crate) fn end(&mut self) {
        if let Some((cause, text)) = self.open.take() {
            self.add(cause, &text);
        }
    }

    /// Logs text outside of what the page is limited to.
    pub(crate) fn add_outside(&mut self, text: &str) {
        // Most of a page stands there, and only the beginning is shown.
        if self.outside.len() <= MAX_LENGTH {
            self.outside.extend(text.split_whitespace().flat_map(|word| [word, " "]));
        }
    }

    /// The page ends.
    pub(crate) fn finish(&mut self) {
        let outside = std::mem::take(&mut self.outside);
        self.add(RemovalCause::Outside, &outside);
    }
}

fn shorten(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut text = words.join(" ");
    if text.len() > MAX_LENGTH {
        text.truncate(text.floor_char_boundary(MAX_LENGTH));
        text.push('\u{2026}');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_short_and_empty_ones_are_none() {
        let mut log = RemovalLog::default();
        log.add(RemovalCause::Outside, " \n");
        log.begin(RemovalCause::Noise(NoiseRule::Ads));
        log.continue_with("Buy");
        log.continue_with(" now\n");
        log.end();
        log.add(RemovalCause::IgnorePattern(0), &"é".repeat(300));
        assert_eq!(log.removals.len(), 2);
        assert_eq!(log.removals[0], (RemovalCause::Noise(NoiseRule::Ads), "Buy now".to_owned()));
        assert_eq!(log.removals[1].1, "é".repeat(100) + "…");
    }
}
