//! Noise that was learnt from the pages of a site: shapes whose values change by themselves, with the evidence.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::shape::Shape;
use crate::model::edit::{Edit, EditId, LineId};
use crate::model::ids::CrawlId;
use crate::model::region::Region;
use crate::url::PageUrl;

/// In so many of its last crawls a shape must have been seen to be noise.
const LEARNT: usize = 2;

/// So many of the last crawls that could see it count.
const LOOKED_AT: usize = 3;

/// What was not seen in so many crawls is forgotten.
const EXPIRES: usize = 5;

/// So much evidence is kept.
const EVIDENCE: usize = 8;

/// So many shapes are kept; what was seen last wins.
const MAX_ENTRIES: usize = 600;

/// So many bytes of a line are kept as evidence. All of it fits into one document of a store.
const MAX_LINE: usize = 200;

/// The noise that was learnt from a site, and what people said of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearntNoise {
    /// Every shape that was seen, also those that are not noise yet.
    pub entries: Vec<NoiseEntry>,
    /// Lines that stand in for pages that lost their content: an outage, not a change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stand_ins: Vec<String>,
}

/// One shape whose values change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoiseEntry {
    /// The shape, for people: `Page built #, request #`.
    pub shape: String,
    /// The fingerprint of the shapes on both sides.
    pub id: EditId,
    /// Where it stands.
    pub region: Region,
    /// The crawls that could see it, the newest first.
    pub seen: Vec<NoiseEvidence>,
    /// The crawl after which it was noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learnt: Option<CrawlId>,
    /// What somebody said of it: that wins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Said>,
}

/// What somebody said of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Said {
    /// It is noise.
    Noise,
    /// It is none.
    NoNoise,
}

/// What one crawl saw of a shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoiseEvidence {
    /// The crawl.
    pub crawl: CrawlId,
    /// On how many pages it changed; 0 if it did not.
    pub pages: u64,
    /// One of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageUrl>,
    /// What the line said there then.
    #[serde(default)]
    pub line: String,
}

/// A shape that changed in a crawl so that it can be learnt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoiseObservation {
    /// The fingerprint of the shapes on both sides.
    pub id: EditId,
    /// What the line says on the sample page now.
    pub line: String,
    /// Where it stands.
    pub region: Region,
    /// On how many pages it changed.
    pub pages: u64,
    /// One of them.
    pub page: PageUrl,
}

impl LearntNoise {
    /// Takes in what a crawl saw. `is_whole` tells whether it looked at every page: otherwise what it did not see tells
    /// nothing.
    pub fn learn(&mut self, crawl: CrawlId, observed: Vec<NoiseObservation>, is_whole: bool) {
        let ids: HashSet<EditId> = observed.iter().map(|observation| observation.id).collect();
        for entry in &mut self.entries {
            entry.seen.retain(|evidence| evidence.crawl != crawl);
            if is_whole && !ids.contains(&entry.id) {
                let nothing = NoiseEvidence { crawl, pages: 0, page: None, line: String::new() };
                entry.seen.insert(0, nothing);
            }
        }
        for NoiseObservation { id, line, region, pages, page } in observed {
            let line = beginning(line);
            let evidence = NoiseEvidence { crawl, pages, page: Some(page), line };
            let known = self.entries.iter().position(|entry| entry.id == id);
            let place = known.unwrap_or_else(|| {
                let shape = Shape::of(&evidence.line).text;
                let entry = NoiseEntry { shape, id, region, seen: Vec::new(), learnt: None, said: None };
                self.entries.push(entry);
                self.entries.len() - 1
            });
            let entry = &mut self.entries[place];
            entry.seen.insert(0, evidence);
            if entry.learnt.is_none() && entry.times_seen_lately() >= LEARNT {
                entry.learnt = Some(crawl);
            }
        }
        for entry in &mut self.entries {
            entry.seen.truncate(EVIDENCE);
            if entry.unseen() >= EXPIRES {
                entry.learnt = None;
            }
        }
        self.entries.retain(|entry| entry.said.is_some() || entry.unseen() < EXPIRES);
        self.entries.sort_by_key(|entry| (entry.said.is_none(), entry.unseen()));
        self.entries.truncate(MAX_ENTRIES);
    }

    /// Notes what somebody says of a shape, or of any line of it.
    pub fn say(&mut self, shape: &str, said: Said) {
        let text = Shape::of(shape).text;
        let id = Edit::shape_of_both(Shape::of(shape).id());
        match self.entries.iter_mut().find(|entry| entry.id == id || entry.shape == text) {
            Some(entry) => entry.said = Some(said),
            None => self.entries.push(NoiseEntry {
                shape: text,
                id,
                region: Region::Content,
                seen: Vec::new(),
                learnt: None,
                said: Some(said),
            }),
        }
    }

