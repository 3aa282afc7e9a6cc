//! The DNS resolver of the client: it connects to the very addresses that the guard checked (SSRF, DNS rebinding).

use std::net::SocketAddr;
use std::sync::Arc;

use recrawl_core::address::Reach;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::AddressGuard;

/// Gives a client only addresses that the guard admits for requests of one reach.
#[derive(Debug, Clone)]
pub(crate) struct PageResolver {
    pub(crate) guard: Arc<AddressGuard>,
    pub(crate) reach: Reach,
}

impl Resolve for PageResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let Self { guard, reach } = self.clone();
        Box::pin(async move {
            let admitted = guard.addresses(name.as_str(), reach).await?;
            let sockets = admitted.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(sockets) as Addrs)
        })
    }
}
