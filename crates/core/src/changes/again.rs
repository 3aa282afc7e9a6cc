//! Asking again at the end of a crawl: which answers are doubted, how many of them are asked for once more, and what a
//! second answer of the same hour says.
//!
//! * A **recheck**: a page that is hardly known yet changed by a few words. It is recorded as it was seen, and a second
//!   answer tells which of the words change by themselves ([`reconsider`]).
//! * A **collapse**: most of a page's content is missing. Nothing is recorded before a second answer confirms it.

mod collapse;
mod rechecks;

pub use self::collapse::CollapseQuota;
pub use self::rechecks::{Rechecks, is_doubted};

use std::collections::HashSet;

use super::memory::remember_noise;
use super::noise::NoiseInForce;
use super::settle::Grouped;
use super::weight::ChangeWeights;
use crate::model::aspect::{Aspect, Aspects};
use crate::model::edit::{Edit, EditSide, EditState, Edits, LineId};
use crate::model::record::{PageRecord, PageState};
use crate::model::verdict::Verdict;

/// A second answer with less than this many percent of the first one's content is another page, and tells nothing of it.
const LEFT_PERCENT: u32 = 50;

/// Judges the record of a page again, after a second answer that differs `between` the two: what differs between two
/// answers of the same hour is noise, now and at the next visits. Returns whether anything does.
///
/// Where nothing but noise is left, the page is what it was `before`: if the second answer came from a cache that had
/// not seen the change yet, the next crawl finds it.
pub fn reconsider(
    record: &mut PageRecord,
    before: Option<&PageState>,
    between: &Edits,
    noise: &NoiseInForce,
    weights: ChangeWeights,
) -> bool {
    let Some(edits) = record.visit.edits.as_mut().filter(|_| !between.left_less_than(LEFT_PERCENT)) else {
        return false;
    };
    let ids = |side: fn(&Edit) -> Option<&EditSide>| -> HashSet<(Aspect, LineId)> {
        between.list.iter().filter_map(|edit| Some((edit.aspect, side(edit)?.line))).collect()
    };
    let (went, came) = (ids(|edit| edit.went.as_ref()), ids(|edit| edit.came.as_ref()));
    let is_in = |lines: &HashSet<(Aspect, LineId)>, edit: &Edit, side: Option<&EditSide>| {
        side.is_some_and(|side| lines.contains(&(edit.aspect, side.line)))
    };
    let mut differs = false;
    for edit in &mut edits.list {
        // A line that came went again, or one that went is back.
        let is_unsteady = is_in(&went, edit, edit.came.as_ref()) || is_in(&came, edit, edit.went.as_ref());
        if edit.state == EditState::Own && is_unsteady && !noise.is_denied(edit) {
            edit.state = EditState::Learnt;
            differs = true;
        }
    }
    if !differs {
        return false;
    }
    let unsteady = edits.list.iter().filter(|edit| edit.state == EditState::Learnt).chain(&between.list);
    let memory = remember_noise(record.known.memory.as_deref(), unsteady);
    record.known.memory = (!memory.is_empty()).then(|| Box::new(memory));
    Grouped::alone(weights).settle(record);
    if record.visit.verdict == Verdict::Changed {
        return true;
    }
    record.visit.aspects = Aspects::NONE;
    record.archive = None;
    if let Some(before) = before {
        record.known.content.clone_from(&before.content);
        record.known.headers.clone_from(&before.headers);
        record.known.transfer_bytes = before.transfer_bytes;
    }
    true
}

#[cfg(test)]
mod tests;
