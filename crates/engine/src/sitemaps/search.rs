//! A search that is going on, and where it ends.

use std::collections::{HashMap, HashSet};

use recrawl_core::model::scope::Scope;
use recrawl_core::ports::{Permission, RobotsGate};
use recrawl_core::url::{HostKey, PageUrl};
use recrawl_extract::sitemap::{MAX_DEPTH, MAX_SITEMAPS};

use super::listed::Listed;
use super::{SitemapFinder, SitemapPages};
use crate::documents::{Answered, Read};

/// The most sitemaps that are read on hosts that do not belong to the site, in one search.
const MAX_FOREIGN: usize = 10;

/// How many sitemaps of a host may be out of reach before its others are left alone.
const MAX_FAILURES: u32 = 2;

/// A search that is going on: each step reads one sitemap.
///
/// What goes wrong with a sitemap is said and not more: a crawl can do without it.
pub struct Search<'a> {
    finder: &'a SitemapFinder,
    scope: &'a Scope,
    root: PageUrl,
    /// Sitemaps to read, and how deep in indexes they were found; last first.
    waiting: Vec<(PageUrl, usize)>,
    /// Well-known addresses to try while nothing is found, last first.
    guesses: Vec<PageUrl>,
    found_any: bool,
    /// The sitemaps that were read or wait.
    admitted: HashSet<PageUrl>,
    /// How many of them are on hosts that do not belong to the site.
    foreign: usize,
    /// Sitemaps that were out of reach, by host.
    failures: HashMap<HostKey, u32>,
    not_read: NotRead,
}

/// How many sitemaps were named and not read, and why.
#[derive(Debug, Default)]
struct NotRead {
    beyond_limit: usize,
    foreign: usize,
    out_of_reach: usize,
}

impl<'a> Search<'a> {
    pub(super) fn new(finder: &'a SitemapFinder, scope: &'a Scope, root: &PageUrl) -> Self {
        Self {
            finder,
            scope,
            root: root.clone(),
            waiting: Vec::new(),
            guesses: Vec::new(),
            found_any: false,
            admitted: HashSet::new(),
            foreign: 0,
            failures: HashMap::new(),
            not_read: NotRead::default(),
        }
    }

    /// Adds the sitemaps that robots.txt names.
    pub(super) fn add_named(&mut self, sitemaps: impl Iterator<Item = PageUrl>) {
        self.add(sitemaps, 0);
    }

    /// Adds addresses to try.
    pub(super) fn guess(&mut self, addresses: impl DoubleEndedIterator<Item = PageUrl>) {
        self.guesses = addresses.rev().collect();
    }

    /// Tells whether no sitemap waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Reads the next sitemap; `None` when there is none left.
    pub async fn next(&mut self) -> Option<SitemapPages> {
        while let Some((sitemap, depth)) = self.waiting.pop() {
            if let Some(found) = self.read(sitemap, depth).await {
                return Some(found);
            }
        }
        let guessing = !self.guesses.is_empty();
        while let Some(guess) = self.guesses.pop() {
            let permitted = matches!(self.finder.robots.permits(&guess).await, Ok(Permission::Allowed));
            match if permitted { self.finder.guess(&guess).await } else { Answered::None } {
                // Many servers answer any address with a page of HTML: that lists nothing.
                Answered::Document(read) if !read.document.is_empty() => {
                    self.guesses.clear();
                    return Some(self.take(guess, 0, read));
                }
                Answered::Document(_) | Answered::None | Answered::Elsewhere(_) => {}
                // A server that stumbles over a guess is not bothered with more of them.
                Answered::Unreachable(_) | Answered::Stopped => {
                    self.guesses.clear();
                    return None;
                }
            }
        }
        if guessing && !self.found_any {
            self.finder.remember_none(&self.root).await;
        }
        self.tell_not_read()
    }

