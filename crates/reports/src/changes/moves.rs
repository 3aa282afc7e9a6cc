//! Which moves lead to a new page that says the same: its menu may have changed meanwhile.

use std::collections::HashMap;
use std::sync::Arc;

use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;

use super::{ListedRecord, content_of};
use crate::cache::Reports;
use crate::faults::redirect_targets;

/// So many moves of a list are compared by what they say beside their frame; relaunches of whole sites have more, and are rare.
const MOST: usize = 100;

/// Pages that moved, by their old address: the new page that each leads to, which says the same.
pub(super) type Moves = HashMap<PageUrl, PageUrl>;

impl Reports<'_> {
    /// Finds the new pages among `records` that say what a page said that leads there now: the same text, or at least the
    /// same content.
    pub(super) async fn moves(&self, records: &[Arc<ListedRecord>]) -> Result<Moves, StoreError> {
        let new: HashMap<&PageUrl, &Arc<ListedRecord>> = records
            .iter()
            .filter(|listed| listed.record.visit.verdict == Verdict::New)
            .map(|listed| (&listed.record.url, listed))
            .collect();
        let mut moves = Moves::new();
        let mut compared = 0;
        for listed in records.iter().filter(|listed| listed.record.visit.verdict == Verdict::Moved) {
            let old = &listed.record;
            let target = redirect_targets(old).into_iter().find_map(|target| new.get(&target).copied());
            let Some(target) = target else { continue };
            let (Some(said), Some(says)) = (&old.known.content, &target.record.known.content) else {
                continue;
            };
            let mut is_same = said.semantic == says.semantic;
            if !is_same && compared < MOST {
                compared += 1;
                let said = content_of(self.history, old, Some(said)).await?;
                let says = content_of(self.history, &target.record, Some(says)).await?;
                is_same = said.is_some_and(|said| !said.trim().is_empty() && says.as_ref() == Some(&said));
            }
            if is_same {
                moves.insert(old.url.clone(), target.record.url.clone());
            }
        }
        Ok(moves)
    }
}
