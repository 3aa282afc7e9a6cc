//! Redirects, followed from each to the page where they end.

use std::collections::{BTreeMap, HashMap, HashSet};

use recrawl_core::model::record::{PageRecord, Presence};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::redirect_targets;

/// How redirects end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChainEnd {
    /// At a page.
    Page,
    /// At a page that is not there, or could not be read.
    Broken,
    /// At a page that the crawl did not visit: it is no part of the site.
    Outside,
    /// Nowhere: they lead round in a circle.
    Loop,
    /// Nowhere: the last of them does not say where.
    Nowhere,
}

impl ChainEnd {
    /// Returns the word in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Broken => "broken",
            Self::Outside => "outside",
            Self::Loop => "loop",
            Self::Nowhere => "nowhere",
        }
    }
}

/// Redirects that lead from one to the next; its JSON form is stable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RedirectChain {
    /// The pages that redirect, in order.
    #[schema(value_type = Vec<String>)]
    pub hops: Vec<PageUrl>,
    /// The statuses by which they redirect, where their last visits brought one.
    pub statuses: Vec<Option<u16>>,
    /// How they end.
    pub ends: ChainEnd,
    /// The same, by the name that the API gave it first.
    pub end: ChainEnd,
    /// Where they end, or which page they come back to.
    #[schema(value_type = Option<String>, format = "uri")]
    pub target: Option<PageUrl>,
}

impl RedirectChain {
    /// The fields in the order of columns.
    pub const FIELDS: [&str; 4] = ["hops", "statuses", "ends", "target"];

    fn new(hops: Vec<(PageUrl, Option<u16>)>, end: ChainEnd, target: Option<PageUrl>) -> Self {
        let (hops, statuses) = hops.into_iter().unzip();
        Self { hops, statuses, ends: end, end, target }
    }

    /// Tells whether the chain is a fault: it goes round in a circle, or ends at nothing.
    pub const fn is_faulty(&self) -> bool {
        match self.end {
            ChainEnd::Loop | ChainEnd::Nowhere | ChainEnd::Broken => true,
            ChainEnd::Page | ChainEnd::Outside => false,
        }
    }
}

/// Gathers redirects.
#[derive(Debug, Default)]
pub struct Redirects {
    hops: BTreeMap<PageUrl, (Option<u16>, Vec<PageUrl>)>,
    /// Whether the other pages can be read, by fingerprint.
    others: HashMap<u128, bool>,
}

impl Redirects {
    /// Notes a redirect, or a page where one may end.
    pub fn take_in(&mut self, record: &PageRecord) {
        let known = &record.known;
        if known.presence == Presence::Redirect {
            self.hops.insert(record.url.clone(), (record.visit.status, redirect_targets(record)));
        } else {
            let is_there = known.presence == Presence::Present && record.visit.verdict != Verdict::Failed;
            self.others
                .insert(record.url.fingerprint(), is_there || record.visit.verdict == Verdict::Excluded);
        }
    }

    /// Returns every redirect in the longest chain that it is part of: loops first, then the longest chains.
    pub fn finish(self) -> Vec<RedirectChain> {
        let targets: HashSet<&PageUrl> = self.hops.keys().filter_map(|url| self.target(url)).collect();
        let mut followed: HashSet<&PageUrl> = HashSet::new();
        let mut chains = Vec::new();
        // A circle that nothing leads into begins nowhere: its first address stands for it.
        let heads = self.hops.keys().filter(|url| !targets.contains(url));
        for head in heads.chain(self.hops.keys()) {
            if !followed.contains(head) {
                chains.push(self.follow(head, &mut followed));
            }
        }
        let rank = |chain: &RedirectChain| (chain.end != ChainEnd::Loop, usize::MAX - chain.hops.len());
        chains.sort_by_cached_key(|chain| (rank(chain), chain.hops.first().cloned()));
        chains
    }

