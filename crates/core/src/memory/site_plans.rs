//! What is written about sites, in memory.

use async_trait::async_trait;

use super::MemoryStore;
use crate::model::ids::SiteId;
use crate::model::site_plan::{PlannedSite, SitePlan};
use crate::ports::{SitePlans, StoreError};

#[async_trait]
impl SitePlans for MemoryStore {
    async fn planned_sites(&self) -> Result<Vec<PlannedSite>, StoreError> {
        let state = self.locked();
        let planned =
            |(id, site)| PlannedSite { plan: state.plans.get(id).cloned(), site: Clone::clone(site) };
        Ok(state.sites.iter().map(planned).collect())
    }

    async fn save_plan(&self, site: &SiteId, plan: Option<&SitePlan>) -> Result<(), StoreError> {
        let mut state = self.locked();
        state.expect_site(site)?;
        match plan {
            Some(plan) => drop(state.plans.insert(site.clone(), plan.clone())),
            None => drop(state.plans.remove(site)),
        }
        Ok(())
    }
}
