//! One writer of a content at a time.

use recrawl_core::model::ids::ContentHash;
use tokio::sync::{Mutex, MutexGuard};

/// Lets the writers of one content in this process go one after the other.
///
/// Firestore would let them fail and wait for each other's locks: a site that gives the same answer at many
/// addresses has many writers of one document.
#[derive(Debug)]
pub(crate) struct DocumentLocks(Vec<Mutex<()>>);

/// Contents that share a turn wait for each other, so there are more than pages are visited at once.
const NUMBER: usize = 256;

impl Default for DocumentLocks {
    fn default() -> Self {
        Self((0..NUMBER).map(|_| Mutex::new(())).collect())
    }
}

impl DocumentLocks {
    /// Waits for the turn of a content, which lasts as long as what is returned.
    pub(crate) async fn wait(&self, content: &ContentHash) -> MutexGuard<'_, ()> {
        self.0[usize::from(content.as_bytes()[0]) % NUMBER].lock().await
    }
}
