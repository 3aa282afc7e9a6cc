//! What a push comes to, and what Pub/Sub is told about it.

use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_queue_pubsub::message::Poison;

/// What a push comes to. Any status but success is delivered again, so only what that can cure is [`Later`].
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// What was asked for is done, or need not be.
    Done(Done),
    /// It could not be done now.
    Later(Later),
    /// It can never be done.
    Poison(Dropped),
    /// The caller is not the subscription.
    Denied(&'static str),
}

/// How a push was done.
#[derive(Debug, Clone)]
pub(crate) enum Done {
    /// The page is recorded.
    Visited(Visited),
    /// The page was recorded before.
    Duplicate,
    /// The page was known, and is absent or lost its content; it is asked for once more when the crawl is quiet.
    Unconfirmed,
    /// The page waits with the crawl, and its message comes again when it has its turn.
    Kept,
    /// There is nothing to do any more, for this reason.
    Passed(String),
    /// The tick is over, with this report.
    Ticked(String),
    /// The request for archiving is in this state.
    Archived(String),
}

/// What is told of a visit.
#[derive(Debug, Clone)]
pub(crate) struct Visited {
    pub(crate) verdict: Verdict,
    pub(crate) status: Option<u16>,
    pub(crate) fetch_ms: u32,
    pub(crate) received_bytes: u64,
}

/// Why something could not be done now.
#[derive(Debug, Clone)]
pub(crate) struct Later {
    pub(crate) reason: String,
    /// When it makes sense to come again.
    pub(crate) after: Duration,
    pub(crate) trouble: Trouble,
}

/// Whether somebody should look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Everything is as it should be; there is just too much to do.
    None,
    /// Something outside does not work at the moment.
    Passing,
    /// Something is broken.
    Lasting,
}

/// A message that can never be used.
#[derive(Debug, Clone)]
pub(crate) struct Dropped {
    /// The word under which such messages are counted.
    pub(crate) kind: &'static str,
    pub(crate) reason: String,
}

impl Answer {
    /// The page is not of the site that is crawled here.
    pub(crate) const FOREIGN: &'static str = "foreign";

    /// Recrawl stumbles over the page, and over noting that.
    pub(crate) const STUMBLED: &'static str = "stumbled";

    /// The body of the push is too large to be a message of ours.
    pub(crate) const TOO_LARGE: &'static str = "too-large";

    /// Returns what Pub/Sub is told.
    pub(crate) const fn status(&self) -> StatusCode {
        match self {
            Self::Done(_) | Self::Poison(_) => StatusCode::NO_CONTENT,
            Self::Later(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Denied(_) => StatusCode::FORBIDDEN,
        }
    }

    /// Returns the word for what it came to.
    pub(crate) const fn outcome(&self) -> &'static str {
        match self {
            Self::Done(Done::Visited(_)) => "recorded",
            Self::Done(Done::Duplicate) => "duplicate",
            Self::Done(Done::Unconfirmed) => "unconfirmed",
            Self::Done(Done::Kept) => "kept",
            Self::Done(Done::Passed(_)) => "passed",
            Self::Done(Done::Ticked(_)) => "ticked",
            Self::Done(Done::Archived(_)) => "archived",
            Self::Later(_) => "later",
            Self::Poison(_) => "poison",
            Self::Denied(_) => "denied",
        }
    }

    /// Something outside does not work at the moment.
    pub(crate) fn unavailable(reason: impl Into<String>, after: Duration) -> Self {
        Self::Later(Later { reason: reason.into(), after, trouble: Trouble::Passing })
    }

    /// Too much is to be done, or we are about to stop.
    pub(crate) fn not_now(reason: impl Into<String>, after: Duration) -> Self {
        Self::Later(Later { reason: reason.into(), after, trouble: Trouble::None })
    }

    /// Something is broken that a person can mend; what is delivered again then goes well.
    pub(crate) fn broken(reason: impl Into<String>) -> Self {
        let after = Duration::from_mins(1);
        Self::Later(Later { reason: reason.into(), after, trouble: Trouble::Lasting })
    }

    /// The page is not of this site.
    pub(crate) fn foreign(reason: impl Into<String>) -> Self {
        Self::Poison(Dropped { kind: Self::FOREIGN, reason: reason.into() })
    }
}

impl From<Poison> for Answer {
    fn from(poison: Poison) -> Self {
        Self::Poison(Dropped { kind: poison.kind(), reason: poison.to_string() })
    }
}

impl From<&PageRecord> for Visited {
    fn from(record: &PageRecord) -> Self {
        let visit = &record.visit;
        Self {
            verdict: visit.verdict,
            status: visit.status,
            fetch_ms: visit.fetch_ms,
            received_bytes: visit.received_bytes,
        }
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let status = self.status();
        match self {
            Self::Done(_) | Self::Poison(_) => status.into_response(),
            Self::Later(later) => {
                let seconds = HeaderValue::from(later.after.as_secs().max(1));
                (status, [(header::RETRY_AFTER, seconds)]).into_response()
            }
            Self::Denied(_) => (status, "not the subscription\n").into_response(),
        }
    }
}

/// Returns the error with everything that led to it, as one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_redelivery_can_cure_is_delivered_again() {
        let second = Duration::from_secs(1);
        for (answer, status) in [
            (Answer::Done(Done::Duplicate), 204),
            (Answer::Done(Done::Passed("closed".to_owned())), 204),
            (Answer::from(Poison::Base64), 204),
            (Answer::foreign("other host"), 204),
            (Answer::unavailable("store", second), 503),
            (Answer::not_now("full", second), 503),
            (Answer::broken("no topic"), 503),
            (Answer::Denied("no token"), 403),
        ] {
            assert_eq!(answer.status().as_u16(), status, "{}", answer.outcome());
        }
    }

    #[test]
    fn what_is_to_come_again_says_when() {
        let response = Answer::not_now("full", Duration::from_millis(2_500)).into_response();
        assert_eq!(response.headers()[header::RETRY_AFTER], "2");
        let response = Answer::not_now("full", Duration::ZERO).into_response();
        assert_eq!(response.headers()[header::RETRY_AFTER], "1");
    }
}
