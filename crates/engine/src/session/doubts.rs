//! What is doubted of pages at the first look, until a second confirms it or the crawl ends without one.

use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::kind::{Kinds, WordCount};
use recrawl_core::model::record::{Check, PageRecord, Visit};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Recorded, StateEntry, StateGroup, StateStore, Store, StoreError};
use recrawl_core::url::PageUrl;

/// Why nothing was learnt of a page that lost its content and was not asked for again.
pub(crate) const UNCONFIRMED_COLLAPSE: &str =
    "most of its content was missing, and the page was not asked for again";

/// What is doubted of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// It is absent.
    Absence,
    /// It lost its content.
    Collapse,
}

/// What was doubted of a page at the first look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FirstDoubt {
    pub(crate) doubt: Doubt,
    pub(crate) url: PageUrl,
}

impl FirstDoubt {
    /// Reads what was noted in `crawl`; notes of other crawls say nothing.
    pub(crate) fn of(entry: &StateEntry, crawl: CrawlId) -> Option<Self> {
        let mut words = entry.value.split(' ');
        if words.next()? != crawl.to_string() {
            return None;
        }
        let doubt = match words.next()? {
            "absent" => Doubt::Absence,
            "collapse" => Doubt::Collapse,
            _ => return None,
        };
        Some(Self { doubt, url: words.next()?.parse().ok()? })
    }

    /// Returns what is noted in `crawl`.
    pub(crate) fn value(&self, crawl: CrawlId) -> String {
        let doubt = match self.doubt {
            Doubt::Absence => "absent",
            Doubt::Collapse => "collapse",
        };
        format!("{crawl} {doubt} {}", self.url)
    }
}

/// Records pages as failed that lost their content and were not asked for again before the crawl ends; returns whether
/// anything was doubted in it.
pub(super) async fn fail_unconfirmed(
    store: &dyn Store,
    state_store: &dyn StateStore,
    site: &SiteId,
    crawl: CrawlId,
    statistics: &mut Statistics,
) -> Result<bool, StoreError> {
    let noted = state_store.states(&StateGroup::first_doubts(site)).await?;
    for entry in &noted {
        let Some(FirstDoubt { doubt: Doubt::Collapse, url }) = FirstDoubt::of(entry, crawl) else { continue };
        if store.page(site, crawl, &url).await?.is_some() {
            continue;
        }
        let Some(before) = store.latest_before(site, crawl, &url).await? else { continue };
        let record = failed(before, crawl, entry);
        if store.record(&record, None).await? == Recorded::First {
            statistics.add(&record);
        }
    }
    Ok(!noted.is_empty())
}

/// Makes the record of a page of which nothing was learnt: what was known stays.
fn failed(before: PageRecord, crawl: CrawlId, entry: &StateEntry) -> PageRecord {
    let visit = Visit {
        verdict: Verdict::Failed,
        aspects: Aspects::NONE,
        tier: None,
        weight: 0,
        words: WordCount::default(),
        kinds: Kinds::default(),
        edits: None,
        status: Some(200),
        not_modified: false,
        check: Check::None,
        reason: Some(UNCONFIRMED_COLLAPSE.to_owned()),
        fetched_at: entry.saved_at,
        fetch_ms: 0,
        requests: 1,
        received_bytes: 0,
        saved_bytes: 0,
        truncated: false,
    };
    PageRecord { crawl, visit, archive: None, ..before }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn a_note_is_read_in_the_crawl_that_made_it() {
        let [this, other] = ["crawl-2026-11-16", "crawl-2026-11-09"].map(|id| id.parse::<CrawlId>().unwrap());
        for doubt in [Doubt::Absence, Doubt::Collapse] {
            let first = FirstDoubt { doubt, url: "https://example.org/a%20b?c=d".parse().unwrap() };
            let entry = StateEntry { saved_at: Timestamp::UNIX_EPOCH, value: first.value(this) };
            assert_eq!(FirstDoubt::of(&entry, this), Some(first));
            assert_eq!(FirstDoubt::of(&entry, other), None);
        }
    }
}
