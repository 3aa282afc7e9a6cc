//! What the crawl step needs of the world, as small traits. Their rustdoc is their contract.

mod absence;
mod announcer;
mod archiver;
mod archives;
mod fetcher;
mod frontier;
mod memos;
mod retention;
mod robots;
mod search;
mod store;
mod stumbles;
mod summaries;

pub use absence::{Absence, AbsenceProbe};
pub use announcer::{Announcement, Announcer};
pub use archiver::{ArchiveRequest, Archiver};
pub use archives::Archives;
pub use fetcher::{BodyMemory, FetchError, Fetcher, Method, Pace, Request, Response};
pub use frontier::{Backlog, Frontier, Priority, QueueError, QueuedPage};
pub use memos::{Memo, MemoIndex, Memos};
pub use retention::{Deletion, Retention};
pub use robots::{Permission, RobotsError, RobotsGate};
pub use search::{Found, Hit, Search, SearchedBy};
pub use store::{Choice, History, Recorded, Store, StoreError, choose};
pub use stumbles::Stumbles;
pub use summaries::Summaries;

/// The error of a backend, kept as the source of a port's error.
pub type Source = Box<dyn std::error::Error + Send + Sync + 'static>;
