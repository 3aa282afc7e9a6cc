//! Sites, crawls, records and contents in Firestore.
//!
//! [`FirestoreStore`] is the store; [`FirestoreSettings`] says where. The documents are described in
//! [`FirestoreStore`] and pinned by the fixtures in `test-data`.
//!
//! * `documents` is what documents look like, `paths` where they are, `client` sends requests: counted, limited in time,
//!   tried again (retry with back-off).
//! * `records`, `contents`, `archives`, `search`, `state`, `stumbles`, `site_plans`, `operations` and `retention` are the ports.
//! * `page_index` spares reads: what is known of all pages of a closed crawl is in a few documents.
//! * `process_cache` keeps what need not be read twice in one process; `document_locks` keeps writers apart.

mod archives;
mod client;
mod compression;
mod contents;
mod document_locks;
mod documents;
mod operations;
mod page_index;
mod paths;
mod process_cache;
mod records;
mod renaming;
mod retention;
mod search;
mod settings;
mod site_plans;
mod state;
mod store;
mod stumbles;

pub use settings::{BucketUse, FirestoreSettings};
pub use state::TimedLook;
pub use store::FirestoreStore;
