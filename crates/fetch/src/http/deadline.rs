//! Total time-out: the time by which a response must be whole.

use std::future::Future;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::failure;
use crate::transport::TransportError;

/// The time by which an answer must be whole. It moves by what we let the server wait.
#[derive(Debug)]
pub(crate) struct Deadline {
    total: Duration,
    waited: Duration,
    at: Instant,
}

impl Deadline {
    /// Lets an answer that is asked for now take `total`.
    pub(crate) fn after(total: Duration) -> Self {
        let now = Instant::now();
        // Some thirty years: as good as never, and a time that can be told.
        let at = now.checked_add(total).unwrap_or_else(|| now + Duration::from_secs(1 << 30));
        Self { total, waited: Duration::ZERO, at }
    }

    /// Waits for `part`, but not beyond the deadline.
    pub(crate) async fn within<T>(&self, part: impl Future<Output = T>) -> Result<T, TransportError> {
        timeout_at(self.at, part).await.map_err(|_| failure::too_slow(self.total))
    }

    /// Notes that the server had to wait for us.
    pub(crate) fn we_waited(&mut self, time: Duration) {
        self.waited += time;
        self.at += time;
    }

    /// Returns how long the server had to wait for us.
    pub(crate) fn waited(&self) -> Duration {
        self.waited
    }
}
