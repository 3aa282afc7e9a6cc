//! The verdict of a page by what became of its edits.

use crate::model::edit::{Edit, EditState};
use crate::model::kind::{Kinds, Tier};
use crate::model::verdict::Verdict;

/// What the edits of a page come to.
#[derive(Debug)]
pub(super) struct Decided {
    pub(super) verdict: Verdict,
    pub(super) tier: Tier,
    pub(super) kinds: Kinds,
    /// How many words the deciding edits changed.
    pub(super) words: u32,
    by: By,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// Own edits of the content.
    OwnContent,
    /// Shared edits of the content that are no frame.
    SharedContent,
    /// Own edits around it.
    OwnAround,
    /// Shared edits.
    Shared,
    /// Noise.
    Noise,
}

impl Decided {
    /// Tells whether an edit is one of those that decided.
    pub(super) fn counts(&self, edit: &Edit) -> bool {
        decides(self.by, edit)
    }
}

fn decides(by: By, edit: &Edit) -> bool {
    let is_own = edit.state == EditState::Own;
    let is_content = edit.place_tier() == Tier::Content;
    match by {
        By::OwnContent => is_own && is_content,
        By::SharedContent => edit.state == EditState::Shared && is_content,
        By::OwnAround => is_own,
        By::Shared => edit.state.is_shared(),
        By::Noise => true,
    }
}

/// Decides in this order: own edits of the content, or shared ones that are no frame; own edits around it; shared
/// changes; else noise. `keeps_tier` tells whether a shared edit of the content counts as such.
pub(super) fn decide(edits: &[Edit], keeps_tier: impl Fn(&Edit) -> bool) -> Decided {
    let any = |by: By| edits.iter().any(|edit| decides(by, edit));
    let (by, verdict, tier) = if any(By::OwnContent) {
        (By::OwnContent, Verdict::Changed, Tier::Content)
    } else if edits.iter().any(|edit| decides(By::SharedContent, edit) && keeps_tier(edit)) {
        (By::SharedContent, Verdict::Changed, Tier::Content)
    } else if any(By::OwnAround) {
        (By::OwnAround, Verdict::Changed, Tier::Around)
    } else if any(By::Shared) {
        (By::Shared, Verdict::Shared, Tier::Around)
    } else {
        (By::Noise, Verdict::Touched, Tier::Noise)
    };
    let deciding = || edits.iter().filter(|edit| decides(by, edit));
    let kinds = deciding().fold(Kinds::default(), |kinds, edit| kinds.or(edit.traits.kinds));
    let words = deciding().map(Edit::words).fold(0, u32::saturating_add);
    Decided { verdict, tier, kinds, words, by }
}
