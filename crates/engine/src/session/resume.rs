//! Resume: a process takes up a crawl that an earlier one began, from what that one recorded.

use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::ports::{Store, StoreError};

use crate::budget::RequestBudget;
use crate::step::CrawlStep;

/// How many records are read at once.
const CHUNK: usize = 1_000;

/// What was recorded before.
#[derive(Debug, Default)]
pub struct Resumed {
    /// How many pages have a record.
    pub recorded: u64,
    /// How many of them were asked for.
    pub asked: u64,
    /// The figures of all of them.
    pub statistics: Statistics,
}

/// Takes in every record of `crawl`, so that `step` visits no page twice and decides as the process before it did.
///
/// `each` sees every record.
pub async fn resume(
    store: &dyn Store,
    crawl: &Crawl,
    step: &CrawlStep,
    request_budget: Option<&RequestBudget>,
    each: &mut (dyn FnMut(&PageRecord) + Send),
) -> Result<Resumed, StoreError> {
    let mut resumed = Resumed::default();
    let mut last = None;
    loop {
        let records = store.records(&crawl.site, crawl.id, &[], last.as_ref(), CHUNK).await?;
        let Some(record) = records.last() else { return Ok(resumed) };
        last = Some(record.url.clone());
        for record in &records {
            resumed.recorded += 1;
            resumed.asked += u64::from(record.visit.requests > 0);
            resumed.statistics.add(record);
            if let Some(request_budget) = request_budget {
                request_budget.spend(record.visit.requests.into());
            }
            step.resume(record);
            each(record);
        }
    }
}
