//! What is wrong with a site, read from the records of one crawl: broken links, chains of redirects, orphans
//! and duplicates.
//!
//! Each report takes records and links a chunk at a time, in any order, so that nobody has to hold a crawl in
//! memory.

mod broken;
mod duplicates;
mod orphans;
mod redirects;

pub use self::broken::{BrokenLinks, BrokenTarget, Fault};
pub use self::duplicates::{Duplicates, Group, Likeness};
pub use self::orphans::Orphans;
pub use self::redirects::{Chain, End, Hop, Redirects};
use crate::decide::judge::redirect_target;
use crate::model::record::{ContentRef, PageRecord, Presence};
use crate::url::{PageUrl, UrlRules};

/// Returns the content whose links a page offers, as far as is known.
pub fn offered_content(record: &PageRecord) -> Option<&ContentRef> {
    record.known.content.as_ref().filter(|_| record.known.presence == Presence::Present)
}

/// Returns where a page redirects, as far as is known: in full, and without parameters that crawls drop.
///
/// Nobody stored which of the two the crawl went by.
pub fn redirect_targets(record: &PageRecord) -> Vec<PageUrl> {
    if record.known.presence != Presence::Redirect {
        return Vec::new();
    }
    let mut targets: Vec<PageUrl> = Vec::new();
    for rules in [UrlRules::keep_all_parameters(), UrlRules::default()] {
        let target = redirect_target(&record.url, &record.known.headers, &rules);
        targets.extend(target.filter(|target| !targets.contains(target)));
    }
    targets
}

#[cfg(test)]
mod stage;
