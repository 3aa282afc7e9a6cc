use async_trait::async_trait;

use super::StoreError;
use crate::model::ids::SiteId;
use crate::model::site_plan::{PlannedSite, SitePlan};

/// What is written about the sites that a deployment watches.
///
/// # Contract
/// As of [`Store`](super::Store): what was saved is seen by every later read. [`Store::save_site`](super::Store::save_site)
/// leaves the plan of a site as it is; a site that is renamed takes it along, and one that is removed loses it.
#[async_trait]
pub trait SitePlans: Send + Sync {
    /// Returns every site, by name, with its plan where it has one.
    async fn planned_sites(&self) -> Result<Vec<PlannedSite>, StoreError>;

    /// Saves the plan of a site, in place of the one that it has; `None` takes it away. A site that is not there is refused
    /// with [`StoreError::Absent`].
    async fn save_plan(&self, site: &SiteId, plan: Option<&SitePlan>) -> Result<(), StoreError>;
}
