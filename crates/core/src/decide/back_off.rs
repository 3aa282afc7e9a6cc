//! Backoff: how long a host is left alone after a 429, a 503, `Retry-After` or no answer, and when it may be asked next.
//!
//! Everything here is a function of the times passed in; the waiting itself is an adapter's.

mod remembered;
mod scheme;
mod settings;

use std::time::{Duration, Instant};

pub use self::remembered::Hold;
pub use self::scheme::{SchemeHealth, UsualAnswer};
pub use self::settings::PaceSettings;
use crate::decide::answer::Answer;

/// What one request told about the state of its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostSignal {
    /// It answers, whatever it says.
    Healthy,
    /// It is in trouble, by its answer ([`Answer::Trouble`]) or for lack of one.
    Trouble,
    /// It is in trouble and named the time to leave it alone.
    LeaveAlone(Duration),
}

impl HostSignal {
    /// Reads what an answer tells, with the time that it named in `Retry-After`.
    ///
    /// Whatever a page is asked for again after pauses its host, so that both go by one decision.
    pub const fn of(answer: Answer, retry_after: Option<Duration>) -> Self {
        match (answer, retry_after) {
            (Answer::Trouble, Some(wait)) => Self::LeaveAlone(wait),
            (Answer::Trouble, None) => Self::Trouble,
            (
                Answer::Content
                | Answer::NotThePage
                | Answer::NotModified
                | Answer::Redirect
                | Answer::Absent { .. }
                | Answer::Denied
                | Answer::Wants(_),
                _,
            ) => Self::Healthy,
        }
    }
}

/// Whether a host may be asked now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// It may.
    Now,
    /// Not before this time.
    NotBefore(Instant),
    /// Not before this time, which is further away than anybody waits.
    Paused(Instant),
}

/// What is remembered of one host.
#[derive(Debug, Clone, Default)]
pub struct HostPace {
    crawl_delay: Option<Duration>,
    last_start: Option<Instant>,
    held_until: Option<Instant>,
    last_trouble: Option<Instant>,
    failures: u32,
    is_slowed: bool,
    usual_answer: UsualAnswer,
    mean_request: Option<Duration>,
    /// http and https.
    schemes: [SchemeHealth; 2],
}

impl HostPace {
    /// Tells whether a request may start at `now`.
    pub fn readiness(&self, now: Instant, settings: &PaceSettings) -> Readiness {
        let held_until = self.hold(now);
        if let Some(until) = held_until
            && until.duration_since(now) > settings.longest_wait
        {
            return Readiness::Paused(until);
        }
        let spacing = PaceSettings::spacing(self.delay(settings));
        let turn =
            self.last_start.filter(|_| !spacing.is_zero()).and_then(|start| start.checked_add(spacing));
        match held_until.max(turn).filter(|start| *start > now) {
            Some(start) => Readiness::NotBefore(start),
            None => Readiness::Now,
        }
    }

    /// Notes that a request starts, or was found to have been sent, at `now`.
    pub fn started(&mut self, now: Instant) {
        self.last_start = self.last_start.max(Some(now));
    }

    /// Notes that the request that was sent at `sent` began to be answered at `answered`: the later that is than usual, the
    /// later the server may have seen the request, and the next one waits for that, too.
    pub fn answered(&mut self, sent: Instant, answered: Instant, settings: &PaceSettings) {
        let late = self.usual_answer.note(answered.saturating_duration_since(sent), self.delay(settings));
        self.started(sent.checked_add(late).unwrap_or(sent));
    }

    /// Notes how long a request took, from its start to the end of the answer.
    pub fn took(&mut self, time: Duration) {
        self.mean_request = Some(self.mean_request.map_or(time, |mean| (mean * 7 + time) / 8));
    }

    /// Returns how long it takes until the next request can start, as things go: the delay, or the mean time that requests
    /// take, whichever is longer.
    pub fn interval(&self, settings: &PaceSettings) -> Duration {
        let mean = self.mean_request.unwrap_or_default() / self.parallel(settings);
        self.delay(settings).max(mean)
    }

