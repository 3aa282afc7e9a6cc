//! What is wrong with a command line or a setting, as opposed to what failed.

use thiserror::Error;

/// Something was asked for that cannot be done: nothing was done, and asking for something else helps.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Returns a [`Usage`] error with this sentence.
pub fn usage(message: impl Into<String>) -> anyhow::Error {
    Usage(message.into()).into()
}
