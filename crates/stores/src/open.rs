//! Opens a store by its address, as one handle of ports.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use recrawl_core::model::finding::Finding;
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::{
    Announcer, ArchiveQueue, ArchiveStore, Library, PullFrontier, Retention, Search, SitePlans, StateStore,
    StoreError, Stumbles,
};

use crate::address::StoreAddress;
use crate::error::AccessError;

/// What every store does.
pub trait AnyStore: ArchiveStore + Library + StateStore + Retention + Search + Stumbles {}

impl<T: ArchiveStore + Library + StateStore + Retention + Search + Stumbles> AnyStore for T {}

/// What a store does that a service keeps: what is written about the sites that the service watches is in it, too.
pub trait RemoteStore: AnyStore + SitePlans {}

impl<T: AnyStore + SitePlans> RemoteStore for T {}

/// What a store in one file does: it also holds the frontier and the outbox, so one process can crawl into it.
#[async_trait]
pub trait EmbeddedStore: AnyStore + Announcer + ArchiveQueue + PullFrontier {
    /// Returns the file.
    fn path(&self) -> &Path;

    /// Adds at most `limit` pages of a site, or of all, to the index for search; returns how many are not in it then.
    ///
    /// Who searches does so as well, as far as that goes quickly.
    async fn index_for_search(&self, site: Option<&SiteId>, limit: usize) -> Result<u64, StoreError>;
}

/// What a store is opened for. A service takes every kind for the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To read: a missing file is an error, and every write fails.
    Read,
    /// To read and write, beside a crawl: a missing file is created.
    Write,
    /// To crawl, or to do what a crawl must not see half-done: as [`Access::Write`], and until the store is dropped nobody
    /// else opens it so.
    Crawl,
}

/// An open store.
#[derive(Clone)]
pub enum OpenStore {
    /// It is one file.
    Embedded(Arc<dyn EmbeddedStore>),
    /// A service keeps it.
    Remote(Arc<dyn RemoteStore>),
}

impl OpenStore {
    /// Returns what it does as every store does.
    pub fn ports(&self) -> Arc<dyn AnyStore> {
        match self {
            Self::Embedded(store) => store.clone(),
            Self::Remote(store) => store.clone(),
        }
    }

    /// Returns what it does as a file; `None` where a service keeps it.
    pub fn embedded(&self) -> Option<&Arc<dyn EmbeddedStore>> {
        match self {
            Self::Embedded(store) => Some(store),
            Self::Remote(_) => None,
        }
    }
}

/// Opens the store at `address`.
pub async fn open(address: &StoreAddress, access: Access) -> Result<OpenStore, AccessError> {
    (address.kind.open)(address.name.clone(), access).await
}

/// Checks whether the store at `address` is as it should be, and with it whatever crawls into it; nothing is written.
pub async fn check(address: &StoreAddress) -> Result<Vec<Finding>, AccessError> {
    address.expect_existing()?;
    (address.kind.check)(address.name.clone()).await
}
