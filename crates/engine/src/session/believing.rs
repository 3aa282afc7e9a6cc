//! Whether the findings of a crawl are believed, and what becomes of the unusual crawl before it.

use std::collections::HashMap;

use jiff::Timestamp;
use recrawl_core::decide::{self, Answered, Belief, Confirmation, Doubt};
use recrawl_core::model::crawl::{Closed, Crawl};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::{Store, StoreError};
use recrawl_core::url::PageUrl;

use super::Findings;

/// How many records are read at once.
const CHUNK: usize = 300;

/// What is believed of a crawl.
#[derive(Debug)]
pub(super) struct Believed {
    /// How it is closed.
    pub(super) closed: Closed,
    /// The unusual crawl that it confirms.
    pub(super) confirmed: Option<CrawlId>,
}

/// Decides what is believed of `crawl`. The crawls of its site are given where one of them may be unusual.
pub(super) async fn believe(
    store: &dyn Store,
    site: &SiteId,
    crawl: CrawlId,
    Findings { ending, statistics, .. }: Findings,
    crawls: &[Crawl],
    at: Timestamp,
) -> Result<Believed, StoreError> {
    let unusual = decide::unusual_before(crawls, crawl, &ending);
    let confirmation = match unusual {
        Some(unusual) => Some(confirmation(store, site, unusual, crawl).await?),
        None => None,
    };
    let Belief { suspicion, confirms } = decide::belief(&ending, &statistics, confirmation, at);
    let confirmed = unusual.filter(|_| confirms).map(|unusual| unusual.id);
    Ok(Believed { closed: Closed { at, ending, suspicion, state: None, statistics }, confirmed })
}

/// Finds out how far `crawl` confirms an unusual one, from the records of both.
async fn confirmation(
    store: &dyn Store,
    site: &SiteId,
    unusual: &Crawl,
    crawl: CrawlId,
) -> Result<Confirmation, StoreError> {
    let closed = unusual.closed.as_ref();
    let doubt = closed.and_then(|closed| Doubt::of(&closed.ending, &closed.statistics));
    let mut confirmation = Confirmation::default();
    // One that an older version doubted by other rules is confirmed by nothing.
    let Some(doubt) = doubt else { return Ok(confirmation) };
    let mut doubted: HashMap<PageUrl, Answered> = HashMap::new();
    let mut last = None;
    loop {
        let records = store.records(site, unusual.id, &[], last.as_ref(), CHUNK).await?;
        let Some(record) = records.last() else { break };
        last = Some(record.url.clone());
        let answers =
            records.into_iter().filter_map(|record| Some((Answered::doubted(doubt, &record)?, record.url)));
        doubted.extend(answers.map(|(answer, url)| (url, answer)));
    }
    let mut last = None;
    while !doubted.is_empty() {
        let records = store.records(site, crawl, &[], last.as_ref(), CHUNK).await?;
        let Some(record) = records.last() else { break };
        last = Some(record.url.clone());
        for record in &records {
            if let Some(then) = doubted.remove(&record.url) {
                confirmation.add(then, Answered::of(record));
            }
        }
    }
    Ok(confirmation)
}
