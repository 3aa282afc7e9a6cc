//! Speed code, apart from the rest: nothing here changes what is answered.
//!
//! [`SqliteStore::read_plainly`](crate::SqliteStore::read_plainly) turns it off, and a test compares both ways.

pub(crate) mod prefetched;
pub(crate) mod snapshot_reader;
pub(crate) mod two_generation_cache;
pub(crate) mod url_id_set;
