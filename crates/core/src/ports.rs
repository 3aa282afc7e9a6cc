//! What the crawl step needs of the world, as small traits. Their rustdoc is their contract.

mod absence;
mod announcer;
mod archive_queue;
mod archive_store;
mod contents;
mod documents;
mod fetcher;
mod frontier;
mod history;
mod library;
mod notices;
mod retention;
mod robots;
mod search;
mod site_plans;
mod state;
mod store;
mod stumbles;
mod summaries;

pub use absence::{NotFoundAnswer, SoftErrorProbe};
pub use announcer::{Announcement, AnnouncementDetails, Announcer};
pub use archive_queue::{ArchiveQueue, ArchiveRequest};
pub use archive_store::ArchiveStore;
pub use contents::Contents;
pub use documents::{DocumentExtractor, DocumentReader, NoDocuments};
pub use fetcher::{BodyMemory, FetchError, Fetcher, Method, Pace, Request, Response};
pub use frontier::{Frontier, Priority, PullFrontier, QueueError, QueuedPage};
pub use history::History;
pub use library::Library;
pub use notices::{NoNotices, Notices};
pub use retention::{Deletion, Retention};
pub use robots::{Permission, RobotsError, RobotsGate};
pub use search::{Found, FoundPassages, Hit, Passage, Search, SearchedBy};
pub use site_plans::SitePlans;
pub use state::{StateEntry, StateGroup, StateKey, StateKind, StateStore};
pub use store::{Recorded, Store, StoreError, StoreExt};
pub use stumbles::Stumbles;
pub use summaries::Summaries;

/// The error of a backend, kept as the source of a port's error.
pub type Source = Box<dyn std::error::Error + Send + Sync + 'static>;
