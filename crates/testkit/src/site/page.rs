//! What is planted at a path: an answer, or a fault.

use std::io::Write;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;

use super::gate::Gate;

/// What the server answers at one path.
#[derive(Debug, Clone)]
pub struct Page {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    pub(super) validators: Validators,
    pub(super) planted: Timestamp,
    pub(super) delivery: Delivery,
    pub(super) delay: Duration,
    pub(super) gate: Option<Gate>,
    pub(super) first: Option<(u32, Box<Page>)>,
}

/// Which validators an answer carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Validators {
    /// An `ETag` made from the body, and the time of planting as `Last-Modified`.
    Honest,
    /// None; requests are never answered with 304.
    None,
    /// As [`Self::Honest`], but every conditional request is answered with 304.
    Lying,
}

/// How an answer travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    /// At once, with its length.
    Whole,
    /// In chunks of this many bytes, without a length.
    Chunked(usize),
    /// This many bytes at a time, with a pause after each.
    Drip(usize, Duration),
    /// With its whole length, but the connection is reset after this many bytes of the body.
    ResetAfter(usize),
    /// With its whole length, but the connection ends after this many bytes of the body.
    EndAfter(usize),
    /// Not at all: the connection ends.
    Close,
    /// Never: the connection stays open.
    Never,
}

impl Page {
    /// An HTML page.
    pub fn html(body: impl Into<String>) -> Self {
        Self::bytes("text/html; charset=utf-8", body.into())
    }

    /// A plain text, such as robots.txt.
    pub fn text(body: impl Into<String>) -> Self {
        Self::bytes("text/plain; charset=utf-8", body.into())
    }

    /// An XML document, such as a sitemap.
    pub fn xml(body: impl Into<String>) -> Self {
        Self::bytes("application/xml", body.into())
    }

    /// Anything, with its media type.
    pub fn bytes(media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            headers: vec![("Content-Type".to_owned(), media_type.to_owned())],
            body: body.into(),
            validators: Validators::Honest,
            planted: Timestamp::now(),
            delivery: Delivery::Whole,
            delay: Duration::ZERO,
            gate: None,
            first: None,
        }
    }

    /// An answer with a status and nothing else.
    pub fn status(status: u16) -> Self {
        Self { headers: Vec::new(), ..Self::bytes("", "").with_status(status).without_validators() }
    }

    /// A connection that is closed without an answer.
    pub fn closed() -> Self {
        Self { delivery: Delivery::Close, ..Self::status(200) }
    }

    /// A connection that stays open without an answer.
    pub fn silent() -> Self {
        Self { delivery: Delivery::Never, ..Self::status(200) }
    }

    /// Answers with this status.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Sends this header too, or in place of the one the server makes itself. Each character is sent as
    /// one byte, so that a header need not be UTF-8.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Asks to be left alone, in seconds or until an HTTP date.
    #[must_use]
    pub fn with_retry_after(self, value: &str) -> Self {
        self.with_header("Retry-After", value)
    }

    /// Sends neither `ETag` nor `Last-Modified`, and never answers 304.
    #[must_use]
    pub fn without_validators(mut self) -> Self {
        self.validators = Validators::None;
        self
    }

    /// Answers every conditional request with 304, also when the page has changed.
    #[must_use]
    pub fn with_lying_validators(mut self) -> Self {
        self.validators = Validators::Lying;
        self
    }

    /// Sends the body compressed with gzip, whatever the client accepts.
    #[must_use]
    pub fn gzipped(mut self) -> Self {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&self.body).expect("writing to memory does not fail");
        self.body = encoder.finish().expect("writing to memory does not fail");
        self.with_header("Content-Encoding", "gzip")
    }

    /// Waits before the answer starts.
    #[must_use]
    pub fn delayed(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Holds the answer back until `gate` is opened.
    #[must_use]
    pub fn behind(mut self, gate: &Gate) -> Self {
        self.gate = Some(gate.clone());
        self
    }

    /// Sends the body in chunks of this many bytes, without a length.
    #[must_use]
    pub fn chunked(mut self, size: usize) -> Self {
        self.delivery = Delivery::Chunked(size.max(1));
        self
    }

    /// Sends the body this many bytes at a time, with a pause after each.
    #[must_use]
    pub fn dripping(mut self, size: usize, pause: Duration) -> Self {
        self.delivery = Delivery::Drip(size.max(1), pause);
        self
    }

    /// Promises the whole body and resets the connection after this many bytes of it.
    #[must_use]
    pub fn reset_after(mut self, bytes: usize) -> Self {
        self.delivery = Delivery::ResetAfter(bytes);
        self
    }

    /// Promises the whole body and ends the connection after this many bytes of it.
    #[must_use]
    pub fn ended_after(mut self, bytes: usize) -> Self {
        self.delivery = Delivery::EndAfter(bytes);
        self
    }

    /// Answers the first requests with something else.
    #[must_use]
    pub fn after(mut self, requests: u32, first: Self) -> Self {
        self.first = Some((requests, Box::new(first)));
        self
    }

    /// Returns what the request with this number gets; the first has number 0.
    pub(super) fn for_request(&self, number: u32) -> &Self {
        match &self.first {
            Some((requests, first)) if number < *requests => first,
            Some(_) | None => self,
        }
    }
}
