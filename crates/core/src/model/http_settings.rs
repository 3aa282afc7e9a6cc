//! How requests are made over HTTP: user agent, time-outs, limits.

use std::time::Duration;

/// How one request is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSettings {
    /// The `User-Agent`, which names a contact.
    pub user_agent: String,
    /// The `Accept-Language`, where the user chose one: servers may have a page in several languages.
    pub accept_language: Option<String>,
    /// How long a connection may take to be made.
    pub connect_time_out: Duration,
    /// How long a server may send nothing; counts where it is less than the total.
    pub read_time_out: Duration,
    /// How long a request may take, from its start to the end of the body.
    pub total_time_out: Duration,
    /// Bytes of a body that are kept at most, after decoding; a request may name another limit.
    pub body_limit: usize,
    /// The same for documents, such as PDF: they are read whole or not at all.
    pub document_limit: usize,
    /// Bytes of a body that are received at most, before decoding.
    pub raw_limit: usize,
    /// Bytes of all bodies that are kept at a time, with what is read out of them: each counts twelve times, from its first
    /// byte until it is stored. Where they are used up, requests wait; one alone may go beyond.
    pub body_memory: u64,
    /// How far the server's `Date` may be from our clock to be believed.
    pub date_tolerance: Duration,
}

impl HttpSettings {
    /// Returns the default settings with this `User-Agent`.
    pub fn new(user_agent: impl Into<String>) -> Self {
        Self {
            user_agent: user_agent.into(),
            accept_language: None,
            connect_time_out: Duration::from_secs(10),
            read_time_out: Duration::from_secs(30),
            total_time_out: Duration::from_secs(30),
            body_limit: 10 << 20,
            document_limit: 50 << 20,
            raw_limit: 10 << 20,
            body_memory: 64 << 20,
            date_tolerance: Duration::from_mins(15),
        }
    }
}
