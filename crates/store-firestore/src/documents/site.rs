//! `sites/{site}`: what one root admits, and what is written about it where a deployment watches it.

use std::collections::BTreeMap;

use firestore::FirestoreTimestamp;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::scope::ScopeSettings;
use recrawl_core::model::site_plan::{SitePlan, WrittenBy};
use recrawl_core::ports::StoreError;
use serde::{Deserialize, Serialize};

use super::{time, unreadable};

/// What one root admits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SiteDocument {
    root: String,
    scope: ScopeMap,
    created_at: FirestoreTimestamp,
}

/// What is written about a site that a deployment watches, in the same document. Whoever has no `settings` has no plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlanFields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    settings: Option<BTreeMap<String, Vec<String>>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    notify: BTreeMap<String, serde_json::Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    written_by: Option<WrittenBy>,
}

impl PlanFields {
    pub(crate) const FIELDS: [&str; 3] = ["settings", "notify", "written_by"];

    /// Writes a plan, or that there is none.
    pub(crate) fn of(plan: Option<&SitePlan>) -> Result<Self, StoreError> {
        let Some(plan) = plan else { return Ok(Self::default()) };
        let table = |(name, json): (&String, &String)| {
            Ok((name.clone(), serde_json::from_str(json).map_err(unreadable)?))
        };
        Ok(Self {
            settings: Some(plan.settings.clone()),
            notify: plan.notify.iter().map(table).collect::<Result<_, StoreError>>()?,
            written_by: Some(plan.written_by),
        })
    }

    /// Reads the plan, if there is one.
    pub(crate) fn into_plan(self) -> Option<SitePlan> {
        let notify = self.notify.into_iter().map(|(name, table)| (name, table.to_string()));
        Some(SitePlan {
            settings: self.settings?,
            notify: notify.collect(),
            written_by: self.written_by.unwrap_or_default(),
        })
    }
}

/// What belongs to a site beside the root's path; in a crawl, as it was when that was opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ScopeMap {
    #[serde(default)]
    include: Vec<String>,
    #[serde(default)]
    exclude: Vec<String>,
    #[serde(default)]
    subdomains: bool,
    #[serde(default)]
    extra_hosts: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_depth: Option<u32>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    allow_private: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    list: bool,
}

impl From<&Site> for SiteDocument {
    fn from(site: &Site) -> Self {
        Self {
            root: site.root.to_string(),
            scope: ScopeMap::from(&site.scope),
            created_at: time(site.created_at),
        }
    }
}

impl SiteDocument {
    pub(crate) const FIELDS: [&str; 3] = ["root", "scope", "created_at"];

    /// Reads a site; its name is that of the document.
    pub(crate) fn into_site(self, id: &str) -> Result<Site, StoreError> {
        Ok(Site {
            id: id.parse().map_err(unreadable)?,
            root: self.root.parse().map_err(unreadable)?,
            scope: self.scope.into(),
            created_at: self.created_at.0,
        })
    }
}

impl From<&ScopeSettings> for ScopeMap {
    fn from(scope: &ScopeSettings) -> Self {
        Self {
            include: scope.include.clone(),
            exclude: scope.exclude.clone(),
            subdomains: scope.subdomains,
            extra_hosts: scope.extra_hosts.clone(),
            max_depth: scope.max_depth,
            allow_private: scope.allow_private,
            list: scope.list,
        }
    }
}

impl From<ScopeMap> for ScopeSettings {
    fn from(map: ScopeMap) -> Self {
        Self {
            include: map.include,
            exclude: map.exclude,
            subdomains: map.subdomains,
            extra_hosts: map.extra_hosts,
            max_depth: map.max_depth,
            allow_private: map.allow_private,
            list: map.list,
        }
    }
}
