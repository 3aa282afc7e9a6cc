//! Stores by their address: the composition root of storage, and the only place that names adapters.
//!
//! [`open`] takes a [`StoreAddress`] (`sqlite:PATH`, `firestore:PROJECT`) and returns an [`OpenStore`], one handle of ports.
//! A new kind of store is a crate and a row in `kinds.rs`.
//!
//! * [`AnyStore`] is what every store does, [`EmbeddedStore`] what a store in one file does on top: it can be crawled into.
//! * [`mod@file`] has what only a file can do: locks, backup, integrity check, SQL.
//! * [`copy`] moves a history between two stores, [`prune`] applies a retention policy to one.
//! * [`cloud`] connects the services of the other home. It and `firestore:PROJECT` need the feature `cloud`.

mod address;
#[cfg(feature = "cloud")]
pub mod cloud;
pub mod copy;
mod error;
#[cfg(feature = "sqlite")]
pub mod file;
mod kinds;
mod open;
pub mod prune;

pub use self::address::StoreAddress;
pub use self::error::AccessError;
#[cfg(feature = "sqlite")]
pub use self::file::open_file;
pub use self::open::{Access, AnyStore, EmbeddedStore, OpenStore, RemoteStore, check, open};
