//! What somebody should look at: lines of the log with a field `alarm`, which alerts wait for.

use jiff::Timestamp;
use recrawl_core::decide::{is_overlong, overdue_since};
use recrawl_core::model::crawl::{Crawl, Site};

use super::Maintenance;

impl Maintenance {
    /// Tells, with each tick, of a crawl that should be closed.
    pub(super) fn warn_if_overlong(&self, site: &Site, crawl: &Crawl, now: Timestamp) {
        if is_overlong(crawl, self.settings.overlong, now) {
            let since = crawl.opened_at;
            tracing::warn!(alarm = "overlong", site = %site.id, crawl.id = %crawl.id, %since, "a crawl is open for too long");
        }
    }

    /// Tells, when crawls are looked through, that there should be a new one.
    pub(super) fn warn_if_overdue(&self, site: &Site, crawls: &[Crawl], now: Timestamp) {
        if let Some(since) = overdue_since(site, crawls, self.settings.overdue, now) {
            tracing::warn!(alarm = "overdue", site = %site.id, %since, "no crawl was opened for too long");
        }
    }
}
