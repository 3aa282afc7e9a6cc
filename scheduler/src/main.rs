//! The `scheduler` command: seeds crawls, and looks after them without the service.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    scheduler::run(scheduler::Arguments::parse())
}
