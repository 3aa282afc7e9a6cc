//! What is no news: pages that are new only because no crawl saw the whole site before.

use crate::decide::opened_before;
use crate::model::crawl::{Closed, Crawl};
use crate::model::ids::CrawlId;
use crate::model::verdict::Verdict;

/// After this many partial crawls, a page that is new is news: of a site that is only ever seen in part, nobody would
/// hear of one otherwise.
const ENOUGH_PARTIAL: usize = 3;

/// Tells whether `crawl` is a first one of its site, whose crawls are given in order of opening: no whole crawl came
/// before it, and fewer than three partial ones. Suspect crawls count for nothing.
pub fn is_first_crawl(crawls: &[Crawl], crawl: CrawlId) -> bool {
    let trusted = opened_before(crawls, crawl).iter().filter(|earlier| earlier.is_trusted());
    let closed: Vec<&Closed> = trusted.filter_map(|earlier| earlier.closed.as_ref()).collect();
    closed.len() < ENOUGH_PARTIAL && !closed.iter().any(|closed| closed.is_whole())
}

/// Returns the changes that are told one by one, in the order in which people are told. What is new to a first crawl is
/// only counted.
pub const fn told_singly(is_first_crawl: bool) -> &'static [Verdict] {
    const TOLD: &[Verdict] = &Verdict::CHANGES;
    if is_first_crawl { TOLD.split_at(1).1 } else { TOLD }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::retention::tests::crawls;

    #[test]
    fn a_first_crawl_has_no_whole_one_before_it_and_fewer_than_three_partial_ones() {
        for (kinds, expected) in [
            ("c", "1"),
            ("cc", "10"),
            ("pc", "11"),
            ("ppppp", "11100"),
            ("pcp", "110"),
            ("ppcp", "1110"),
            ("ssssc", "11111"),
            ("spspspp", "1111110"),
            ("oc", "11"),
        ] {
            let crawls = crawls(kinds);
            let first = |crawl: &Crawl| if is_first_crawl(&crawls, crawl.id) { '1' } else { '0' };
            assert_eq!(crawls.iter().map(first).collect::<String>(), expected, "{kinds}");
        }
        assert!(is_first_crawl(&[], "crawl-2026-11-16".parse().unwrap()));
    }

    #[test]
    fn what_is_new_to_a_first_crawl_is_not_told_one_by_one() {
        assert_eq!(told_singly(true), [Verdict::Changed, Verdict::Moved, Verdict::Gone]);
        assert_eq!(told_singly(false), [Verdict::New, Verdict::Changed, Verdict::Moved, Verdict::Gone]);
    }
}
