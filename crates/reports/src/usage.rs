//! What sites cost where the store is billed, week by week, beside what is free.

use std::collections::BTreeMap;

use jiff::civil::Date;
use recrawl_core::model::crawl::{Operations, Site};
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::prices::{Free, PriceTable};
use recrawl_core::ports::{History, StoreError};
use serde::Serialize;

/// What sites cost; its JSON form is stable.
#[derive(Debug, Serialize)]
pub struct Usage {
    /// What was charged for what.
    pub prices: PriceTable,
    /// The weeks with a crawl, the newest first.
    pub weeks: Vec<UsageOfWeek>,
}

/// What was used in a week, from its crawls to the next ones.
#[derive(Debug, Serialize)]
pub struct UsageOfWeek {
    /// The Monday with which it begins.
    pub begins: Date,
    /// Each site that was crawled.
    pub sites: Vec<UsageOfSite>,
    /// All of them.
    #[serde(flatten)]
    pub all: Used,
    /// What was stored then, of earlier weeks, too.
    pub stored_in_all: u64,
    /// What was charged at most, in dollars: as if all of it was on one day.
    pub charged_at_most: f64,
    /// What part of the free amounts it was.
    pub free: FreeShares,
}

/// What a site used in a week.
#[derive(Debug, Serialize)]
pub struct UsageOfSite {
    /// The site.
    pub site: SiteId,
    /// What it used.
    #[serde(flatten)]
    pub used: Used,
}

/// What was used, and what it costs where nothing is free.
#[derive(Debug, Serialize)]
pub struct Used {
    /// Operations, bytes stored, and milliseconds of a processor.
    #[serde(flatten)]
    pub operations: Operations,
    /// Seconds of a processor.
    pub vcpu_seconds: u64,
    /// Dollars.
    pub list_price: f64,
}

/// Parts of what is free, from 0; over 1 it is not free any more.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct FreeShares {
    /// Of a day's reads.
    pub reads: f64,
    /// Of a day's writes.
    pub writes: f64,
    /// Of a day's deletes.
    pub deletes: f64,
    /// Of the storage.
    pub storage: f64,
    /// Of a week's share of the month's processor time.
    pub vcpu: f64,
}

impl Usage {
    /// Reads what crawls of these sites cost in their last `weeks` weeks; `None` where nothing was billed.
    ///
    /// A read a crawl, because what is stored adds up.
    pub async fn read(
        history: &dyn History,
        sites: &[Site],
        weeks: usize,
        prices: PriceTable,
    ) -> Result<Option<Self>, StoreError> {
        let mut by_week: BTreeMap<Date, BTreeMap<SiteId, Operations>> = BTreeMap::new();
        for site in sites {
            for crawl in history.crawls(&site.id).await? {
                let Some(used) = history.operations(&site.id, crawl.id).await? else { continue };
                let of_week = by_week.entry(monday_of(crawl.id.day())).or_default();
                let sum = of_week.entry(site.id.clone()).or_default();
                *sum = *sum + used;
            }
        }
        let mut stored = 0;
        let mut read = Vec::with_capacity(by_week.len());
        for (begins, of_sites) in by_week {
            let all = of_sites.values().fold(Operations::default(), |sum, used| sum + *used);
            stored += all.stored_bytes;
            read.push(UsageOfWeek::new(begins, of_sites, all, stored, &prices));
        }
        read.reverse();
        read.truncate(weeks);
        Ok((!read.is_empty()).then_some(Self { prices, weeks: read }))
    }
}

impl UsageOfWeek {
    fn new(
        begins: Date,
        of_sites: BTreeMap<SiteId, Operations>,
        all: Operations,
        stored: u64,
        prices: &PriceTable,
    ) -> Self {
        let of_site = |(site, used)| UsageOfSite { site, used: Used::new(used, prices) };
        Self {
            begins,
            sites: of_sites.into_iter().map(of_site).collect(),
            all: Used::new(all, prices),
            stored_in_all: stored,
            charged_at_most: prices.charged(all, stored),
            free: FreeShares::of(all, stored),
        }
    }
}

impl Used {
    fn new(operations: Operations, prices: &PriceTable) -> Self {
        let vcpu_seconds = operations.busy_ms.div_ceil(1_000);
        Self { operations, vcpu_seconds, list_price: prices.listed(operations) }
    }
}

impl FreeShares {
    #[expect(clippy::cast_precision_loss, reason = "shares are shown in whole percents")]
    fn of(used: Operations, stored: u64) -> Self {
        let share = |count: u64, free: u64| count as f64 / free as f64;
        Self {
            reads: share(used.reads, Free::READS),
            writes: share(used.writes, Free::WRITES),
            deletes: share(used.deletes, Free::DELETES),
            storage: share(stored, Free::STORED_BYTES),
            vcpu: share(used.busy_ms, Free::VCPU_SECONDS_A_WEEK * 1_000),
        }
    }
}

/// Returns the first day of a week.
fn monday_of(day: Date) -> Date {
    let days = i64::from(day.weekday().to_monday_zero_offset());
    day.saturating_sub(jiff::Span::new().days(days))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn weeks_begin_on_mondays() {
        for (day, monday) in [(16, 16), (17, 16), (22, 16), (23, 23)] {
            assert_eq!(monday_of(date(2026, 11, day)), date(2026, 11, monday));
        }
    }

    #[test]
    fn a_week_is_the_sum_of_its_sites_and_stands_beside_what_is_free() {
        let used = |reads, stored_bytes, busy_ms| Operations {
            reads,
            stored_bytes,
            busy_ms,
            ..Operations::default()
        };
        let of_sites = [("a", used(20_000, 1 << 28, 1_500)), ("b", used(40_000, 1 << 28, 500))];
        let of_sites: BTreeMap<SiteId, Operations> =
            of_sites.into_iter().map(|(site, used)| (site.parse().unwrap(), used)).collect();
        let all = of_sites.values().fold(Operations::default(), |sum, used| sum + *used);
        let week = UsageOfWeek::new(date(2026, 11, 16), of_sites, all, 2 << 30, &PriceTable::USUAL);
        assert_eq!(week.sites.iter().map(|one| one.used.vcpu_seconds).collect::<Vec<_>>(), [2, 1]);
        assert!((week.free.reads - 1.2).abs() < 1e-9 && (week.free.storage - 2.0).abs() < 1e-9);
        assert!(week.charged_at_most > 0.0 && week.charged_at_most < week.all.list_price + 0.1);
        let json = serde_json::to_value(&week).unwrap();
        assert_eq!(
            (&json["begins"], &json["reads"], &json["vcpu_seconds"]),
            (&"2026-11-16".into(), &60_000.into(), &2.into())
        );
    }
}
