use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

use super::Source;
use crate::decide::answer::Answer;
use crate::model::record::{Headers, Validators};
use crate::url::{HostKey, PageUrl};

/// What to ask a server for.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The page.
    pub url: &'a PageUrl,
    /// Whether the body is wanted.
    pub method: Method,
    /// What makes the request conditional, if anything.
    pub validators: Option<&'a Validators>,
    /// How many decoded bytes are read at most, if not the fetcher's own limit.
    pub body_limit: Option<usize>,
    /// Whether somebody who keeps a body waits for the answer, as a visit does that asks how its host answers for pages
    /// that it does not have.
    ///
    /// Such a request waits neither for memory nor behind requests that may wait for it: what they wait for is what
    /// its asker keeps. It still has its turn after a whole delay.
    pub nested: bool,
}

impl<'a> Request<'a> {
    /// Asks for a page, unconditionally.
    pub const fn get(url: &'a PageUrl) -> Self {
        Self { url, method: Method::Get, validators: None, body_limit: None, nested: false }
    }

    /// Asks for the headers of a page.
    pub const fn head(url: &'a PageUrl) -> Self {
        Self { method: Method::Head, ..Self::get(url) }
    }
}

/// Whether the body of a page is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words of HTTP")]
pub enum Method {
    Get,
    Head,
}

/// Counts the memory of a body for as long as somebody keeps it, or a clone of it.
///
/// Whoever takes a body out of its [`Response`] keeps this with it. Two of them are always equal: it says nothing
/// of the answer.
#[derive(Clone, Default)]
pub struct BodyMemory(#[expect(dead_code, reason = "kept, not read")] Option<Arc<dyn Any + Send + Sync>>);

impl BodyMemory {
    /// Keeps `reservation`, which gives back what it reserved when it is dropped.
    pub fn new(reservation: impl Any + Send + Sync) -> Self {
        Self(Some(Arc::new(reservation)))
    }
}

impl PartialEq for BodyMemory {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for BodyMemory {}

impl fmt::Debug for BodyMemory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("BodyMemory")
    }
}

/// What a server answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// What it means for a crawl, as its transport decides: HTTP by its status.
    pub answer: Answer,
    /// The HTTP status, which is recorded; another protocol gives the nearest.
    pub status: u16,
    /// The status as its protocol puts it, in words, where that is not HTTP.
    pub status_in_words: Option<String>,
    /// The headers that matter.
    pub headers: Headers,
    /// The body, decoded; at most as long as the limit.
    pub body: Vec<u8>,
    /// The body was longer than the limit.
    pub truncated: bool,
    /// When the answer came: the server's date if it is believable, else ours.
    pub fetched_at: Timestamp,
    /// Milliseconds from the start of the request to the end of the body.
    pub fetch_ms: u32,
    /// Bytes received, headers included, before decompression.
    pub received_bytes: u64,
    /// Until when the server says that the answer stays fresh: `Cache-Control: max-age`, or else `Expires`.
    pub fresh_until: Option<Timestamp>,
    /// Counts the memory of the body.
    pub memory: BodyMemory,
}

impl Response {
    /// Returns the status in words: `status 404`, or what another protocol says.
    pub fn said(&self) -> String {
        self.status_in_words.clone().unwrap_or_else(|| format!("status {}", self.status))
    }
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum FetchError {
    /// We do not go there: the address is not public, or the name does not exist as one.
    #[error("not fetched: {0}")]
    Refused(String),
    /// No whole answer came in time, or the connection broke. Another attempt may succeed.
    #[error("no answer: {reason}")]
    NoAnswer {
        /// What happened, in words.
        reason: String,
        /// How long the request had been under way.
        after: Duration,
        /// What the client said.
        #[source]
        source: Option<Source>,
    },
    /// The host asked us to stay away for longer than we wait.
    #[error("{host} asked to be left alone until {until}")]
    Paused {
        /// The host.
        host: HostKey,
        /// When it may be asked again.
        until: Timestamp,
    },
    /// We are stopping, and the request was not begun.
    #[error("stopped before the request was begun")]
    Stopped,
}

/// Asks servers for pages, one request a call.
///
/// # Contract
/// Redirects are not followed. An answer with any status is an answer, not an error. The call waits
/// for the host's turn first: no other call to the same host starts within the host's delay. A host
/// in trouble (429, 500 to 504, no answer) is paused for longer and longer, and for as long as
/// `Retry-After` says, also by the next process; a good answer ends that. No more than the limit of a body is held
/// in memory.
#[async_trait]
pub trait Fetcher: Send + Sync {
    /// Makes one request.
    async fn fetch(&self, request: Request<'_>) -> Result<Response, FetchError>;
}

/// Takes what robots.txt says of the pace, and knows who is left alone.
pub trait Pace: Send + Sync {
    /// Sets the `Crawl-delay` of a host, `None` if it names none.
    fn set_crawl_delay(&self, host: &HostKey, delay: Option<Duration>);

    /// Returns until when a host is left alone, if that is further away than anybody waits.
    fn left_alone_until(&self, host: &HostKey) -> Option<Timestamp>;

    /// Returns when a host in trouble is asked next, where it has to wait at all.
    fn next_try(&self, host: &HostKey) -> Option<Timestamp> {
        self.left_alone_until(host)
    }
}
