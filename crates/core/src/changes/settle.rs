//! Settling: what only the edits of a whole crawl can tell. The same edit on several pages is one shared change; what is
//! left are each page's own edits, and they decide its verdict and its weight.
//!
//! Two passes over the records of a crawl that have edits: [`Grouping::add`] each, then [`Grouped::settle`] each. Doing it again, also
//! after a death in the middle, comes to the same.

mod cluster;
mod grouping;
mod shifts;
mod told;
mod verdict;

pub use self::grouping::{Grouping, SharingRules};
pub use self::told::{ToldChange, ToldChanges};

use std::collections::{BTreeMap, HashMap, HashSet};

use self::cluster::{Cluster, keep_first};
use self::verdict::decide;
use super::edits::spelled_out;
use super::noise::NoiseObservation;
use super::weight::{self, ChangeWeights};
use crate::model::edit::{Edit, EditId, EditState, Edits, LineId};
use crate::model::kind::{Kinds, Tier};
use crate::model::record::PageRecord;
use crate::model::region::Region;
use crate::model::shared_change::{MAX_SAMPLES, MAX_URLS, SharedBy, SharedChange};
use crate::model::verdict::Verdict;
use crate::url::PageUrl;

/// The shared changes of a crawl, to which its pages are added one by one.
#[derive(Debug, Default)]
pub struct Grouped {
    weights: ChangeWeights,
    clusters: Vec<Cluster>,
    by_id: HashMap<EditId, usize>,
    by_shape: HashMap<EditId, usize>,
    /// Lines that moved on from one page to another.
    shifted: HashSet<LineId>,
    /// The cluster of all shifted lines.
    shift: Option<usize>,
    /// Lines that stand in for lost content.
    instead: HashMap<LineId, usize>,
    /// The cluster of what is back after it had been lost.
    back: Option<usize>,
    /// What noise did, by learnt shape and by rule.
    noise: BTreeMap<NoiseName, NoiseRow>,
    observed: HashMap<EditId, NoiseObservation>,
    /// How many pages of a shared change are archived.
    archived: u64,
    loss: Loss,
}

/// The clusters that a page's edits belong to before any other.
#[derive(Debug, Clone, Copy, Default)]
struct Outage {
    /// What stands there in place of its content.
    instead: Option<usize>,
    /// Its content is back.
    back: Option<usize>,
}

/// The name of noise: a rule, or a learnt shape.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum NoiseName {
    Rule(String),
    Shape(EditId),
}

#[derive(Debug)]
struct NoiseRow {
    region: Region,
    texts: (String, String),
    pages: u64,
    urls: Vec<PageUrl>,
    /// The page that was counted last: it counts once, however many such edits it has.
    last: Option<PageUrl>,
}

/// What the guard asks of a crawl.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Loss {
    /// Pages with less than half of their content lines left.
    pub lost_content: u64,
    /// Pages with own edits of tier 1.
    pub own_content: u64,
    /// Pages with nothing but noise.
    pub only_noise: u64,
    /// Changed pages of tier 2.
    pub around: u64,
    /// Changed pages of tier 1 without a change of their own.
    pub only_shared: u64,
}

/// What settling found out.
#[derive(Debug)]
pub struct Settled {
    /// The shared changes, those that matter most first; noise last.
    pub shared: Vec<SharedChange>,
    /// Shapes whose values changed so that they can be learnt as noise.
    pub observed: Vec<NoiseObservation>,
    /// What the guard asks.
    pub loss: Loss,
}

impl Grouped {
    /// Returns what settles a page by itself, as long as nobody knows what others share.
    pub fn alone(weights: ChangeWeights) -> Self {
        Self { weights, ..Self::default() }
    }

