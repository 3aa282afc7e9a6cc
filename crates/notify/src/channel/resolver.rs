//! The addresses that webhooks are sent to (SSRF): whatever a name leads to, but never the metadata service of a cloud.
//!
//! What is admitted is decided in [`recrawl_core::address::admitted`].

use std::io;
use std::net::{IpAddr, SocketAddr};

use recrawl_core::address::{Reach, admitted};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Asks the system, and drops what nothing is ever sent to. A name may change where it leads at any time, so this is
/// done whenever a connection is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct WebhookResolver;

impl Resolve for WebhookResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let found: Vec<IpAddr> = found.map(|socket| socket.ip()).collect();
            let admitted = admitted(name.as_str(), &found, Reach::AllButMetadata)
                .map_err(|forbidden| io::Error::other(forbidden.reason()))?;
            if admitted.is_empty() {
                return Err(io::Error::from(io::ErrorKind::NotFound).into());
            }
            Ok(Box::new(admitted.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}
