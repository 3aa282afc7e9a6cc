//! Whether a site is due by its schedule (cron). Times that were missed are made up for by one crawl.

use jiff::Timestamp;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::{StateEntry, StateKey, StateStore, StoreError};
use recrawl_schedule::Schedule;
use recrawl_stores::EmbeddedStore;

/// Tells whether a scheduled time has come since `settled`. Several that were missed are made up for by one crawl.
fn is_due(schedule: &Schedule, settled: Timestamp, now: Timestamp) -> bool {
    schedule.next_run(settled).is_some_and(|time| time <= now)
}

/// Tells whether a site is to be crawled at `now` by its schedule.
pub(crate) async fn is_site_due(
    store: &dyn EmbeddedStore,
    site: &Site,
    schedule: &Schedule,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let opened = store.crawls(&site.id).await?.into_iter().map(|crawl| crawl.opened_at);
    let honoured = store.state(&StateKey::schedule_settled(&site.id)).await?.map(|memo| memo.saved_at);
    let known = opened.chain(honoured).chain([site.created_at]);
    Ok(settled(known, now).is_none_or(|settled| is_due(schedule, settled, now)))
}

/// Returns up to when nothing is due any more, given when crawls were opened, when a due time was last honoured and when
/// the site became known.
///
/// What lies ahead of `now` was written while a clock was wrong, and settles nothing: it would stop the schedule until
/// that time has come. Where nothing else is known, a crawl is due.
fn settled(known: impl Iterator<Item = Timestamp>, now: Timestamp) -> Option<Timestamp> {
    known.filter(|time| *time <= now).max()
}

/// Notes that scheduled times of a site up to `now` need no crawl any more.
///
/// A crawl that was joined, and then paused, was opened before its time; without this it would begin again at once.
pub(crate) async fn settle(
    state_store: &dyn StateStore,
    site: &SiteId,
    now: Timestamp,
) -> Result<(), StoreError> {
    state_store
        .save_state(&StateKey::schedule_settled(site), &StateEntry { saved_at: now, value: String::new() })
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dated_ahead_stops_no_schedule() {
        let time = |text: &str| text.parse::<Timestamp>().unwrap();
        let now = time("2026-11-16T11:00:00Z");
        for (known, expected) in [
            (vec!["2026-11-02T00:00:00Z", "2026-11-09T00:00:00Z"], Some("2026-11-09T00:00:00Z")),
            (vec!["2026-11-02T00:00:00Z", "2030-01-01T00:00:00Z"], Some("2026-11-02T00:00:00Z")),
            (vec!["2026-11-16T11:00:00Z"], Some("2026-11-16T11:00:00Z")),
            (vec!["2030-01-01T00:00:00Z", "2030-01-01T00:00:00Z"], None),
        ] {
            let found = settled(known.iter().map(|text| time(text)), now);
            assert_eq!(found, expected.map(time), "{known:?}");
        }
    }

    #[test]
    fn a_time_that_came_since_the_last_crawl_is_due_once() {
        let mondays = Schedule::new("0 3 * * 1", "America/Los_Angeles").unwrap();
        for (settled, now, expected) in [
            ("2026-11-15T00:00:00Z", "2026-11-16T10:59:59Z", false),
            ("2026-11-15T00:00:00Z", "2026-11-16T11:00:00Z", true),
            ("2026-11-16T11:00:00Z", "2026-11-16T11:00:01Z", false),
            ("2026-11-16T11:00:00Z", "2026-11-23T10:59:59Z", false),
            // The machine was off for three weeks.
            ("2026-11-01T00:00:00Z", "2026-11-25T00:00:00Z", true),
            ("2026-11-25T00:00:00Z", "2026-11-25T00:00:01Z", false),
        ] {
            let (settled, now) = (settled.parse().unwrap(), now.parse().unwrap());
            assert_eq!(is_due(&mondays, settled, now), expected, "{settled} {now}");
        }
    }
}
