//! What a status of the Gemini protocol means for a crawl.

use std::fmt;

use super::{Answer, Wanted};

/// A status of the Gemini protocol: 10 to 69.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GeminiStatus(u8);

impl GeminiStatus {
    /// Returns the status that two digits name, if there is a class for it.
    pub const fn new(status: u8) -> Option<Self> {
        match status {
            10..=69 => Some(Self(status)),
            _ => None,
        }
    }

    /// Returns the number.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Reads the status. One that the protocol does not know means what its class means.
    pub const fn answer(self) -> Answer {
        match self.0 {
            0..=19 => Answer::Wants(Wanted::Input),
            20..=29 => Answer::Content,
            30..=39 => Answer::Redirect,
            40..=49 => Answer::Trouble,
            51 => Answer::Absent { for_good: false },
            52 => Answer::Absent { for_good: true },
            50 | 53..=59 => Answer::Denied,
            60.. => Answer::Wants(Wanted::Certificate),
        }
    }

    /// Tells whether the host asks to be left alone for the seconds that follow.
    pub const fn is_slow_down(self) -> bool {
        self.0 == 44
    }

    /// Returns the nearest status of HTTP, which is recorded.
    pub const fn nearest_http(self) -> u16 {
        match self.0 {
            20..=29 => 200,
            31 => 301,
            30 | 32..=39 => 302,
            41 => 503,
            43 => 502,
            44 => 429,
            40 | 42 | 45..=49 => 500,
            51 => 404,
            52 => 410,
            53 => 421,
            61 => 403,
            60 | 62.. => 401,
            // What a server wants of a person, it did not find in the request.
            0..=19 | 50 | 54..=59 => 400,
        }
    }

    const fn words(self) -> &'static str {
        match self.0 {
            0..=19 => "input wanted",
            20..=29 => "success",
            31 => "moved for good",
            30..=39 => "moved",
            41 => "server unavailable",
            42 => "program failed",
            43 | 53 => "proxy refused",
            44 => "slow down",
            40..=49 => "temporary failure",
            51 => "not found",
            52 => "gone",
            59 => "bad request",
            50..=58 => "permanent failure",
            61 => "certificate not authorised",
            62 => "certificate not valid",
            60.. => "certificate wanted",
        }
    }
}

impl fmt::Display for GeminiStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Gemini status {}, {}", self.0, self.words())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_its_meaning() {
        let cases = [
            (Answer::Wants(Wanted::Input), &[10, 11, 19][..]),
            (Answer::Content, &[20, 29]),
            (Answer::Redirect, &[30, 31, 39]),
            (Answer::Trouble, &[40, 41, 42, 43, 44, 49]),
            (Answer::Absent { for_good: false }, &[51]),
            (Answer::Absent { for_good: true }, &[52]),
            (Answer::Denied, &[50, 53, 54, 59]),
            (Answer::Wants(Wanted::Certificate), &[60, 61, 62, 69]),
        ];
        for (answer, statuses) in cases {
            for &status in statuses {
                assert_eq!(GeminiStatus::new(status).unwrap().answer(), answer, "{status}");
            }
        }
        for status in [0, 9, 70, 99] {
            assert_eq!(GeminiStatus::new(status), None, "{status}");
        }
    }

    #[test]
    fn what_is_recorded_means_the_same_to_whoever_reads_it() {
        for status in (10..70).filter_map(GeminiStatus::new) {
            let (answer, recorded) = (status.answer(), Answer::of(status.nearest_http()));
            let is_same = match answer {
                Answer::Wants(_) => recorded == Answer::Denied,
                other => recorded == other,
            };
            assert!(is_same, "{status}: {answer:?} is recorded as {recorded:?}");
        }
    }

    #[test]
    fn people_read_the_number_and_what_it_says() {
        assert_eq!(GeminiStatus::new(44).unwrap().to_string(), "Gemini status 44, slow down");
        assert_eq!(GeminiStatus::new(59).unwrap().to_string(), "Gemini status 59, bad request");
    }
}
