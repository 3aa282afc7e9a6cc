//! The program under torture: run with a time limit, killed when somebody wants it to be.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use rustix::process::{Pid, Signal, kill_process};
use wait4::Wait4 as _;

use crate::measure::{self, Usage};
use crate::programs::locator;

/// How often a process that is waited for is looked at.
const LOOK: Duration = Duration::from_millis(2);

/// How often its memory is.
const LOOK_AT_MEMORY: Duration = Duration::from_millis(10);

/// The program, in a folder of its own.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// By how much more time it may take than an optimised one.
    pub(crate) slack: f64,
}

impl Program {
    /// Returns a command of it that runs in `folder` and knows nothing of our environment.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, folder: &Path, arguments: &[S]) -> Command {
        let mut command = Command::new(&self.path);
        command.args(arguments).current_dir(folder).env_clear();
        // Which pages are checked depends on the day and the port, and a checked page is asked for twice.
        command.env("RECRAWL_CHECK_SHARE", "0").env("HOME", folder);
        command
    }

    /// Returns the crawl of a URL into a store.
    pub(crate) fn crawl(&self, url: &str, store: &Path, flags: &[&str]) -> Command {
        let folder = store.parent().unwrap_or(Path::new("/"));
        let locator = locator(store);
        let arguments = [&["crawl", url, "--store", &locator, "--quiet"], flags].concat();
        self.command(folder, &arguments)
    }

    /// Returns a command that reads or changes a store.
    pub(crate) fn on(&self, store: &Path, arguments: &[&str]) -> Command {
        let folder = store.parent().unwrap_or(Path::new("/"));
        let locator = locator(store);
        self.command(folder, &[arguments, &["--store", &locator]].concat())
    }
}

/// A running command.
pub(crate) struct Running {
    child: Option<Child>,
    output: tempfile::TempDir,
    started: Instant,
    /// Our own memory when it was started, and the largest of its own that was seen.
    own_bytes: u64,
    seen_bytes: u64,
    looked: Instant,
}

impl Running {
    /// Starts a command; what it prints is kept.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        ensure!(!measure::is_stopped(), "stopped by a signal");
        let output = tempfile::tempdir()?;
        command.stdin(Stdio::null());
        command.stdout(File::create(output.path().join("out"))?);
        command.stderr(File::create(output.path().join("err"))?);
        let started = Instant::now();
        let child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let own_bytes = status_bytes("self", "VmHWM:");
        Ok(Self { child: Some(child), output, started, own_bytes, seen_bytes: 0, looked: started })
    }

    /// Returns how it ended, if it has.
    pub(crate) fn ended(&mut self) -> Result<Option<Ended>> {
        let Some(child) = self.child.as_mut() else { return Ok(None) };
        let Some(used) = child.try_wait4()? else {
            if self.looked.elapsed() > LOOK_AT_MEMORY {
                self.looked = Instant::now();
                self.seen_bytes = self.seen_bytes.max(status_bytes(&child.id().to_string(), "VmHWM:"));
            }
            return Ok(None);
        };
        self.child = None;
        let text = |name: &str| std::fs::read(self.output.path().join(name)).unwrap_or_default();
        let usage = Usage {
            wall_s: self.started.elapsed().as_secs_f64(),
            cpu_s: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
            peak_bytes: if used.rusage.maxrss > self.own_bytes {
                used.rusage.maxrss
            } else {
                self.seen_bytes
            },
        };
        let (out, err) = (text("out"), String::from_utf8_lossy(&text("err")).into_owned());
        Ok(Some(Ended { status: used.status, usage, out, err, is_late: false }))
    }

    /// Waits for its end; after the limit it is killed, and late.
    pub(crate) fn wait(mut self, limit: Duration) -> Result<Ended> {
        loop {
            if let Some(ended) = self.ended()? {
                return Ok(ended);
            }
            ensure!(!measure::is_stopped(), "stopped by a signal");
            if self.started.elapsed() > limit {
                return Ok(Ended { is_late: true, ..self.kill()? });
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Kills it, unless it has ended by itself meanwhile.
    pub(crate) fn kill(mut self) -> Result<Ended> {
        self.signal(Signal::KILL);
        loop {
            if let Some(ended) = self.ended()? {
                return Ok(ended);
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Returns what it has said so far.
    pub(crate) fn said(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(self.output.path().join("err")).unwrap_or_default())
            .into_owned()
    }

    fn signal(&self, signal: Signal) {
        if let Some(child) = &self.child {
            // It cannot be another process: this one is not waited for yet.
            let _ = kill_process(Pid::from_child(child), signal);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = self.child.as_mut() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Returns a figure of `/proc/PROCESS/status` in bytes.
///
/// The kernel counts our own memory before `exec` into the peak of a child; where that may be all there is, what was seen
/// while it ran says more.
fn status_bytes(process: &str, name: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes: Option<u64> = line.and_then(|line| line.trim().split(' ').next()?.parse().ok());
    kilobytes.unwrap_or_default() * 1_024
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) usage: Usage,
    /// What it printed.
    pub(crate) out: Vec<u8>,
    /// What it said.
    pub(crate) err: String,
    /// Whether it was killed because it took too long.
    pub(crate) is_late: bool,
}

impl Ended {
    /// Returns whether it was killed and did not end by itself.
    pub(crate) fn is_killed(&self) -> bool {
        self.status.signal() == Some(Signal::KILL.as_raw())
    }

    /// Returns what is wrong with how it ended: nothing may panic or be late, and the status is one of these.
    pub(crate) fn complaints(&self, expected: &[i32]) -> Vec<String> {
        let mut found = Vec::new();
        if self.is_late {
            found.push(format!("did not end within {:.0} s", self.usage.wall_s));
        } else if !self.status.code().is_some_and(|code| expected.contains(&code)) {
            found.push(format!("ended with {}, not {expected:?}: {}", self.status, self.last_words()));
        }
        if self.err.contains("panicked") {
            found.push(format!("panicked: {}", self.last_words()));
        }
        found
    }

    /// Returns the last line that it said, shortened.
    pub(crate) fn last_words(&self) -> String {
        let lines = || self.err.lines().filter(|line| !line.trim().is_empty());
        let line = lines().find(|line| line.contains("panicked")).or_else(|| lines().next_back());
        line.unwrap_or_default().chars().take(200).collect()
    }
}

/// Runs a command with a time limit.
pub(crate) fn run(command: &mut Command, limit: Duration) -> Result<Ended> {
    Running::start(command)?.wait(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_command_that_takes_too_long_is_late() {
        let ended = run(&mut shell("exec sleep 60"), Duration::from_millis(50)).unwrap();
        assert!(ended.is_late && ended.is_killed());
        assert!(ended.complaints(&[0])[0].starts_with("did not end"), "{ended:?}");
    }

    #[test]
    fn the_status_and_a_panic_are_complained_of() {
        let limit = Duration::from_mins(1);
        let ended = run(&mut shell("echo thread panicked at x >&2; echo so >&2; exit 3"), limit).unwrap();
        assert_eq!(ended.complaints(&[0, 3]), ["panicked: thread panicked at x"]);
        assert_eq!(ended.complaints(&[0]).len(), 2);
        let ended = run(&mut shell("echo data"), limit).unwrap();
        assert!(ended.complaints(&[0]).is_empty());
        assert_eq!(ended.out, b"data\n");
    }

    #[test]
    fn a_killed_command_says_so() {
        let running = Running::start(&mut shell("exec sleep 60")).unwrap();
        assert!(running.kill().unwrap().is_killed());
    }
}
