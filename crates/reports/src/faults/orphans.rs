//! Pages that are still there although nothing on the site leads to them any more.

use std::collections::HashMap;

use jiff::Timestamp;
use recrawl_core::model::ids::{ContentHash, SiteId};
use recrawl_core::model::record::{FoundBy, PageRecord};
use recrawl_core::ports::{History, StoreError};
use recrawl_core::url::PageUrl;
use serde::Serialize;

/// A page to which nothing leads; its JSON form is stable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OrphanEntry {
    /// The page.
    pub url: PageUrl,
    /// What it answered.
    pub status: Option<u16>,
    /// When it was first seen.
    pub first_seen: Timestamp,
    /// When a change was last seen.
    pub last_changed: Option<Timestamp>,
    /// Its title.
    pub title: Option<String>,
}

impl OrphanEntry {
    /// The fields in the order of columns.
    pub const FIELDS: [&str; 5] = ["url", "status", "first_seen", "last_changed", "title"];

    /// Returns these records with their titles.
    pub(super) async fn read(
        history: &dyn History,
        site: &SiteId,
        records: Vec<PageRecord>,
    ) -> Result<Vec<Self>, StoreError> {
        let contents: Vec<ContentHash> = records.iter().filter_map(PageRecord::content_hash).collect();
        let titles = history.titles(site, &contents).await?;
        let entry = |record: PageRecord| Self {
            title: record.content_hash().and_then(|hash| titles.get(&hash).cloned()),
            url: record.url,
            status: record.visit.status,
            first_seen: record.known.first_seen,
            last_changed: record.known.last_changed,
        };
        Ok(records.into_iter().map(entry).collect())
    }
}

/// Gathers orphans: first [`Orphans::take_in`] every record, then [`Orphans::refer`] for every page that leads
/// somewhere.
///
/// Who was asked from memory may be linked all the same: a crawl does not wait for a link where it knows a page
/// already. So links decide, and those of orphans count for nothing.
#[derive(Debug, Default)]
pub struct Orphans {
    /// By fingerprint, as all that follows.
    candidates: HashMap<u128, PageRecord>,
    /// Links from one of them to others.
    among: HashMap<u128, Vec<u128>>,
    reached: Vec<u128>,
}

impl Orphans {
    /// Notes a page that was asked for from memory and is there.
    pub fn take_in(&mut self, record: &PageRecord) {
        if record.found.by == FoundBy::Memory && record.known.presence.is_live() {
            self.candidates.insert(record.url.fingerprint(), record.clone());
        }
    }

    /// Notes that `referrer` leads to `links`.
    pub fn refer<'a>(&mut self, referrer: &PageUrl, links: impl IntoIterator<Item = &'a PageUrl>) {
        let links = links.into_iter().map(PageUrl::fingerprint);
        let links: Vec<u128> = links.filter(|link| self.candidates.contains_key(link)).collect();
        let referrer = referrer.fingerprint();
        if self.candidates.contains_key(&referrer) {
            self.among.entry(referrer).or_default().extend(links);
        } else {
            self.reached.extend(links);
        }
    }

    /// Returns the orphans, by address.
    pub fn finish(mut self) -> Vec<PageRecord> {
        while let Some(reached) = self.reached.pop() {
            if self.candidates.remove(&reached).is_some() {
                self.reached.extend(self.among.remove(&reached).unwrap_or_default());
            }
        }
        let mut orphans: Vec<PageRecord> = self.candidates.into_values().collect();
        orphans.sort_by(|one, other| one.url.cmp(&other.url));
        orphans
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::{page, record};
    use super::*;

    #[test]
    fn an_orphan_is_a_page_to_which_only_memory_leads() {
        let pages = [("/", 'A'), ("/a", 'M'), ("/b", 'M'), ("/c", 'M'), ("/gone", 'm')];
        for (links, expected) in [
            (vec![], "/a /b /c"),
            (vec![("/", "/a")], "/b /c"),
            (vec![("/a", "/b"), ("/b", "/a"), ("/c", "/c")], "/a /b /c"),
            (vec![("/a", "/b"), ("/b", "/c"), ("/", "/a")], ""),
        ] {
            let mut report = Orphans::default();
            for (path, letter) in pages {
                report.take_in(&record(path, letter));
            }
            for (from, to) in &links {
                report.refer(&page(from), [&page(to)]);
            }
            let found: Vec<String> =
                report.finish().iter().map(|record| record.url.path().to_owned()).collect();
            assert_eq!(found.join(" "), expected, "{links:?}");
        }
    }
}
