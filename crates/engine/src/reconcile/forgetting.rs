//! Crawls past the retention setting are deleted, a part at a time. What may go is decided by [`deletable`].

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use recrawl_core::decide::{Keep, deletable};
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::{CrawlId, SiteId};

use super::remembered::{Deletes, NothingToDelete};
use super::report::TickReport;
use super::{Maintenance, MaintenanceError};
use crate::session::{recall, remember};

/// How much is deleted by one call.
const BATCH: u64 = 500;
/// How many calls a tick makes, so that it ends within a minute or two.
const BATCHES_A_TICK: usize = 6;
/// Where a day of the free quota begins at midnight.
const QUOTA_ZONE: &str = "America/Los_Angeles";

/// How far the deletion of one crawl came.
enum Progress {
    Finished,
    OutOfTime,
    OutOfQuota,
}

impl Maintenance {
    /// Looks through the crawls of `site`, which has no open one: deletes those past the retention setting, and tells if
    /// a new one is overdue.
    ///
    /// Once a day, and when a crawl was `just_closed`.
    pub(super) async fn forget(
        &self,
        site: &Site,
        just_closed: bool,
        now: Timestamp,
        report: &mut TickReport,
    ) -> Result<(), MaintenanceError> {
        let keep = self.settings.keep_crawls.map(|kept| Keep { crawls: Some(kept), ..Keep::default() });
        if just_closed && keep.is_none() {
            return Ok(());
        }
        let today = quota_day(now);
        let settled: Option<NothingToDelete> = recall(&*self.store, &site.id).await?;
        if !just_closed && settled.is_some_and(|settled| settled.on == today) {
            return Ok(());
        }
        let mut batches = BATCHES_A_TICK;
        let crawls = self.store.crawls(&site.id).await?;
        self.warn_if_overdue(site, &crawls, now);
        for crawl in keep.map(|keep| deletable(&crawls, &keep, now)).unwrap_or_default() {
            match self.delete(&site.id, crawl, &mut batches, now, report).await? {
                Progress::Finished => {}
                Progress::OutOfTime => return Ok(()),
                Progress::OutOfQuota => break,
            }
        }
        Ok(remember(&*self.store, &site.id, &NothingToDelete { on: today }, now).await?)
    }

    async fn delete(
        &self,
        site: &SiteId,
        crawl: CrawlId,
        batches: &mut usize,
        now: Timestamp,
        report: &mut TickReport,
    ) -> Result<Progress, MaintenanceError> {
        let today = quota_day(now);
        loop {
            let counted: Option<Deletes> = recall(&*self.store, site).await?;
            let spent = counted.filter(|deletes| deletes.on == today).map_or(0, |deletes| deletes.count);
            let limit = self.settings.deletes_a_day.saturating_sub(spent).min(BATCH);
            if limit == 0 {
                return Ok(Progress::OutOfQuota);
            }
            if *batches == 0 {
                return Ok(Progress::OutOfTime);
            }
            *batches -= 1;
            // Counted before it is done, so that a crash between never makes the quota look unspent.
            remember(&*self.store, site, &Deletes { on: today, count: spent + limit }, now).await?;
            let deletion = self.store.delete_crawl(site, crawl, limit).await?;
            let count = spent + deletion.deleted;
            remember(&*self.store, site, &Deletes { on: today, count }, now).await?;
            report.deleted += deletion.deleted;
            if deletion.finished {
                return Ok(Progress::Finished);
            }
        }
    }
}

/// Returns the day of the quota: it begins at midnight Pacific time.
fn quota_day(now: Timestamp) -> Date {
    let zone = TimeZone::get(QUOTA_ZONE).expect("the zone is in the bundled database");
    now.to_zoned(zone).date()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_of_the_quota_begins_at_midnight_pacific_time_in_winter_and_in_summer() {
        for (now, day) in [
            ("2026-11-16T07:59:59Z", "2026-11-15"),
            ("2026-11-16T08:00:00Z", "2026-11-16"),
            ("2026-07-16T06:59:59Z", "2026-07-15"),
            ("2026-07-16T07:00:00Z", "2026-07-16"),
        ] {
            assert_eq!(quota_day(now.parse().unwrap()).to_string(), day, "{now}");
        }
    }
}
