//! Which edits are shared: the same edit, or one of the same shape, on several pages.

use std::collections::{HashMap, HashSet};

use super::Grouped;
use super::cluster::{Cluster, Traits};
use super::shifts::Shifts;
use super::told::{ToldChange, ToldChanges};
use crate::changes::weight::ChangeWeights;
use crate::model::aspect::Aspect;
use crate::model::edit::{Edit, EditId, LineId};
use crate::model::ids::CrawlId;
use crate::model::kind::{Kind, Kinds, Tier};
use crate::model::record::PageRecord;
use crate::model::region::Region;
use crate::model::shared_change::SharedBy;

/// When an edit is shared, and how much changes matter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharingRules {
    /// The same edit on so many pages is a shared change.
    pub pages: u64,
    /// Edits of one shape on this share of the pages seen are one, on five at least.
    pub share: f64,
    /// In the content, the same edit on this share of the pages seen is one of the site's frame, on twenty at least.
    pub template_share: f64,
    /// So many pages of a shared change of the content are archived, and one of any other.
    pub archived: u64,
    /// How many points each part of a change gives.
    pub weights: ChangeWeights,
}

impl Default for SharingRules {
    fn default() -> Self {
        let weights = ChangeWeights::default();
        Self { pages: 3, share: 0.03, template_share: 0.20, archived: 20, weights }
    }
}

const FEWEST_BY_SHAPE: u64 = 5;
const FEWEST_OF_TEMPLATE: u64 = 20;
/// How many pages of an edit are tried to find others that stand on the same pages.
const TRIED: usize = 8;

/// What pages that lose their content, or have it again, have in common.
const OF_OUTAGES: Traits = Traits {
    aspect: Aspect::Text,
    region: Region::Content,
    tier: Tier::Content,
    is_sentence: true,
    kinds: Kinds::from_bits(1 << Kind::Text as u16),
    words: 0,
};

/// Gathers the edits of a crawl.
#[derive(Debug)]
pub struct Grouping {
    rules: SharingRules,
    told: HashMap<EditId, ToldChange>,
    /// Pages known before that answered.
    seen: u64,
    pages: u32,
    edits: Vec<Gathered>,
    shifts: Shifts,
    lost: Vec<(LineId, u32)>,
    lost_pages: u64,
    /// Pages that have their content again.
    pages_back: u64,
}

/// An edit of a page, in brief.
#[derive(Debug, Clone, Copy)]
struct Gathered {
    id: EditId,
    shape: EditId,
    page: u32,
    traits: Traits,
}

impl Grouping {
    /// Begins to gather the edits of `crawl`, in which so many pages answered that were known before. What was told
    /// before is known as shared, even on one page.
    pub fn new(rules: SharingRules, crawl: CrawlId, seen: u64, told: &ToldChanges) -> Self {
        Self {
            rules,
            told: told.before(crawl),
            seen,
            pages: 0,
            edits: Vec::new(),
            shifts: Shifts::default(),
            lost: Vec::new(),
            lost_pages: 0,
            pages_back: 0,
        }
    }

    /// Takes in a record of the crawl; those without edits tell nothing.
    pub fn add(&mut self, record: &PageRecord) {
        let Some(edits) = &record.visit.edits else { return };
        let page = self.pages;
        self.pages += 1;
        for edit in edits.list.iter().filter(|edit| !edit.state.is_noise()) {
            let traits = Traits::from(edit);
            self.edits.push(Gathered { id: edit.id(), shape: edit.shape(), page, traits });
            self.shifts.add(page, edit);
        }
        self.pages_back += u64::from(edits.have_content_again());
        if edits.have_lost_content(0) {
            self.lost_pages += 1;
            let came = |edit: &Edit| edit.came.as_ref().map(|came| (came.line, page));
            self.lost.extend(edits.list.iter().filter(|edit| edit.count == 1).filter_map(came));
        }
    }

