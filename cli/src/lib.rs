//! The `recrawl` command as a library: arguments in, exit status out.

mod accept;
mod archive;
mod arguments;
mod backup;
mod certificate;
mod check;
mod command_crawl;
mod completions;
mod config;
mod copy;
mod crawl;
mod demo;
mod exit;
mod explain;
mod inspect;
mod interrupt;
mod mark;
mod notify;
mod output;
mod plan;
mod progress;
mod prune;
mod read;
mod serve;
mod settings;
mod sites;
mod sql;
mod summary;

use std::path::PathBuf;
use std::process::ExitCode;

pub use arguments::Arguments;
use clap::{CommandFactory, FromArgMatches};

/// Runs the command that the command line asks for and returns its exit status.
pub fn run() -> ExitCode {
    let matches = Arguments::command().get_matches();
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let named =
        matches.subcommand().and_then(|(_, matches)| matches.try_get_one::<PathBuf>("config").ok()?);
    let checked = settings::refuse_unknown_variables(named.map(PathBuf::as_path));
    exit::report(checked.and_then(|()| arguments.run()))
}
