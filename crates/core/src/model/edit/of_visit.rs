//! What a visit recorded of the difference to the one before, and what that says of the page as a whole.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Edit;
use crate::model::aspect::Aspect;
use crate::model::region::Region;

/// What a visit that found other bytes recorded of the difference.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Edits {
    /// The edits, content first, the heaviest first; at most [`MAX_EDITS`](super::MAX_EDITS).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub list: Vec<Edit>,
    /// What each noise rule removed differently than before: its name, and how many pieces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub noise: Vec<(String, u32)>,
    /// How many lines of content there were before.
    #[serde(default)]
    pub lines_before: u32,
    /// How many of them are left.
    #[serde(default)]
    pub lines_left: u32,
    /// How many lines of content there are now.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lines_now: u32,
    /// How many words of content there were before.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub words_before: u32,
    /// How many there are now.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub words_now: u32,
    /// What is known of how often the page changes, if this is a change, and if it is none: settling decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figures: Option<(ChangeFigures, ChangeFigures)>,
}

/// How often a page changes, as far as one visit decides it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ChangeFigures {
    /// When a change was last seen.
    pub last_changed: Option<Timestamp>,
    /// How many changes were seen.
    pub changes_detected: u32,
    /// Changes a day.
    pub change_frequency: f64,
    /// The weighted mean of the days between visits.
    pub mean_interval: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Pages with fewer lines of content do not lose it: they are rewritten.
const COLLAPSIBLE: u32 = 5;

/// Content of which fewer than this many percent are left has collapsed.
const COLLAPSED_PERCENT: u32 = 30;

/// A page with fewer than this many percent of its content left has lost most of it.
const LOST_PERCENT: u32 = 50;

impl Edits {
    /// Tells whether so much of the page is missing that somebody should ask again.
    pub fn is_collapse(&self) -> bool {
        self.lines_before >= COLLAPSIBLE && self.have_replaced_content() && self.has_shrunk()
    }

    /// Tells whether next to nothing is left of what the page said, whatever it says instead.
    pub fn have_replaced_content(&self) -> bool {
        self.left_less_than(COLLAPSED_PERCENT)
    }

    /// Tells whether the page lost most of its content. `replaced` lines of it are not lost, such as those of the site's
    /// frame, and a page that did not shrink lost nothing: it says something else.
    pub fn have_lost_content(&self, replaced: u32) -> bool {
        is_less(self.lines_left.saturating_add(replaced), LOST_PERCENT, self.lines_before)
            && self.has_shrunk()
    }

    /// Tells whether fewer than `percent` of the lines of content are left.
    pub fn left_less_than(&self, percent: u32) -> bool {
        is_less(self.lines_left, percent, self.lines_before)
    }

    /// Tells whether the page has its content again, after it had lost it: it has grown, most of it was not there before,
    /// and most of that had been there with an earlier version.
    pub fn have_content_again(&self) -> bool {
        let has_grown =
            self.lines_now > self.lines_before || is_less(self.words_before, LOST_PERCENT, self.words_now);
        let is_new = is_less(self.lines_left, LOST_PERCENT, self.lines_now);
        let came = || {
            let text = self.list.iter().filter(|edit| edit.aspect == Aspect::Text && edit.count == 1);
            text.filter(|edit| edit.region == Region::Content && edit.came.is_some())
        };
        let returned = came().filter(|edit| edit.traits.is_return).count();
        has_grown && is_new && returned > 0 && returned * 2 >= came().count()
    }

    fn has_shrunk(&self) -> bool {
        self.lines_now < self.lines_before || is_less(self.words_now, LOST_PERCENT, self.words_before)
    }
}

/// Tells whether `part` is less than `percent` of `whole`.
fn is_less(part: u32, percent: u32, whole: u32) -> bool {
    u64::from(part) * 100 < u64::from(whole) * u64::from(percent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_five_lines_or_more_with_less_than_thirty_percent_of_them_left_has_collapsed() {
        for (lines_before, lines_left, lost, is_collapse) in [
            (10, 3, false, false),
            (10, 2, true, true),
            (5, 1, true, true),
            (5, 2, false, false),
            (4, 0, true, false),
            (0, 0, false, false),
        ] {
            let edits = Edits { lines_before, lines_left, lines_now: lines_left, ..Edits::default() };
            let found = (edits.have_replaced_content(), edits.is_collapse());
            assert_eq!(found, (lost, is_collapse), "{lines_left} of {lines_before}");
        }
    }

    #[test]
    fn a_page_that_did_not_shrink_lost_nothing() {
        for (case, (lines_before, lines_left, lines_now), (words_before, words_now), expected) in [
            ("it says less", (10, 4, 4), (90, 36), true),
            ("half is left", (10, 5, 5), (90, 45), false),
            ("it says something else", (10, 0, 10), (90, 80), false),
            ("it has its text again", (1, 0, 30), (9, 300), false),
            ("a notice of as many lines", (2, 0, 2), (200, 20), true),
            ("as recorded by an older version", (10, 4, 0), (0, 0), true),
        ] {
            let edits =
                Edits { lines_before, lines_left, lines_now, words_before, words_now, ..Edits::default() };
            assert_eq!(edits.have_lost_content(0), expected, "{case}");
        }
        let replaced = Edits { lines_before: 10, lines_left: 2, lines_now: 5, ..Edits::default() };
        assert!(replaced.have_lost_content(2) && !replaced.have_lost_content(3));
    }
}
