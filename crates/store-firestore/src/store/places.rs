//! The sites in which a content is looked for, as a hash does not say which has it.

use std::collections::VecDeque;

use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::StoreError;

use super::FirestoreStore;
use crate::client::Query;
use crate::paths::id;
use crate::shape::unreadable;

/// The sites of a database: first those in use, the last one first, then the others.
pub(super) struct SiteLocator<'a> {
    store: &'a FirestoreStore,
    next: VecDeque<SiteId>,
    tried: Vec<SiteId>,
    is_complete: bool,
}

impl FirestoreStore {
    /// Returns where to look for a content. Nearly always it is in the first place.
    pub(super) fn places(&self) -> SiteLocator<'_> {
        let next = self.remembered.sites().into();
        SiteLocator { store: self, next, tried: Vec::new(), is_complete: false }
    }
}

impl SiteLocator<'_> {
    /// Returns the next place to look at.
    pub(super) async fn next(&mut self) -> Result<Option<SiteId>, StoreError> {
        if self.next.is_empty() && !self.is_complete {
            self.is_complete = true;
            let store = self.store;
            let all = store.client.query(store.paths.root(), Query::of("sites").fields(&[])).await?;
            for document in all {
                let site: SiteId = id(&document.name).parse().map_err(unreadable)?;
                if !self.tried.contains(&site) {
                    self.next.push_back(site);
                }
            }
        }
        let next = self.next.pop_front();
        self.tried.extend(next.clone());
        Ok(next)
    }
}
