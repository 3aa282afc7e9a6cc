//! Operations that are billed.

use std::sync::atomic::{AtomicU64, Ordering};

use recrawl_core::model::crawl::Operations;

/// Counts billed operations from the start of the process.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    reads: AtomicU64,
    writes: AtomicU64,
    deletes: AtomicU64,
    stored_bytes: AtomicU64,
}

impl Counter {
    /// Counts documents that were asked for by name, there or not.
    pub(crate) fn gets(&self, documents: usize) {
        self.reads.fetch_add(documents as u64, Ordering::Relaxed);
    }

    /// Counts a query, which costs at least one read.
    pub(crate) fn query(&self, documents: usize) {
        self.gets(documents.max(1));
    }

    /// Counts a query that counted documents, which costs a read for each thousand of them.
    pub(crate) fn count(&self, documents: u64) {
        self.reads.fetch_add(documents.div_ceil(1_000).max(1), Ordering::Relaxed);
    }

    /// Counts what a commit wrote and deleted.
    pub(crate) fn commit(&self, writes: usize, deletes: usize) {
        self.writes.fetch_add(writes as u64, Ordering::Relaxed);
        self.deletes.fetch_add(deletes as u64, Ordering::Relaxed);
    }

    /// Counts bytes that are stored since.
    pub(crate) fn stored(&self, bytes: u64) {
        self.stored_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Returns what was counted so far.
    pub(crate) fn operations(&self) -> Operations {
        Operations {
            reads: self.reads.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
            deletes: self.deletes.load(Ordering::Relaxed),
            messages: 0,
            stored_bytes: self.stored_bytes.load(Ordering::Relaxed),
            busy_ms: 0,
        }
    }
}
