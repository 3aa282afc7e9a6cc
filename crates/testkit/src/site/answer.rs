//! What one request gets: the head and the body of its answer.

use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};

use jiff::Timestamp;

use super::date;
use super::log::Logged;
use super::page::{Delivery, Page, Validators};

/// An answer ready to be sent.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: Vec<u8>,
    /// None where the status or the method has no body.
    pub(super) body: Option<Vec<u8>>,
}

/// Decides what `request` gets from `page`.
pub(super) fn answer(page: &Page, request: &Logged) -> Answer {
    let etag = header_of(page, "etag").unwrap_or_else(|| etag_of(&page.body));
    let modified = header_of(page, "last-modified").unwrap_or_else(|| date::write(page.planted));
    let fresh = page.status == 200 && is_fresh(page.validators, request, &etag, &modified);
    let status = if fresh { 304 } else { page.status };
    let has_body = !matches!(status, 204 | 304);

    let mut generated = vec![("Date", date::write(Timestamp::now()))];
    if page.validators != Validators::None {
        generated.push(("ETag", etag));
        generated.push(("Last-Modified", modified));
    }
    if has_body {
        generated.push(match page.delivery {
            Delivery::Chunked(_) => ("Transfer-Encoding", "chunked".to_owned()),
            Delivery::Whole
            | Delivery::Drip(..)
            | Delivery::ResetAfter(_)
            | Delivery::EndAfter(_)
            | Delivery::Close
            | Delivery::Never => ("Content-Length", page.body.len().to_string()),
        });
    }
    let mut head = format!("HTTP/1.1 {status} {}\r\n", reason(status));
    for (name, value) in generated {
        if header_of(page, name).is_none() {
            write!(head, "{name}: {value}\r\n").expect("writing to a string does not fail");
        }
    }
    for (name, value) in &page.headers {
        if has_body || !name.eq_ignore_ascii_case("content-type") {
            write!(head, "{name}: {value}\r\n").expect("writing to a string does not fail");
        }
    }
    head.push_str("\r\n");
    let body = (has_body && request.method != "HEAD").then(|| page.body.clone());
    Answer { status, head: one_byte_each(&head), body }
}

/// Sends characters up to U+00FF as the byte of that number, and others as UTF-8.
fn one_byte_each(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match u8::try_from(character) {
            Ok(byte) => bytes.push(byte),
            Err(_) => bytes.extend(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

fn header_of(page: &Page, name: &str) -> Option<String> {
    let found = page.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.clone())
}

fn etag_of(body: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

fn is_fresh(validators: Validators, request: &Logged, etag: &str, modified: &str) -> bool {
    let (tags, since) = (request.header("if-none-match"), request.header("if-modified-since"));
    match validators {
        Validators::None => false,
        Validators::Lying => tags.is_some() || since.is_some(),
        // The date counts only where there is no tag (RFC 9110 section 13.2.2).
        Validators::Honest => match (tags, since) {
            (Some(tags), _) => tags.split(',').any(|tag| {
                let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
                tag.trim() == "*" || opaque(tag) == opaque(etag)
            }),
            (None, Some(since)) => {
                date::read(modified).zip(date::read(since)).is_some_and(|(modified, since)| modified <= since)
            }
            (None, None) => false,
        },
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        304 => "Not Modified",
        404 => "Not Found",
        410 => "Gone",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Other",
    }
}
