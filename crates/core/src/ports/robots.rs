use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

use crate::url::{HostKey, PageUrl};

/// Whether robots.txt lets us visit a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// It does.
    Allowed,
    /// It does not, by this rule.
    Disallowed(String),
}

/// Why robots.txt could not be asked.
#[derive(Debug, Error)]
pub enum RobotsError {
    /// The host's robots.txt answers with a server error or not at all: nothing there may be visited.
    #[error("robots.txt of {host} cannot be read ({reason}), so nothing there may be visited yet")]
    Unreachable {
        /// The host.
        host: HostKey,
        /// What happened, in words.
        reason: String,
    },
    /// The host asked us to stay away, before its robots.txt could be read.
    #[error("{host} asked to be left alone until {until}")]
    Paused {
        /// The host.
        host: HostKey,
        /// When it may be asked again.
        until: Timestamp,
    },
}

/// Knows what robots.txt of every host allows.
///
/// # Contract
/// Rules are read at most once in 24 hours a host. 4xx allows everything; 5xx and no answer allow
/// nothing until it recovers.
#[async_trait]
pub trait RobotsGate: Send + Sync {
    /// Tells whether `url` may be visited.
    async fn permits(&self, url: &PageUrl) -> Result<Permission, RobotsError>;
}
