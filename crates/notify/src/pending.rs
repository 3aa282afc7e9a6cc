//! A pending delivery: how it is kept, and when it is tried again (backoff).

use recrawl_core::ports::StateKey;
use std::fmt;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use recrawl_core::model::ids::{CrawlId, SiteId};
use serde::{Deserialize, Serialize};

use crate::channel::SendError;
use crate::figures::counted;
use crate::target::TargetName;

/// How long to wait after the first call that failed; twice as long after each further one.
const FIRST_WAIT: SignedDuration = SignedDuration::from_mins(1);

/// The longest wait of our own.
const LONGEST_WAIT: SignedDuration = SignedDuration::from_hours(1);

/// The longest that a target can ask to be left alone.
const LONGEST_WISH: SignedDuration = SignedDuration::from_hours(24);

/// How long a target is tried.
const PATIENCE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How often, at most: more than fit into a week, for a clock that does not tell how long it has been.
const MOST_FAILURES: u32 = 200;

/// How long it is said that a delivery was given up.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(30 * 24);

/// What gave rise to a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Occasion {
    /// The crawl ends.
    Closed,
    /// Somebody accepts it, which was unusual.
    Accepted,
}

impl Occasion {
    const fn word(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Accepted => "accepted",
        }
    }
}

/// A delivery that is still to be made: one target is to be told of one crawl.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// Who is to be told.
    pub target: TargetName,
    /// The site.
    pub site: SiteId,
    /// The crawl; while it is open, there is nothing to tell.
    pub crawl: CrawlId,
    /// Why.
    pub occasion: Occasion,
    /// When that was noted.
    pub noted_at: Timestamp,
    /// What went wrong so far, if anything did.
    pub failure: Option<Failure>,
}

/// What went wrong with a delivery so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// When it first failed.
    pub since: Timestamp,
    /// How often it failed; several attempts in a row count once.
    pub times: u32,
    /// What went wrong the last time, in words.
    pub what: String,
    /// What follows.
    pub next: Retry,
}

/// What follows a delivery that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Retry {
    /// It is tried again then.
    At(Timestamp),
    /// It was given up then.
    GivenUp(Timestamp),
}

impl Pending {
    /// Returns the key under which it is kept.
    pub(crate) fn key(&self) -> StateKey {
        StateKey::pending_notification(&self.site, self.crawl, &self.target, self.occasion.word())
    }

    /// Tells whether it is to be tried at `now`.
    pub fn is_due(&self, now: Timestamp) -> bool {
        match self.retry() {
            None => true,
            // A time that nobody asked for was noted while the clock was wrong.
            Some(Retry::At(time)) => time <= now || time.duration_since(now) > LONGEST_WISH,
            Some(Retry::GivenUp(_)) => false,
        }
    }

    /// Tells whether it was given up.
    pub fn is_given_up(&self) -> bool {
        matches!(self.retry(), Some(Retry::GivenUp(_)))
    }

    /// Tells whether nobody needs to hear of it any more: it was given up long ago.
    pub(crate) fn is_past(&self, now: Timestamp) -> bool {
        matches!(self.retry(), Some(Retry::GivenUp(at)) if now.duration_since(at) > REMEMBERED)
    }

    /// Tells whether it was noted so long ago that what it waits for will not come.
    pub(crate) fn is_stale(&self, now: Timestamp) -> bool {
        now.duration_since(self.noted_at) > PATIENCE
    }

    fn retry(&self) -> Option<Retry> {
        self.failure.as_ref().map(|failure| failure.next)
    }

    /// Returns what it becomes when it fails at `now`, once more or for the first time.
    ///
    /// The waits grow from a minute to an hour; a target that says how long it wants to be left alone is, for a day at
    /// most. One that refuses has to be put right by a person, and is tried every hour. After a week it is given up.
    pub(crate) fn failed(self, error: &SendError, now: Timestamp) -> Self {
        let times = self.failure.as_ref().map_or(1, |failure| failure.times.saturating_add(1));
        let since = self.failure.as_ref().map_or(now, |failure| failure.since.min(now));
        let is_over = now.duration_since(since) >= PATIENCE || times >= MOST_FAILURES;
        let next = if is_over {
            Retry::GivenUp(now)
        } else {
            Retry::At(now.checked_add(wait(error, times)).unwrap_or(Timestamp::MAX))
        };
        let what = match error {
            SendError::Refused(what) | SendError::Trouble { what, .. } => what.clone(),
            SendError::Memory(_) => error.to_string(),
        };
        Self { failure: Some(Failure { since, times, what, next }), ..self }
    }
}

fn wait(error: &SendError, times: u32) -> SignedDuration {
    let doubled = 2_i32.saturating_pow(times.saturating_sub(1).min(20));
    let own = (FIRST_WAIT * doubled).min(LONGEST_WAIT);
    match error {
        SendError::Refused(_) => LONGEST_WAIT,
        SendError::Trouble { wait, .. } => wait.map_or(own, |wait| wished(wait).max(own)),
        SendError::Memory(_) => own,
    }
}

