//! How far a visit has come, for whoever has to say that it broke off.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use jiff::Timestamp;

use recrawl_core::decide::interpret::Facts;
use recrawl_core::ports::Response;
use recrawl_core::url::PageUrl;

/// How far the visit of a page has come.
#[derive(Debug)]
pub(super) struct VisitProgress<'a> {
    pub(super) url: &'a PageUrl,
    progress: Arc<Mutex<FoundSoFar>>,
}

/// What a visit brought to light before it broke off.
#[derive(Debug, Default)]
pub(super) struct FoundSoFar {
    /// Requests made.
    pub(super) requests: u32,
    /// The last answer.
    pub(super) answer: Option<Answered>,
    /// The body, if nobody else has it.
    pub(super) body: Option<Vec<u8>>,
}

/// What an answer says, without its body.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) status: u16,
    pub(super) content_type: Option<String>,
    pub(super) fetched_at: Timestamp,
    pub(super) fetch_ms: u32,
    pub(super) received_bytes: u64,
}

impl<'a> VisitProgress<'a> {
    pub(super) fn new(url: &'a PageUrl) -> Self {
        Self { url, progress: Arc::default() }
    }

    /// Returns facts, none of which is known yet. A body among them is not lost if the visit breaks off.
    pub(super) fn facts(&self) -> KeptFacts {
        KeptFacts { facts: Facts::default(), progress: Arc::clone(&self.progress) }
    }

    /// Returns how many requests were made.
    pub(super) fn requests(&self) -> u32 {
        lock(&self.progress).requests
    }

    /// Returns how many bytes the last answer had.
    pub(super) fn received_bytes(&self) -> u64 {
        lock(&self.progress).answer.as_ref().map_or(0, |answer| answer.received_bytes)
    }

    /// Notes that a request is made.
    pub(super) fn begin_request(&self) {
        lock(&self.progress).requests += 1;
    }

    /// Returns how far the visit came.
    pub(super) fn into_progress(self) -> FoundSoFar {
        std::mem::take(&mut *lock(&self.progress))
    }

    /// Notes an answer.
    pub(super) fn answered(&self, response: &Response) {
        lock(&self.progress).answer = Some(Answered {
            status: response.status,
            content_type: response.headers.content_type.clone(),
            fetched_at: response.fetched_at,
            fetch_ms: response.fetch_ms,
            received_bytes: response.received_bytes,
        });
    }
}

/// What was looked up for a visit. A panic that drops it leaves the body to the progress of the visit.
#[derive(Debug)]
pub(super) struct KeptFacts {
    facts: Facts,
    progress: Arc<Mutex<FoundSoFar>>,
}

impl KeptFacts {
    /// Leaves the body to the progress of the visit: it is not going to be stored.
    pub(super) fn put_body_aside(&mut self) {
        lock(&self.progress).body = self.facts.content.as_mut().and_then(|content| content.body.take());
    }
}

impl Deref for KeptFacts {
    type Target = Facts;

    fn deref(&self) -> &Facts {
        &self.facts
    }
}

impl DerefMut for KeptFacts {
    fn deref_mut(&mut self) -> &mut Facts {
        &mut self.facts
    }
}

impl Drop for KeptFacts {
    fn drop(&mut self) {
        if thread::panicking() && self.facts.content.as_ref().is_some_and(|content| content.body.is_some()) {
            self.put_body_aside();
        }
    }
}

fn lock(progress: &Mutex<FoundSoFar>) -> MutexGuard<'_, FoundSoFar> {
    // Each change is one assignment, so a panic leaves nothing half done.
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}
