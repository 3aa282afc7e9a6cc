//! Further questions to a server: headers first, and whether a 304 was true.

use super::evidence::Evidence;
use super::progress::VisitProgress;
use super::{CrawlStep, StepError};
use recrawl_core::decide::answer::Answer;
use recrawl_core::decide::judge::Observation;
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::record::{Check, Headers, PageState, SAME_BY_HEAD, Validators};
use recrawl_core::ports::{FetchError, Request};

impl CrawlStep {
    /// Asks for the headers of a known page; returns evidence if they say that the page is what it was.
    ///
    /// Anything else is for the question that follows: many servers answer this one carelessly.
    pub(super) async fn ask_for_headers(
        &self,
        progress: &VisitProgress<'_>,
        known: &PageState,
        validators: Option<&Validators>,
    ) -> Result<Option<Evidence>, StepError> {
        let request = Request { validators, ..Request::head(progress.url) };
        let response = match self.fetch(progress, request).await {
            Ok(response) => response,
            Err(error @ (FetchError::Paused { .. } | FetchError::Stopped)) => {
                return Err(StepError::NotBegun(error));
            }
            Err(FetchError::Refused(_) | FetchError::NoAnswer { .. }) => return Ok(None),
        };
        let unchanged = match Answer::of(response.status) {
            Answer::NotModified if validators.is_some() => self.not_modified(known, &response).await?,
            Answer::Content => match same_validator(&known.headers, &response.headers) {
                Some(validator) => {
                    let reason = Some(format!("{SAME_BY_HEAD}{validator}"));
                    Evidence { not_modified: false, reason, ..self.not_modified(known, &response).await? }
                }
                None => return Ok(None),
            },
            Answer::NotModified
            | Answer::NotThePage
            | Answer::Redirect
            | Answer::Absent { .. }
            | Answer::Trouble
            | Answer::Denied => return Ok(None),
        };
        let is_checked = self.checks(progress.url);
        Ok(Some(if is_checked { self.check(progress, known, unchanged).await? } else { unchanged }))
    }

    /// Asks for the whole page after an answer that it is what it was.
    pub(super) async fn check(
        &self,
        progress: &VisitProgress<'_>,
        known: &PageState,
        unchanged: Evidence,
    ) -> Result<Evidence, StepError> {
        let mut whole = match self.fetch(progress, Request::get(progress.url)).await {
            Ok(response) if response.status == 200 => response,
            // The page could not be had, so nothing is refuted.
            Ok(_) | Err(_) => return Ok(Evidence { requests: 2, ..unchanged }),
        };
        whole.received_bytes += unchanged.received_bytes;
        let body = std::mem::take(&mut whole.body);
        let evidence = self.read(progress, Some(known), &whole, body).await?;
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
            tracing::warn!(url = %progress.url, "the server said that a page was what it was, and it had changed");
            let reason = Some("the server said that nothing changed, and it had".to_owned());
            return Ok(Evidence { requests: 2, check: Check::False304, reason, ..evidence });
        }
        let received_bytes = whole.received_bytes;
        Ok(Evidence { requests: 2, check: Check::Confirmed, received_bytes, ..unchanged })
    }
}

/// Returns the name of a validator that two answers have in common, if all that they carry are the same.
fn same_validator(before: &Headers, now: &Headers) -> Option<&'static str> {
    let validators = before.validators().filter(|before| now.validators().as_ref() == Some(before))?;
    Some(if validators.etag.is_some() { "ETag" } else { "Last-Modified" })
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
            (headers(Some("1"), None), headers(Some("1"), None), Some("ETag")),
            (headers(Some("1"), None), headers(Some("2"), None), None),
            (headers(Some("1"), Some("x")), headers(Some("1"), Some("y")), None),
            (headers(Some("1"), Some("x")), headers(Some("1"), Some("x")), Some("ETag")),
            (headers(None, Some("x")), headers(None, Some("x")), Some("Last-Modified")),
            (headers(None, None), headers(None, None), None),
        ] {
            assert_eq!(same_validator(&before, &now), expected, "{before:?} {now:?}");
        }
    }
}