    /// Returns what counts as noise now.
    pub fn in_force(&self) -> NoiseInForce {
        let ids = |wanted: &dyn Fn(&NoiseEntry) -> bool| {
            self.entries.iter().filter(|entry| wanted(entry)).map(|entry| entry.id).collect()
        };
        NoiseInForce {
            known: ids(&NoiseEntry::is_noise),
            named: ids(&|entry| entry.said == Some(Said::Noise)),
            denied: ids(&|entry| entry.said == Some(Said::NoNoise)),
            stand_ins: self.stand_ins.iter().map(|line| (Shape::of(line).id(), line.clone())).collect(),
        }
    }
}

/// Returns why a page tells nothing that shows a line instead of its content.
pub fn stands_in(line: &str) -> String {
    format!("shows \"{line}\" instead of its content")
}

impl NoiseEntry {
    /// Tells whether it counts as noise.
    pub fn is_noise(&self) -> bool {
        match self.said {
            Some(said) => said == Said::Noise,
            None => self.learnt.is_some(),
        }
    }

    fn times_seen_lately(&self) -> usize {
        self.seen.iter().take(LOOKED_AT).filter(|evidence| evidence.pages > 0).count()
    }

    fn unseen(&self) -> usize {
        self.seen.iter().take_while(|evidence| evidence.pages == 0).count()
    }
}

/// Returns as much of a line as is kept.
fn beginning(mut line: String) -> String {
    line.truncate(line.floor_char_boundary(MAX_LINE));
    line
}

/// Which shapes count as noise in a crawl: as they were known when it began.
#[derive(Debug, Clone, Default)]
pub struct NoiseInForce {
    known: HashSet<EditId>,
    named: HashSet<EditId>,
    denied: HashSet<EditId>,
    stand_ins: HashMap<LineId, String>,
}

impl NoiseInForce {
    /// Tells whether an edit is known as noise. Figures that watchers came for are noise only if somebody says so.
    pub fn knows(&self, edit: &Edit) -> bool {
        let shape = edit.shape();
        let is_named = edit.is_of_one_shape() && self.named.contains(&shape);
        is_named || edit.is_of_one_shape() && !edit.traits.is_protected && self.known.contains(&shape)
    }

    /// Returns the line of a text that stands in for pages that lost their content, if there is one. Numbers, dates and
    /// ids in it may differ.
    pub fn stand_in(&self, text: &str) -> Option<&str> {
        if self.stand_ins.is_empty() {
            return None;
        }
        text.lines().find_map(|line| self.stand_ins.get(&Shape::of(line).id())).map(String::as_str)
    }

    /// Returns the lines that stand in for content.
    pub fn stand_ins(&self) -> impl Iterator<Item = &str> {
        self.stand_ins.values().map(String::as_str)
    }

    /// Tells whether somebody said that the edit is no noise.
    pub fn is_denied(&self, edit: &Edit) -> bool {
        !self.denied.is_empty() && self.denied.contains(&edit.shape())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crawl(day: u32) -> CrawlId {
        format!("crawl-2026-11-{day:02}").parse().unwrap()
    }

    fn seen(pages: u64) -> Vec<NoiseObservation> {
        let line = "Page built 06:04, request 4fd1c0a2e9".to_owned();
        let page = "https://example.org/a".parse().unwrap();
        vec![NoiseObservation { id: EditId(7), line, region: Region::Footer, pages, page }]
    }

    #[test]
    fn what_changed_in_two_of_three_crawls_is_noise_until_it_was_not_seen_in_five() {
        let mut noise = LearntNoise::default();
        noise.learn(crawl(1), seen(90), true);
        assert!(!noise.entries[0].is_noise());
        noise.learn(crawl(2), Vec::new(), true);
        noise.learn(crawl(3), seen(80), true);
        assert!(noise.entries[0].is_noise());
        assert_eq!(noise.entries[0].shape, "Page built #, request #");
        for day in 4..8 {
            noise.learn(crawl(day), Vec::new(), true);
            assert!(noise.entries[0].is_noise(), "day {day}");
        }
        noise.learn(crawl(8), Vec::new(), true);
        assert!(noise.entries.is_empty());
    }

    #[test]
    fn a_partial_crawl_does_not_tell_that_noise_is_over_and_the_same_crawl_teaches_once() {
        let mut noise = LearntNoise::default();
        noise.learn(crawl(1), seen(90), false);
        noise.learn(crawl(1), seen(90), false);
        assert!(!noise.entries[0].is_noise());
        for day in 2..20 {
            noise.learn(crawl(day), Vec::new(), false);
        }
        noise.learn(crawl(20), seen(90), false);
        assert!(noise.entries[0].is_noise());
    }

    #[test]
    fn there_is_an_end_to_what_is_kept() {
        let mut noise = LearntNoise::default();
        for day in 1..12 {
            let observation = |number: u64| NoiseObservation {
                id: EditId(number),
                line: format!("{number} {}", "\u{e4}".repeat(500)),
                ..seen(90).remove(0)
            };
            noise.learn(crawl(day), (0..900).map(observation).collect(), true);
        }
        let lines = noise.entries.iter().flat_map(|entry| &entry.seen).map(|evidence| evidence.line.len());
        let bytes: usize = lines.sum();
        assert!(bytes <= MAX_ENTRIES * EVIDENCE * MAX_LINE && bytes > 100_000, "{bytes}");
    }
}
