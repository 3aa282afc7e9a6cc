//! When a quiet crawl is audited, and when a crawl gives up waiting for its last pages (timeout).

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::model::crawl::Ending;
use crate::model::ids::CrawlId;

/// No audit waits longer for the one before it to bring something about.
const LONGEST_WAIT: Duration = Duration::from_hours(6);

/// How patient one is with a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How long nothing is visited before the crawl is audited.
    pub quiet: Duration,
    /// How long pages may resist being visited before the crawl is closed without them.
    pub give_up_after: Duration,
}

/// What is remembered of an audit that found pages missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audited {
    /// The crawl.
    pub crawl: CrawlId,
    /// When.
    pub at: Timestamp,
    /// When an audit first found what this one found.
    pub since: Timestamp,
    /// How many audits before this one found the same.
    pub fruitless: u32,
    /// How many pages were recorded.
    pub recorded: u64,
    /// How many pages were missing.
    pub missing: u64,
}

/// What an audit comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conclusion {
    /// The crawl is to be closed.
    Close(Ending),
    /// What is missing is to be queued again, and this remembered.
    Requeue(Audited),
}

/// Tells whether `crawl`, in which nothing has happened since `quiet_since`, is to be audited at `now`.
///
/// An audit reads every record. Where pages were queued again and nothing was visited since, the next one
/// waits twice as long as the one before.
pub fn is_audit_due(
    crawl: CrawlId,
    quiet_since: Timestamp,
    last: Option<&Audited>,
    patience: Patience,
    now: Timestamp,
) -> bool {
    if !has_passed(patience.quiet, quiet_since, now) && !is_ahead(quiet_since, now) {
        return false;
    }
    let is_since = |last: &&Audited| last.at >= quiet_since || is_ahead(quiet_since, now);
    let last = last.filter(|last| last.crawl == crawl && !is_ahead(last.at, now));
    let Some(last) = last.filter(is_since) else {
        return true;
    };
    has_passed(wait_after(last.fruitless, patience.quiet), last.at, now)
        || has_passed(patience.give_up_after, last.since, now)
}

/// Decides what an audit at `now` comes to that counted `recorded` pages with a record and `missing` ones without.
pub fn finish(
    crawl: CrawlId,
    recorded: u64,
    missing: u64,
    last: Option<&Audited>,
    patience: Patience,
    now: Timestamp,
) -> Conclusion {
    if missing == 0 {
        return Conclusion::Close(Ending::Complete);
    }
    // A page without a record is missing, so it is still the same ones where no record has come.
    let last = last.filter(|last| last.crawl == crawl && !is_ahead(last.at, now));
    let Some(last) = last.filter(|last| last.recorded == recorded) else {
        return Conclusion::Requeue(Audited { crawl, at: now, since: now, fruitless: 0, recorded, missing });
    };
    if has_passed(patience.give_up_after, last.since, now) {
        let pages = if missing == 1 { "page" } else { "pages" };
        return Conclusion::Close(Ending::Partial(format!("{missing} {pages} could not be visited")));
    }
    let fruitless = last.fruitless.saturating_add(1);
    Conclusion::Requeue(Audited { crawl, at: now, since: last.since, fruitless, recorded, missing })
}

fn wait_after(fruitless: u32, first: Duration) -> Duration {
    let factor = 2_u32.checked_pow(fruitless).unwrap_or(u32::MAX);
    first.saturating_mul(factor).min(LONGEST_WAIT)
}

fn has_passed(wait: Duration, since: Timestamp, now: Timestamp) -> bool {
    let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
    now.duration_since(since) >= wait
}

