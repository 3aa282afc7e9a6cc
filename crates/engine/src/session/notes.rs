//! When what was decided about single pages of an open crawl is forgotten.

use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::{StateGroup, StateStore, StoreError};

/// Forgets what was noted about pages of a site whose crawl is about to be closed.
///
/// Before it is closed, because nobody looks at a closed crawl again: what a crash left behind would stay. Where it is
/// known that nothing was doubted, nobody looks for it.
pub async fn forget_notes(
    state: &(impl StateStore + ?Sized),
    site: &SiteId,
    has_doubts: bool,
) -> Result<(), StoreError> {
    if has_doubts {
        state.delete_states(&StateGroup::first_doubts(site)).await?;
    }
    state.delete_states(&StateGroup::listed_pages(site)).await?;
    state.delete_states(&StateGroup::postponed(site)).await
}
