//! Retention: what a person wants to keep of a long history, and what may be forgotten.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};

use crate::model::crawl::{Closed, Crawl};
use crate::model::ids::CrawlId;
use crate::model::record::PageRecord;
use crate::model::verdict::Verdict;
use crate::versions::versions;

/// What is to be kept: the more of these are given, the more is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Keep {
    /// The newest crawls.
    pub crawls: Option<usize>,
    /// Crawls opened in the last days.
    pub days: Option<u32>,
    /// Of each page, the visits that began and ended its newest versions.
    pub versions: Option<usize>,
}

/// Returns the crawls that may be deleted at `now`, oldest first, given those of a site in order of opening.
///
/// Whatever a person says, the newest whole crawl and all after it are kept, because the next one is compared with
/// them. Where none is whole, that is every crawl. Open crawls are kept, too.
pub fn deletable(crawls: &[Crawl], keep: &Keep, now: Timestamp) -> Vec<CrawlId> {
    let is_whole = |crawl: &Crawl| crawl.closed.as_ref().is_some_and(Closed::is_whole);
    let needed_from = crawls.iter().rposition(is_whole).unwrap_or_default();
    let newest_from = keep.crawls.map_or(crawls.len(), |newest| crawls.len().saturating_sub(newest));
    let is_young = |crawl: &Crawl| {
        let days = keep.days.map(|days| SignedDuration::from_hours(24 * i64::from(days)));
        // What is dated ahead is of a time when the clock was wrong, and young for no longer than others.
        days.is_some_and(|days| now.duration_since(crawl.opened_at).abs() <= days)
    };
    let old = &crawls[..needed_from.min(newest_from)];
    old.iter().filter(|crawl| !crawl.is_open() && !is_young(crawl)).map(|crawl| crawl.id).collect()
}

/// Returns the crawls whose visit of a page is forgotten, given all its visits in order of their crawls, the
/// crawls that are [`deletable`], and how many of its newest versions are kept.
///
/// The last visit is always kept. So is the newest of several failures in a row, if it is in a version that is kept.
pub fn forgotten(visits: &[PageRecord], deletable: &[CrawlId], newest: usize) -> Vec<CrawlId> {
    let versions = versions(visits);
    let mut needed: HashSet<CrawlId> = visits.last().map(|visit| visit.crawl).into_iter().collect();
    let mut oldest = None;
    for version in versions.iter().rev().take(newest) {
        oldest = visits.iter().position(|visit| visit.crawl == version.first.crawl);
        let ends = [Some(version.first), Some(version.last), version.gone];
        needed.extend(ends.into_iter().flatten().map(|visit| visit.crawl));
    }
    for (place, (visit, next)) in visits.iter().zip(visits.iter().skip(1)).enumerate() {
        let ends_failures = visit.visit.verdict == Verdict::Failed && next.visit.verdict != Verdict::Failed;
        if ends_failures && oldest.is_some_and(|oldest| place > oldest) {
            needed.insert(visit.crawl);
        }
    }
    let crawls = visits.iter().map(|visit| visit.crawl);
    crawls.filter(|crawl| deletable.contains(crawl) && !needed.contains(crawl)).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::model::crawl::{CrawlKind, Ending, Mode, Suspicion};
    use crate::model::statistics::Statistics;
    use crate::versions::tests::visited;

    fn at(day: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * day)
    }

    /// Makes a crawl a day: `c` is complete, `p` is partial, `s` is suspect, `o` is open.
    pub(in crate::decide) fn crawls(kinds: &str) -> Vec<Crawl> {
        let crawl = |(index, kind): (usize, char)| {
            let opened_at = at(i64::try_from(index).unwrap());
            let doubt = Suspicion::new("much is gone".to_owned());
            let ending = if kind == 'p' { Ending::Partial("stopped".to_owned()) } else { Ending::Complete };
            let suspicion = (kind == 's').then_some(doubt);
            let closed =
                Closed { at: opened_at, ending, suspicion, state: None, statistics: Statistics::default() };
            Crawl {
                site: "example".parse().unwrap(),
                id: format!("crawl-1970-01-{:02}", index + 1).parse().unwrap(),
                opened_at,
                mode: Mode::Incremental,
                kind: CrawlKind::Full,
                opened_by: None,
                closed: (kind != 'o').then_some(closed),
            }
        };
        kinds.chars().enumerate().map(crawl).collect()
    }

    #[test]
    fn what_is_neither_young_nor_new_nor_needed_may_be_deleted() {
        let keep = |crawls, days| Keep { crawls, days, versions: None };
        for (kinds, keep, expected) in [
            ("", keep(Some(1), None), vec![]),
            ("ccccc", keep(Some(2), None), vec![1, 2, 3]),
            ("ccccc", keep(Some(9), None), vec![]),
            ("ccccc", keep(Some(0), None), vec![1, 2, 3, 4]),
            ("ccccc", keep(None, Some(2)), vec![1, 2]),
            ("ccccc", keep(Some(4), Some(2)), vec![1]),
            ("ccccc", keep(None, None), vec![1, 2, 3, 4]),
            // Pages that no later crawl saw are known from any crawl back to the last whole one.
            ("cccpp", keep(Some(1), None), vec![1, 2]),
            ("cppp", keep(Some(2), None), vec![]),
            ("pcppp", keep(Some(2), None), vec![1]),
            ("pppp", keep(Some(2), None), vec![]),
            ("psps", keep(Some(1), Some(1)), vec![]),
            ("cccss", keep(Some(1), None), vec![1, 2]),
            ("csccc", keep(Some(1), None), vec![1, 2, 3, 4]),
            ("ccoccc", keep(Some(1), None), vec![1, 2, 4, 5]),
            ("ccco", keep(Some(1), None), vec![1, 2]),
        ] {
            let now = at(i64::try_from(kinds.len()).unwrap() - 1);
            let days: Vec<i8> =
                deletable(&crawls(kinds), &keep, now).iter().map(|id| id.day().day()).collect();
            assert_eq!(days, expected, "{kinds}, {keep:?}");
        }
    }

    #[test]
    fn of_a_page_the_ends_of_its_newest_versions_are_kept() {
        for (letters, newest, expected) in [
            ("AAAAA", 1, vec![1, 2, 3]),
            ("AABBB", 1, vec![0, 1, 3]),
            ("AABBB", 2, vec![3]),
            ("ABA", 2, vec![0]),
            ("A0A", 1, vec![0, 1]),
            ("A0", 1, vec![]),
            ("A!!!A", 1, vec![1, 2]),
            ("!!!A", 1, vec![0, 1, 2]),
            ("AAA", 0, vec![0, 1]),
        ] {
            let records = visited(letters);
            let crawls: Vec<CrawlId> = records.iter().map(|record| record.crawl).collect();
            let places: Vec<usize> = forgotten(&records, &crawls, newest)
                .into_iter()
                .map(|crawl| records.iter().position(|record| record.crawl == crawl).unwrap())
                .collect();
            assert_eq!(places, expected, "{letters}, keeping {newest}");
        }
        let records = visited("AABB");
        let deletable = [records[2].crawl, records[3].crawl];
        assert_eq!(forgotten(&records, &deletable, 1), [], "visits of other crawls are kept");
    }
}
