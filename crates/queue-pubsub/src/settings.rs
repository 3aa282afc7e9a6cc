//! Where the topics are.

use std::time::Duration;

use url::Url;

/// Which topics are published to, and how.
#[derive(Debug, Clone)]
pub struct PubsubSettings {
    /// The project that has the topics.
    pub project: String,
    /// The emulator to use instead of the service, as `host:port`.
    pub emulator: Option<String>,
    /// The address of the web page, to which messages link if there is one.
    pub web: Option<Url>,
    /// How long publishing may take before the caller is told that the queue is not available.
    pub time_out: Duration,
}

impl PubsubSettings {
    /// Publishes to the topics of a project.
    pub fn new(project: impl Into<String>) -> Self {
        Self { project: project.into(), emulator: None, web: None, time_out: Duration::from_mins(1) }
    }

    /// Publishes to the emulator that `PUBSUB_EMULATOR_HOST` names, if it does, else to the service.
    pub fn from_environment(project: impl Into<String>) -> Self {
        let emulator = std::env::var("PUBSUB_EMULATOR_HOST").ok().filter(|host| !host.is_empty());
        Self { emulator, ..Self::new(project) }
    }
}
