//! The second request for a page that changed by a few words: what differs between two answers of the same hour is noise.

use jiff::Timestamp;
use recrawl_core::changes::again::{Rechecks, is_doubted, reconsider};
use recrawl_core::decide::interpret::{Answers, Asked, Attempt, Evidence, Interpreted, interpret};
use recrawl_core::model::record::PageRecord;
use recrawl_core::panics::caught;
use recrawl_core::ports::{Permission, QueuedPage, Request};

use super::progress::VisitProgress;
use super::{CrawlStep, StepError};

/// A record before and after its page was asked for again.
#[derive(Debug)]
pub struct Rechecked {
    /// As the page was seen first.
    pub before: PageRecord,
    /// As both answers say.
    pub after: PageRecord,
}

impl CrawlStep {
    /// Returns an account of the pages of the crawl whose changes are doubted.
    pub fn rechecks(&self) -> Rechecks {
        Rechecks::new(self.policy.recheck_share)
    }

    /// Asks for a recorded page once more, without conditions, and writes into its record what the second answer says.
    /// `None` where its change is not doubted.
    ///
    /// The record stays as it is if no good answer comes, and whenever this breaks off: it says what was seen first.
    pub async fn recheck(&self, page: &QueuedPage, now: Timestamp) -> Result<Option<Rechecked>, StepError> {
        let store = &self.ports.store;
        let record = store.page(&self.site.id, self.crawl.id, &page.url).await?;
        let Some(before) = record.filter(is_doubted) else { return Ok(None) };
        let permission = self.ports.robots.permits(&page.url).await?;
        if permission != Permission::Allowed {
            return Ok(None);
        }
        let progress = VisitProgress::new(&page.url);
        let seen = match caught(self.answer_again(&before, &progress, now)).await {
            Ok(seen) => seen?,
            Err(fault) => return Err(StepError::Stumbled(fault)),
        };
        let mut after = before.clone();
        after.visit.requests += progress.requests();
        after.visit.received_bytes += progress.received_bytes();
        if let Some(compared) = seen.and_then(|seen| seen.compared) {
            let known = store.page_state_before(&self.site.id, self.crawl.id, &page.url).await?;
            let noise = self.noise(Some(&before.known)).await?;
            reconsider(&mut after, known.as_ref(), &compared.edits, noise, self.weights());
        }
        store.settle(&self.site.id, self.crawl.id, std::slice::from_ref(&after)).await?;
        Ok(Some(Rechecked { before, after }))
    }

    /// Makes the request; returns what it brought beside what the record says, unless no good answer came.
    async fn answer_again(
        &self,
        record: &PageRecord,
        progress: &VisitProgress<'_>,
        now: Timestamp,
    ) -> Result<Option<Box<Evidence>>, StepError> {
        let Ok(response) = self.fetch_begun(progress, Request::get(&record.url)).await? else {
            return Ok(None);
        };
        let mut answers = Answers::Answered(response);
        let mut facts = progress.facts();
        let noise = self.noise(Some(&record.known)).await?;
        let asked = Asked {
            url: &record.url,
            root: &self.site.root,
            known: Some(&record.known),
            attempt: Attempt::default(),
            rules: self.ports.extractor.rules(),
            policy: &self.policy,
            noise,
            now,
        };
        loop {
            match interpret(&asked, &answers, &facts) {
                Interpreted::Needs(fact) => self.look_up(fact, &asked, &mut answers, &mut facts).await?,
                Interpreted::Seen(seen) => return Ok(Some(seen)),
                Interpreted::Retry { .. } | Interpreted::Lost => return Ok(None),
            }
        }
    }
}
