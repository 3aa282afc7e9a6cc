//! DNS: the addresses of names.

use std::io;
use std::net::IpAddr;

use async_trait::async_trait;

/// Knows the addresses of names.
#[async_trait]
pub trait Lookup: Send + Sync {
    /// Returns the addresses of `name`, best first; none if it has none.
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// Asks the system, so that `/etc/hosts` counts too.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemLookup;

#[async_trait]
impl Lookup for SystemLookup {
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let found = tokio::net::lookup_host((name, 0)).await?;
        Ok(found.map(|socket| socket.ip()).collect())
    }
}
