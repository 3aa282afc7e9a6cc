//! The order in which a run visits pages.

use std::collections::VecDeque;

use crate::step::Attempt;
use recrawl_core::ports::QueuedPage;
use recrawl_core::url::HostKey;

/// A page to visit, and what was tried before.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) page: QueuedPage,
    pub(super) attempt: Attempt,
}

/// Pages in memory: fresh ones, and those to try again.
///
/// A page that failed is tried again after some others, so that a broken page on a healthy host costs
/// the shortest back-off each time and not one longer than the other.
#[derive(Debug, Default)]
pub(super) struct WorkQueue {
    fresh: VecDeque<QueuedPage>,
    retries: VecDeque<(Task, u64)>,
    visited: u64,
}

impl WorkQueue {
    /// How many pages are taken from the frontier at once.
    pub(super) const REFILL: usize = 256;

    /// How many other pages are visited before a failed one is tried again.
    const APART: u64 = 10;

    /// Returns the next page, or `None` where the frontier should be asked first.
    pub(super) fn pop(&mut self) -> Option<Task> {
        let due = self.retries.front().is_some_and(|(_, after)| *after <= self.visited);
        if due {
            return self.pop_retry();
        }
        self.fresh.pop_front().map(|page| Task { page, attempt: Attempt::default() })
    }

    /// Returns a page to try again, due or not.
    pub(super) fn pop_retry(&mut self) -> Option<Task> {
        self.retries.pop_front().map(|(task, _)| task)
    }

    pub(super) fn refill(&mut self, pages: Vec<QueuedPage>) {
        self.fresh.extend(pages);
    }

    /// Puts pages at the end that are visited for a second time.
    pub(super) fn confirm(&mut self, tasks: Vec<Task>) {
        self.retries.extend(tasks.into_iter().map(|task| (task, 0)));
    }

    pub(super) fn needs_refill(&self) -> bool {
        self.fresh.is_empty()
    }

    pub(super) fn retry(&mut self, task: Task) {
        self.retries.push_back((task, self.visited + Self::APART));
    }

    /// Notes that a page was recorded.
    pub(super) fn visited(&mut self) {
        self.visited += 1;
    }

    pub(super) fn has_fresh(&self, host: &HostKey) -> bool {
        self.fresh.iter().any(|page| page.url.host_key() == *host)
    }

    /// Takes out the pages of `host` that were to be tried again.
    pub(super) fn drop_retries(&mut self, host: &HostKey) -> Vec<Task> {
        let retries = std::mem::take(&mut self.retries);
        let (dropped, kept): (VecDeque<_>, VecDeque<_>) =
            retries.into_iter().partition(|(task, _)| task.page.url.host_key() == *host);
        self.retries = kept;
        dropped.into_iter().map(|(task, _)| task).collect()
    }
}
