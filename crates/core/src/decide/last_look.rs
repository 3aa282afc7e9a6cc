//! Since when somebody has not looked at what changed: one visit of a person is several requests.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// How long after a request the visit is over.
const PAUSE: SignedDuration = SignedDuration::from_mins(30);

/// How often it is written down that a visit goes on: not at each request.
const STEP: SignedDuration = SignedDuration::from_mins(1);

/// When somebody looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looks {
    /// The end of the visit before the last one; none where there was none.
    pub before: Option<Timestamp>,
    /// The last request of the last visit.
    pub last: Timestamp,
}

/// Returns since when nobody has looked, at `now`: the end of the last visit that is over.
pub fn last_looked(looks: Option<&Looks>, now: Timestamp) -> Option<Timestamp> {
    let looks = looks?;
    if is_over(looks, now) { Some(looks.last) } else { looks.before }
}

/// Returns what is to be remembered once somebody looks at `now`; `None` where that is what is remembered.
pub fn look(looks: Option<&Looks>, now: Timestamp) -> Option<Looks> {
    match looks {
        None => Some(Looks { before: None, last: now }),
        Some(looks) if is_over(looks, now) => Some(Looks { before: Some(looks.last), last: now }),
        Some(looks) if now.duration_since(looks.last) >= STEP => Some(Looks { last: now, ..*looks }),
        Some(_) => None,
    }
}

/// A clock that was set back ends no visit.
fn is_over(looks: &Looks, now: Timestamp) -> bool {
    now.duration_since(looks.last) > PAUSE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minute)
    }

    #[test]
    fn a_visit_ends_half_an_hour_after_its_last_request() {
        let looks = |before: Option<i64>, last| Some(Looks { before: before.map(at), last: at(last) });
        for (remembered, now, since, then) in [
            (None, 5, None, looks(None, 5)),
            (looks(None, 5), 5, None, None),
            (looks(None, 5), 6, None, looks(None, 6)),
            (looks(None, 5), 35, None, looks(None, 35)),
            (looks(None, 5), 36, Some(5), looks(Some(5), 36)),
            (looks(Some(5), 36), 40, Some(5), looks(Some(5), 40)),
            (looks(Some(5), 40), 71, Some(40), looks(Some(40), 71)),
            // The clock was set back.
            (looks(Some(5), 40), 20, Some(5), None),
        ] {
            assert_eq!(last_looked(remembered.as_ref(), at(now)), since.map(at), "{remembered:?} {now}");
            assert_eq!(look(remembered.as_ref(), at(now)), then, "{remembered:?} {now}");
        }
    }
}
