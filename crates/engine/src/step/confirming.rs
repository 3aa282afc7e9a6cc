//! Known pages that are absent, or that lost their content: only the second time in a crawl is believed.

use std::sync::PoisonError;

use jiff::Timestamp;
use recrawl_core::decide::interpret::Evidence;
use recrawl_core::decide::judge::Observation;
use recrawl_core::model::crawl::CrawlKind;
use recrawl_core::model::record::PageState;
use recrawl_core::ports::{QueuedPage, StateEntry, StateKey};

use super::{CrawlStep, StepError};
use crate::session::{Doubt, FirstDoubt, UNCONFIRMED_COLLAPSE};

/// What a doubted answer comes to.
pub(super) enum Believed {
    /// It is recorded.
    Yes(Box<Evidence>),
    /// Nothing is recorded before a second answer.
    NotYet,
}

impl CrawlStep {
    /// Says whether what was seen of a page is believed; notes it where a second answer decides.
    pub(super) async fn confirm(
        &self,
        page: &QueuedPage,
        known: Option<&PageState>,
        seen: Box<Evidence>,
    ) -> Result<Believed, StepError> {
        let Some(doubt) = doubt(known, &seen) else { return Ok(Believed::Yes(seen)) };
        if doubt == Doubt::Collapse && self.crawl.kind == CrawlKind::Due {
            // Such a crawl ends without a second look at anything.
            return Ok(Believed::Yes(nothing_learnt(seen, UNCONFIRMED_COLLAPSE.to_owned())));
        }
        let key = StateKey::first_doubt(&self.site.id, &page.url);
        let entry = self.ports.state_store.state(&key).await?;
        if let Some(first) = entry.and_then(|entry| FirstDoubt::of(&entry, self.crawl.id)) {
            let is_confirmed = first.doubt == doubt;
            return Ok(Believed::Yes(if is_confirmed { seen } else { unlike(seen, first.doubt, doubt) }));
        }
        if doubt == Doubt::Collapse && !self.has_place_for(page) {
            return Ok(Believed::Yes(seen));
        }
        self.note(&key, &FirstDoubt { doubt, url: page.url.clone() }, seen.fetched_at).await?;
        Ok(Believed::NotYet)
    }

    async fn note(&self, key: &StateKey, first: &FirstDoubt, at: Timestamp) -> Result<(), StepError> {
        let entry = StateEntry { saved_at: at, value: first.value(self.crawl.id) };
        Ok(self.ports.state_store.save_state(key, &entry).await?)
    }

    /// Takes a place among the pages that are asked for again because they lost their content.
    fn has_place_for(&self, page: &QueuedPage) -> bool {
        // What was lost in a panic is one request more.
        let mut quota = self.collapses.lock().unwrap_or_else(PoisonError::into_inner);
        quota.admits(&page.url, self.planner.known() as u64)
    }
}

/// Says what is doubted of an answer, if anything is.
fn doubt(known: Option<&PageState>, seen: &Evidence) -> Option<Doubt> {
    known.filter(|known| known.presence.is_live())?;
    match &seen.observation {
        Observation::Absent { .. } => Some(Doubt::Absence),
        Observation::Content { .. } => {
            let compared = seen.compared.as_ref()?;
            compared.edits.is_collapse().then_some(Doubt::Collapse)
        }
        Observation::NotModified
        | Observation::Presumed
        | Observation::Redirect
        | Observation::NoEvidence
        | Observation::PassedOver => None,
    }
}

fn unlike(seen: Box<Evidence>, first: Doubt, second: Doubt) -> Box<Evidence> {
    let words = |doubt| match doubt {
        Doubt::Absence => "absent",
        Doubt::Collapse => "without most of its content",
    };
    let reason =
        format!("the page was {} first, and {} when it was asked for again", words(first), words(second));
    nothing_learnt(seen, reason)
}

/// Returns an answer as one that tells nothing of the page.
fn nothing_learnt(mut seen: Box<Evidence>, reason: String) -> Box<Evidence> {
    (seen.observation, seen.reason) = (Observation::NoEvidence, Some(reason));
    (seen.compared, seen.stores) = (None, None);
    seen.links.clear();
    seen
}
