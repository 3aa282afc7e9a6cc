//! What the last scan of a crawl saw of its pages, so that closing it does not cost another one.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::{PageRecord, PageSummary};
use recrawl_core::url::PageUrl;

/// The most pages that are kept; about 10 MB. A longer crawl is scanned again.
const PAGES: usize = 50_000;

/// What the last scan of a crawl saw of its pages.
#[derive(Debug, Default)]
pub(crate) struct LastScan(Mutex<Option<Kept>>);

#[derive(Debug)]
struct Kept {
    site: SiteId,
    crawl: CrawlId,
    pages: Vec<PageSummary>,
    is_whole: bool,
}

impl LastScan {
    /// Notes one answer of a scan: what came after a page when up to `limit` were asked for.
    pub(crate) fn note(
        &self,
        (site, crawl): (&SiteId, CrawlId),
        after: Option<&PageUrl>,
        limit: usize,
        answer: impl ExactSizeIterator<Item = PageSummary>,
    ) {
        let mut slot = self.slot();
        let is_last = answer.len() < limit;
        let mut kept = match (slot.take(), after) {
            (_, None) => Kept { site: site.clone(), crawl, pages: Vec::new(), is_whole: false },
            (Some(kept), Some(_)) if kept.is_of(site, crawl) && kept.last() == after => kept,
            // Somebody else scans too; who comes last keeps nothing.
            (_, Some(_)) => return,
        };
        if kept.pages.len() + answer.len() <= PAGES {
            kept.pages.extend(answer);
            kept.is_whole = is_last;
            *slot = Some(kept);
        }
    }

    /// Forgets what a scan saw of a crawl that is not over: a page is about to be recorded, which it may miss.
    pub(crate) fn begin_record(&self, site: &SiteId, crawl: CrawlId) {
        self.slot().take_if(|kept| kept.is_of(site, crawl) && !kept.is_whole);
    }

    /// Notes a page that was recorded since. A scan that is not over may have missed it, and one that is may not.
    pub(crate) fn end_record(&self, record: &PageRecord) {
        let mut slot = self.slot();
        let Some(kept) = slot.as_mut().filter(|kept| kept.is_of(&record.site, record.crawl)) else { return };
        if !kept.is_whole || kept.pages.len() >= PAGES {
            *slot = None;
        } else if kept.pages.iter().all(|page_summary| page_summary.url != record.url) {
            kept.pages.push(PageSummary::from(record));
        }
    }

    /// Notes a way of `depth` links to pages that were seen, so that closing the crawl costs no scan because of it.
    pub(crate) fn lower_depth(&self, (site, crawl): (&SiteId, CrawlId), pages: &[PageUrl], depth: u32) {
        let pages: HashSet<&PageUrl> = pages.iter().collect();
        if let Some(kept) = self.slot().as_mut().filter(|kept| kept.is_of(site, crawl)) {
            for page_summary in kept.pages.iter_mut().filter(|page_summary| pages.contains(&page_summary.url))
            {
                page_summary.depth = page_summary.depth.min(depth);
            }
        }
    }

    /// Notes what settling made of pages that were seen, so that closing the crawl costs no scan because of it.
    pub(crate) fn settle(&self, (site, crawl): (&SiteId, CrawlId), records: &[PageRecord]) {
        let records: HashMap<&PageUrl, &PageRecord> =
            records.iter().map(|record| (&record.url, record)).collect();
        if let Some(kept) = self.slot().as_mut().filter(|kept| kept.is_of(site, crawl)) {
            for page_summary in &mut kept.pages {
                if let Some(record) = records.get(&page_summary.url) {
                    let (found_by, depth) = (page_summary.found_by, page_summary.depth);
                    *page_summary = PageSummary { found_by, depth, ..PageSummary::from(*record) };
                }
            }
        }
    }

    /// Returns the pages of a crawl, if the last scan saw all of them and they are as many as expected.
    pub(crate) fn take(&self, site: &SiteId, crawl: CrawlId, expected: u64) -> Option<Vec<PageSummary>> {
        let of_crawl = self.slot().take_if(|kept| kept.is_of(site, crawl));
        let whole = of_crawl.filter(|kept| kept.is_whole && kept.pages.len() as u64 == expected);
        whole.map(|kept| kept.pages)
    }

