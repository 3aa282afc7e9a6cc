//! Sites, crawls, records and contents in Firestore.
//!
//! [`FirestoreStore`] is the store; [`FirestoreSettings`] says where. The documents are described in
//! [`FirestoreStore`] and pinned by the fixtures in `test-data`.
//!
//! * `client` sends requests: counted, limited in time, tried again.
//! * `paths` says where documents are, `shape` what they look like, `packing` how a content is made to fit.
//! * `remembered` and `scan` keep what need not be read twice in one process; `turns` keeps writers apart.
//! * `store` is the ports.

mod client;
mod compression;
mod counter;
mod document_locks;
mod packing;
mod paths;
mod remembered;
mod scan;
mod settings;
mod shape;
mod store;

pub use settings::FirestoreSettings;
pub use store::FirestoreStore;
