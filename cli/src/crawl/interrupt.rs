//! Ctrl-C: once to finish what is in flight and save, twice within three seconds to leave at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::watch;

/// The two presses must be this close.
const TWICE: Duration = Duration::from_secs(3);

/// The exit status of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// Whether the command shall stop.
#[derive(Debug, Clone)]
pub(crate) struct Stop {
    flag: Arc<AtomicBool>,
    changes: watch::Receiver<bool>,
}

impl Stop {
    /// Never stops.
    pub(crate) fn never() -> Self {
        let (_, changes) = watch::channel(false);
        Self { flag: Arc::default(), changes }
    }

    /// Stops when the person presses Ctrl-C, or the system asks the process to end.
    pub(crate) fn on_interrupt() -> Self {
        let (sender, changes) = watch::channel(false);
        let stop = Self { flag: Arc::default(), changes };
        let flag = stop.flag.clone();
        tokio::spawn(async move {
            let mut pressed: Option<Instant> = None;
            while asked_to_end().await.is_ok() {
                if pressed.is_some_and(|before| before.elapsed() < TWICE) {
                    std::process::exit(INTERRUPTED);
                }
                pressed = Some(Instant::now());
                flag.store(true, Ordering::Relaxed);
                sender.send_replace(true);
                anstream::eprintln!(
                    "stopping: the request in flight is finished and saved; again to leave at once"
                );
            }
        });
        stop
    }

    pub(crate) fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Returns the flag that is set when the command shall stop.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        self.flag.clone()
    }

    /// Waits until the command shall stop.
    pub(crate) async fn wait(&mut self) {
        if self.changes.wait_for(|stopping| *stopping).await.is_err() {
            // Nobody can ask any more.
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(unix)]
async fn asked_to_end() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::select! {
        _ = interrupt.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn asked_to_end() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
