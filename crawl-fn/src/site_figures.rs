//! The figures of a site, made when a crawl is closed: whoever looks at its page first would wait for them otherwise.

use jiff::Timestamp;
use recrawl_engine::TickReport;
use recrawl_reports::{ReportCache, Reports};

use crate::answer::chain;
use crate::parts::Parts;

/// Makes the figures of the sites whose crawls a tick closed. Where that fails, or the process dies, the first who looks
/// makes them.
pub(crate) async fn save(parts: &Parts, report: &TickReport, now: Timestamp) {
    let store = &*parts.deps.store;
    for closed in &report.closed {
        let cache = ReportCache::default();
        let reports = Reports { history: store, reviews: None, cache: &cache, now };
        let made = match store.site(&closed.site).await {
            Ok(Some(site)) => reports.site_report(store, &site).await.map(drop),
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        };
        if let Err(error) = made {
            tracing::warn!(crawl.id = %closed.crawl, error = chain(&error), "the figures of a site were not made");
        }
    }
}
