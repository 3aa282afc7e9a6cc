//! Where on a site the doubted pages of a crawl are.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;

use crate::changes::ListedRecord;

/// How many folders are named.
const NAMED: usize = 6;

/// How many pages of a folder are doubted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderShare {
    /// The section of the site; nothing for all that is elsewhere.
    pub section: Option<String>,
    /// How many pages it has that were known.
    pub pages: u64,
    /// How many of them are doubted.
    pub doubted: u64,
}

impl FolderShare {
    /// Returns its name as people read it: `/berths/`.
    pub fn name(&self) -> String {
        match self.section.as_deref() {
            None => "everything else".to_owned(),
            Some("") => "top of the site".to_owned(),
            Some(section) => format!("/{section}/"),
        }
    }
}

/// Returns where the doubted pages are, the most first; what is elsewhere last.
pub(super) fn shares(all: &[Arc<ListedRecord>], doubted: &HashSet<&PageUrl>) -> Vec<FolderShare> {
    let mut by_section: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for listed in all {
        let visit = &listed.record.visit;
        let is_known = visit.verdict.is_of_known_page()
            || visit.verdict == Verdict::Failed && listed.record.known.presence.is_live();
        let is_doubted = doubted.contains(&listed.record.url);
        let (pages, lost) = by_section.entry(&listed.section).or_default();
        *pages += u64::from(is_known || is_doubted);
        *lost += u64::from(is_doubted);
    }
    let mut shares: Vec<FolderShare> = by_section
        .into_iter()
        .map(|(section, (pages, doubted))| FolderShare { section: Some(section.to_owned()), pages, doubted })
        .collect();
    shares.sort_by_key(|share| Reverse(share.doubted));
    let named = shares.iter().take(NAMED).filter(|share| share.doubted > 0).count();
    let elsewhere = shares.split_off(named);
    let pages = elsewhere.iter().map(|share| share.pages).sum();
    if pages > 0 {
        let doubted = elsewhere.iter().map(|share| share.doubted).sum();
        shares.push(FolderShare { section: None, pages, doubted });
    }
    shares
}
