//! A scheme under which nobody listens: an https link to a host that has only http says nothing about the host.

use std::time::{Duration, Instant};

use super::PaceSettings;

/// After how many connections in vain, and none that was made, nobody is taken to listen under a scheme.
const FAILURES: u32 = 3;

/// One of the schemes of a host, http or https.
#[derive(Debug, Clone, Default)]
pub struct SchemeHealth {
    has_answered: bool,
    failures: u32,
    held_until: Option<Instant>,
}

impl SchemeHealth {
    /// Tells whether the host was ever reached under this scheme.
    pub fn has_answered(&self) -> bool {
        self.has_answered
    }

    /// Notes that the host was reached.
    pub fn answered(&mut self) {
        *self = Self { has_answered: true, failures: 0, held_until: None };
    }

    /// Notes that no connection could be made.
    pub fn failed(&mut self, now: Instant, settings: &PaceSettings) {
        self.failures = self.failures.saturating_add(1);
        self.held_until = now.checked_add(settings.back_off_after(self.failures));
    }

    /// Returns until when the host is not asked under this scheme, if that is after `now`.
    pub fn hold(&self, now: Instant) -> Option<Instant> {
        self.held_until.filter(|until| *until > now)
    }

    /// Tells whether a request can be answered without asking, for now: nobody listens.
    pub fn is_closed(&self, now: Instant) -> bool {
        !self.has_answered && self.failures >= FAILURES && self.hold(now).is_some()
    }
}

/// How long after the usual time an answer began, at most a whole delay: so much later than usual the server may have seen
/// the request, because the machine, the network or the server itself was late.
///
/// What is usual follows quicker answers soon, and slower ones slowly: one that is late says little about the next.
#[derive(Debug, Clone, Copy, Default)]
pub struct UsualAnswer(Option<Duration>);

impl UsualAnswer {
    /// Takes in that an answer began after `after`; returns how late that is.
    pub fn note(&mut self, after: Duration, delay: Duration) -> Duration {
        let usual = self.0.unwrap_or(after);
        let (late, early) = (after.saturating_sub(usual), usual.saturating_sub(after));
        let step = usual / 8 + Duration::from_millis(1);
        self.0 = Some(usual.saturating_sub(early / 4).saturating_add((late / 16).min(step)));
        late.min(delay)
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "any instant will do, and there is no other way to get one")]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_under_which_nobody_ever_listened_is_closed_after_three_attempts() {
        let (settings, mut now) = (PaceSettings::default(), Instant::now());
        let mut scheme = SchemeHealth::default();
        for attempt in 1..=3 {
            assert!(!scheme.is_closed(now), "{attempt}");
            scheme.failed(now, &settings);
            assert_eq!(scheme.hold(now), Some(now + settings.back_off_after(attempt)));
            if attempt < 3 {
                now = scheme.hold(now).unwrap();
            }
        }
        assert!(scheme.is_closed(now));
        let after = scheme.hold(now).unwrap();
        assert!(!scheme.is_closed(after) && scheme.hold(after).is_none(), "it is tried now and then");
        scheme.answered();
        for _ in 0..9 {
            scheme.failed(after, &settings);
        }
        assert!(!scheme.is_closed(after), "where somebody listened, it may be trouble that passes");
    }

    #[test]
    fn an_answer_is_late_by_what_it_took_longer_than_usual_up_to_the_delay() {
        let milliseconds = Duration::from_millis;
        let delay = milliseconds(1_000);
        let mut usual = UsualAnswer::default();
        for (after, late) in [(40, 0), (40, 0), (400, 360), (52, 6), (9_000, 1_000), (20, 0)] {
            assert_eq!(usual.note(milliseconds(after), delay).as_millis(), late, "{after} ms");
        }
        for _ in 0..120 {
            usual.note(milliseconds(500), delay);
        }
        assert!(usual.note(milliseconds(500), delay) < milliseconds(10), "it is usual now");
        for _ in 0..20 {
            usual.note(milliseconds(40), delay);
        }
        assert!(usual.note(milliseconds(400), delay) > milliseconds(350), "it is usual no more");
    }
}