    fn follow<'a>(&'a self, head: &'a PageUrl, followed: &mut HashSet<&'a PageUrl>) -> RedirectChain {
        let mut hops: Vec<(PageUrl, Option<u16>)> = Vec::new();
        let mut here = head;
        loop {
            followed.insert(here);
            let status = self.hops.get(here).and_then(|(status, _)| *status);
            hops.push((here.clone(), status));
            let Some(next) = self.target(here) else {
                return RedirectChain::new(hops, ChainEnd::Nowhere, None);
            };
            if hops.iter().any(|(hop, _)| hop == next) {
                return RedirectChain::new(hops, ChainEnd::Loop, Some(next.clone()));
            }
            if !self.hops.contains_key(next) {
                let end = match self.others.get(&next.fingerprint()) {
                    Some(true) => ChainEnd::Page,
                    Some(false) => ChainEnd::Broken,
                    None => ChainEnd::Outside,
                };
                return RedirectChain::new(hops, end, Some(next.clone()));
            }
            here = next;
        }
    }

    /// Returns where a redirect leads: to the spelling that the crawl visited, if it did.
    fn target(&self, url: &PageUrl) -> Option<&PageUrl> {
        let (_, targets) = self.hops.get(url)?;
        let is_visited = |target: &&PageUrl| {
            self.hops.contains_key(*target) || self.others.contains_key(&target.fingerprint())
        };
        targets.iter().find(is_visited).or(targets.first())
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::{record, redirect};
    use super::*;

    fn chains(redirects: &[(&str, Option<&str>)], pages: &[(&str, char)]) -> Vec<String> {
        let mut report = Redirects::default();
        for (path, location) in redirects {
            report.take_in(&redirect(path, *location));
        }
        for (path, letter) in pages {
            report.take_in(&record(path, *letter));
        }
        let shown = |chain: RedirectChain| {
            let hops: Vec<&str> = chain.hops.iter().map(PageUrl::path).collect();
            let end = match (chain.end, &chain.target) {
                (ChainEnd::Outside, Some(url)) => format!("outside {url}"),
                (end, Some(url)) => format!("{} {}", end.word(), url.path()),
                (end, None) => end.word().to_owned(),
            };
            format!("{} > {end}", hops.join(" > "))
        };
        report.finish().into_iter().map(shown).collect()
    }

    #[test]
    fn redirects_are_followed_to_their_end() {
        for (redirects, pages, expected) in [
            (vec![("/a", Some("/b"))], vec![("/b", 'A')], vec!["/a > page /b"]),
            (vec![("/a", Some("/b"))], vec![("/b", '0')], vec!["/a > broken /b"]),
            (vec![("/a", Some("/b"))], vec![("/b", '!')], vec!["/a > broken /b"]),
            (vec![("/a", Some("/b?utm_source=x"))], vec![("/b", 'A')], vec!["/a > page /b"]),
            (vec![("/a", Some("https://example.com/"))], vec![], vec!["/a > outside https://example.com/"]),
            (vec![("/a", None)], vec![], vec!["/a > nowhere"]),
            (vec![("/a", Some("/a"))], vec![], vec!["/a > loop /a"]),
            (vec![("/b", Some("/a")), ("/a", Some("/b"))], vec![], vec!["/a > /b > loop /a"]),
            (
                vec![("/z", Some("/y")), ("/y", Some("/x")), ("/x", Some("/y"))],
                vec![],
                vec!["/z > /y > /x > loop /y"],
            ),
        ] {
            assert_eq!(chains(&redirects, &pages), expected);
        }
    }

    #[test]
    fn loops_and_long_chains_come_first_and_nothing_is_told_twice() {
        let redirects = [
            ("/short", Some("/end")),
            ("/one", Some("/two")),
            ("/two", Some("/end")),
            ("/round", Some("/round")),
            ("/also", Some("/two")),
        ];
        let expected = [
            "/round > loop /round",
            "/also > /two > page /end",
            "/one > /two > page /end",
            "/short > page /end",
        ];
        assert_eq!(chains(&redirects, &[("/end", 'A')]), expected);
    }
}
