//! Why an answer is not what was asked for, as a page and as a problem document.

use std::collections::BTreeMap;

use axum::Json;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use recrawl_core::model::ids::IdError;
use recrawl_core::ports::StoreError;
use recrawl_core::url::UrlError;
use recrawl_reports::ReportError;
use serde::Serialize;
use thiserror::Error;
use utoipa::openapi::{self, Content, Ref, RefOr, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

use crate::crawl_control::ControlError;
use crate::pages;

/// Why an answer is not what was asked for. Its text is shown to whoever asked, that of the source never.
#[derive(Debug, Error)]
pub(crate) enum WebError {
    /// There is no such thing.
    #[error("{0}")]
    NotFound(String),
    /// The request makes no sense.
    #[error("{0}")]
    BadRequest(String),
    /// Nobody knows who asks.
    #[error("send the admin token as `Authorization: Bearer TOKEN`")]
    Unauthorized,
    /// The one who asks may not.
    #[error("{0}")]
    Forbidden(String),
    /// Somebody who logs in may.
    #[error("log in first")]
    LoginNeeded,
    /// It cannot be done as things are.
    #[error("{0}")]
    Refused(String),
    /// What was sent is not of the kind that is read.
    #[error("send this as `Content-Type: application/json`")]
    NotJson,
    /// What was sent can be read, but not be done.
    #[error("{0}")]
    Invalid(String),
    /// The address does not take this method.
    #[error("{0} is not possible here")]
    NotTaken(Method),
    /// Too many of these requests.
    #[error("too many attempts: try again in a minute")]
    TooMany,
    /// The store failed.
    #[error("the history cannot be read just now")]
    Store(#[source] StoreError),
}

impl WebError {
    /// Says that what was typed cannot be done, where that is the reason for a refusal.
    pub(crate) fn of_typed(error: ControlError) -> Self {
        match error {
            ControlError::Refused(reason) => Self::Invalid(reason),
            ControlError::Store(error) => error.into(),
        }
    }

    /// Returns the status of the answer.
    pub(crate) const fn status(&self) -> StatusCode {
        match self {
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::BadRequest(_) => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Forbidden(_) | Self::LoginNeeded => StatusCode::FORBIDDEN,
            Self::NotTaken(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Refused(_) => StatusCode::CONFLICT,
            Self::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Self::Store(StoreError::Unavailable(_)) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Store(StoreError::Corrupt(_) | StoreError::Absent(_)) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Answers as `path` does: with a problem document below `/api/`, with a page elsewhere.
    pub(crate) fn answer_at(self, path: &str) -> Response {
        if path.starts_with("/api/") { Problem(self).into_response() } else { self.into_response() }
    }

    /// Logs what only the operator should know.
    fn log(&self) {
        if let Self::Store(error) = self {
            let source = std::error::Error::source(error).map(ToString::to_string);
            tracing::error!(%error, source, "a page could not be shown");
        }
    }
}

impl From<StoreError> for WebError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Absent(what) => Self::NotFound(format!("there is no {what}")),
            error @ (StoreError::Unavailable(_) | StoreError::Corrupt(_)) => Self::Store(error),
        }
    }
}

impl From<ReportError> for WebError {
    fn from(error: ReportError) -> Self {
        match error {
            ReportError::Absent(what) => Self::NotFound(what),
            ReportError::Store(error) => error.into(),
            ReportError::Queue(error) => Self::Store(StoreError::Unavailable(error.into())),
        }
    }
}

impl From<ControlError> for WebError {
    fn from(error: ControlError) -> Self {
        match error {
            ControlError::Refused(reason) => Self::Refused(reason),
            ControlError::Store(error) => error.into(),
        }
    }
}

impl From<IdError> for WebError {
    fn from(error: IdError) -> Self {
        Self::BadRequest(error.to_string())
    }
}

impl From<UrlError> for WebError {
    fn from(error: UrlError) -> Self {
        Self::BadRequest(format!("the address is no page: {error}"))
    }
}

impl IntoResponse for WebError {
    fn into_response(self) -> Response {
        self.log();
        (self.status(), pages::error(&self)).into_response()
    }
}

/// A [`WebError`] as `application/problem+json` (RFC 9457).
#[derive(Debug)]
pub(crate) struct Problem(pub(crate) WebError);

impl<E: Into<WebError>> From<E> for Problem {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// The media type of [`ProblemDocument`].
const PROBLEM: &str = "application/problem+json";

/// What went wrong (RFC 9457).
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProblemDocument {
    /// Always `about:blank`: the status says it all.
    r#type: &'static str,
    /// The status in words.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// What went wrong with this request.
    detail: String,
}

impl IntoResponses for ProblemDocument {
    fn responses() -> BTreeMap<String, RefOr<openapi::Response>> {
        let content = Content::new(Some(Ref::from_schema_name(Self::name())));
        let response = ResponseBuilder::new().content(PROBLEM, content).build();
        BTreeMap::from([("4XX".to_owned(), response.into())])
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        self.0.log();
        let status = self.0.status();
        let document = ProblemDocument {
            r#type: "about:blank",
            title: status.canonical_reason().unwrap_or_default(),
            status: status.as_u16(),
            detail: self.0.to_string(),
        };
        let mut response = (status, Json(document)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM));
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;

    use super::*;

    #[tokio::test]
    async fn a_store_in_trouble_is_told_without_details() {
        let fails = |corrupt: bool| {
            let source = "secret path /srv/recrawl.db".into();
            WebError::from(if corrupt {
                StoreError::Corrupt(source)
            } else {
                StoreError::Unavailable(source)
            })
        };
        for (response, status) in [
            (fails(true).into_response(), 500),
            (fails(false).into_response(), 503),
            (Problem(fails(true)).into_response(), 500),
        ] {
            assert_eq!(response.status().as_u16(), status);
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            let body = String::from_utf8(body.to_vec()).unwrap();
            assert!(
                body.contains("he history cannot be read just now") && !body.contains("secret"),
                "{body}"
            );
        }
    }

    #[test]
    fn what_the_store_does_not_have_is_not_found() {
        assert_eq!(WebError::from(StoreError::Absent("site x".to_owned())).status(), StatusCode::NOT_FOUND);
    }
}
