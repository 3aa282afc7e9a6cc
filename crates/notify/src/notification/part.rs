//! What is told of one site: the changes of a crawl, or of several as one.

use std::cmp::Reverse;
use std::collections::HashSet;

use recrawl_core::decide::DoubtWord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::web_address;
use recrawl_reports::{ChangeEntry, Digest, day};
use url::Url;

use super::Stage;
use crate::figures::{bytes, counted, duration, grouped};
use crate::text::plain;

/// What one target is told of one site.
#[derive(Debug, Clone)]
pub struct Part<'a> {
    /// What its newest crawl found.
    pub digest: &'a Digest,
    /// All crawls that are told, the newest first.
    pub crawls: Vec<&'a Digest>,
    /// The changes that the target wants to hear of, what matters most first; none in a warning.
    pub changes: Vec<&'a ChangeEntry>,
    /// How many pages that are new to a first crawl it is told of, as a number; none in a warning.
    pub first_found: u64,
    /// How many changes the target does not want to hear of.
    pub withheld: usize,
}

impl Part<'_> {
    /// Returns the parts of one site as one: of each page its newest change, of each shared change the newest.
    ///
    /// `parts` has the newest crawl first.
    pub fn merged(parts: Vec<Self>) -> Option<Self> {
        let mut seen: HashSet<String> = HashSet::new();
        let mut merged: Option<Self> = None;
        for part in parts {
            let is_new = |change: &&ChangeEntry| {
                let name = match &change.shared {
                    Some(shared) => format!("shared {:?}", shared.id),
                    None => change.url.to_string(),
                };
                seen.insert(name)
            };
            match &mut merged {
                None => {
                    merged =
                        Some(Self { changes: part.changes.iter().copied().filter(is_new).collect(), ..part });
                }
                Some(merged) => {
                    merged.changes.extend(part.changes.iter().copied().filter(is_new));
                    merged.crawls.extend(part.crawls);
                    merged.first_found += part.first_found;
                    merged.withheld += part.withheld;
                }
            }
        }
        if let Some(merged) = &mut merged {
            merged.changes.sort_by_key(|change| (change.shared.is_some(), Reverse(change.weight)));
        }
        merged
    }

    /// Tells whether there is anything to tell.
    pub fn has_something(&self) -> bool {
        !self.changes.is_empty() || self.first_found > 0
    }

    /// Returns how many pages changed of which it is told.
    pub fn own(&self) -> u64 {
        self.changes.iter().filter(|change| change.kind != Verdict::Shared).count() as u64
    }

    /// Returns how many shared changes it is told of.
    pub fn shared(&self) -> u64 {
        self.changes.iter().filter(|change| change.kind == Verdict::Shared).count() as u64
    }

    /// Returns what stands beside the name of the site: `8 changes, 2 shared in 1,186 pages, 16 November`.
    pub fn heading(&self) -> String {
        let numbers = in_numbers(self.first_found, self.own(), self.shared());
        let numbers = if numbers.is_empty() { "nothing changed".to_owned() } else { numbers };
        let pages = counted(self.digest.statistics.total, "page");
        let closed = self.digest.closed_at;
        format!("{numbers} in {pages}, {}", day(closed, closed))
    }

    /// Returns what else there is, in a sentence or two.
    pub fn rest(&self) -> Option<String> {
        let mut sentences = Vec::new();
        let noise = self.digest.statistics.counts[Verdict::Touched];
        match (self.digest.around as u64, noise) {
            (0, 0) => {}
            (0, noise) => sentences.push(format!("And {} only noise.", counted(noise, "page"))),
            (around, 0) => sentences.push(format!("And {} around their content.", counted(around, "page"))),
            (around, noise) => sentences.push(format!(
                "And {} around their content, {} only noise.",
                counted(around, "page"),
                grouped(noise)
            )),
        }
        if self.withheld > 0 {
            sentences.push(format!("{} not followed here.", counted(self.withheld as u64, "other change")));
        }
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    /// Returns what is said of the crawl where its findings are doubted.
    pub fn doubt(&self) -> DoubtWord {
        DoubtWord::of(&self.digest.statistics)
    }

    /// Returns what must be known to read the rest, a sentence or two each; often nothing.
    pub fn cautions(&self, stage: Stage) -> Vec<String> {
        let digest = self.digest;
        let mut cautions = Vec::new();
        if digest.is_test {
            cautions.push("This is a test with made-up pages: nothing was crawled.".to_owned());
        }
        if let Some(reason) = &digest.suspicion {
            let until = match stage {
                Stage::Warning => {
                    "No change was sent yet. If the next whole crawl finds the same, it is accepted by itself."
                }
                Stage::Findings | Stage::Digest | Stage::Test => "Nobody has accepted the crawl yet.",
            };
            cautions.push(format!("The crawl {}: {}. {until}", self.doubt().predicate(), plain(reason)));
        }
        if let Some(reason) = &digest.told_as_unusual {
            let why = "It is told all the same, because the crawl before was unusual, too.";
            cautions.push(format!("The crawl {}: {}. {why}", self.doubt().predicate(), plain(reason)));
        }
        if let Some(state) = &digest.state {
            cautions.push(format!("{}: {}. {}", digest.root, plain(&state.sentence()), state.advice()));
        } else if let Some(reason) = &digest.partial {
            let reason = plain(reason);
            cautions.push(format!("The crawl ended early ({reason}) and did not see the whole site."));
        }
        if self.first_found > 0 {
            let counted =
                "No crawl before this one saw the whole site, so new pages are counted and not listed.";
            cautions.push(counted.to_owned());
        }
        cautions
    }

    /// Returns the figures of the crawl in a sentence or two.
    pub fn figures(&self, stage: Stage) -> String {
        let (digest, figures) = (self.digest, &self.digest.statistics);
        let seconds = digest.closed_at.duration_since(digest.opened_at).as_secs();
        let seconds = u64::try_from(seconds).unwrap_or_default();
        let mut parts = vec![format!("{} visited in {}", counted(figures.total, "page"), duration(seconds))];
        let failed = figures.counts[Verdict::Failed];
        if failed > 0 {
            parts.push(format!("{} failed", grouped(failed)));
        }
        parts.push(format!("{} received", bytes(figures.received_bytes)));
        parts.push(format!("{} saved", bytes(figures.saved_bytes)));
        let sentence = format!("{}: {}.", digest.crawl, parts.join(", "));
        if self.withheld == 0 || stage == Stage::Warning {
            return sentence;
        }
        format!("{sentence} {} not followed here.", counted(self.withheld as u64, "other change"))
    }

    /// Returns the address of the web page that shows the crawl.
    pub fn link(&self, web: Option<&Url>) -> Option<Url> {
        if self.digest.is_test {
            return None;
        }
        web_address::of_crawl(web?, &self.digest.site, self.digest.crawl)
    }

    /// Returns where a change is best seen on the web page, or else the page itself.
    pub fn change_link(&self, web: Option<&Url>, change: &ChangeEntry) -> Url {
        let shown = || {
            let (web, site, crawl) = (web?, &self.digest.site, change.crawl);
            if self.digest.is_test {
                return None;
            }
            match change.kind.change() {
                None => web_address::of_crawl(web, site, crawl),
                Some(kind) => web_address::of_change(web, site, crawl, &change.url, kind),
            }
        };
        shown().unwrap_or_else(|| change.url.to_url())
    }
}

/// Returns how many changes there are: `8 changes, 2 shared`; nothing where there are none.
pub(super) fn in_numbers(first: u64, own: u64, shared: u64) -> String {
    let mut numbers = Vec::new();
    if first > 0 {
        numbers.push(counted(first, "new page"));
    }
    if own > 0 {
        numbers.push(counted(own, "change"));
    }
    if shared > 0 {
        numbers.push(if own > 0 {
            format!("{} shared", grouped(shared))
        } else {
            counted(shared, "shared change")
        });
    }
    numbers.join(", ")
}
