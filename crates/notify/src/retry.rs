//! Retries and backoff of notifications, with 429 and `Retry-After`: what follows an attempt to tell somebody something.
//!
//! Ours and not `backon`: whether to go on is one function with a table of tests, and the attempts are counted for the
//! report.

use std::time::{Duration, SystemTime};

use crate::channel::SendError;

/// How often and how long a target is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryLimits {
    /// How many attempts are made.
    pub attempts: u32,
    /// How long to wait after the first; twice as long after each further one.
    pub first_wait: Duration,
    /// The longest wait. A server that asks for more is tried again by the next call.
    pub longest_wait: Duration,
    /// How long one attempt may take.
    pub time_out: Duration,
}

impl Default for RetryLimits {
    fn default() -> Self {
        Self {
            attempts: 5,
            first_wait: Duration::from_secs(2),
            longest_wait: Duration::from_mins(5),
            time_out: Duration::from_secs(30),
        }
    }
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The target has it.
    Accepted,
    /// The target does not want it, for the reason in words: asking again helps nothing.
    Refused(String),
    /// Something that may pass.
    Trouble {
        /// What, in words.
        what: String,
        /// How long the target wants to be left alone, where it says so.
        wait: Option<Duration>,
    },
}

/// What to do after an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Nothing: it is done.
    Done,
    /// Wait this long, then try again.
    Again(Duration),
    /// Nothing more now.
    GiveUp,
}

/// Decides what follows the `attempt`-th attempt, counted from 1.
pub fn next(reply: &Reply, attempt: u32, patience: &RetryLimits) -> Next {
    let wait = match reply {
        Reply::Accepted => return Next::Done,
        Reply::Refused(_) => return Next::GiveUp,
        Reply::Trouble { wait, .. } => *wait,
    };
    if attempt >= patience.attempts || wait.is_some_and(|wait| wait > patience.longest_wait) {
        return Next::GiveUp;
    }
    let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1));
    let own = patience.first_wait.saturating_mul(doubled).min(patience.longest_wait);
    Next::Again(wait.map_or(own, |wait| wait.max(own)))
}

/// Tells what an HTTP answer with this status means.
pub fn http_reply(status: u16, wait: Option<Duration>, says: &str) -> Reply {
    let says = if says.is_empty() { String::new() } else { format!(": {says}") };
    match status {
        200..=299 => Reply::Accepted,
        // GitHub forbids what comes too fast, and says for how long.
        403 if wait.is_some() => Reply::Trouble { what: format!("it answers {status}{says}"), wait },
        408 | 429 | 500..=599 => Reply::Trouble { what: format!("it answers {status}{says}"), wait },
        // A redirect could lead a secret astray.
        300..=399 => Reply::Refused(format!("it answers {status}: it has moved")),
        _ => Reply::Refused(format!("it answers {status}{says}")),
    }
}

/// Returns how long a service wants to be left alone, as it says in its headers or in the JSON of its answer: `Retry-After`;
/// `retry_after_ms` of Matrix; `parameters.retry_after` of Telegram; `x-ratelimit-reset` of GitHub.
pub fn wish<'a>(header: &dyn Fn(&str) -> Option<&'a str>, body: &str, now: SystemTime) -> Option<Duration> {
    let by_header = header("retry-after").and_then(|value| retry_after(value, now));
    by_header.or_else(|| wish_in_body(body)).or_else(|| {
        let is_used_up = header("x-ratelimit-remaining") == Some("0");
        let reset: u64 = header("x-ratelimit-reset").filter(|_| is_used_up)?.trim().parse().ok()?;
        (SystemTime::UNIX_EPOCH + Duration::from_secs(reset)).duration_since(now).ok()
    })
}

fn wish_in_body(body: &str) -> Option<Duration> {
    let said: serde_json::Value = serde_json::from_str(body).ok()?;
    if let Some(milliseconds) = said["retry_after_ms"].as_u64() {
        return Some(Duration::from_millis(milliseconds));
    }
    said["parameters"]["retry_after"].as_u64().map(Duration::from_secs)
}

/// Reads a `Retry-After`: seconds, also with a fraction, or a date after `now`.
pub fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if value.starts_with(|first: char| first.is_ascii_digit()) {
        let seconds = value.parse::<f64>().ok()?;
        return Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    }
    httpdate::parse_http_date(value).ok()?.duration_since(now).ok()
}

