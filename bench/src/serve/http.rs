//! As much of HTTP/1.1 as a static server needs: request heads in, response heads out.

use std::fmt::Write as _;
use std::time::SystemTime;

use bytes::Bytes;

/// A request head; bodies are neither expected nor read.
#[derive(Default)]
pub(crate) struct Request<'head> {
    /// `GET`, `HEAD` or `POST`.
    pub(crate) method: &'head str,
    /// The path with its query.
    pub(crate) target: &'head str,
    /// The entity tags the client holds.
    pub(crate) if_none_match: Option<&'head str>,
    /// The date of the copy the client holds.
    pub(crate) if_modified_since: Option<&'head str>,
    /// Whether the client wants the connection closed after the answer.
    pub(crate) close: bool,
}

impl<'head> Request<'head> {
    /// Reads a head without its closing empty line; `None` if it is not HTTP.
    pub(crate) fn parse(head: &'head str) -> Option<Self> {
        let mut lines = head.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let mut request = Self {
            method: words.next()?,
            target: words.next()?,
            close: words.next()? == "HTTP/1.0",
            ..Self::default()
        };
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            if name.eq_ignore_ascii_case("if-none-match") {
                request.if_none_match = Some(value);
            } else if name.eq_ignore_ascii_case("if-modified-since") {
                request.if_modified_since = Some(value);
            } else if name.eq_ignore_ascii_case("connection") {
                request.close = value.eq_ignore_ascii_case("close");
            }
        }
        Some(request)
    }

    /// Returns whether the client's copy is the current one (RFC 9110 section 13.2.2).
    pub(crate) fn holds(&self, entity_tag: &str, modified: SystemTime) -> bool {
        if let Some(tags) = self.if_none_match {
            let mut tags = tags.split(',').map(str::trim);
            return tags.any(|tag| tag == "*" || tag.trim_start_matches("W/") == entity_tag);
        }
        let since = self.if_modified_since.map(httpdate::parse_http_date);
        since.is_some_and(|since| since.is_ok_and(|since| modified <= since))
    }
}

/// A response ready to be written.
pub(crate) struct Response {
    /// The status code.
    pub(crate) status: u16,
    /// Status line, headers and the empty line.
    pub(crate) head: String,
    /// The body; empty for 304 and for `HEAD`.
    pub(crate) body: Bytes,
}

impl Response {
    /// Builds a response of a status with a body and its type.
    pub(crate) fn new(status: u16, media_type: &str, body: Bytes) -> Self {
        let mut response = Self::without_body(status);
        let length = body.len();
        let _ = write!(response.head, "Content-Type: {media_type}\r\nContent-Length: {length}\r\n\r\n");
        response.body = body;
        response
    }

    /// Builds a 200 or, for a client that holds the current copy, a 304.
    pub(crate) fn conditional(
        request: &Request<'_>,
        entity_tag: &str,
        modified: SystemTime,
        render: impl FnOnce() -> Bytes,
    ) -> Self {
        let is_held = request.holds(entity_tag, modified);
        let mut response = Self::without_body(if is_held { 304 } else { 200 });
        let modified = httpdate::fmt_http_date(modified);
        let _ = write!(response.head, "ETag: {entity_tag}\r\nLast-Modified: {modified}\r\n");
        if !is_held {
            response.body = render();
            let length = response.body.len();
            let _ = write!(
                response.head,
                "Content-Type: text/html; charset=utf-8\r\nContent-Length: {length}\r\n"
            );
        }
        response.head.push_str("\r\n");
        response
    }

    /// Drops the body, as the answer to `HEAD` must.
    pub(crate) fn for_method(mut self, method: &str) -> Self {
        if method == "HEAD" {
            self.body = Bytes::new();
        }
        self
    }

    fn without_body(status: u16) -> Self {
        let reason = match status {
            200 => "OK",
            304 => "Not Modified",
            400 => "Bad Request",
            405 => "Method Not Allowed",
            _ => "Not Found",
        };
        let date = httpdate::fmt_http_date(SystemTime::now());
        let head = format!("HTTP/1.1 {status} {reason}\r\nDate: {date}\r\n");
        Self { status, head, body: Bytes::new() }
    }
}
