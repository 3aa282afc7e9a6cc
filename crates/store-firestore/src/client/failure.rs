//! What goes wrong, and what the caller does next.

use firestore::gcloud_sdk::tonic::{Code, Status};
use recrawl_core::ports::StoreError;

/// Why a request was not carried out.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A document that was to be created is there already.
    Exists,
    /// A document that was to be changed is not there.
    Missing,
    /// A document was changed since it was read.
    Changed,
    /// Firestore does not take the request, now or later.
    Refused(StoreError),
    /// Everything else.
    Store(StoreError),
}

/// Tells whether the same request may be answered a moment later.
pub(super) fn is_passing(code: Code) -> bool {
    matches!(
        code,
        Code::Unavailable
            | Code::DeadlineExceeded
            | Code::Aborted
            | Code::ResourceExhausted
            | Code::Internal
            | Code::Cancelled
            | Code::Unknown
    )
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        match status.code() {
            Code::AlreadyExists => Self::Exists,
            Code::NotFound => Self::Missing,
            Code::FailedPrecondition => Self::Changed,
            Code::InvalidArgument | Code::OutOfRange | Code::Unimplemented | Code::DataLoss => {
                Self::Refused(StoreError::Corrupt(status.into()))
            }
            // Also a missing permission, which a person may grant while messages wait.
            _ => Self::Store(StoreError::Unavailable(status.into())),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Exists => Self::Unavailable("a document is there that was not expected".into()),
            Failure::Missing => Self::Unavailable("a document or the database is not there".into()),
            Failure::Changed => Self::Unavailable("a document was changed meanwhile".into()),
            Failure::Refused(error) | Failure::Store(error) => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_is_unavailable_and_what_stays_is_corrupt() {
        let unavailable = [
            Code::Unavailable,
            Code::DeadlineExceeded,
            Code::Aborted,
            Code::ResourceExhausted,
            Code::Internal,
            Code::PermissionDenied,
            Code::Unauthenticated,
        ];
        for code in unavailable {
            let error = StoreError::from(Failure::from(Status::new(code, "")));
            assert!(matches!(error, StoreError::Unavailable(_)), "{code:?}");
        }
        for code in [Code::InvalidArgument, Code::DataLoss, Code::Unimplemented] {
            let error = StoreError::from(Failure::from(Status::new(code, "")));
            assert!(matches!(error, StoreError::Corrupt(_)), "{code:?}");
        }
    }
}
