//! The contracts of the ports as tests: one generated test a case, each on a fresh subject.
//!
//! ```text
//! recrawl_testkit::store_conformance!(MemoryStore::default());
//! ```

#[expect(missing_docs, clippy::unwrap_used, reason = "a case is a sentence, and fails by panicking")]
pub mod archives;
#[expect(missing_docs, clippy::unwrap_used, reason = "a case is a sentence, and fails by panicking")]
pub mod contents;
#[expect(missing_docs, clippy::unwrap_used, reason = "a case is a sentence, and fails by panicking")]
pub mod crawls;
#[expect(missing_docs, clippy::unwrap_used, reason = "a case is a sentence, and fails by panicking")]
pub mod frontier;
#[expect(missing_docs, clippy::unwrap_used, reason = "a case is a sentence, and fails by panicking")]
pub mod history;
#[expect(missing_docs, clippy::unwrap_used, reason = "a case is a sentence, and fails by panicking")]
pub mod outbox;
#[expect(missing_docs, clippy::unwrap_used, reason = "a case is a sentence, and fails by panicking")]
pub mod readings;
#[expect(missing_docs, clippy::unwrap_used, reason = "a case is a sentence, and fails by panicking")]
pub mod records;
#[expect(missing_docs, clippy::unwrap_used, reason = "a case is a sentence, and fails by panicking")]
pub mod reopening;
#[expect(missing_docs, clippy::unwrap_used, reason = "a case is a sentence, and fails by panicking")]
pub mod retention;
#[expect(clippy::unwrap_used, reason = "samples are valid by construction")]
pub mod samples;
#[expect(missing_docs, clippy::unwrap_used, reason = "a case is a sentence, and fails by panicking")]
pub mod search;
#[expect(missing_docs, clippy::unwrap_used, reason = "a case is a sentence, and fails by panicking")]
pub mod settling;
#[expect(missing_docs, clippy::unwrap_used, reason = "a case is a sentence, and fails by panicking")]
pub mod shared_changes;
#[expect(missing_docs, clippy::unwrap_used, reason = "a case is a sentence, and fails by panicking")]
pub mod site_plans;
#[expect(missing_docs, clippy::unwrap_used, reason = "a case is a sentence, and fails by panicking")]
pub mod state;
mod store;
#[expect(missing_docs, clippy::unwrap_used, reason = "a case is a sentence, and fails by panicking")]
pub mod stumbles;
#[expect(missing_docs, clippy::unwrap_used, reason = "a case is a sentence, and fails by panicking")]
pub mod text_search;
#[expect(missing_docs, clippy::unwrap_used, reason = "a case is a sentence, and fails by panicking")]
pub mod trust;

use recrawl_core::memory::MemoryStore;
use recrawl_core::ports::{Announcement, ArchiveRequest};

/// A port under test, together with what it needs to live: a directory, a fake service.
pub trait Subject: Send + Sync + 'static {
    /// The port.
    type Port: Send + Sync + 'static;

    /// Returns the port.
    fn port(&self) -> &Self::Port;
}

/// A subject that can be closed and opened anew.
pub trait Reopen: Subject + Sized {
    /// Ends the subject as the end of its process would, and opens it anew.
    fn reopen(self) -> impl Future<Output = Self> + Send;
}

/// A subject of which a test can read back what was announced and requested.
pub trait Outbox: Subject {
    /// Returns what was announced, in order, each change once.
    fn announcements(&self) -> impl Future<Output = Vec<Announcement>> + Send;

    /// Returns what was asked to be archived, in order, each request once.
    fn archive_requests(&self) -> impl Future<Output = Vec<ArchiveRequest>> + Send;
}

impl Subject for MemoryStore {
    type Port = Self;

    fn port(&self) -> &Self {
        self
    }
}

impl Reopen for MemoryStore {
    async fn reopen(self) -> Self {
        self.reopened()
    }
}

impl Outbox for MemoryStore {
    async fn announcements(&self) -> Vec<Announcement> {
        Self::announcements(self)
    }

    async fn archive_requests(&self) -> Vec<ArchiveRequest> {
        Self::archive_requests(self)
    }
}

/// Generates a module with one test a case; the conformance macros use it.
#[doc(hidden)]
#[macro_export]
macro_rules! contract_cases {
    ($suite:ident, $fresh:expr; $($case:ident)+) => {
        mod $suite {
            #[expect(unused_imports, reason = "the expression names what it needs")]
            use super::*;

            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                async fn $case() {
                    $crate::contract::$suite::$case($fresh).await;
                }
            )+
        }
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_case_is_generated() {
        let suites = [
            include_str!("contract/archives.rs"),
            include_str!("contract/contents.rs"),
            include_str!("contract/crawls.rs"),
            include_str!("contract/frontier.rs"),
            include_str!("contract/history.rs"),
            include_str!("contract/outbox.rs"),
            include_str!("contract/readings.rs"),
            include_str!("contract/records.rs"),
            include_str!("contract/reopening.rs"),
            include_str!("contract/retention.rs"),
            include_str!("contract/search.rs"),
            include_str!("contract/settling.rs"),
            include_str!("contract/site_plans.rs"),
            include_str!("contract/shared_changes.rs"),
            include_str!("contract/state.rs"),
            include_str!("contract/store.rs"),
            include_str!("contract/stumbles.rs"),
            include_str!("contract/text_search.rs"),
            include_str!("contract/trust.rs"),
        ];
        let lists = suites.map(|suite| suite.split_once("macro_rules!").unwrap_or_default().1);
        let listed: Vec<&str> = lists.iter().flat_map(|list| list.split_whitespace()).collect();
        let cases = suites.iter().flat_map(|suite| suite.split("\npub async fn ").skip(1));
        let names: Vec<&str> = cases.filter_map(|case| case.split(['<', '(']).next()).collect();
        assert!(names.len() >= 60);
        for name in names {
            assert!(listed.contains(&name), "{name} is in no list");
        }
    }
}
