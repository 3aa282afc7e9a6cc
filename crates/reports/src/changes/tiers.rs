//! How near what a record says is to the content of its page, by its own edits.

use recrawl_core::model::edit::{Edit, EditState};
use recrawl_core::model::kind::Tier;
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;

/// Returns the tier of what a visit found, where that is a change or noise. What was recorded without one is believed to
/// be about the content.
pub(crate) fn tier_of(record: &PageRecord) -> Option<Tier> {
    let visit = &record.visit;
    match visit.verdict {
        Verdict::New | Verdict::Gone | Verdict::Moved => Some(Tier::Content),
        Verdict::Changed => Some(visit.tier.unwrap_or(Tier::Content)),
        Verdict::Shared => Some(visit.tier.unwrap_or(Tier::Around)),
        Verdict::Touched => Some(Tier::Noise),
        Verdict::Unchanged | Verdict::Missing | Verdict::Failed | Verdict::Excluded => None,
    }
}

/// Returns the tier of the page's own edits; `None` where all that changed on it changed on other pages, too.
pub(crate) fn own_tier(record: &PageRecord) -> Option<Tier> {
    if record.visit.verdict != Verdict::Changed {
        return tier_of(record).filter(|_| record.visit.verdict != Verdict::Shared);
    }
    match edits_of(record) {
        [] => tier_of(record),
        edits => edits.iter().filter(|edit| edit.state == EditState::Own).map(Edit::place_tier).min(),
    }
}

/// Returns the edits of a record.
pub(crate) fn edits_of(record: &PageRecord) -> &[Edit] {
    record.visit.edits.as_ref().map_or(&[], |edits| &edits.list)
}

/// Returns what is told of a page: its own edits, or noise where there is nothing else.
pub(crate) fn told_edits(record: &PageRecord) -> impl Iterator<Item = &Edit> {
    let is_noise = record.visit.verdict == Verdict::Touched;
    edits_of(record).iter().filter(move |edit| is_noise || edit.state == EditState::Own)
}
