//! `recrawl check`: whether a store is whole, and whether the deployment around it works.

mod sites;

use std::io::Write;

use recrawl_core::model::finding::Finding;
use recrawl_stores::check;

use crate::exit::ExitStatus;
use crate::output::{self, PlainFormat};
use crate::read::source::StoreArguments;
use crate::read::wait_for;

/// Check whether a store is intact, or a deployment works, and say what to do if not; nothing is written
///
/// Of a file, this checks every page and index, the references of visits, contents and queues, and the figures of
/// crawls. With --store firestore:PROJECT, it checks whether the service runs its image, handles ticks, may do what it
/// has to and has logged errors, how old the oldest message is, whether clocks agree, and what a crawl would meet: the
/// root, robots.txt, sitemaps. The exit code is 1 if something is wrong.
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
        let address = &self.store.store;
        let findings = wait_for(async {
            let mut findings = check(address).await?;
            // Without its database, nothing is known of its sites.
            let answers = findings.iter().all(|finding| finding.ok || finding.what != "database");
            if address.is_crawled_by_service() && answers {
                findings.extend(sites::look(address).await?);
            }
            Ok(findings)
        })?;
        match self.format {
            PlainFormat::Json => output::print_json(&findings)?,
            PlainFormat::Table => print(&findings, address.is_crawled_by_service())?,
        }
        let is_well = findings.iter().all(|finding| finding.ok);
        Ok(if is_well { ExitStatus::Success } else { ExitStatus::BrokenOff })
    }
}

/// Prints a line each, and below them what to do. Of a deployment, several things can be wrong that have nothing to do
/// with each other.
fn print(findings: &[Finding], is_deployment: bool) -> anyhow::Result<()> {
    let mut out = output::styled();
    let width = findings.iter().map(|finding| finding.what.len()).max().unwrap_or_default().max(19);
    for finding in findings {
        let state = if finding.ok { "ok   " } else { "wrong" };
        let (what, found) = (&finding.what, output::sanitize_for_terminal(&finding.found));
        writeln!(out, "{state}  {what:<width$} {found}")?;
    }
    let mut told: Vec<&str> = Vec::new();
    for finding in findings {
        let Some(advice) = finding.advice.as_deref().filter(|advice| !told.contains(advice)) else {
            continue;
        };
        let about = if is_deployment { format!(" about {}", finding.what) } else { String::new() };
        writeln!(out, "What to do{about}: {advice}.")?;
        told.push(advice);
    }
    out.flush()?;
    Ok(())
}