fn wished(wait: Duration) -> SignedDuration {
    SignedDuration::try_from(wait).map_or(LONGEST_WISH, |wait| wait.min(LONGEST_WISH))
}

impl fmt::Display for Pending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { target, site, crawl, .. } = self;
        let Some(Failure { times, what, next, .. }) = &self.failure else {
            return write!(formatter, "{target} is to be told of {crawl} of {site}");
        };
        match next {
            Retry::At(time) => write!(
                formatter,
                "{target} was not told of {crawl} of {site} yet: {what}; it is tried again after {} UTC",
                time.strftime("%Y-%m-%d %H:%M")
            ),
            Retry::GivenUp(_) => write!(
                formatter,
                "{target} was never told of {crawl} of {site}, and that is given up after {}: {what}; `recrawl notify` \
                 tries once more",
                counted(u64::from(*times), "failure"),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn fresh() -> Pending {
        Pending {
            target: "team".parse().unwrap(),
            site: "example.org".parse().unwrap(),
            crawl: "crawl-2026-11-16".parse().unwrap(),
            occasion: Occasion::Closed,
            noted_at: time("2026-11-16T00:00:00Z"),
            failure: None,
        }
    }

    fn trouble(wait: Option<u64>) -> SendError {
        SendError::Trouble { attempts: 5, what: "no answer".to_owned(), wait: wait.map(Duration::from_secs) }
    }

    fn minutes_until_retry(pending: &Pending, now: Timestamp) -> Option<i64> {
        match pending.retry() {
            Some(Retry::At(time)) => Some(time.duration_since(now).as_mins()),
            Some(Retry::GivenUp(_)) | None => None,
        }
    }

    #[test]
    fn waits_grow_from_a_minute_to_an_hour() {
        let (mut pending, mut now, mut waits) = (fresh(), fresh().noted_at, Vec::new());
        for _ in 0..9 {
            assert!(pending.is_due(now));
            pending = pending.failed(&trouble(None), now);
            assert!(!pending.is_due(now));
            let wait = minutes_until_retry(&pending, now).unwrap();
            waits.push(wait);
            now += SignedDuration::from_mins(wait);
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
    }

    #[test]
    fn the_wish_of_a_target_counts_for_a_day_at_most_and_a_refusal_waits_longest() {
        let now = fresh().noted_at;
        for (error, minutes) in [
            (trouble(Some(10)), 1),
            (trouble(Some(3 * 3_600)), 180),
            (trouble(Some(u64::MAX)), 24 * 60),
            (SendError::Refused("it answers 404".to_owned()), 60),
        ] {
            let failed = fresh().failed(&error, now);
            assert_eq!(minutes_until_retry(&failed, now), Some(minutes), "{error}");
        }
    }

    #[test]
    fn it_is_given_up_after_a_week_of_failures_and_not_of_waiting() {
        let first = time("2026-11-30T12:00:00Z");
        let pending = fresh().failed(&trouble(None), first);
        assert!(!pending.is_given_up(), "two weeks after it was noted, at the first failure");
        let almost = time("2026-12-07T11:59:59Z");
        assert!(!pending.clone().failed(&trouble(None), almost).is_given_up());
        let over = time("2026-12-07T12:00:00Z");
        assert!(pending.is_due(over), "it is tried once more before");
        let given_up = pending.failed(&trouble(None), over);
        assert!(given_up.is_given_up() && !given_up.is_due(time("2027-12-07T12:00:00Z")));
        assert!(!given_up.is_past(time("2027-01-05T00:00:00Z")));
        assert!(given_up.is_past(time("2027-01-07T00:00:00Z")));
        let words = given_up.to_string();
        assert!(words.starts_with("team was never told of crawl-2026-11-16 of example.org"), "{words}");
        assert!(words.contains("no answer") && words.contains("2 failures"), "{words}");
    }

    #[test]
    fn a_clock_that_was_wrong_neither_delays_nor_keeps_a_delivery_for_ever() {
        let (wrong, right) = (time("2030-01-01T00:00:00Z"), time("2026-11-16T12:00:00Z"));
        let mut pending = fresh().failed(&trouble(None), wrong);
        assert!(pending.is_due(right));
        pending = pending.failed(&trouble(None), right);
        assert_eq!(pending.failure.as_ref().unwrap().since, right);
        for _ in 0..MOST_FAILURES {
            pending = pending.failed(&trouble(None), right);
        }
        assert!(pending.is_given_up());
    }

    #[test]
    fn it_reads_back_as_it_was_kept() {
        let failed = fresh().failed(&trouble(None), fresh().noted_at);
        for pending in [fresh(), Pending { occasion: Occasion::Accepted, ..failed }] {
            let kept = serde_json::to_string(&pending).unwrap();
            assert_eq!(serde_json::from_str::<Pending>(&kept).unwrap(), pending, "{kept}");
        }
        assert_eq!(fresh().key().as_str(), "to tell example.org crawl-2026-11-16 team closed");
    }
}
