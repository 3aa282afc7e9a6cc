//! What can go wrong.

/// What happens to a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is taken, and the job ends with this `status_ext`.
    Job(&'static str),
    /// It is declined with this `status_ext`.
    Refusal(&'static str),
    /// It is answered with this HTTP status.
    Status(u16),
    /// It is answered with 429 and this `Retry-After`, in seconds.
    RetryAfter(u64),
    /// It is never answered, and nothing is captured.
    Hang,
    /// The connection ends without an answer, and nothing is captured.
    Drop,
    /// The page is captured, and the connection ends without an answer.
    DropAfterCapture,
    /// It is taken, and the job is never over.
    EndlessJob,
    /// It is taken, and the job is not known when it is looked at.
    ForgottenJob,
    /// The answer is a web page.
    NotJson,
    /// The answer is an error that repeats the keys.
    RepeatsKeys,
}
