//! Whether the service can do its work.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::answer::chain;
use crate::parts::Parts;

/// How long an answer is believed.
const BELIEVED: Duration = Duration::from_secs(5);

/// How long the store may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the last look found.
#[derive(Default)]
pub(crate) struct Health(Mutex<Option<(Instant, Result<(), String>)>>);

impl Health {
    /// Tells whether the store answers, or why not. One read every few seconds at most.
    pub(crate) async fn look(&self, parts: &Parts) -> Result<(), String> {
        // Held during the look, so that a crowd of probes asks once.
        let mut last = self.0.lock().await;
        if let Some((at, found)) = &*last
            && at.elapsed() < BELIEVED
        {
            return found.clone();
        }
        let own = parts.sites.own();
        let found = match timeout(PATIENCE, parts.deps.store.site(own.id())).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(chain(&error)),
            Err(_) => Err(format!("the store does not answer within {} s", PATIENCE.as_secs())),
        };
        *last = Some((Instant::now(), found.clone()));
        found
    }
}
