//! What can go wrong, split by what the caller does next.

use std::time::Duration;

use recrawl_core::ports::{Source, StoreError};
use thiserror::Error;

/// Why Save Page Now gave no answer about a page.
#[derive(Debug, Error)]
pub enum ServiceError {
    /// The keys are wrong, or there are none and it wants some. A person has to do something.
    #[error("Save Page Now refuses the keys, or does nothing without keys")]
    KeysRefused,
    /// It was asked too often.
    #[error("Save Page Now is asked too often (429)")]
    TooFast {
        /// How long it wants to be left alone, where it says so.
        retry_after: Option<Duration>,
    },
    /// There is no connection to it: no page is to blame.
    #[error("Save Page Now cannot be reached")]
    Unreachable(#[source] Source),
    /// It was reached, and answered with an error of its own, with nonsense or not at all.
    #[error("Save Page Now is in trouble: {0}")]
    Trouble(String),
}

/// Why a request could not be outcome out. What is stored says how to go on; a later call does.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each variant is the error of its part")]
pub enum ArchiveError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Service(#[from] ServiceError),
}

/// Why there is no client.
#[derive(Debug, Error)]
pub enum SetupError {
    /// Keys and addresses go over the wire to this address.
    #[error("{0:?} is no address of Save Page Now: https://HOST, or http:// on this machine")]
    Base(String),
    /// It cannot be sent as a header.
    #[error("the user agent {0:?} has characters that no header may have")]
    UserAgent(String),
    /// The HTTP client could not be made.
    #[error("cannot set up the HTTP client")]
    Client(#[source] Source),
}