    /// Settles one record: whether it is archived, the state of its edits, verdict, tier, weight, size and kinds, and how often it changes.
    /// Tells whether anything is other than before.
    ///
    /// Records without edits stay as they are.
    pub fn settle(&mut self, record: &mut PageRecord) -> bool {
        let Some(mut edits) = record.visit.edits.take() else { return false };
        let before = (edits.clone(), record.visit.clone(), record.archive.is_some());
        let mut part_of = HashSet::new();
        let outage = self.outage_of(&edits);
        for edit in &mut edits.list {
            if edit.state.is_noise() {
                self.note_noise(
                    NoiseName::Shape(edit.shape()),
                    edit.region,
                    edit.texts.as_ref(),
                    &record.url,
                );
                continue;
            }
            let cluster = self.place_of(edit, &record.url, outage);
            edit.state = cluster.map_or(EditState::Own, |cluster| self.clusters[cluster].state());
            if let Some(place) = cluster {
                if outage.instead.is_none() || self.instead_of(edit).is_some() {
                    self.clusters[place].take_texts(edit);
                }
                part_of.insert(place);
            }
        }
        for (rule, _) in &edits.noise {
            self.note_noise(NoiseName::Rule(rule.clone()), Region::Content, None, &record.url);
        }
        let decided = decide(&edits.list, |edit| self.keeps_tier(edit, &record.url, outage));
        let visit = &mut record.visit;
        visit.verdict = decided.verdict;
        visit.tier = Some(decided.tier);
        visit.kinds = decided.kinds;
        visit.words.changed = decided.words;
        let facts = weight::PageFacts {
            depth: record.found.depth,
            words: visit.words.of,
            is_calm: record.known.observations >= 4 && record.known.changes_detected <= 1,
        };
        let deciding = edits.list.iter().filter(|edit| decided.counts(edit));
        visit.weight = weight::of_edits(&self.weights, deciding, decided.tier, facts);
        if let Some((changed, unchanged)) = edits.figures {
            let figures = if decided.verdict == Verdict::Changed { changed } else { unchanged };
            record.known.last_changed = figures.last_changed;
            record.known.changes_detected = figures.changes_detected;
            record.known.change_frequency = figures.change_frequency;
            record.known.mean_interval = figures.mean_interval;
        }
        let is_own =
            edits.list.iter().any(|edit| edit.state == EditState::Own && edit.place_tier() == Tier::Content);
        if record.archive.is_some() && !is_own && !self.is_archived(&part_of) {
            record.archive = None;
        }
        for (place, weight) in self.weights(part_of, (&edits.list, &record.url), outage, facts) {
            self.clusters[place].add(&record.url, weight);
        }
        self.observe(&edits.list, &record.url);
        self.count(&edits.list, decided.verdict, decided.tier, &edits);
        record.visit.edits = Some(edits);
        let (edits_before, visit_before, was_archived) = before;
        let is_same_visit =
            visit_before == crate::model::record::Visit { edits: None, ..record.visit.clone() };
        !is_same_visit
            || record.visit.edits.as_ref() != Some(&edits_before)
            || record.archive.is_some() != was_archived
    }

    /// Ends settling.
    pub fn finish(self) -> Settled {
        let mut shared: Vec<SharedChange> =
            self.clusters.into_iter().filter(|cluster| cluster.pages() > 0).map(Cluster::finish).collect();
        shared
            .sort_by_key(|change| (change.tier, std::cmp::Reverse((change.weight, change.pages)), change.id));
        let mut noise: Vec<SharedChange> =
            self.noise.into_iter().map(|(name, row)| noise_change(&name, row)).collect();
        noise.sort_by_key(|change| (std::cmp::Reverse(change.pages), change.id));
        shared.extend(noise);
        let mut observed: Vec<NoiseObservation> = self.observed.into_values().collect();
        observed.sort_by_key(|observation| observation.id);
        Settled { shared, observed, loss: self.loss }
    }

    /// Returns how much each shared change matters on a page: by its own edits, not by what else changed there.
    fn weights(
        &self,
        part_of: HashSet<usize>,
        (edits, page): (&[Edit], &PageUrl),
        outage: Outage,
        facts: weight::PageFacts,
    ) -> Vec<(usize, u32)> {
        let weight = |place: usize| {
            let is_part =
                |edit: &&Edit| edit.state.is_shared() && self.place_of(edit, page, outage) == Some(place);
            let tier = self.clusters[place].change.tier;
            (place, weight::of_edits(&self.weights, edits.iter().filter(is_part), tier, facts))
        };
        part_of.into_iter().map(weight).collect()
    }

    /// Tells whether a page without own edits of its content is archived as one of a shared change.
    fn is_archived(&mut self, part_of: &HashSet<usize>) -> bool {
        let most = self.archived;
        let room =
            part_of.iter().copied().filter(|place| self.clusters[*place].has_room_in_archive(most)).min();
        if let Some(place) = room {
            self.clusters[place].archive();
        }
        room.is_some()
    }

    fn cluster_of(&self, edit: &Edit, page: &PageUrl) -> Option<usize> {
        let by_id = self.by_id.get(&edit.id()).or_else(|| self.by_id.get(&spelled_out(edit, page))).copied();
        let shared = by_id.or_else(|| self.by_shape.get(&edit.shape()).copied());
        let is_shifted = || {
            let ((Some(side), None) | (None, Some(side))) = (&edit.went, &edit.came) else { return false };
            self.shifted.contains(&side.line)
        };
        shared.or_else(|| self.shift.filter(|_| is_shifted()))
    }

    /// Returns which clusters of an outage a page belongs to.
    fn outage_of(&self, edits: &Edits) -> Outage {
        let instead = || edits.list.iter().find_map(|edit| self.instead_of(edit));
        Outage {
            instead: if edits.have_lost_content(0) { instead() } else { None },
            back: self.back.filter(|_| edits.have_content_again()),
        }
    }