    async fn read(&mut self, sitemap: PageUrl, depth: usize) -> Option<SitemapPages> {
        let host = sitemap.host_key();
        if self.failures.get(&host).is_some_and(|failures| *failures >= MAX_FAILURES) {
            self.not_read.out_of_reach += 1;
            return None;
        }
        // What a host names in its own robots.txt may be read; to others, their own applies, and their delay.
        if host != self.root.host_key() {
            match self.finder.robots.permits(&sitemap).await {
                Ok(Permission::Allowed) => {}
                Ok(Permission::Disallowed(rule)) => {
                    return Some(self.warn(sitemap, format!("is not read: robots.txt of {host}: {rule}")));
                }
                Err(error) => {
                    *self.failures.entry(host).or_default() += 1;
                    return Some(self.warn(sitemap, format!("is not read: {error}")));
                }
            }
        }
        match self.finder.read(&sitemap).await {
            Answered::Document(read) => {
                self.failures.remove(&host);
                Some(self.take(sitemap, depth, read))
            }
            Answered::None => None,
            Answered::Elsewhere(target) => {
                self.add(std::iter::once(target), depth);
                None
            }
            Answered::Unreachable(reason) => {
                *self.failures.entry(host).or_default() += 1;
                Some(self.warn(sitemap, format!("cannot be read: {reason}")))
            }
            Answered::Stopped => {
                self.waiting.clear();
                self.guesses.clear();
                None
            }
        }
    }

    fn take(&mut self, sitemap: PageUrl, depth: usize, read: Read<Listed>) -> SitemapPages {
        let Read { at: read_at, document: listed } = read;
        self.found_any = true;
        if depth < MAX_DEPTH {
            self.add(listed.sitemaps.into_iter(), depth + 1);
        }
        SitemapPages { sitemap, read_at, pages: listed.pages, warnings: listed.warnings }
    }

    /// Adds sitemaps that were not named before, as far as the limits go.
    fn add(&mut self, sitemaps: impl Iterator<Item = PageUrl>, depth: usize) {
        let mut added = Vec::new();
        for sitemap in sitemaps {
            if self.admitted.contains(&sitemap) {
                continue;
            }
            if self.admitted.len() >= MAX_SITEMAPS {
                self.not_read.beyond_limit += 1;
                continue;
            }
            if !self.scope.has_host_of(&sitemap) {
                if self.foreign >= MAX_FOREIGN {
                    self.not_read.foreign += 1;
                    continue;
                }
                self.foreign += 1;
            }
            self.admitted.insert(sitemap.clone());
            added.push((sitemap, depth));
        }
        self.waiting.extend(added.into_iter().rev());
    }

    fn warn(&self, sitemap: PageUrl, warning: String) -> SitemapPages {
        let read_at = (self.finder.clock)();
        SitemapPages { sitemap, read_at, pages: Vec::new(), warnings: vec![warning] }
    }

    /// Says once how many sitemaps were not read.
    fn tell_not_read(&mut self) -> Option<SitemapPages> {
        let NotRead { beyond_limit, foreign, out_of_reach } = std::mem::take(&mut self.not_read);
        let reasons = [
            (beyond_limit, format!("no more than {MAX_SITEMAPS} are read in a crawl")),
            (foreign, format!("no more than {MAX_FOREIGN} of other hosts are read in a crawl")),
            (out_of_reach, "others of the same host could not be read".to_owned()),
        ];
        let warnings: Vec<String> = reasons
            .into_iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, reason)| {
                let sitemaps = if number == 1 { "sitemap was" } else { "sitemaps were" };
                format!("{number} {sitemaps} not read: {reason}")
            })
            .collect();
        if warnings.is_empty() {
            return None;
        }
        let robots = format!("{}://{}/robots.txt", self.root.scheme(), self.root.authority());
        let sitemap = robots.parse().unwrap_or_else(|_| self.root.clone());
        Some(SitemapPages { sitemap, read_at: (self.finder.clock)(), pages: Vec::new(), warnings })
    }
}
