//! How far the sitemaps of hosts were found to be true, remembered from crawl to crawl.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::Timestamp;
use recrawl_core::plan::visit_planner::VisitPlanner;
use recrawl_core::ports::{StateEntry, StateKey, StateStore};
use recrawl_core::url::{HostKey, PageUrl};

/// Brings what earlier crawls learnt of hosts into the visit planner of this one, each host once.
pub(crate) struct ReliabilityCache {
    state_store: Arc<dyn StateStore>,
    planner: Arc<VisitPlanner>,
    recalled: HashSet<HostKey>,
}

impl ReliabilityCache {
    /// Recalls from `state_store` into `planner`.
    pub(crate) fn new(state_store: Arc<dyn StateStore>, planner: Arc<VisitPlanner>) -> Self {
        Self { state_store, planner, recalled: HashSet::new() }
    }

    /// Takes in what is remembered of the host of `page`, before anything else is said of it.
    pub(crate) async fn of(&mut self, page: &PageUrl) {
        let host = page.host_key();
        if self.recalled.contains(&host) {
            return;
        }
        let memo = self.state_store.state(&StateKey::sitemap_reliability(&host)).await.ok().flatten();
        if let Some(reliability) = memo.and_then(|memo| serde_json::from_str(&memo.value).ok()) {
            self.planner.trust(host.clone(), reliability);
        }
        self.recalled.insert(host);
    }
}

/// Remembers what `planner` knows of hosts, for the next crawl.
pub async fn remember(state_store: &dyn StateStore, planner: &VisitPlanner, now: Timestamp) {
    for (host, reliability) in planner.reliabilities() {
        let Ok(value) = serde_json::to_string(&reliability) else { continue };
        if let Err(error) = state_store
            .save_state(&StateKey::sitemap_reliability(&host), &StateEntry { saved_at: now, value })
            .await
        {
            tracing::warn!(%host, %error, "the reliability of sitemaps could not be remembered");
        }
    }
}
