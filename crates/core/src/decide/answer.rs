//! What the status of an answer means for a crawl: of HTTP (200, 304, 404, 429, 503 ...), and of Gemini.

mod gemini;

pub use self::gemini::GeminiStatus;

/// What the answer of a server means for a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The page is here.
    Content,
    /// A success that is not the page: a part of it, nothing at all, or something for other programs.
    NotThePage,
    /// The page is what we have.
    NotModified,
    /// The page is elsewhere.
    Redirect,
    /// There is no page.
    Absent {
        /// And there will be none.
        for_good: bool,
    },
    /// The server is in trouble or wants to be left alone: another attempt may tell, after a pause of its host.
    Trouble,
    /// The server does not tell, and another attempt will not change that.
    Denied,
    /// The page is for people: the server wants this first.
    Wants(Wanted),
}

/// What a server wants before it gives a page, and a crawler has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Something that a person types.
    Input,
    /// A certificate that says who asks.
    Certificate,
}

impl Wanted {
    /// Returns why a page is left out, in words.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Input => "it wants input",
            Self::Certificate => "it wants a client certificate",
        }
    }
}

impl Answer {
    /// Reads an HTTP status.
    pub const fn of(status: u16) -> Self {
        match status {
            200 | 201 | 203 => Self::Content,
            202 | 204..=299 => Self::NotThePage,
            304 => Self::NotModified,
            301 | 302 | 303 | 307 | 308 => Self::Redirect,
            404 => Self::Absent { for_good: false },
            410 => Self::Absent { for_good: true },
            429 | 500..=504 | 520..=527 => Self::Trouble,
            _ => Self::Denied,
        }
    }
}

/// Tells whether a server says by this status that it is asked too much.
pub const fn asks_for_less(status: u16) -> bool {
    matches!(status, 429 | 503)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_its_meaning() {
        let cases = [
            (Answer::Content, &[200, 201, 203][..]),
            (Answer::NotThePage, &[202, 204, 205, 206, 207, 208, 226, 299]),
            (Answer::NotModified, &[304]),
            (Answer::Redirect, &[301, 302, 303, 307, 308]),
            (Answer::Absent { for_good: false }, &[404]),
            (Answer::Absent { for_good: true }, &[410]),
            (Answer::Trouble, &[429, 500, 501, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527]),
            (Answer::Denied, &[300, 305, 400, 401, 403, 405, 418, 451, 505, 519, 528, 999]),
        ];
        for (answer, statuses) in cases {
            for &status in statuses {
                assert_eq!(Answer::of(status), answer, "{status}");
            }
        }
    }
}