/// Tells whether a time lies so far ahead that a clock was wrong. Nobody waits for it to come.
fn is_ahead(time: Timestamp, now: Timestamp) -> bool {
    time.duration_since(now) > SignedDuration::try_from(LONGEST_WAIT).unwrap_or(SignedDuration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Patience =
        Patience { quiet: Duration::from_mins(10), give_up_after: Duration::from_hours(24) };

    fn minute(minute: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minute)
    }

    fn crawl() -> CrawlId {
        "crawl-2026-11-16".parse().unwrap()
    }

    fn audited(at: i64, since: i64, fruitless: u32) -> Audited {
        let (at, since) = (minute(at), minute(since));
        Audited { crawl: crawl(), at, since, fruitless, recorded: 5, missing: 1 }
    }

    #[test]
    fn a_crawl_is_audited_when_it_is_quiet_and_less_and_less_often_while_nothing_comes_of_it() {
        let other = Audited { crawl: crawl().following(), ..audited(95, 95, 9) };
        for (quiet_since, last, now, expected) in [
            (0, None, 9, false),
            (0, None, 10, true),
            (50, None, 40, false),
            (0, Some(audited(20, 20, 0)), 29, false),
            (0, Some(audited(20, 20, 0)), 30, true),
            (0, Some(audited(30, 20, 1)), 49, false),
            (0, Some(audited(30, 20, 1)), 50, true),
            (0, Some(audited(50, 20, 2)), 89, false),
            (0, Some(audited(50, 20, 2)), 90, true),
            (0, Some(audited(1_000, 20, 40)), 1_359, false),
            (0, Some(audited(1_000, 20, 40)), 1_360, true),
            // Something was visited after the audit.
            (60, Some(audited(50, 20, 5)), 69, false),
            (60, Some(audited(50, 20, 5)), 70, true),
            // The last one is not put off by its wait.
            (0, Some(audited(1_400, 20, 9)), 1_459, false),
            (0, Some(audited(1_400, 20, 9)), 1_460, true),
            (0, Some(other), 100, true),
            // A clock was years ahead when the crawl was opened, and when it was audited.
            (2_000_000, None, 0, true),
            (2_000_000, Some(audited(2_000_000, 2_000_000, 0)), 0, true),
            (2_000_000, Some(audited(20, 20, 0)), 29, false),
            (2_000_000, Some(audited(20, 20, 0)), 30, true),
            (0, Some(audited(2_000_000, 2_000_000, 0)), 10, true),
        ] {
            let due = is_audit_due(crawl(), minute(quiet_since), last.as_ref(), PATIENCE, minute(now));
            assert_eq!(due, expected, "quiet since {quiet_since}, {last:?}, now {now}");
        }
    }

    #[test]
    fn missing_pages_are_queued_again_until_patience_ends() {
        let partial = |reason: &str| Conclusion::Close(Ending::Partial(reason.to_owned()));
        let other = Audited { crawl: crawl().following(), ..audited(10, 10, 3) };
        for ((recorded, missing), last, now, expected) in [
            ((5, 0), None, 10, Conclusion::Close(Ending::Complete)),
            ((5, 0), Some(audited(10, 10, 0)), 2_000, Conclusion::Close(Ending::Complete)),
            ((5, 1), None, 10, Conclusion::Requeue(audited(10, 10, 0))),
            ((5, 1), Some(other), 20, Conclusion::Requeue(audited(20, 20, 0))),
            ((5, 1), Some(audited(10, 10, 0)), 20, Conclusion::Requeue(audited(20, 10, 1))),
            ((5, 1), Some(audited(20, 10, 1)), 40, Conclusion::Requeue(audited(40, 10, 2))),
            // One of them was visited: that is progress, and the clock begins anew.
            (
                (6, 1),
                Some(audited(20, 10, 1)),
                5_000,
                Conclusion::Requeue(Audited { recorded: 6, ..audited(5_000, 5_000, 0) }),
            ),
            // A clock was wrong then.
            ((5, 1), Some(audited(2_000_000, 2_000_000, 0)), 20, Conclusion::Requeue(audited(20, 20, 0))),
            ((5, 1), Some(audited(20, 10, 1)), 1_450, partial("1 page could not be visited")),
            ((5, 2), Some(audited(20, 10, 1)), 1_450, partial("2 pages could not be visited")),
        ] {
            assert_eq!(finish(crawl(), recorded, missing, last.as_ref(), PATIENCE, minute(now)), expected);
        }
    }
}
