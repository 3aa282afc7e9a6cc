//! How much what a visit found matters: edits, tier, weight and size. Provisional until the crawl is settled.

use recrawl_core::changes::edits::content_words;
use recrawl_core::changes::settle::Grouped;
use recrawl_core::changes::weight::{self, ChangeWeights};
use recrawl_core::decide::interpret::{Compared, Evidence};
use recrawl_core::decide::judge::{Observation, judge};
use recrawl_core::model::aspect::{Aspect, Aspects};
use recrawl_core::model::content::{Extracted, Reading};
use recrawl_core::model::edit::ChangeFigures;
use recrawl_core::model::kind::{Kind, Kinds, Tier, WordCount};
use recrawl_core::model::record::{FoundBy, PageRecord, PageState, Presence};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::StoreError;

use super::CrawlStep;

impl CrawlStep {
    /// Returns how many points each part of a change gives.
    pub(super) fn weights(&self) -> ChangeWeights {
        self.policy.sharing.weights
    }

    /// Fills in how much the change matters that a record tells of. `read` is what the body says.
    pub(super) async fn weigh(
        &self,
        record: &mut PageRecord,
        known: Option<&PageState>,
        seen: &Evidence,
        read: Option<&Extracted>,
    ) -> Result<(), StoreError> {
        let was_there = known.is_some_and(|known| known.presence == Presence::Present);
        // What only a fingerprint tells of cannot be settled.
        let is_told = |compared: &Compared| record.visit.aspects.among(compared.unseen).is_empty();
        if let Some(compared) = seen.compared.as_ref().filter(|compared| was_there && is_told(compared)) {
            record.known.memory = (!compared.memory.is_empty()).then(|| Box::new(compared.memory.clone()));
            record.visit.words = WordCount { changed: 0, of: compared.words };
            let mut edits = compared.edits.clone();
            edits.figures = figures(record, known, seen);
            record.visit.edits = Some(Box::new(edits));
            Grouped::alone(self.weights()).settle(record);
            return Ok(());
        }
        if record.visit.verdict.change().is_none() || record.visit.tier.is_some() {
            return Ok(());
        }
        let of = match record.visit.verdict {
            Verdict::Gone => {
                let said = self.reading_of(known.and_then(|known| known.content.as_ref())).await?;
                said.as_ref().map_or(0, content_words)
            }
            _ => read.map_or(0, |read| {
                content_words(&Reading { text: read.text.clone(), outline: read.outline.clone() })
            }),
        };
        let (weights, visit) = (self.weights(), &mut record.visit);
        let is_beside = !visit.aspects.is_empty() && !visit.aspects.contains(Aspect::Text);
        visit.tier = Some(if is_beside { Tier::Around } else { Tier::Content });
        visit.words = WordCount { changed: of, of };
        visit.weight = weight::of_page(&weights, visit.verdict, visit.words, record.found.depth);
        if visit.verdict == Verdict::Changed {
            let kinds = visit.aspects.iter().filter_map(|aspect| match aspect {
                Aspect::Text => Some(Kind::Text),
                Aspect::Links => Some(Kind::Links),
                Aspect::Media => Some(Kind::Media),
                Aspect::Meta => None,
            });
            let is_page = read.is_some_and(|read| read.signatures.is_some());
            let is_image = record.found.by == FoundBy::Image;
            let is_listed = is_page || is_image;
            visit.kinds = if is_listed { kinds.collect() } else { Kinds::default().with(Kind::Document) };
            visit.weight = weight::of_unknown(&weights, visit.words);
        }
        Ok(())
    }
}

/// Returns how often the page changes if this is a change, and if it is none.
fn figures(
    record: &PageRecord,
    known: Option<&PageState>,
    seen: &Evidence,
) -> Option<(ChangeFigures, ChangeFigures)> {
    let Observation::Content { reference, transfer_bytes, .. } = &seen.observation else { return None };
    let as_if = |difference| {
        let (reference, transfer_bytes) = (reference.clone(), *transfer_bytes);
        let observation = Observation::Content { reference, difference: Some(difference), transfer_bytes };
        let after = judge(&record.url, known, &observation, &seen.headers, seen.fetched_at).known;
        ChangeFigures {
            last_changed: after.last_changed,
            changes_detected: after.changes_detected,
            change_frequency: after.change_frequency,
            mean_interval: after.mean_interval,
        }
    };
    Some((as_if(Aspects::TEXT), as_if(Aspects::NONE)))
}
