//! How many pages that lost their content are asked for again.

use std::collections::HashMap;

use crate::url::PageUrl;

/// So many pages may be asked for again, however few a site has.
const LEAST: u64 = 20;

/// One in so many known pages may be.
const ONE_IN: u64 = 20;

/// Which pages that lost their content are asked for again: 5 % of the known ones, at least 20, spread over the sections
/// of the site. The others are recorded as they were found; that many are for the guard to doubt.
#[derive(Debug, Default)]
pub struct CollapseQuota {
    taken: u64,
    by_section: HashMap<String, u64>,
}

impl CollapseQuota {
    /// Takes a place for the page at `url`, of a site with so many known pages; tells whether there was one.
    ///
    /// The pages of a section get half of the places that other sections left: whatever comes later finds some.
    pub fn admits(&mut self, url: &PageUrl, known: u64) -> bool {
        let limit = LEAST.max(known / ONE_IN);
        let section = self.by_section.entry(section(url).to_owned()).or_default();
        let others = self.taken - *section;
        let is_admitted = self.taken < limit && *section < (limit - others).div_ceil(2);
        if is_admitted {
            *section += 1;
            self.taken += 1;
        }
        is_admitted
    }
}

/// Returns the first segment of an address's path.
fn section(url: &PageUrl) -> &str {
    url.path().trim_start_matches('/').split('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(quota: &mut CollapseQuota, section: &str, pages: u64, known: u64) -> u64 {
        let page = |number: &u64| format!("https://example.org/{section}/{number}").parse().unwrap();
        (0..pages).filter(|number| quota.admits(&page(number), known)).count() as u64
    }

    #[test]
    fn five_percent_of_the_pages_and_at_least_twenty_are_asked_again_spread_over_sections() {
        for (known, sections, expected) in [
            (0, vec![("a", 3)], vec![3]),
            (100, vec![("a", 50)], vec![10]),
            (100, vec![("a", 50), ("b", 50), ("c", 50), ("d", 50)], vec![10, 5, 3, 1]),
            (100, vec![("a", 2), ("b", 2), ("c", 50)], vec![2, 2, 8]),
            (1_000, vec![("a", 1_000), ("b", 1_000)], vec![25, 13]),
        ] {
            let mut quota = CollapseQuota::default();
            let places: Vec<u64> = sections
                .iter()
                .map(|(section, pages)| admitted(&mut quota, section, *pages, known))
                .collect();
            assert_eq!(places, expected, "{known} {sections:?}");
        }
    }

    #[test]
    fn there_is_an_end_to_it_however_many_sections_there_are() {
        let mut quota = CollapseQuota::default();
        let all: u64 = (0..1_000).map(|section| admitted(&mut quota, &format!("s{section}"), 1, 100)).sum();
        assert_eq!(all, LEAST);
    }
}
