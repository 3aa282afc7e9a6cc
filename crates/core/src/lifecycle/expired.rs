//! Which crawls are old enough to be forgotten.

use crate::crawl::{Closed, Crawl};
use crate::ids::CrawlId;

/// Returns the crawls that are to be forgotten, oldest first, where the newest `keep` closed ones are
/// kept, given the crawls of a site in order of opening.
///
/// The newest whole crawl is kept whatever its age: it is what the next one is compared with.
pub fn expired(crawls: &[Crawl], keep: usize) -> Vec<CrawlId> {
    let is_whole = |crawl: &&Crawl| crawl.closed.as_ref().is_some_and(Closed::is_whole);
    let newest_whole = crawls.iter().rev().find(is_whole).map(|crawl| crawl.id);
    let closed: Vec<CrawlId> = crawls.iter().filter(|crawl| !crawl.is_open()).map(|crawl| crawl.id).collect();
    let old = &closed[..closed.len().saturating_sub(keep)];
    old.iter().copied().filter(|id| Some(*id) != newest_whole).collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::crawl::{Ending, Mode};
    use crate::statistics::Statistics;

    /// Makes a crawl a day: `c` is complete, `p` is partial, `o` is open.
    fn crawls(kinds: &str) -> Vec<Crawl> {
        let closed = |ending| {
            let (at, statistics) = (Timestamp::UNIX_EPOCH, Statistics::default());
            Some(Closed { at, ending, suspicion: None, statistics })
        };
        let crawl = |(index, kind)| Crawl {
            site: "example".parse().unwrap(),
            id: format!("crawl-2026-11-{:02}", index + 1).parse().unwrap(),
            opened_at: Timestamp::UNIX_EPOCH,
            mode: Mode::Incremental,
            opened_by: None,
            closed: match kind {
                'c' => closed(Ending::Complete),
                'p' => closed(Ending::Partial("stopped".to_owned())),
                _ => None,
            },
        };
        kinds.chars().enumerate().map(crawl).collect()
    }

    #[test]
    fn the_newest_closed_crawls_the_newest_complete_one_and_open_ones_are_kept() {
        for (kinds, keep, expected) in [
            ("", 2, vec![]),
            ("cc", 2, vec![]),
            ("ccc", 2, vec![1]),
            ("ccccc", 2, vec![1, 2, 3]),
            ("ccco", 2, vec![1]),
            ("occc", 2, vec![2]),
            ("ccpp", 2, vec![1]),
            ("cppp", 2, vec![2]),
            ("pppp", 2, vec![1, 2]),
            ("ccc", 0, vec![1, 2]),
        ] {
            let days: Vec<i8> = expired(&crawls(kinds), keep).iter().map(|id| id.day().day()).collect();
            assert_eq!(days, expected, "{kinds}, keeping {keep}");
        }
    }
}
