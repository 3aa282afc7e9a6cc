//! How the command ends: exit status, and one clear sentence where something is wrong.

use std::process::ExitCode;

use recrawl_stores::AccessError;
use recrawl_supervisor::Usage;
pub(crate) use recrawl_supervisor::usage;

/// What the exit status of every command means, as the help says it.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  Done
  1  Failed or interrupted; the same command goes on where it stopped
  2  Wrong usage; nothing was written
  3  Finished, but some pages failed or the crawl is suspect";

/// How a command that worked ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// Everything was done.
    Success,
    /// It was finished, but some pages failed, or what was found is doubted.
    SomeFailed,
    /// It was broken off and can be taken up again.
    BrokenOff,
}

impl ExitStatus {
    /// Returns how two parts of a command ended together: as the worse of them.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::BrokenOff, _) | (_, Self::BrokenOff) => Self::BrokenOff,
            (Self::SomeFailed, _) | (_, Self::SomeFailed) => Self::SomeFailed,
            (Self::Success, Self::Success) => Self::Success,
        }
    }
}

/// Tells people what went wrong, and the system how it ended.
pub(crate) fn report(result: anyhow::Result<ExitStatus>) -> ExitCode {
    match result {
        Ok(ExitStatus::Success) => ExitCode::SUCCESS,
        Ok(ExitStatus::SomeFailed) => ExitCode::from(3),
        Ok(ExitStatus::BrokenOff) => ExitCode::from(1),
        Err(error) => {
            // A reader that has seen enough (`recrawl changes | head`) is not a failure.
            if is_broken_pipe(&error) {
                return ExitCode::SUCCESS;
            }
            anstream::eprintln!("recrawl: {error:#}");
            ExitCode::from(if is_usage(&error) { 2 } else { 1 })
        }
    }
}

/// Tells whether the command was used wrongly: nothing was done, and the exit status is 2.
fn is_usage(error: &anyhow::Error) -> bool {
    error.is::<Usage>() || matches!(error.downcast_ref(), Some(AccessError::Usage(_)))
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
