//! What is written about sites: fields of their documents.

use async_trait::async_trait;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::site_plan::{PlannedSite, SitePlan};
use recrawl_core::ports::{SitePlans, StoreError};

use crate::client::{Failure, Query, merge};
use crate::documents::{self, PlanFields};
use crate::records::crawls::site_of;
use crate::store::{FirestoreStore, no_site};

#[async_trait]
impl SitePlans for FirestoreStore {
    async fn planned_sites(&self) -> Result<Vec<PlannedSite>, StoreError> {
        let mut sites = Vec::new();
        for document in self.client.query(self.paths.root(), Query::of("sites")).await? {
            let plan = documents::read::<PlanFields>(&document)?.into_plan();
            sites.push(PlannedSite { site: site_of(&document)?, plan });
        }
        sites.sort_by(|one, other| one.site.id.cmp(&other.site.id));
        Ok(sites)
    }

    async fn save_plan(&self, site: &SiteId, plan: Option<&SitePlan>) -> Result<(), StoreError> {
        let document = documents::write(self.paths.site(site), &PlanFields::of(plan)?)?;
        match self.client.commit(vec![merge(document, &PlanFields::FIELDS, None)]).await {
            Ok(()) => Ok(()),
            Err(Failure::Missing) => Err(no_site(site)),
            Err(failure) => Err(failure.into()),
        }
    }
}
