//! How the command ends: exit status, and one clear sentence where something is wrong.

use std::process::ExitCode;

use recrawl_stores::AccessError;
use recrawl_supervisor::Usage;
pub(crate) use recrawl_supervisor::usage;

/// What the exit status of every command means, as the help says it.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  Done
  1  Failed or interrupted, or a site could not be read; the same command goes on or tries again
  2  Wrong usage; nothing was written
  3  Finished, but some pages failed
  4  Finished, but a crawl is unusual; of several sites the most serious counts (1, 4, 3, 0)";

/// How a command that worked ended, the least serious first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ExitStatus {
    /// Everything was done.
    Success,
    /// It was finished, but some pages failed.
    SomeFailed,
    /// It was finished, but what was found is unusual.
    Unusual,
    /// It was broken off and can be taken up again.
    BrokenOff,
}

impl ExitStatus {
    /// Returns how two parts of a command ended together: as the more serious of them.
    pub(crate) fn and(self, other: Self) -> Self {
        self.max(other)
    }

    const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::SomeFailed => 3,
            Self::Unusual => 4,
            Self::BrokenOff => 1,
        }
    }
}

/// Tells people what went wrong, and the system how it ended.
pub(crate) fn report(result: anyhow::Result<ExitStatus>) -> ExitCode {
    match result {
        Ok(status) => ExitCode::from(status.code()),
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
pub(crate) fn is_usage(error: &anyhow::Error) -> bool {
    error.is::<Usage>() || matches!(error.downcast_ref(), Some(AccessError::Usage(_)))
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_ends_the_most_serious_counts() {
        let serious =
            [ExitStatus::BrokenOff, ExitStatus::Unusual, ExitStatus::SomeFailed, ExitStatus::Success];
        assert_eq!(serious.map(ExitStatus::code), [1, 4, 3, 0]);
        for (place, one) in serious.into_iter().enumerate() {
            for other in &serious[place..] {
                assert_eq!((one.and(*other), other.and(one)), (one, one), "{one:?} and {other:?}");
            }
        }
    }
}
