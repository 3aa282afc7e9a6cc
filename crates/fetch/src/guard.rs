//! Which addresses may be connected to.
//!
//! A public site must not lead us inside: into this machine, its network or its cloud. A site that the
//! user named by such an address may be crawled, and nothing else there.

mod address;
mod lookup;
mod resolver;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use recrawl_core::url::{HostKey, PageUrl};
use thiserror::Error;
use url::{Host, Url};

pub use self::address::AddressClass;
pub use self::lookup::{Lookup, SystemLookup};
pub(crate) use self::resolver::GuardedResolver;

/// Tells which addresses may be connected to.
pub struct AddressGuard {
    given: Vec<Given>,
    /// What given names resolved to when they were first asked for: a name that moves from outside to
    /// inside afterwards is an attack.
    classes: Mutex<HashMap<String, AddressClass>>,
    lookup: Arc<dyn Lookup>,
}

/// A host that the user named.
#[derive(Debug)]
struct Given {
    key: HostKey,
    host: String,
}

/// Why an address is not connected to.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{host} is {class}, and not where the site was said to be")]
pub struct Forbidden {
    /// The address, or the name that stands for it.
    pub host: String,
    /// What it is.
    pub class: AddressClass,
}

impl AddressGuard {
    /// Admits public addresses only.
    pub fn public_only() -> Self {
        Self { given: Vec::new(), classes: Mutex::default(), lookup: Arc::new(SystemLookup) }
    }

    /// Admits public addresses, and the host of `root` at its port wherever that is.
    pub fn for_root(root: &PageUrl) -> Self {
        Self::public_only().and(root)
    }

    /// Admits the host of another address that the user named, at its port.
    #[must_use]
    pub fn and(mut self, named: &PageUrl) -> Self {
        self.given.push(Given { key: named.host_key(), host: named.host().to_owned() });
        self
    }

    /// Asks `lookup` for the addresses of names, not the system.
    #[must_use]
    pub fn with_lookup(mut self, lookup: Arc<dyn Lookup>) -> Self {
        self.lookup = lookup;
        self
    }

    /// Tells whether a page may be asked for; `url` is its address, parsed.
    ///
    /// A name may still turn out to have no address that [`AddressGuard::addresses`] admits.
    pub(crate) async fn admit(&self, page: &PageUrl, url: &Url) -> Result<(), GuardError> {
        let is_given = || self.given.iter().any(|given| given.key.as_str() == page.authority());
        let class = match url.host() {
            Some(Host::Ipv4(address)) => AddressClass::of(address.into()),
            Some(Host::Ipv6(address)) => AddressClass::of(address.into()),
            // Other ports of a given name have no privilege; its addresses do not tell the port.
            Some(Host::Domain(name)) if self.is_given_name(name) && !is_given() => {
                self.addresses(name).await?;
                self.class_of_given(name).unwrap_or(AddressClass::Special)
            }
            Some(Host::Domain(_)) => return Ok(()),
            None => AddressClass::Special,
        };
        if class == AddressClass::Public || is_given() {
            return Ok(());
        }
        Err(GuardError::Forbidden(Forbidden { host: page.authority().to_owned(), class }))
    }

    /// Resolves a name to the addresses that may be connected to: at least one.
    pub(crate) async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, GuardError> {
        let found = self.lookup.lookup(name).await.map_err(GuardError::Lookup)?;
        let admitted =
            if self.is_given_name(name) { self.fix_class(name, &found) } else { AddressClass::Public };
        let (kept, dropped): (Vec<IpAddr>, Vec<IpAddr>) =
            found.into_iter().partition(|address| AddressClass::of(*address) == admitted);
        match (kept.is_empty(), dropped.first()) {
            (false, _) => Ok(kept),
            (true, Some(address)) => Err(GuardError::Forbidden(Forbidden {
                host: name.to_owned(),
                class: AddressClass::of(*address),
            })),
            (true, None) => Err(GuardError::Lookup(std::io::ErrorKind::NotFound.into())),
        }
    }

    /// Returns the class that a given name has had from the beginning.
    fn fix_class(&self, name: &str, found: &[IpAddr]) -> AddressClass {
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        match classes.entry(name.to_owned()) {
            Entry::Occupied(fixed) => *fixed.get(),
            Entry::Vacant(free) => {
                let mut resolved = found.iter().map(|address| AddressClass::of(*address));
                // A user can mean a name inside; the metadata of a cloud has no name worth crawling.
                match resolved.find(|class| class.can_have_a_name()) {
                    Some(class) => *free.insert(class),
                    None => AddressClass::Public,
                }
            }
        }
    }

    fn class_of_given(&self, name: &str) -> Option<AddressClass> {
        let classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        classes.get(name).copied()
    }

    fn is_given_name(&self, name: &str) -> bool {
        self.given.iter().any(|given| given.host == name)
    }
}

impl fmt::Debug for AddressGuard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AddressGuard").field("given", &self.given).finish_non_exhaustive()
    }
}

/// Why a name gives no address.
#[derive(Debug, Error)]
pub(crate) enum GuardError {
    /// It has none that is admitted.
    #[error(transparent)]
    Forbidden(Forbidden),
    /// It could not be looked up.
    #[error("the name is not found")]
    Lookup(#[source] std::io::Error),
}

#[cfg(test)]
mod tests;
