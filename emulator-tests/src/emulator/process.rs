//! A process that does not outlive this one.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::NamedTempFile;

/// Starts the command behind it, tells its process id, and kills it when its own input ends.
///
/// The other end of that input is held by this process alone, so it ends with it, also by SIGKILL.
const GUARD: &str =
    r#"log=$1; shift; "$@" >"$log" 2>&1 </dev/null & echo $!; exec >&-; read -r _; kill -9 $!"#;

/// A process that ends when this value is dropped, and when this process ends in whatever way.
#[derive(Debug)]
pub(super) struct Guarded {
    guard: Child,
    input: Option<ChildStdin>,
    process: Pid,
    log: NamedTempFile,
}

impl Guarded {
    /// Starts a program with its arguments.
    pub(super) fn start(command: &[OsString]) -> Result<Self> {
        let log = NamedTempFile::new().context("no temporary file")?;
        let mut guard = Command::new("sh")
            .args(["-c", GUARD, "guard"])
            .arg(log.path())
            .args(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("no shell")?;
        let input = guard.stdin.take();
        let output = guard.stdout.take().context("the output of the guard is a pipe")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let process = line.trim().parse().ok().and_then(Pid::from_raw);
        let process = process.with_context(|| format!("the guard said {line:?}, not a process id"))?;
        Ok(Self { guard, input, process, log })
    }

    /// Tells whether the process has not ended.
    pub(super) fn is_running(&mut self) -> bool {
        // An ended process stays as a zombie until its guard ends, so its id is not somebody else's.
        let state = fs::read_to_string(format!("/proc/{}/stat", self.process)).unwrap_or_default();
        let state = state.rsplit_once(')').map(|(_, rest)| rest.trim_start().chars().next());
        match state {
            Some(state) => !matches!(state, Some('Z' | 'X') | None),
            // Where there is no /proc, only silence until the deadline tells.
            None => !std::path::Path::new("/proc/self").exists(),
        }
    }

    /// Sends a signal to the process.
    pub(super) fn signal(&self, signal: Signal) -> Result<()> {
        kill_process(self.process, signal).context("the process has ended")
    }

    /// Returns what the process has written.
    pub(super) fn output(&self) -> String {
        fs::read_to_string(self.log.path()).unwrap_or_default()
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        drop(self.input.take());
        // The guard ends once it has killed the process; a failure to wait leaves nothing to do.
        let _ = self.guard.wait();
    }
}