/// Makes attempts until one is accepted or there is no point in more; returns how many were made.
pub(crate) async fn persist<A: Future<Output = Reply>>(
    patience: &RetryLimits,
    mut attempt: impl FnMut() -> A,
) -> Result<u32, SendError> {
    let mut attempts = 1;
    loop {
        let reply = attempt().await;
        match (next(&reply, attempts, patience), reply) {
            (Next::Again(wait), _) => tokio::time::sleep(wait).await,
            (Next::Done | Next::GiveUp, Reply::Accepted) => return Ok(attempts),
            (Next::Done | Next::GiveUp, Reply::Refused(what)) => return Err(SendError::Refused(what)),
            (Next::Done | Next::GiveUp, Reply::Trouble { what, wait }) => {
                return Err(SendError::Trouble { attempts, what, wait });
            }
        }
        attempts += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trouble(wait: Option<u64>) -> Reply {
        Reply::Trouble { what: String::new(), wait: wait.map(Duration::from_secs) }
    }

    #[test]
    fn waits_grow_and_the_wish_of_the_target_counts() {
        for (reply, attempt, expected) in [
            (Reply::Accepted, 1, None),
            (Reply::Refused(String::new()), 1, None),
            (trouble(None), 1, Some(2)),
            (trouble(None), 2, Some(4)),
            (trouble(None), 4, Some(16)),
            (trouble(None), 5, None),
            (trouble(Some(60)), 1, Some(60)),
            (trouble(Some(0)), 1, Some(2)),
            (trouble(Some(300)), 4, Some(300)),
            (trouble(Some(301)), 1, None),
            (trouble(Some(1)), 5, None),
        ] {
            let wait = match next(&reply, attempt, &RetryLimits::default()) {
                Next::Again(wait) => Some(wait.as_secs()),
                Next::Done | Next::GiveUp => None,
            };
            assert_eq!(wait, expected, "{reply:?} {attempt}");
        }
        assert_eq!(next(&Reply::Accepted, 1, &RetryLimits::default()), Next::Done);
    }

    #[test]
    fn a_status_is_accepted_refused_or_may_pass() {
        for (status, expected) in [
            (200, "accepted"),
            (204, "accepted"),
            (301, "refused"),
            (400, "refused"),
            (404, "refused"),
            (410, "refused"),
            (408, "trouble"),
            (429, "trouble"),
            (500, "trouble"),
            (503, "trouble"),
        ] {
            let kind = match http_reply(status, None, "") {
                Reply::Accepted => "accepted",
                Reply::Refused(_) => "refused",
                Reply::Trouble { .. } => "trouble",
            };
            assert_eq!(kind, expected, "{status}");
        }
    }

    #[test]
    fn a_service_says_in_its_own_way_how_long_it_wants_to_be_left_alone() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
        for (headers, body, seconds) in [
            (vec![("retry-after", "7")], r#"{"retry_after_ms":2000}"#, Some(7)),
            (vec![], r#"{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2000}"#, Some(2)),
            (vec![], r#"{"ok":false,"error_code":429,"parameters":{"retry_after":9}}"#, Some(9)),
            (vec![("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1060")], "", Some(60)),
            (vec![("x-ratelimit-remaining", "3"), ("x-ratelimit-reset", "1060")], "", None),
            (vec![], "not JSON", None),
        ] {
            let header = |name: &str| headers.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
            assert_eq!(wish(&header, body, now), seconds.map(Duration::from_secs), "{headers:?} {body}");
        }
        assert!(matches!(http_reply(403, Some(Duration::from_secs(1)), ""), Reply::Trouble { .. }));
        assert!(matches!(http_reply(403, None, ""), Reply::Refused(_)));
    }

    #[test]
    fn a_retry_after_is_seconds_or_a_date() {
        // Sun, 06 Nov 1994 08:49:37 GMT
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        for (value, milliseconds) in [
            ("120", Some(120_000)),
            (" 1.5 ", Some(1_500)),
            ("0", Some(0)),
            ("Sun, 06 Nov 1994 08:49:47 GMT", Some(10_000)),
            ("Sun, 06 Nov 1994 08:49:27 GMT", None),
            ("-1", None),
            ("soon", None),
            ("", None),
            ("1e3x", None),
        ] {
            assert_eq!(retry_after(value, now), milliseconds.map(Duration::from_millis), "{value:?}");
        }
        assert_eq!(retry_after("1e300", now), Some(Duration::MAX));
    }
}
