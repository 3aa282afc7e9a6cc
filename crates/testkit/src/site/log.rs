//! What the server saw.

use std::time::{Duration, Instant};

/// One request, as the server saw it.
#[derive(Debug, Clone)]
pub struct Logged {
    /// When its head had been read.
    pub arrival: Instant,
    /// `GET`, `HEAD` and so on.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// Names in lowercase, with their values, in the order of arrival.
    pub headers: Vec<(String, String)>,
    /// The status that was answered; none where the connection ended without one.
    pub status: Option<u16>,
    /// Bytes of the answer that were sent, head included.
    pub sent: u64,
}

impl Logged {
    /// Returns the first value of a header; `name` is in lowercase.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Reads the head of a request; none if it is not HTTP.
    pub(super) fn parse(head: &str, arrival: Instant) -> Option<Self> {
        let mut lines = head.split("\r\n");
        let mut request = lines.next()?.split(' ');
        let (method, path) = (request.next()?.to_owned(), request.next()?.to_owned());
        let headers = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        Some(Self { arrival, method, path, headers, status: None, sent: 0 })
    }
}

/// Asserts that requests were sent at least `delay` apart.
///
/// On a busy machine a server may read a request late, which shortens the gap behind it. So a single gap has
/// some leeway, but the leeway does not add up: the last request has no more of it than the second.
#[track_caller]
pub fn assert_spaced(requests: &[Logged], delay: Duration) {
    let leeway = delay.mul_f64(0.3).max(Duration::from_millis(100));
    let Some(first) = requests.first() else { return };
    for (number, pair) in (1..).zip(requests.windows(2)) {
        let gap = pair[1].arrival.duration_since(pair[0].arrival);
        assert!(gap + leeway >= delay, "request {number} came {gap:?} after the one before");
        let since = pair[1].arrival.duration_since(first.arrival);
        assert!(since + leeway >= delay * number, "request {number} came {since:?} after the first");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arriving(milliseconds: &[u64]) -> Vec<Logged> {
        let start = Instant::now();
        let at = |after| start + Duration::from_millis(after);
        let request = |after| Logged::parse("GET / HTTP/1.1", at(after)).unwrap();
        milliseconds.iter().map(|after| request(*after)).collect()
    }

    #[test]
    fn requests_a_second_apart_are_spaced_also_if_one_is_read_late() {
        assert_spaced(&arriving(&[0, 1_015, 2_030, 3_045]), Duration::from_secs(1));
        assert_spaced(&arriving(&[0, 1_015, 2_190, 3_045]), Duration::from_secs(1));
    }

    #[test]
    #[should_panic(expected = "after the one before")]
    fn two_requests_at_once_are_not_spaced() {
        assert_spaced(&arriving(&[0, 1_000, 2_600, 3_000]), Duration::from_secs(1));
    }

    #[test]
    #[should_panic(expected = "after the first")]
    fn a_pace_that_is_a_tenth_too_fast_is_not_spaced() {
        assert_spaced(&arriving(&[0, 900, 1_800, 2_700, 3_600]), Duration::from_secs(1));
    }
}
