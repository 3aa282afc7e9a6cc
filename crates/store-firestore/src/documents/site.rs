//! `sites/{site}`: what one root admits.

use firestore::FirestoreTimestamp;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::scope::ScopeSettings;
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
