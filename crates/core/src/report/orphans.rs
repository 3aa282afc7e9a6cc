//! Pages that are still there although nothing on the site leads to them any more.

use std::collections::HashMap;

use crate::model::record::{FoundBy, PageRecord};
use crate::url::PageUrl;

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
