//! The requests of one visit: HEAD where that is asked first, GET, and a check of a 304.

use std::time::Duration;

use recrawl_core::decide::answer::Answer;
use recrawl_core::decide::interpret::{Answers, Checked, same_validator};
use recrawl_core::decide::request_plan::Questions;
use recrawl_core::model::record::PageState;
use recrawl_core::ports::{FetchError, Request, Response};

use super::progress::VisitProgress;
use super::{CrawlStep, StepError};

impl CrawlStep {
    /// Asks for a page. An answer to HEAD counts only where it says that the page is what it was: many servers answer
    /// this one carelessly.
    pub(super) async fn ask(
        &self,
        progress: &VisitProgress<'_>,
        known: Option<&PageState>,
        questions: &Questions,
    ) -> Result<Answers, StepError> {
        let validators = questions.validators.as_ref();
        if let Some(known) = known.filter(|_| questions.head_first) {
            let request = Request { validators, ..Request::head(progress.url) };
            let (is_same, same) = match self.fetch_begun(progress, request).await? {
                Ok(response) => match response.answer {
                    Answer::NotModified if validators.is_some() => (Some(response), None),
                    Answer::Content => match same_validator(&known.headers, &response.headers) {
                        same @ Some(_) => (Some(response), same),
                        None => (None, None),
                    },
                    Answer::NotModified
                    | Answer::NotThePage
                    | Answer::Redirect
                    | Answer::Absent { .. }
                    | Answer::Trouble
                    | Answer::Denied
                    | Answer::Wants(_) => (None, None),
                },
                Err(_) => (None, None),
            };
            if let Some(response) = is_same {
                return Ok(self.unchanged(progress, questions, response, same).await);
            }
        }
        let request = Request { validators, ..Request::get(progress.url) };
        Ok(match self.fetch_begun(progress, request).await? {
            Ok(response) if response.answer == Answer::NotModified && validators.is_some() => {
                self.unchanged(progress, questions, response, None).await
            }
            Ok(response) => Answers::Answered(response),
            Err(error) => {
                let reason = error.to_string();
                let (retry, after) = match error {
                    FetchError::NoAnswer { reason, after, .. } => (Some(reason), after),
                    FetchError::Refused(_) | FetchError::Paused { .. } | FetchError::Stopped => {
                        (None, Duration::ZERO)
                    }
                };
                Answers::Silence { reason, retry, after }
            }
        })
    }

    /// Takes in an answer that the page is what it was, and asks for the whole page where that is to be checked.
    async fn unchanged(
        &self,
        progress: &VisitProgress<'_>,
        questions: &Questions,
        response: Response,
        same: Option<&'static str>,
    ) -> Answers {
        let mut check = None;
        if questions.checks_unchanged {
            check = Some(match self.fetch(progress, Request::get(progress.url)).await {
                Ok(mut whole) if whole.answer == Answer::Content => {
                    whole.received_bytes += response.received_bytes;
                    Checked::Whole(whole)
                }
                Ok(_) | Err(_) => Checked::Nothing,
            });
        }
        Answers::Unchanged { response, same, check }
    }

    /// Makes a request. One that is not begun is an error of the visit, which is not, either.
    pub(super) async fn fetch_begun(
        &self,
        progress: &VisitProgress<'_>,
        request: Request<'_>,
    ) -> Result<Result<Response, FetchError>, StepError> {
        match self.fetch(progress, request).await {
            Err(error @ (FetchError::Paused { .. } | FetchError::Stopped)) => Err(StepError::NotBegun(error)),
            outcome => Ok(outcome),
        }
    }

    /// Makes one request of a visit.
    async fn fetch(
        &self,
        progress: &VisitProgress<'_>,
        request: Request<'_>,
    ) -> Result<Response, FetchError> {
        progress.begin_request();
        let response = self.ports.fetcher.fetch(request).await?;
        progress.answered(&response);
        Ok(response)
    }
}
