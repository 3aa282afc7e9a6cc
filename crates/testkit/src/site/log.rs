//! What the server saw.

use std::time::Instant;

/// One request, as the server saw it.
#[derive(Debug, Clone)]
pub struct Logged {
    /// When its head had been read.
    pub arrival: Instant,
    /// `GET`, `HEAD` and so on.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// Names in lowercase, with their values, in the order of arrival.
    pub headers: Vec<(String, String)>,
    /// The status that was answered; none where the connection ended without one.
    pub status: Option<u16>,
    /// Bytes of the answer that were sent, head included.
    pub sent: u64,
}

impl Logged {
    /// Returns the first value of a header; `name` is in lowercase.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Reads the head of a request; none if it is not HTTP.
    pub(super) fn parse(head: &str, arrival: Instant) -> Option<Self> {
        let mut lines = head.split("\r\n");
        let mut request = lines.next()?.split(' ');
        let (method, path) = (request.next()?.to_owned(), request.next()?.to_owned());
        let headers = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        Some(Self { arrival, method, path, headers, status: None, sent: 0 })
    }
}