    /// Returns what is known of one of the schemes, http or https.
    pub fn scheme(&mut self, is_https: bool) -> &mut SchemeHealth {
        &mut self.schemes[usize::from(is_https)]
    }

    /// Notes at `now` that no connection could be made under one scheme; tells whether it is only that scheme, because the
    /// host has answered under the other.
    pub fn unreachable(&mut self, is_https: bool, now: Instant, settings: &PaceSettings) -> bool {
        let only_there = self.scheme(!is_https).has_answered();
        if only_there {
            self.scheme(is_https).failed(now, settings);
        }
        only_there
    }

    /// Notes what the request that started at `started` told at `now`.
    ///
    /// Requests under way together meet the same trouble: only one that started after the last trouble
    /// counts as another failure, or as a recovery.
    ///
    /// Returns how long the host is left alone from now on, if that is longer than it was before.
    pub fn finished(
        &mut self,
        started: Instant,
        sign: HostSignal,
        now: Instant,
        settings: &PaceSettings,
    ) -> Option<Duration> {
        let is_later = self.last_trouble.is_none_or(|trouble| started > trouble);
        let hold = match sign {
            HostSignal::Healthy => {
                if is_later {
                    self.failures = 0;
                }
                return None;
            }
            HostSignal::Trouble if !is_later => return None,
            HostSignal::Trouble => settings.back_off_after(self.failures.saturating_add(1)),
            HostSignal::LeaveAlone(hold) => hold,
        };
        if is_later {
            self.failures = self.failures.saturating_add(1);
            self.last_trouble = Some(now);
        }
        self.leave_alone(hold, now)
    }

    /// Leaves the host alone from `now` on for as long as `hold`, if it is not left alone for longer already.
    ///
    /// Returns how long that is, if it is longer than it was before.
    pub fn leave_alone(&mut self, hold: Duration, now: Instant) -> Option<Duration> {
        let hold = hold.min(PaceSettings::LONGEST_HOLD);
        let until = now.checked_add(hold).filter(|until| Some(*until) > self.held_until)?;
        self.held_until = Some(until);
        Some(hold)
    }

    /// Notes that the host said that it is asked too much. It is remembered as long as the host is.
    ///
    /// Returns whether that is news.
    pub fn slow_down(&mut self) -> bool {
        !std::mem::replace(&mut self.is_slowed, true)
    }

    /// Returns the delay between two request starts.
    pub fn delay(&self, settings: &PaceSettings) -> Duration {
        let delay = settings.delay_for(self.crawl_delay);
        if self.is_slowed { delay.max(settings.slowed_delay) } else { delay }
    }

    /// Returns how many requests the host gets at a time.
    pub fn parallel(&self, settings: &PaceSettings) -> u32 {
        let is_slowed = self.is_slowed && !settings.slowed_delay.is_zero();
        if is_slowed { 1 } else { settings.parallel_for(self.crawl_delay) }
    }

    /// Sets what robots.txt says.
    pub fn set_crawl_delay(&mut self, crawl_delay: Option<Duration>) {
        self.crawl_delay = crawl_delay;
    }

