//! One request without waiting: what [`crate::Polite`] wraps.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recrawl_core::ports::{FetchError, Request, Response, Source, StateStore};
use thiserror::Error;

/// Makes requests as soon as it is asked to, with no regard to the host.
pub trait Transport: Send + Sync {
    /// Makes one request.
    fn exchange(&self, request: Request<'_>)
    -> impl Future<Output = Result<Exchange, TransportError>> + Send;

    /// Remembers in `memory` what a later process must know: the certificates of capsules. The first call counts.
    fn remember_in(&self, memory: &Arc<dyn StateStore>);
}

/// An answer, and what politeness needs to know of it.
#[derive(Debug)]
pub struct Exchange {
    /// The answer.
    pub response: Response,
    /// How long the server asks to be left alone.
    pub retry_after: Option<Duration>,
    /// When the connection was ready, if one had to be made: the server saw the request only then.
    pub connected_at: Option<Instant>,
    /// When the request was made, where that had to wait for memory.
    pub sent_at: Option<Instant>,
    /// When the answer began: the server had seen the request by then.
    pub answered_at: Option<Instant>,
}

/// Why there is no answer, split by what it tells about the host.
#[derive(Debug, Error)]
pub enum TransportError {
    /// We do not go there; nothing was asked of the host.
    #[error("not fetched: {0}")]
    Refused(String),
    /// No connection can be made.
    #[error("{reason}")]
    Unreachable {
        /// What happened, in words.
        reason: String,
        /// What the client said.
        #[source]
        source: Option<Source>,
    },
    /// The host does not answer in time, or breaks off.
    #[error("{reason}")]
    Broken {
        /// What happened, in words.
        reason: String,
        /// What the client said.
        #[source]
        source: Option<Source>,
    },
    /// The host answers, but the body cannot be decoded.
    #[error("{reason}")]
    Unreadable {
        /// What is wrong with it, in words.
        reason: String,
        /// What the decoder said.
        #[source]
        source: Option<Source>,
    },
}

impl TransportError {
    /// Returns the error of a request that had been under way for this long.
    pub(crate) fn after(self, after: Duration) -> FetchError {
        match self {
            Self::Refused(reason) => FetchError::Refused(reason),
            Self::Unreachable { reason, source }
            | Self::Broken { reason, source }
            | Self::Unreadable { reason, source } => FetchError::NoAnswer { reason, after, source },
        }
    }
}
