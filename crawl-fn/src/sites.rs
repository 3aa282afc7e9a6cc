//! The sites of the deployment, and which of them a message is about.

use std::collections::BTreeMap;
use std::sync::Arc;

use recrawl_core::model::ids::SiteId;

use crate::site_parts::SiteParts;

/// The sites of the deployment.
pub(crate) struct Sites {
    own: Arc<SiteParts>,
    by_id: BTreeMap<SiteId, Arc<SiteParts>>,
}

impl Sites {
    /// Has the site that the environment names.
    pub(crate) fn new(own: SiteParts) -> Self {
        let own = Arc::new(own);
        Self { by_id: BTreeMap::from([(own.site.id.clone(), own.clone())]), own }
    }

    /// Returns the site that the environment names.
    pub(crate) fn own(&self) -> &Arc<SiteParts> {
        &self.own
    }

    /// Returns the site of this name.
    pub(crate) fn named(&self, id: &SiteId) -> Option<Arc<SiteParts>> {
        self.by_id.get(id).cloned()
    }

    /// Returns the site that a message is about: the one that it names, or else the one of the environment.
    pub(crate) fn of_message(&self, id: Option<&SiteId>) -> Option<Arc<SiteParts>> {
        match id {
            Some(id) => self.named(id),
            None => Some(self.own.clone()),
        }
    }
}
