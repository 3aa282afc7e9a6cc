//! Visits that broke off by a fault of ours: each costs its page, and nothing else.

use jiff::Timestamp;

use super::progress::{FoundSoFar, VisitProgress};
use super::{Attempt, CrawlStep, Evidence, Outcome, StepError};
use recrawl_core::model::stumble::Stumble;
use recrawl_core::panics::{Panic, caught};
use recrawl_core::ports::QueuedPage;
use recrawl_core::url::PageUrl;

impl CrawlStep {
    /// Records that a visit broke off, keeps what is known of the page, and follows the links that are known.
    ///
    /// Whatever of this breaks, too, costs only itself, as long as the record can be written.
    pub(super) async fn stumble(
        &self,
        page: &QueuedPage,
        progress: VisitProgress<'_>,
        attempt: Attempt,
        fault: Panic,
        now: Timestamp,
    ) -> Result<Outcome, StepError> {
        let FoundSoFar { requests, answer, body } = progress.into_progress();
        let stumble = Stumble {
            site: self.site.id.clone(),
            crawl: self.crawl.id,
            url: page.url.clone(),
            at: now,
            fault,
            rules: self.ports.extractor.rules().clone(),
            content_type: answer.as_ref().and_then(|answer| answer.content_type.clone()),
        };
        let Panic { message, place } = &stumble.fault;
        tracing::error!(url = %page.url, message, place, "Recrawl stumbled over a page");
        let known = unless_it_breaks(&page.url, self.known(page)).await.transpose()?.unwrap_or_default();
        let saving = self.ports.stumbles.save_stumble(&stumble, body.as_deref());
        unless_it_breaks(&page.url, saving).await.transpose()?;
        drop(body);
        let recalling = self.stored_links(known.believed());
        let links = unless_it_breaks(&page.url, recalling).await.transpose()?.flatten();
        let seen = Evidence { links: links.unwrap_or_default(), ..Evidence::gave_up(stumble.reason(), now) };
        let seen = match answer {
            Some(answer) => Evidence {
                status: Some(answer.status),
                fetched_at: answer.fetched_at,
                fetch_ms: answer.fetch_ms,
                received_bytes: answer.received_bytes,
                ..seen
            },
            None => seen,
        };
        self.commit(page, &known, attempt.number + requests, seen, None).await
    }
}

/// Awaits something that the record of a stumble can do without, if it breaks.
async fn unless_it_breaks<T>(url: &PageUrl, work: impl Future<Output = T>) -> Option<T> {
    match caught(work).await {
        Ok(value) => Some(value),
        Err(Panic { message, place }) => {
            tracing::error!(%url, message, place, "a part of what is known of a page is left out");
            None
        }
    }
}
