//! The guard as the resolver of the client: it connects to what was checked.

use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::AddressGuard;

/// Gives the client only addresses that the guard admits.
#[derive(Debug, Clone)]
pub(crate) struct GuardedResolver(pub(crate) Arc<AddressGuard>);

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = Arc::clone(&self.0);
        Box::pin(async move {
            let admitted = guard.addresses(name.as_str()).await?;
            let sockets = admitted.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(sockets) as Addrs)
        })
    }
}
