//! Pages that answered 410: not asked for in every crawl, but not given up for ever, as a 410 may be a mistake.

use super::{CrawlStep, StepError};
use recrawl_core::model::crawl::Mode;
use recrawl_core::model::record::{PageState, Presence};
use recrawl_core::ports::QueuedPage;

/// A page that is gone for good is asked for in every crawl of this number.
const EVERY: u32 = 8;

const GONE: &str = "gone for good (410), asked again in ";

impl CrawlStep {
    /// Returns why a page that is gone for good is not asked for in this crawl, in words.
    ///
    /// The reason in its last record counts the crawls down, which needs no other memory and survives the pruning of
    /// old crawls.
    pub(super) async fn gone_for_good(
        &self,
        page: &QueuedPage,
        known: Option<&PageState>,
    ) -> Result<Option<String>, StepError> {
        let for_good = known.is_some_and(|known| known.presence == Presence::GoneForGood);
        if !for_good || self.crawl.mode == Mode::Full {
            return Ok(None);
        }
        let last = self.ports.store.latest_before(&self.site.id, self.crawl.id, &page.url).await?;
        Ok(next_reason(last.and_then(|last| last.visit.reason).as_deref()))
    }
}

/// Returns why the page is not asked for, given the reason of its last record; `None` if it is to be asked.
fn next_reason(last: Option<&str>) -> Option<String> {
    let number = |reason: &str| reason.strip_prefix(GONE)?.split(' ').next()?.parse::<u32>().ok();
    let left = last.and_then(number).map_or(EVERY, |left| left.min(EVERY)).saturating_sub(1);
    let crawls = if left == 1 { "crawl" } else { "crawls" };
    (left > 0).then(|| format!("{GONE}{left} {crawls}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crawls_until_the_next_question_are_counted_down() {
        for (last, next) in [
            (None, Some("gone for good (410), asked again in 7 crawls")),
            (
                Some("gone for good (410) in an earlier crawl"),
                Some("gone for good (410), asked again in 7 crawls"),
            ),
            (
                Some("gone for good (410), asked again in 7 crawls"),
                Some("gone for good (410), asked again in 6 crawls"),
            ),
            (
                Some("gone for good (410), asked again in 2 crawls"),
                Some("gone for good (410), asked again in 1 crawl"),
            ),
            (Some("gone for good (410), asked again in 1 crawl"), None),
            (Some("gone for good (410), asked again in 0 crawls"), None),
            (
                Some("gone for good (410), asked again in 4000 crawls"),
                Some("gone for good (410), asked again in 7 crawls"),
            ),
        ] {
            assert_eq!(next_reason(last).as_deref(), next, "{last:?}");
        }
    }
}
