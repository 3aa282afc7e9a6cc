//! Ctrl-C: once to finish what is in flight and save, twice within three seconds to leave at once.

use std::time::{Duration, Instant};

use recrawl_engine::{StopHandle, StopMode};

/// The two presses must be this close.
const TWICE: Duration = Duration::from_secs(3);

/// The exit status of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// Returns what pauses crawls when the person presses Ctrl-C, or the system asks the process to end (SIGTERM).
///
/// The handle of a crawl is also that of the process: a cancellation token beside it would say the same thing twice.
pub(crate) fn stop_on_interrupt() -> StopHandle {
    let stop = StopHandle::default();
    let stop_handle = stop.clone();
    on_interrupt(move || {
        stop_handle.ask(StopMode::Pause);
        anstream::eprintln!("stopping: the request in flight is finished and saved; again to leave at once");
    });
    stop
}

/// Does this when the person presses Ctrl-C, or the system asks the process to end (SIGTERM); twice within three seconds
/// the process leaves.
pub(crate) fn on_interrupt(mut act: impl FnMut() + Send + 'static) {
    // Before anything else: whoever sees the first line of output may ask at once.
    let asked = Asked::listen();
    tokio::spawn(async move {
        let Ok(mut asked) = asked else { return };
        let mut pressed: Option<Instant> = None;
        while asked.again().await.is_ok() {
            if pressed.is_some_and(|before| before.elapsed() < TWICE) {
                std::process::exit(INTERRUPTED);
            }
            pressed = Some(Instant::now());
            act();
        }
    });
}

/// Tells whether the command shall stop.
pub(crate) fn is_stopping(stop: &StopHandle) -> bool {
    stop.asked().is_some()
}

/// How a process is asked to end.
#[cfg(unix)]
struct Asked {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Asked {
    fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn again(&mut self) -> std::io::Result<()> {
        tokio::select! {
            _ = self.interrupt.recv() => Ok(()),
            _ = self.terminate.recv() => Ok(()),
        }
    }
}

/// How a process is asked to end.
#[cfg(not(unix))]
struct Asked;

#[cfg(not(unix))]
impl Asked {
    fn listen() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn again(&mut self) -> std::io::Result<()> {
        tokio::signal::ctrl_c().await
    }
}
