//! Lines of two texts beside each other.

use super::{Line, Tag};

/// What stands in one row: a line of the older text, one of the newer, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair<'a> {
    /// The line of the older text.
    pub older: Option<&'a Line>,
    /// The line of the newer text.
    pub newer: Option<&'a Line>,
}

/// Puts lines that went beside those that came in their place, in order.
pub fn side_by_side(lines: &[Line]) -> Vec<Pair<'_>> {
    let mut pairs: Vec<Pair<'_>> = Vec::with_capacity(lines.len());
    // Where the block of changes began whose older lines still wait for a newer one.
    let mut waiting = 0;
    for line in lines {
        match line.tag {
            Tag::Same => {
                pairs.push(Pair { older: Some(line), newer: Some(line) });
                waiting = pairs.len();
            }
            Tag::Removed => pairs.push(Pair { older: Some(line), newer: None }),
            Tag::Added => {
                if let Some(pair) = pairs.get_mut(waiting) {
                    pair.newer = Some(line);
                } else {
                    pairs.push(Pair { older: None, newer: Some(line) });
                }
                waiting += 1;
            }
        }
    }
    pairs
}
