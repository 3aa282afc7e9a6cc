//! What is being worked on, so that stopping can wait for it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, watch};

/// Gives leave to work until it is stopped, and knows when the last worker is done.
pub(crate) struct Work {
    leave: Mutex<Option<mpsc::Sender<()>>>,
    /// Yields nothing; it ends when the last [`Leave`] is dropped.
    ended: Mutex<Option<mpsc::Receiver<()>>>,
    stopping: watch::Sender<bool>,
}

/// Leave to work; dropped when the work is done.
pub(crate) struct Leave(#[expect(dead_code, reason = "held, not read")] mpsc::Sender<()>);

impl Default for Work {
    fn default() -> Self {
        let (leave, ended) = mpsc::channel(1);
        let stopping = watch::Sender::new(false);
        Self { leave: Mutex::new(Some(leave)), ended: Mutex::new(Some(ended)), stopping }
    }
}

impl Work {
    /// Gives leave to work, unless we are stopping.
    pub(crate) fn begin(&self) -> Option<Leave> {
        self.leave.lock().unwrap_or_else(PoisonError::into_inner).clone().map(Leave)
    }

    /// Tells whether we are stopping.
    pub(crate) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Waits for a while, or until we stop.
    pub(crate) async fn pause(&self, time: Duration) {
        let mut stopping = self.stopping.subscribe();
        tokio::select! {
            () = tokio::time::sleep(time) => {}
            _ = stopping.wait_for(|stopping| *stopping) => {}
        }
    }

    /// Gives no further leave.
    pub(crate) fn stop(&self) {
        self.leave.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.stopping.send_replace(true);
    }

    /// Waits until everybody who has leave is done; tells whether that was so in time.
    pub(crate) async fn ended(&self, within: Duration) -> bool {
        let Some(mut ended) = self.ended.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return true;
        };
        tokio::time::timeout(within, ended.recv()).await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn stopping_waits_for_those_who_began_and_lets_nobody_begin() {
        let work = Work::default();
        let leave = work.begin().unwrap();
        work.stop();
        assert!(work.is_stopping() && work.begin().is_none());
        // A pause ends at once.
        work.pause(Duration::from_hours(1)).await;
        let waiting = tokio::spawn(async move { work.ended(Duration::from_secs(10)).await });
        tokio::time::sleep(Duration::from_secs(5)).await;
        drop(leave);
        assert!(waiting.await.unwrap());
    }

    #[tokio::test(start_paused = true)]
    async fn what_takes_too_long_is_not_waited_for() {
        let work = Work::default();
        let _leave = work.begin();
        work.stop();
        assert!(!work.ended(Duration::from_secs(10)).await);
    }
}