    /// Returns how many requests failed since the last good answer.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Returns until when nothing is asked of the host because of trouble, if that is after `now`.
    pub fn hold(&self, now: Instant) -> Option<Instant> {
        self.held_until.filter(|until| *until > now)
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "any instant will do, and there is no other way to get one")]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_first_request_starts_at_once_and_the_next_after_the_spacing() {
        let (settings, now) = (PaceSettings::default(), Instant::now());
        let mut host = HostPace::default();
        assert_eq!(host.readiness(now, &settings), Readiness::Now);
        host.started(now);
        let next = now + Duration::from_millis(1015);
        assert_eq!(host.readiness(now, &settings), Readiness::NotBefore(next));
        assert_eq!(host.readiness(next, &settings), Readiness::Now);
    }

    #[test]
    fn a_request_sent_later_than_it_started_moves_the_next_turn() {
        let (settings, now) = (PaceSettings::default(), Instant::now());
        let mut host = HostPace::default();
        host.started(now + seconds(1));
        host.started(now);
        let next = now + Duration::from_millis(2015);
        assert_eq!(host.readiness(now, &settings), Readiness::NotBefore(next));
    }

    #[test]
    fn a_delay_of_nothing_lets_every_request_start() {
        let (settings, now) = (PaceSettings::unlimited(), Instant::now());
        let mut host = HostPace::default();
        host.started(now);
        assert_eq!(host.readiness(now, &settings), Readiness::Now);
        host.set_crawl_delay(Some(seconds(5)));
        assert!(matches!(host.readiness(now, &settings), Readiness::NotBefore(_)));
    }

    #[test]
    fn a_host_that_is_asked_too_much_is_slowed_down_where_the_settings_say_so() {
        let quick = PaceSettings {
            delay: Duration::from_millis(250),
            slowed_delay: seconds(1),
            ..PaceSettings::unlimited()
        };
        let mut host = HostPace::default();
        assert_eq!((host.delay(&quick), host.parallel(&quick)), (Duration::from_millis(250), 8));
        assert_eq!((host.slow_down(), host.slow_down()), (true, false));
        assert_eq!((host.delay(&quick), host.parallel(&quick)), (seconds(1), 1));
        host.set_crawl_delay(Some(seconds(5)));
        assert_eq!((host.delay(&quick), host.parallel(&quick)), (seconds(5), 1));
        host.set_crawl_delay(None);
        let unlimited = PaceSettings::unlimited();
        assert_eq!((host.delay(&unlimited), host.parallel(&unlimited)), (Duration::ZERO, 8));
    }

    #[test]
    fn a_scheme_without_a_listener_is_left_alone_by_itself_once_the_other_has_answered() {
        let (settings, now) = (PaceSettings::unlimited(), Instant::now());
        let mut host = HostPace::default();
        assert!(!host.unreachable(true, now, &settings), "it may be the host");
        host.scheme(false).answered();
        assert!(host.unreachable(true, now, &settings));
        assert_eq!(host.scheme(true).hold(now), Some(now + seconds(3)));
        assert_eq!(host.readiness(now, &settings), Readiness::Now);
        assert!(!host.unreachable(false, now, &settings), "http answers no more, and https never did");
    }

    #[test]
    fn the_next_request_waits_for_one_that_the_server_may_have_seen_late() {
        let (settings, start) = (PaceSettings::default(), Instant::now());
        let milliseconds = Duration::from_millis;
        let mut host = HostPace::default();
        for (took, next) in [(50, 1015), (50, 1015), (160, 1125), (50, 1015), (5_000, 2015)] {
            let mut host_now = host.clone();
            host_now.started(start);
            host_now.answered(start, start + milliseconds(took), &settings);
            let expected = Readiness::NotBefore(start + milliseconds(next));
            assert_eq!(host_now.readiness(start, &settings), expected, "{took} ms");
            host.usual_answer.note(milliseconds(50), seconds(1));
        }
    }

    #[test]
    fn requests_come_as_fast_as_the_delay_and_the_answers_allow() {
        let mut host = HostPace::default();
        let settings = PaceSettings::default();
        assert_eq!(host.interval(&settings), seconds(1));
        host.took(seconds(10));
        assert_eq!(host.interval(&settings), seconds(10));
        let eight = PaceSettings { parallel: 8, ..PaceSettings::default() };
        assert_eq!(host.interval(&eight), Duration::from_millis(1_250));
        for _ in 0..50 {
            host.took(Duration::from_millis(100));
        }
        assert_eq!(host.interval(&settings), seconds(1));
    }

    #[test]
    fn consecutive_failures_hold_the_host_longer_and_longer_until_an_answer() {
        let settings = PaceSettings::unlimited();
        let mut host = HostPace::default();
        let mut now = Instant::now();
        for (failures, pause) in [(1, 3), (2, 6), (3, 9), (4, 15)] {
            now += seconds(1000);
            host.finished(now, HostSignal::Trouble, now, &settings);
            assert_eq!(host.failures(), failures);
            assert_eq!(host.hold(now), Some(now + seconds(pause)));
            assert_eq!(host.readiness(now, &settings), Readiness::NotBefore(now + seconds(pause)));
        }
        now += seconds(1000);
        host.finished(now, HostSignal::Healthy, now, &settings);
        assert_eq!((host.failures(), host.hold(now)), (0, None));
        host.finished(now, HostSignal::Trouble, now, &settings);
        assert_eq!(host.hold(now), Some(now + seconds(3)));
    }

    #[test]
    fn requests_under_way_together_fail_once_and_recover_nothing() {
        let (settings, start) = (PaceSettings::unlimited(), Instant::now());
        let mut host = HostPace::default();
        let failed_at = start + seconds(1);
        host.finished(start, HostSignal::Trouble, failed_at, &settings);
        host.finished(start, HostSignal::Trouble, start + seconds(2), &settings);
        host.finished(start, HostSignal::Healthy, start + seconds(2), &settings);
        assert_eq!(host.failures(), 1);
        assert_eq!(host.hold(start + seconds(2)), Some(failed_at + seconds(3)));
    }

    #[test]
    fn a_named_time_is_kept_and_never_shortened() {
        let (settings, now) = (PaceSettings::default(), Instant::now());
        let mut host = HostPace::default();
        host.finished(now, HostSignal::LeaveAlone(seconds(100)), now, &settings);
        host.finished(now + seconds(1), HostSignal::LeaveAlone(seconds(1)), now + seconds(1), &settings);
        assert_eq!(host.failures(), 2);
        assert_eq!(host.readiness(now, &settings), Readiness::NotBefore(now + seconds(100)));
        assert_eq!(host.readiness(now + seconds(100), &settings), Readiness::Now);
    }

    #[test]
    fn a_named_time_beyond_the_longest_wait_is_a_pause() {
        let (settings, now) = (PaceSettings::default(), Instant::now());
        let mut host = HostPace::default();
        host.finished(now, HostSignal::LeaveAlone(seconds(3601)), now, &settings);
        let until = now + seconds(3601);
        assert_eq!(host.readiness(now, &settings), Readiness::Paused(until));
        assert_eq!(host.readiness(now + seconds(1), &settings), Readiness::NotBefore(until));
    }

    #[test]
    fn only_what_makes_the_pause_longer_is_told() {
        let (settings, now) = (PaceSettings::default(), Instant::now());
        let mut host = HostPace::default();
        assert_eq!(host.finished(now, HostSignal::Healthy, now, &settings), None);
        assert_eq!(
            host.finished(now, HostSignal::LeaveAlone(seconds(100)), now, &settings),
            Some(seconds(100))
        );
        let later = now + seconds(1);
        assert_eq!(host.finished(later, HostSignal::LeaveAlone(seconds(99)), later, &settings), None);
        assert_eq!(host.leave_alone(seconds(200), later), Some(seconds(200)));
        assert_eq!(host.hold(later), Some(later + seconds(200)));
        let cap = PaceSettings::LONGEST_HOLD;
        assert_eq!(host.leave_alone(Duration::MAX, later), Some(cap));
    }

    #[test]
    fn nobody_is_left_alone_for_ever() {
        let (settings, now) = (PaceSettings::default(), Instant::now());
        let mut host = HostPace::default();
        host.finished(now, HostSignal::LeaveAlone(Duration::MAX), now, &settings);
        assert_eq!(host.hold(now), Some(now + PaceSettings::LONGEST_HOLD));
    }
}
