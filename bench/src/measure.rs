//! One child process, run to its end, with the time and memory it took.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;
use tokio::signal::unix::{SignalKind, signal};
use wait4::Wait4 as _;

/// What a process used, by the kernel's account.
///
/// The kernel counts the memory of the parent before `exec` into the peak of a child, so a
/// peak below the few megabytes of this program cannot be seen.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Usage {
    /// From before the start to after the end.
    pub(crate) wall_s: f64,
    /// User and system time of all threads.
    pub(crate) cpu_s: f64,
    /// The largest resident set.
    pub(crate) peak_bytes: u64,
}

/// The process being measured, and whether a signal asked us to stop.
struct Current {
    process: Option<Pid>,
    is_stopped: bool,
}

static CURRENT: Mutex<Current> = Mutex::new(Current { process: None, is_stopped: false });

fn current() -> std::sync::MutexGuard<'static, Current> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a command to its end, its output going to `log`; any status but success is an error.
pub(crate) fn measure(command: &mut Command, log: &Path) -> Result<Usage> {
    measure_ending(command, log, &[0])
}

/// Runs a command to its end like [`measure`]; any status but `expected` is an error.
pub(crate) fn measure_ending(command: &mut Command, log: &Path, expected: &[i32]) -> Result<Usage> {
    let output = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    let started = Instant::now();
    let child = {
        let mut current = current();
        ensure!(!current.is_stopped, "stopped by a signal");
        let child = command.spawn();
        let child = child.with_context(|| format!("cannot start {command:?}"))?;
        current.process = Some(Pid::from_child(&child));
        child
    };
    let used = child.wait4();
    let wall = started.elapsed();
    let mut current = current();
    current.process = None;
    ensure!(!current.is_stopped, "stopped by a signal");
    let used = used.with_context(|| format!("cannot wait for {command:?}"))?;
    let is_expected = used.status.code().is_some_and(|code| expected.contains(&code));
    ensure!(is_expected, "{command:?} ended with {}\n{}", used.status, tail(log));
    Ok(Usage {
        wall_s: wall.as_secs_f64(),
        cpu_s: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
        peak_bytes: used.rusage.maxrss,
    })
}

/// Lets an interrupt end the measured process, so that the run ends in an error and cleans up.
pub(crate) fn stop_on_signal() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let entered = runtime.enter();
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    drop(entered);
    std::thread::spawn(move || {
        runtime.block_on(async {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        });
        let mut current = current();
        current.is_stopped = true;
        if let Some(process) = current.process {
            // It may have ended by itself just now, which is as good.
            let _ = kill_process(process, Signal::KILL);
        }
    });
    Ok(())
}

/// Returns whether a signal asked us to stop.
pub(crate) fn is_stopped() -> bool {
    current().is_stopped
}

/// A helper process that does not outlive its owner.
pub(crate) struct Guard(pub(crate) Child);

impl Drop for Guard {
    fn drop(&mut self) {
        // Both fail only when the process has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn tail(log: &Path) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(10)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_charged_for_its_own_time_and_memory() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let idle = measure(Command::new("sleep").arg("0.2"), &log).unwrap();
        assert!(idle.wall_s >= 0.2 && idle.cpu_s < 0.15, "{idle:?}");
        let script = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let busy = measure(Command::new("sh").args(["-c", script]), &log).unwrap();
        assert!(busy.cpu_s > 0.01 && busy.peak_bytes > 500_000, "{busy:?}");
    }

    #[test]
    fn a_failing_child_is_an_error_with_its_last_words() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let failed = measure(Command::new("sh").args(["-c", "echo no such site; exit 3"]), &log);
        let text = failed.unwrap_err().to_string();
        assert!(text.contains("exit status: 3") && text.ends_with("no such site"), "{text}");
    }

    #[test]
    fn a_guard_ends_its_process() {
        let child = Command::new("sleep").arg("60").spawn().unwrap();
        let process = format!("/proc/{}", child.id());
        assert!(Path::new(&process).exists());
        drop(Guard(child));
        assert!(!Path::new(&process).exists());
    }
}
