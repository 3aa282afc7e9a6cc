//! `recrawl completions`: completion scripts for shells.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::exit::ExitStatus;
use crate::{Arguments, output};

/// Print a completion script for a shell
///
/// For example: recrawl completions bash > ~/.local/share/bash-completion/completions/recrawl
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl CompletionsArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "recrawl", &mut script);
        let mut out = output::raw();
        out.write_all(&script)?;
        out.flush()?;
        Ok(ExitStatus::Success)
    }
}