    fn slot(&self) -> MutexGuard<'_, Option<Kept>> {
        // What a panic leaves behind is either whole or counted wrong, and then it is not used.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn is_of(&self, site: &SiteId, crawl: CrawlId) -> bool {
        self.site == *site && self.crawl == crawl
    }

    fn last(&self) -> Option<&PageUrl> {
        self.pages.last().map(|page_summary| &page_summary.url)
    }
}

#[cfg(test)]
mod tests {
    use recrawl_testkit::contract::samples;

    use super::*;

    fn pages(numbers: std::ops::Range<u32>) -> Vec<PageSummary> {
        let record = |number| samples::record("a", samples::FIRST, &format!("/{number}"));
        numbers.map(|number| PageSummary::from(&record(number))).collect()
    }

    fn scanned(answers: &[(u32, u32)]) -> (LastScan, SiteId, CrawlId) {
        let (scan, site, crawl) =
            (LastScan::default(), "a".parse().unwrap(), "crawl-2026-11-16".parse().unwrap());
        for &(start, end) in answers {
            let after = start.checked_sub(1).map(|last| pages(last..last + 1).remove(0).url);
            scan.note((&site, crawl), after.as_ref(), 3, pages(start..end).into_iter());
        }
        (scan, site, crawl)
    }

    #[test]
    fn a_whole_scan_is_kept_once() {
        for answers in [&[(0, 3), (3, 5)][..], &[(0, 3), (3, 6), (6, 6)], &[(0, 0)]] {
            let (scan, site, crawl) = scanned(answers);
            let all = pages(0..answers.last().unwrap().1);
            assert_eq!(scan.take(&site, crawl, all.len() as u64), Some(all));
            assert_eq!(scan.take(&site, crawl, 0), None);
        }
    }

    #[test]
    fn a_scan_with_a_hole_or_without_an_end_is_not_kept() {
        let cases = [
            (&[(0, 3), (3, 6)][..], 6),
            (&[(0, 3), (4, 5)], 4),
            (&[(3, 5)], 2),
            (&[(0, 3), (3, 4)], 5),
            (&[(0, 3), (0, 3), (3, 4), (3, 4)], 4),
        ];
        for (answers, count) in cases {
            let (scan, site, crawl) = scanned(answers);
            assert_eq!(scan.take(&site, crawl, count), None, "{answers:?}");
        }
    }

    #[test]
    fn a_shorter_way_to_a_page_is_taken_in() {
        let (scan, site, crawl) = scanned(&[(0, 2)]);
        let near = pages(1..2).remove(0).url;
        scan.lower_depth((&site, crawl.following()), std::slice::from_ref(&near), 0);
        scan.lower_depth((&site, crawl), std::slice::from_ref(&near), 1);
        scan.lower_depth((&site, crawl), &[near], 5);
        let depths: Vec<u32> =
            scan.take(&site, crawl, 2).unwrap().iter().map(|page_summary| page_summary.depth).collect();
        assert_eq!(depths, [2, 1]);
    }

    #[test]
    fn a_page_that_is_recorded_while_a_scan_goes_on_ends_it() {
        let record = samples::record("a", "crawl-2026-11-16", "/7");
        for is_begun in [true, false] {
            let (scan, site, crawl) = scanned(&[(0, 3)]);
            scan.begin_record(&site, crawl.following());
            scan.begin_record(&"b".parse().unwrap(), crawl);
            assert!(scan.0.lock().unwrap().is_some());
            if is_begun {
                scan.begin_record(&site, crawl);
            } else {
                scan.end_record(&record);
            }
            assert!(scan.0.lock().unwrap().is_none());
        }
    }

    #[test]
    fn a_page_that_is_recorded_after_a_scan_is_one_of_its_pages() {
        let (scan, site, crawl) = scanned(&[(0, 2)]);
        let other_crawl = samples::record("a", samples::FIRST, "/8");
        let (known, new) =
            (samples::record("a", "crawl-2026-11-16", "/1"), samples::record("a", "crawl-2026-11-16", "/7"));
        for record in [&other_crawl, &known, &new, &new] {
            scan.begin_record(&site, crawl);
            scan.end_record(record);
        }
        let expected: Vec<PageSummary> = pages(0..2).into_iter().chain([PageSummary::from(&new)]).collect();
        assert_eq!(scan.take(&site, crawl, 3), Some(expected));
    }
}
