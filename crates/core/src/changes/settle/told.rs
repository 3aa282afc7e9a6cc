//! Shared changes of the last crawls: what was told is not told again, on whichever page it arrives.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::model::edit::EditId;
use crate::model::ids::CrawlId;
use crate::model::kind::Tier;
use crate::model::shared_change::{SharedBy, SharedChange};

/// How many crawls are remembered.
const CRAWLS: usize = 8;

/// How many changes of one crawl are remembered.
const MAX_CHANGES: usize = 2_000;

/// The shared changes of the last crawls of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldChanges {
    crawls: Vec<(CrawlId, Vec<ToldChange>)>,
}

/// A shared change that was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldChange {
    /// The edit.
    pub id: EditId,
    /// It is one of the site's frame.
    pub template: bool,
    /// Its tier.
    pub tier: Tier,
    /// The crawl that first had it.
    pub since: CrawlId,
}

impl ToldChanges {
    /// Returns what crawls other than this one told, by edit.
    pub(super) fn before(&self, crawl: CrawlId) -> HashMap<EditId, ToldChange> {
        let others = self.crawls.iter().filter(|(other, _)| *other != crawl);
        others.flat_map(|(_, changes)| changes).map(|change| (change.id, *change)).collect()
    }

    /// Takes in the shared changes of a crawl.
    pub fn tell(&mut self, crawl: CrawlId, changes: &[SharedChange]) {
        self.crawls.retain(|(other, _)| *other != crawl);
        let by_edit = changes.iter().filter(|change| change.by == SharedBy::Edit && !change.noise);
        let told = by_edit.flat_map(|change| {
            let since = change.since.unwrap_or(crawl);
            let ids = std::iter::once(change.id).chain(change.also.iter().copied());
            ids.map(move |id| ToldChange { id, template: change.template, tier: change.tier, since })
        });
        self.crawls.insert(0, (crawl, told.take(MAX_CHANGES).collect()));
        self.crawls.truncate(CRAWLS);
    }
}
