//! The addresses of webhooks: whatever a name leads to, but never the metadata service of a cloud.

use std::io;
use std::net::SocketAddr;

use recrawl_core::address::AddressClass;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;

/// Asks the system, and drops what nothing is ever sent to. A name may change where it leads at any time, so this is
/// done whenever a connection is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct GuardedResolver;

/// Why a name gives no address.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{name} leads to {address}, an address where a cloud keeps the credentials of its machines")]
struct Forbidden {
    name: String,
    address: String,
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let admitted = admitted(name.as_str(), found.collect())?;
            if admitted.is_empty() {
                return Err(io::Error::from(io::ErrorKind::NotFound).into());
            }
            Ok(Box::new(admitted.into_iter()) as Addrs)
        })
    }
}

/// Returns those addresses of a name that something may be sent to.
fn admitted(name: &str, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, Forbidden> {
    let is_metadata = |socket: &SocketAddr| AddressClass::of(socket.ip()) == AddressClass::Metadata;
    let (dropped, kept): (Vec<SocketAddr>, Vec<SocketAddr>) = found.into_iter().partition(is_metadata);
    match dropped.first().filter(|_| kept.is_empty()) {
        Some(socket) => Err(Forbidden { name: name.to_owned(), address: socket.ip().to_string() }),
        None => Ok(kept),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_sent_to_the_metadata_of_a_cloud_by_any_name() {
        let sockets = |addresses: &[&str]| -> Vec<SocketAddr> {
            addresses.iter().map(|address| SocketAddr::new(address.parse().unwrap(), 0)).collect()
        };
        for (found, kept) in [
            (vec!["10.0.0.1", "8.8.8.8", "127.0.0.1"], Some(vec!["10.0.0.1", "8.8.8.8", "127.0.0.1"])),
            (vec!["169.254.169.254", "8.8.8.8"], Some(vec!["8.8.8.8"])),
            (vec!["169.254.169.254"], None),
            (vec!["::ffff:169.254.169.254", "fd00:ec2::254"], None),
            (vec![], Some(vec![])),
        ] {
            let kept = kept.map(|kept| sockets(&kept));
            assert_eq!(admitted("hooks.example", sockets(&found)).ok(), kept, "{found:?}");
        }
    }
}
