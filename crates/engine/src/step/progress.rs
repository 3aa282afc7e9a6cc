//! How far a visit has come, for whoever has to say that it broke off.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use jiff::Timestamp;

use super::CrawlStep;
use recrawl_core::model::content::Content;
use recrawl_core::ports::{FetchError, Request, Response};
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

    /// Holds a content whose body shall not be lost if the visit breaks off.
    pub(super) fn hold(&self, content: Content) -> KeptContent {
        KeptContent { content, progress: Arc::clone(&self.progress) }
    }

    /// Returns how far the visit came.
    pub(super) fn into_progress(self) -> FoundSoFar {
        std::mem::take(&mut *lock(&self.progress))
    }

    fn answered(&self, response: &Response) {
        lock(&self.progress).answer = Some(Answered {
            status: response.status,
            content_type: response.headers.content_type.clone(),
            fetched_at: response.fetched_at,
            fetch_ms: response.fetch_ms,
            received_bytes: response.received_bytes,
        });
    }
}

/// A content with its body. A panic that drops it leaves the body to the progress of the visit.
#[derive(Debug)]
pub(super) struct KeptContent {
    content: Content,
    progress: Arc<Mutex<FoundSoFar>>,
}

impl KeptContent {
    /// Leaves the body to the progress of the visit: it is not going to be stored.
    pub(super) fn put_body_aside(&mut self) {
        lock(&self.progress).body = self.content.body.take();
    }
}

impl Deref for KeptContent {
    type Target = Content;

    fn deref(&self) -> &Content {
        &self.content
    }
}

impl DerefMut for KeptContent {
    fn deref_mut(&mut self) -> &mut Content {
        &mut self.content
    }
}

impl Drop for KeptContent {
    fn drop(&mut self) {
        if thread::panicking() && self.content.body.is_some() {
            self.put_body_aside();
        }
    }
}

impl CrawlStep {
    /// Makes one request of a visit.
    pub(super) async fn fetch(
        &self,
        progress: &VisitProgress<'_>,
        request: Request<'_>,
    ) -> Result<Response, FetchError> {
        lock(&progress.progress).requests += 1;
        let response = self.ports.fetcher.fetch(request).await?;
        progress.answered(&response);
        Ok(response)
    }
}

fn lock(progress: &Mutex<FoundSoFar>) -> MutexGuard<'_, FoundSoFar> {
    // Each change is one assignment, so a panic leaves nothing half done.
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}
