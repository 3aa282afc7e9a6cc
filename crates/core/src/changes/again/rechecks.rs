//! Which changes of pages that are hardly known are checked by a second request.

use std::collections::HashMap;

use crate::model::edit::{Edit, EditId, EditState};
use crate::model::kind::Tier;
use crate::model::record::PageRecord;
use crate::model::verdict::Verdict;
use crate::ports::{Priority, QueuedPage};

/// After so many visits a page's own memory knows which of its lines change by themselves.
const FIRST_VISITS: u32 = 3;

/// A change of so many words is a small one.
const FEW_WORDS: u32 = 12;

/// So is one of this share of the content's words, in percent.
const FEW_PERCENT: u64 = 5;

/// So many pages may be checked, however few the crawl has, unless none shall be.
const LEAST: u64 = 5;

/// An edit on so many pages is a shared change, whatever a second answer says.
const SHARED: usize = 3;

/// So many pages are considered; a crawl in which more changed by a few words tells of more than noise.
const MAX_CONSIDERED: usize = 10_000;

/// Tells whether a change may be noise of a page that is hardly known: a page in its first three visits whose content
/// changed by few words.
pub fn is_doubted(record: &PageRecord) -> bool {
    let visit = &record.visit;
    let words = visit.words;
    let is_small =
        words.changed <= FEW_WORDS || u64::from(words.changed) * 100 <= u64::from(words.of) * FEW_PERCENT;
    visit.verdict == Verdict::Changed
        && visit.tier == Some(Tier::Content)
        && !visit.not_modified
        && record.known.observations < FIRST_VISITS
        && is_small
        && visit.edits.as_ref().is_some_and(|edits| edits.list.iter().any(is_own_content))
}

fn is_own_content(edit: &Edit) -> bool {
    edit.state == EditState::Own && edit.place_tier() == Tier::Content
}

/// The pages of a crawl whose changes are doubted, of which some are checked when it ends.
#[derive(Debug, Default)]
pub struct Rechecks {
    share: f64,
    pages: u64,
    doubted: Vec<Doubted>,
}

#[derive(Debug)]
struct Doubted {
    page: QueuedPage,
    /// Its own edits of the content: what went and came, and their shapes.
    edits: Vec<(EditId, EditId)>,
}

impl Rechecks {
    /// Checks this share of the pages of a crawl, and at least five; none where it is 0.
    pub fn new(share: f64) -> Self {
        Self { share, ..Self::default() }
    }

    /// Takes in a record that an earlier process of the crawl wrote. One that took more than a request may have been
    /// checked by it; it is not again.
    pub fn resume(&mut self, record: &PageRecord) {
        if record.visit.requests > 1 {
            self.pages += 1;
        } else {
            self.note(record);
        }
    }

    /// Takes in a record of the crawl.
    pub fn note(&mut self, record: &PageRecord) {
        self.pages += 1;
        if self.share <= 0.0 || self.doubted.len() >= MAX_CONSIDERED || !is_doubted(record) {
            return;
        }
        let edits = record.visit.edits.iter().flat_map(|edits| &edits.list);
        let edits = edits.filter(|edit| is_own_content(edit)).map(|edit| (edit.id(), edit.shape()));
        let page = QueuedPage {
            site: record.site.clone(),
            crawl: record.crawl,
            url: record.url.clone(),
            found: record.found.clone(),
            priority: Priority::default(),
        };
        self.doubted.push(Doubted { page, edits: edits.collect() });
    }

    /// Returns the pages to ask for once more, and considers none of them again. What has the rarest edits comes first:
    /// the same on many pages is learnt without a request.
    pub fn choose(&mut self) -> Vec<QueuedPage> {
        let doubted = std::mem::take(&mut self.doubted);
        let (mut ids, mut shapes) = (HashMap::new(), HashMap::new());
        for (id, shape) in doubted.iter().flat_map(|doubted| &doubted.edits) {
            *ids.entry(*id).or_insert(0_usize) += 1;
            *shapes.entry(*shape).or_insert(0_usize) += 1;
        }
        let rarest = |doubted: &Doubted| {
            let own = doubted.edits.iter().filter(|(id, _)| ids[id] < SHARED);
            own.map(|(_, shape)| shapes[shape]).min()
        };
        let mut ranked: Vec<(usize, QueuedPage)> = Vec::new();
        for doubted in doubted {
            if let Some(rarity) = rarest(&doubted) {
                ranked.push((rarity, doubted.page));
            }
        }
        ranked.sort_by(|(rarity, page), (other, next)| (rarity, &page.url).cmp(&(other, &next.url)));
        ranked.truncate(self.limit());
        ranked.into_iter().map(|(_, page)| page).collect()
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a share of a number of pages, which is less than 2^52 and not negative"
    )]
    fn limit(&self) -> usize {
        if self.share <= 0.0 { 0 } else { LEAST.max((self.pages as f64 * self.share) as u64) as usize }
    }
}
