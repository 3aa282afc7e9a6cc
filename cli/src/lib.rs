//! The `recrawl` command as a library: arguments in, exit status out.

mod accept;
mod archive;
mod arguments;
mod backup;
mod check;
mod completions;
mod config;
mod copy;
mod crawl;
mod demo;
mod exit;
mod explain;
#[doc(hidden)]
pub mod fuzzing;
mod inspect;
mod notify;
mod output;
mod plan;
mod progress;
mod prune;
mod read;
mod scratch;
mod serve;
mod settings;
mod summary;

pub use arguments::Arguments;

/// Runs the command and returns its exit status.
pub fn run(arguments: Arguments) -> std::process::ExitCode {
    exit::report(arguments.run())
}
