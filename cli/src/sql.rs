//! `recrawl sql`: SQL over the store, which can also crawl.

mod printing;
mod prompt;

use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use recrawl_sql::statement::split;
use recrawl_sql::{Came, Session, Watch, check, only_reads};

use self::printing::Printer;
use crate::exit::{ExitStatus, usage};
use crate::interrupt::on_interrupt;
use crate::output::{self, Format, counted};
use crate::progress::Progress;
use crate::read::source::StoreArguments;
use crate::settings::{SettingsFile, read_file};

/// Run SQL on the views of the store, and SQL that crawls
///
/// Without a statement this is a prompt. For example: recrawl sql "SELECT url, status, referrer FROM visits WHERE verdict
/// = 'missing'", or: recrawl sql "CRAWL (SELECT url FROM mine) INTO results". Statements read everything, and write
/// tables of your own in the same file. docs/SQL.md has all of it.
#[derive(Debug, Args)]
pub(crate) struct SqlArguments {
    /// Statements, separated by semicolons; `-` reads them from stdin [default: a prompt, or stdin where that is no
    /// terminal]
    #[arg(value_name = "SQL")]
    statements: Option<String>,

    /// Read the statements from this file
    #[arg(long, short, value_name = "FILE", conflicts_with = "statements")]
    file: Option<PathBuf>,

    #[command(flatten)]
    store: StoreArguments,

    /// Settings file [default: recrawl.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Show no progress, and no figures after a statement
    #[arg(long, short)]
    quiet: bool,
}

impl SqlArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let settings = read_file(self.config.as_deref())?;
        match self.script()? {
            Some(script) => self.run_script(&script, settings),
            None => prompt::run(&mut self.open(false, settings)?, &self),
        }
    }

    /// Returns what is to be run; `None` where somebody types it.
    fn script(&self) -> anyhow::Result<Option<String>> {
        let mut script = String::new();
        match (&self.file, self.statements.as_deref()) {
            (Some(file), _) => {
                let read = std::fs::read_to_string(file);
                script =
                    read.map_err(|error| usage(format!("{} cannot be read: {error}", file.display())))?;
            }
            (None, None) if std::io::stdin().is_terminal() => return Ok(None),
            (None, None | Some("-")) => {
                std::io::stdin().read_to_string(&mut script).context("stdin cannot be read")?;
            }
            (None, Some(statements)) => statements.clone_into(&mut script),
        }
        Ok(Some(script))
    }

    fn run_script(&self, script: &str, settings: SettingsFile) -> anyhow::Result<ExitStatus> {
        let statements = split(script).map_err(|error| usage(error.to_string()))?;
        if statements.is_empty() {
            return Err(usage("there is no statement: give one, such as \"SELECT url, title FROM pages\""));
        }
        for statement in &statements {
            check(statement).map_err(|error| usage(error.to_string()))?;
        }
        let only_reads = statements.iter().all(|statement| only_reads(statement));
        let mut session = self.open(only_reads, settings)?;
        let mut status = ExitStatus::Success;
        for statement in statements {
            status = status.and(self.run_one(&mut session, statement)?);
        }
        Ok(status)
    }

    fn open(&self, only_reads: bool, settings: SettingsFile) -> anyhow::Result<Session> {
        let store = &self.store.store;
        let path = if only_reads { store.existing_file()? } else { store.expect_file()? };
        let quiet = self.quiet;
        let watch = Box::new(move || Arc::new(Progress::new(quiet)) as Arc<dyn Watch>);
        let session = Session::open(path, only_reads, settings, watch)?;
        let (stopper, _entered) = (session.stopper(), session.runtime().enter());
        on_interrupt(move || {
            if stopper.stop() {
                anstream::eprintln!("stopping: what has arrived is kept; again to leave at once");
            }
        });
        Ok(session)
    }

    /// Runs a statement, prints its rows, and says what it came to.
    fn run_one(&self, session: &mut Session, statement: &str) -> anyhow::Result<ExitStatus> {
        let mut printer = Printer::new(self.format);
        match session.run(statement, &mut printer)? {
            Came::Rows | Came::Done => Ok(ExitStatus::Success),
            Came::Changed(rows) => {
                self.tell(&format!("{} changed", counted(rows, "row")))?;
                Ok(ExitStatus::Success)
            }
            Came::Crawled(summary) => {
                self.tell(&summary.to_string())?;
                Ok(match summary {
                    _ if summary.is_open => ExitStatus::BrokenOff,
                    _ if summary.failed > 0 => ExitStatus::SomeFailed,
                    _ => ExitStatus::Success,
                })
            }
        }
    }

    fn tell(&self, message: &str) -> anyhow::Result<()> {
        if self.quiet { Ok(()) } else { Ok(output::note(message)?) }
    }
}