    /// Returns the cluster that an edit of a page belongs to.
    fn place_of(&self, edit: &Edit, page: &PageUrl, outage: Outage) -> Option<usize> {
        let is_content = edit.place_tier() == Tier::Content;
        // What exceeds the edits that are recorded is as the others are.
        let is_back = edit.traits.is_return || edit.count > 1;
        // A page that shows the same line and kept more of its content is one of them all the same.
        (outage.back.filter(|_| is_back))
            .or(outage.instead.filter(|_| is_content))
            .or_else(|| self.instead_of(edit))
            .or_else(|| self.cluster_of(edit, page))
    }

    fn instead_of(&self, edit: &Edit) -> Option<usize> {
        edit.came.as_ref().and_then(|came| self.instead.get(&came.line)).copied()
    }

    /// Tells whether a shared edit counts for its page as one of its content.
    fn keeps_tier(&self, edit: &Edit, page: &PageUrl, outage: Outage) -> bool {
        let cluster = self.place_of(edit, page, outage).map(|place| &self.clusters[place]);
        edit.place_tier() == Tier::Content && cluster.is_none_or(|cluster| !cluster.is_template())
    }

    fn note_noise(
        &mut self,
        name: NoiseName,
        region: Region,
        texts: Option<&(String, String)>,
        page: &PageUrl,
    ) {
        let row = self.noise.entry(name).or_insert_with(|| NoiseRow {
            region,
            texts: texts.cloned().unwrap_or_default(),
            pages: 0,
            urls: Vec::new(),
            last: None,
        });
        if row.last.as_ref() != Some(page) {
            row.pages += 1;
            row.last = Some(page.clone());
        }
        keep_first(&mut row.urls, page, MAX_SAMPLES);
    }

    /// Notes shapes that can be learnt: equal on both sides, and shared by several pages or known to come back.
    fn observe(&mut self, edits: &[Edit], page: &PageUrl) {
        for edit in edits.iter().filter(|edit| edit.is_of_one_shape() && !edit.traits.is_protected) {
            let shape = edit.shape();
            let is_many = self.by_shape.contains_key(&shape);
            let is_figure = edit.place_tier() == Tier::Content && edit.traits.has_figures;
            let is_shared = is_many || !is_figure && edit.state.is_shared();
            if !is_shared && edit.state != EditState::Learnt {
                continue;
            }
            let line = edit.texts.as_ref().map(|(_, came)| came.clone());
            let observation = self.observed.entry(shape).or_insert_with(|| NoiseObservation {
                id: shape,
                line: line.clone().unwrap_or_default(),
                region: edit.region,
                pages: 0,
                page: page.clone(),
            });
            observation.pages += 1;
            if observation.line.is_empty() {
                observation.line = line.unwrap_or_default();
            }
        }
    }

    fn count(&mut self, list: &[Edit], verdict: Verdict, tier: Tier, edits: &Edits) {
        let is_own = |edit: &Edit| edit.state == EditState::Own && edit.place_tier() == Tier::Content;
        let has_own = list.iter().any(is_own);
        let is_news = verdict == Verdict::Changed && tier == Tier::Content;
        self.loss.own_content += u64::from(has_own);
        self.loss.only_shared += u64::from(is_news && !has_own && !list.is_empty());
        self.loss.only_noise += u64::from(verdict == Verdict::Touched);
        self.loss.around += u64::from(verdict == Verdict::Changed && tier == Tier::Around);
        let of_template = |edit: &&Edit| {
            edit.state == EditState::Template && edit.region == Region::Content && edit.went.is_some()
        };
        let replaced = u32::try_from(list.iter().filter(of_template).count()).unwrap_or(u32::MAX);
        self.loss.lost_content += u64::from(edits.have_lost_content(replaced));
    }
}

fn noise_change(name: &NoiseName, row: NoiseRow) -> SharedChange {
    let (id, by, (went, came)) = match name {
        NoiseName::Rule(rule) => {
            let id = EditId(xxhash_rust::xxh3::xxh3_64(rule.as_bytes()));
            (id, SharedBy::Rule, (String::new(), rule.clone()))
        }
        NoiseName::Shape(id) => (*id, SharedBy::Shape, row.texts),
    };
    SharedChange {
        id,
        also: Vec::new(),
        by,
        tier: Tier::Noise,
        aspect: crate::model::aspect::Aspect::Text,
        region: row.region,
        kinds: Kinds::default(),
        template: false,
        noise: true,
        went,
        came,
        words: 0,
        weight: 0,
        pages: row.pages,
        urls: row.urls,
        since: None,
    }
}

/// Returns how many addresses are kept of a shared change.
const fn most_urls(tier: Tier) -> usize {
    match tier {
        Tier::Content => MAX_URLS,
        Tier::Around | Tier::Noise => MAX_SAMPLES,
    }
}

#[cfg(test)]
pub(super) mod tests;
