//! `recrawl check`: whether a store is whole.

use std::io::Write;

use recrawl_stores::file::check;

use crate::exit::ExitStatus;
use crate::output::{self, PlainFormat};
use crate::read::source::StoreArguments;

/// Check whether a store is intact, and say what to do if it is not; nothing is written
///
/// This checks every page and index of the file, the references of visits, contents and queues, and the
/// figures of crawls. The exit code is 1 if something is wrong.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    store: StoreArguments,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

impl CheckArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let findings = check(self.store.store.existing_file()?)?;
        match self.format {
            PlainFormat::Json => output::print_json(&findings)?,
            PlainFormat::Table => {
                let mut out = output::styled();
                for finding in &findings {
                    let state = if finding.ok { "ok   " } else { "wrong" };
                    writeln!(
                        out,
                        "{state}  {:<19} {}",
                        finding.what,
                        output::sanitize_for_terminal(&finding.found)
                    )?;
                }
                let mut told: Vec<&str> = Vec::new();
                for advice in findings.iter().filter_map(|finding| finding.advice.as_deref()) {
                    if !told.contains(&advice) {
                        writeln!(out, "What to do: {advice}.")?;
                        told.push(advice);
                    }
                }
                out.flush()?;
            }
        }
        let is_whole = findings.iter().all(|finding| finding.ok);
        Ok(if is_whole { ExitStatus::Success } else { ExitStatus::BrokenOff })
    }
}
