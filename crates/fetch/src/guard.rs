//! SSRF guard: hosts inside are reached only where the user named them; [`admitted`] decides about their addresses.
//!
//! A public site must not lead us inside: into this machine, its network or its cloud. A host that the user wrote as
//! one that is inside may be crawled, and nothing else there. What a name resolves to gives it no right: that may be
//! another thing tomorrow, and is decided by whoever owns the name.

mod lookup;
mod resolver;

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use recrawl_core::address::{Reach, admitted, is_written_as_inside, literal};
use recrawl_core::model::scope::ScopeSettings;
use recrawl_core::url::{HostKey, PageUrl};
use thiserror::Error;

pub use recrawl_core::address::Forbidden;

pub use self::lookup::{Lookup, SystemLookup};
pub(crate) use self::resolver::PageResolver;

/// Tells which addresses may be connected to.
///
/// # Contract
/// The metadata service of a cloud is never connected to. Beyond that, public addresses are admitted everywhere, and
/// others only for a host that the user gave, at its port, if it is written as one that is inside
/// ([`is_written_as_inside`]) or private addresses are allowed. Of a name that has public and other addresses
/// only the public ones are used. Names are checked when a connection is made, by the very addresses
/// that it is made to.
pub struct AddressGuard {
    given: Vec<Given>,
    allow_private: bool,
    /// Every host counts as named: the person said that a list may hold addresses inside.
    names_all: bool,
    lookup: Arc<dyn Lookup>,
}

/// A host that the user named.
#[derive(Debug)]
struct Given {
    key: HostKey,
    host: String,
}

/// Why there is no address to connect to.
#[derive(Debug, Error)]
pub enum GuardError {
    /// There is none that is admitted.
    #[error(transparent)]
    Forbidden(Forbidden),
    /// The name could not be looked up.
    #[error("the name is not found")]
    Lookup(#[source] std::io::Error),
}

impl AddressGuard {
    /// Admits public addresses only.
    pub fn public_only() -> Self {
        Self { given: Vec::new(), allow_private: false, names_all: false, lookup: Arc::new(SystemLookup) }
    }

    /// Admits public addresses, and the host of `root` at its port if it is written as one that is inside.
    pub fn for_root(root: &PageUrl) -> Self {
        Self::public_only().and(root)
    }

    /// Admits public addresses, and the hosts that the user named: that of the root, and those of the scope.
    pub fn for_site(root: &PageUrl, scope: &ScopeSettings) -> Self {
        let mut guard = Self::for_root(root).allowing_private(scope.allow_private);
        guard.names_all = scope.list && scope.allow_private;
        scope.named_hosts(root).iter().fold(guard, Self::and)
    }

    /// Does the same for the host of another address that the user named.
    #[must_use]
    pub fn and(mut self, named: &PageUrl) -> Self {
        self.given.push(Given { key: named.host_key(), host: named.host().to_owned() });
        self
    }

    /// Sets whether every host that the user named may be inside, however it is written.
    #[must_use]
    pub fn allowing_private(mut self, allow_private: bool) -> Self {
        self.allow_private = allow_private;
        self
    }

    /// Asks `lookup` for the addresses of names, not the system.
    #[must_use]
    pub fn with_lookup(mut self, lookup: Arc<dyn Lookup>) -> Self {
        self.lookup = lookup;
        self
    }

    /// Finds out whether the host of `page` is there and may be visited. Nothing is asked of it.
    pub async fn check(&self, page: &PageUrl) -> Result<(), GuardError> {
        let reach = self.admit(page).map_err(GuardError::Forbidden)?;
        match literal(page.host()) {
            None => self.addresses(page.host(), reach).await.map(drop),
            Some(_) => Ok(()),
        }
    }

    /// Tells how far a request for a page may reach.
    ///
    /// A name may still turn out to have no address that [`AddressGuard::addresses`] admits.
    pub(crate) fn admit(&self, page: &PageUrl) -> Result<Reach, Forbidden> {
        let key = page.host_key();
        let given = self.given.iter().find(|given| given.key == key);
        let is_inside = self.names_all
            || given.is_some_and(|given| self.allow_private || is_written_as_inside(&given.host));
        let reach = if is_inside { Reach::Inside } else { Reach::Public };
        let Some(address) = literal(page.host()) else {
            return Ok(reach);
        };
        admitted(page.authority(), &[address], reach).map(|_| reach)
    }

    /// Resolves a name to the addresses that may be connected to: at least one.
    pub(crate) async fn addresses(&self, name: &str, reach: Reach) -> Result<Vec<IpAddr>, GuardError> {
        let found = self.lookup.lookup(name).await.map_err(GuardError::Lookup)?;
        let admitted = admitted(name, &found, reach).map_err(|forbidden| {
            let was_named = self.given.iter().any(|given| given.host == name);
            GuardError::Forbidden(forbidden.of_named_host(was_named))
        })?;
        if admitted.is_empty() {
            return Err(GuardError::Lookup(std::io::ErrorKind::NotFound.into()));
        }
        Ok(admitted)
    }
}

impl fmt::Debug for AddressGuard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AddressGuard")
            .field("given", &self.given)
            .field("allow_private", &self.allow_private)
            .field("names_all", &self.names_all)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