    /// Finds the shared changes.
    pub fn group(mut self) -> Grouped {
        let mut grouped = Grouped { archived: self.rules.archived, ..Grouped::alone(self.rules.weights) };
        let lost = std::mem::take(&mut self.lost);
        self.stand_ins(lost, &mut grouped);
        if self.pages_back >= self.rules.pages {
            grouped.back = Some(grouped.clusters.len());
            let id = EditId(xxhash_rust::xxh3::xxh3_64(b"back to what they said"));
            grouped.clusters.push(Cluster::new(id, SharedBy::Return, OF_OUTAGES, false));
        }
        let mut joining = Joining::default();
        self.edits.sort_unstable_by_key(|edit| (edit.id, edit.page));
        // Of a large site nearly all edits are on one page only.
        let is_candidate =
            |run: &&[Gathered]| run.len() as u64 >= self.rules.pages || self.told.contains_key(&run[0].id);
        let mut runs: Vec<&[Gathered]> =
            self.edits.chunk_by(|one, two| one.id == two.id).filter(is_candidate).collect();
        runs.sort_by_key(|run| std::cmp::Reverse(run.len()));
        for run in runs {
            let pages = pages_of(run);
            let told = self.told.get(&run[0].id);
            if pages.len() as u64 >= self.rules.pages || told.is_some() {
                let template =
                    told.map_or_else(|| self.is_template(run[0].traits, &pages), |told| told.template);
                let place =
                    joining.place(&mut grouped, run[0].id, SharedBy::Edit, run[0].traits, template, &pages);
                if let Some(told) = told {
                    grouped.clusters[place].known_since(told.since);
                }
                grouped.by_id.insert(run[0].id, place);
            }
        }
        let first = self.edits.first().copied();
        let mut rest = self.edits;
        rest.retain(|edit| !grouped.by_id.contains_key(&edit.id));
        rest.sort_unstable_by_key(|edit| (edit.shape, edit.page));
        let fewest = FEWEST_BY_SHAPE.max(share_of(self.rules.share, self.seen));
        for run in rest.chunk_by(|one, two| one.shape == two.shape) {
            let pages = pages_of(run);
            if pages.len() as u64 >= fewest {
                let place =
                    joining.place(&mut grouped, run[0].shape, SharedBy::Shape, run[0].traits, false, &pages);
                grouped.by_shape.insert(run[0].shape, place);
            }
        }
        grouped.shifted = std::mem::take(&mut self.shifts).lines();
        if !grouped.shifted.is_empty()
            && let Some(first) = first
        {
            let id = EditId(xxhash_rust::xxh3::xxh3_64(b"list moved on"));
            grouped.shift = Some(grouped.clusters.len());
            grouped.clusters.push(Cluster::new(id, SharedBy::Shift, first.traits, true));
        }
        grouped
    }

    /// An edit outside the content is one of the site's frame; one inside it if it stands on very many pages, and is no
    /// sentence for readers.
    fn is_template(&self, traits: Traits, pages: &[u32]) -> bool {
        let many = FEWEST_OF_TEMPLATE.max(share_of(self.rules.template_share, self.seen));
        traits.tier != Tier::Content || pages.len() as u64 >= many
    }

    /// Finds lines that most of the pages that lost their content show instead.
    fn stand_ins(&self, mut lost: Vec<(LineId, u32)>, grouped: &mut Grouped) {
        lost.sort_unstable();
        lost.dedup();
        let fewest = self.rules.pages.max(self.lost_pages / 2);
        let runs = lost.chunk_by(|one, two| one.0 == two.0);
        let Some(run) = runs.filter(|run| run.len() as u64 >= fewest).max_by_key(|run| run.len()) else {
            return;
        };
        grouped.instead.insert(run[0].0, grouped.clusters.len());
        grouped.clusters.push(Cluster::new(EditId(run[0].0.0), SharedBy::Loss, OF_OUTAGES, false));
    }
}

/// Finds clusters that stand on the same pages.
#[derive(Default)]
struct Joining {
    /// The pages of each cluster, sorted.
    pages: HashMap<usize, Vec<u32>>,
    /// The clusters of a page.
    at: HashMap<u32, Vec<usize>>,
}

impl Joining {
    /// Returns the cluster that edits on these pages belong to: one of the same sort that overlaps by half, or a new one.
    fn place(
        &mut self,
        grouped: &mut Grouped,
        id: EditId,
        by: SharedBy,
        traits: Traits,
        template: bool,
        pages: &[u32],
    ) -> usize {
        let step = (pages.len() / TRIED).max(1);
        let near: HashSet<usize> =
            pages.iter().step_by(step).filter_map(|page| self.at.get(page)).flatten().copied().collect();
        let mut near: Vec<usize> = near.into_iter().collect();
        near.sort_unstable();
        let is_alike = |place: &usize| {
            let change = &grouped.clusters[*place].change;
            let is_same_sort = (change.by, change.template) == (by, template)
                && change.tier == Cluster::new(id, by, traits, template).change.tier;
            is_same_sort && self.pages.get(place).is_some_and(|others| overlap_by_half(others, pages))
        };
        if let Some(place) = near.into_iter().find(is_alike) {
            grouped.clusters[place].join(id, traits);
            return place;
        }
        let place = grouped.clusters.len();
        grouped.clusters.push(Cluster::new(id, by, traits, template));
        for page in pages {
            self.at.entry(*page).or_default().push(place);
        }
        self.pages.insert(place, pages.to_vec());
        place
    }
}

fn overlap_by_half(one: &[u32], two: &[u32]) -> bool {
    let (few, many) = if one.len() < two.len() { (one, two) } else { (two, one) };
    let common = few.iter().filter(|page| many.binary_search(page).is_ok()).count();
    common * 2 >= few.len() + many.len() - common
}

fn pages_of(run: &[Gathered]) -> Vec<u32> {
    let mut pages: Vec<u32> = run.iter().map(|edit| edit.page).collect();
    pages.dedup();
    pages
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of the pages of a site"
)]
fn share_of(share: f64, pages: u64) -> u64 {
    (share * pages as f64).ceil() as u64
}
