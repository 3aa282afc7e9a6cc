//! Choosing pages so that every kind of page is among them.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::model::ids::CrawlId;
use crate::plan::change_rate::Liveliness;
use crate::url::PageUrl;

/// The depth from which pages are one kind.
const DEEP: u32 = 3;

/// A page to choose from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Member<'a> {
    /// The page.
    pub url: &'a PageUrl,
    /// Links followed from the root.
    pub depth: u32,
    /// Changes a day.
    pub changes_a_day: f64,
}

impl Member<'_> {
    fn kind(&self) -> (u32, Liveliness) {
        (self.depth.min(DEEP), Liveliness::of(self.changes_a_day))
    }
}

/// Returns the seed of the sample of a crawl: another one for each crawl, the same one after a restart.
pub fn seed(crawl: CrawlId) -> u64 {
    xxh3_64(crawl.to_string().as_bytes())
}

/// Chooses `n` of the pages, or all if there are fewer, and returns their places in `pages`, rising.
///
/// Pages are of one kind that have the same depth (0, 1, 2, or more) and the same row in the table of
/// frequencies. Each kind gets its share by its size, and at least one page where `n` is enough
/// for all kinds. Which pages of a kind are chosen depends on the seed and their addresses only, not on
/// their order.
pub fn sample(pages: &[Member<'_>], n: usize, seed: u64) -> Vec<usize> {
    let mut kinds = BTreeMap::<_, Vec<usize>>::new();
    for (place, page) in pages.iter().enumerate() {
        kinds.entry(page.kind()).or_default().push(place);
    }
    let sizes: Vec<usize> = kinds.values().map(Vec::len).collect();
    let mut chosen = Vec::new();
    for (mut places, share) in kinds.into_values().zip(shares(&sizes, n)) {
        places.sort_by_cached_key(|&place| {
            let url = pages[place].url;
            (xxh3_64_with_seed(url.as_str().as_bytes(), seed), url)
        });
        chosen.extend(&places[..share]);
    }
    chosen.sort_unstable();
    chosen
}

/// Shares `n` out by size: each in turn to the kind that is furthest below its proportion.
fn shares(sizes: &[usize], n: usize) -> Vec<usize> {
    let total: usize = sizes.iter().sum();
    let n = n.min(total);
    let mut shares = vec![usize::from(n >= sizes.len()); sizes.len()];
    for _ in shares.iter().sum()..n {
        // How far a kind is below its proportion, times the total. Never above 0 for one that is full.
        let missing = |kind: usize| (n * sizes[kind]).cast_signed() - (shares[kind] * total).cast_signed();
        let Some(kind) = (0..sizes.len()).rev().max_by_key(|&kind| missing(kind)) else { break };
        shares[kind] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn urls(count: usize) -> Vec<PageUrl> {
        (0..count).map(|number| format!("https://example.org/{number}").parse().unwrap()).collect()
    }

    #[test]
    fn shares_are_by_size_and_at_least_one_where_that_is_possible() {
        for (sizes, n, expected) in [
            (&[100, 100][..], 10, &[5, 5][..]),
            (&[900, 100], 10, &[9, 1]),
            (&[1000, 1, 1], 10, &[8, 1, 1]),
            (&[1000, 1, 1], 3, &[1, 1, 1]),
            (&[1000, 10, 1], 2, &[2, 0, 0]),
            (&[5, 3], 100, &[5, 3]),
            (&[5, 3], 0, &[0, 0]),
            (&[1, 1, 1], 2, &[1, 1, 0]),
            (&[33, 33, 34], 50, &[17, 16, 17]),
            (&[], 50, &[]),
        ] {
            assert_eq!(shares(sizes, n), expected, "{n} of {sizes:?}");
        }
    }

    #[test]
    fn every_kind_of_page_is_in_the_sample() {
        let urls = urls(1_000);
        let frequencies = [0.0, 0.2, 1.0, 5.0, 20.0];
        let pages: Vec<Member<'_>> = (0..)
            .zip(&urls)
            .map(|(number, url)| {
                // Nearly all are deep and static; each other kind has two or three pages.
                let odd = number < 50;
                let frequency = if odd { frequencies[number % 5] } else { 0.0 };
                let depth = if odd { u32::try_from(number / 5 % 4).unwrap() } else { 9 };
                Member { url, depth, changes_a_day: frequency }
            })
            .collect();
        let chosen = sample(&pages, 50, 1);
        assert_eq!(chosen.len(), 50);
        let kinds: std::collections::BTreeSet<_> = chosen.iter().map(|&place| pages[place].kind()).collect();
        assert_eq!(kinds.len(), 20);
    }

    #[test]
    fn the_choice_follows_the_seed_and_not_the_order() {
        let urls = urls(300);
        let mut pages: Vec<Member<'_>> =
            urls.iter().map(|url| Member { url, depth: 2, changes_a_day: 0.0 }).collect();
        let names = |pages: &[Member<'_>], seed| {
            let mut names: Vec<PageUrl> =
                sample(pages, 20, seed).into_iter().map(|place| pages[place].url.clone()).collect();
            names.sort();
            names
        };
        let first = names(&pages, 1);
        assert_ne!(first, names(&pages, 2));
        pages.reverse();
        assert_eq!(first, names(&pages, 1));
    }

    #[test]
    fn each_crawl_has_a_seed_of_its_own() {
        let seed_of = |name: &str| seed(name.parse().unwrap());
        assert_eq!(seed_of("crawl-2026-11-16"), seed_of("crawl-2026-11-16"));
        assert_ne!(seed_of("crawl-2026-11-16"), seed_of("crawl-2026-11-16-2"));
    }

    proptest! {
        #[test]
        fn a_sample_has_the_wanted_size_and_no_doubles(
            kinds in prop::collection::vec((0_u32..6, 0.0..20.0), 0..60),
            n in 0_usize..80,
            seed in any::<u64>(),
        ) {
            let urls = urls(kinds.len());
            let pages: Vec<Member<'_>> = urls
                .iter()
                .zip(&kinds)
                .map(|(url, &(depth, changes_a_day))| Member { url, depth, changes_a_day })
                .collect();
            let chosen = sample(&pages, n, seed);
            prop_assert_eq!(chosen.len(), n.min(pages.len()));
            prop_assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]));
            let all: std::collections::BTreeSet<_> = pages.iter().map(Member::kind).collect();
            let covered: std::collections::BTreeSet<_> = chosen.iter().map(|&place| pages[place].kind()).collect();
            prop_assert!(n < all.len() || covered == all);
        }
    }
}
