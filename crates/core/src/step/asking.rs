//! Further questions to a server: headers first, and whether a 304 was true.

use super::course::Course;
use super::evidence::Evidence;
use super::{CrawlStep, StepError};
use crate::answer::Answer;
use crate::aspect::Aspects;
use crate::judge::Observation;
use crate::ports::{FetchError, Request, Response};
use crate::record::{Check, Headers, Known, Validators};

impl CrawlStep {
    /// Asks for the headers of a known page; returns evidence if they say that the page is what it was.
    ///
    /// Anything else is for the question that follows: many servers answer this one carelessly.
    pub(super) async fn ask_for_headers(
        &self,
        course: &Course<'_>,
        known: &Known,
        validators: Option<&Validators>,
    ) -> Result<Option<Evidence>, StepError> {
        let request = Request { validators, ..Request::head(course.url) };
        let response = match self.fetch(course, request).await {
            Ok(response) => response,
            Err(error @ (FetchError::Paused { .. } | FetchError::Stopped)) => {
                return Err(StepError::NotBegun(error));
            }
            Err(FetchError::Refused(_) | FetchError::NoAnswer { .. }) => return Ok(None),
        };
        let says_same = match Answer::of(response.status) {
            Answer::NotModified => validators.is_some(),
            Answer::Content => is_same(&known.headers, &response.headers),
            Answer::NotThePage
            | Answer::Redirect
            | Answer::Absent { .. }
            | Answer::Trouble
            | Answer::Denied => false,
        };
        if !says_same {
            return Ok(None);
        }
        let evidence = if self.checks(course.url) {
            self.check(course, known, &response).await?
        } else {
            self.not_modified(known, &response).await?
        };
        Ok(Some(evidence))
    }

    /// Asks for the whole page after an answer that it is what it was.
    pub(super) async fn check(
        &self,
        course: &Course<'_>,
        known: &Known,
        not_modified: &Response,
    ) -> Result<Evidence, StepError> {
        let unchanged = self.not_modified(known, not_modified).await?;
        let mut whole = match self.fetch(course, Request::get(course.url)).await {
            Ok(response) if response.status == 200 => response,
            // The page could not be had, so nothing is refuted.
            Ok(_) | Err(_) => return Ok(Evidence { requests: 2, ..unchanged }),
        };
        whole.received_bytes += not_modified.received_bytes;
        let body = std::mem::take(&mut whole.body);
        let evidence = self.read(course, Some(known), &whole, body).await?;
        let is_changed = match &evidence.observation {
            Observation::Content { difference, .. } => !difference.is_none_or(Aspects::is_empty),
            Observation::NotModified
            | Observation::Presumed
            | Observation::Redirect
            | Observation::Absent { .. }
            | Observation::NoEvidence
            | Observation::PassedOver => false,
        };
        if is_changed {
            tracing::warn!(url = %course.url, "the server answered 304 for a page that had changed");
            let reason = Some("the server said that nothing changed, and it had".to_owned());
            return Ok(Evidence { requests: 2, check: Check::Refuted, reason, ..evidence });
        }
        let received_bytes = whole.received_bytes;
        Ok(Evidence { requests: 2, check: Check::Confirmed, received_bytes, ..unchanged })
    }
}

/// Tells whether two answers carry the same validators, and at least one.
fn is_same(before: &Headers, now: &Headers) -> bool {
    before.validators().is_some() && before.validators() == now.validators()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_the_same_if_their_validators_are() {
        let headers = |etag: Option<&str>, last_modified: Option<&str>| Headers {
            etag: etag.map(str::to_owned),
            last_modified: last_modified.map(str::to_owned),
            ..Headers::default()
        };
        for (before, now, expected) in [
            (headers(Some("1"), None), headers(Some("1"), None), true),
            (headers(Some("1"), None), headers(Some("2"), None), false),
            (headers(Some("1"), Some("x")), headers(Some("1"), Some("y")), false),
            (headers(None, Some("x")), headers(None, Some("x")), true),
            (headers(None, None), headers(None, None), false),
        ] {
            assert_eq!(is_same(&before, &now), expected, "{before:?} {now:?}");
        }
    }
}
