//! Sites that a deployment watches: what somebody wrote about each.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::crawl::Site;

/// What somebody wrote about a site that a deployment watches: how it is crawled, when, and who is told.
///
/// It is kept as it was written. What is wrong with it is found when it is written, and again when it is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SitePlan {
    /// Settings by their names, as in `recrawl.toml`; `schedule` and `time-zone` are among them.
    pub settings: BTreeMap<String, Vec<String>>,
    /// Who is told, by name: the table `[notify.NAME]` of `recrawl.toml`, as JSON. A secret is never in it, but the name of
    /// the variable that holds it.
    pub notify: BTreeMap<String, String>,
    /// Who wrote it.
    pub written_by: WrittenBy,
}

/// Who wrote a [`SitePlan`], and is to change it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WrittenBy {
    /// Somebody, by a command or on a page, or the service where it adopts a site.
    #[default]
    Person,
    /// The environment of the service, as Terraform sets it; what it does not name any more is watched no more.
    Environment,
}

/// A site of a store, and its plan: without one, its history is kept, and nobody watches it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedSite {
    /// The site.
    pub site: Site,
    /// What somebody wrote about it.
    pub plan: Option<SitePlan>,
}
