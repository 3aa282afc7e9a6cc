//! What can be said on the command line.

use clap::{Parser, Subcommand};
use recrawl_engine::CrawlCommand;

use crate::accept::AcceptArguments;
use crate::archive::ArchiveArguments;
use crate::backup::BackupArguments;
use crate::certificate::CertificateArguments;
use crate::check::CheckArguments;
use crate::command_crawl::CommandArguments;
use crate::completions::CompletionsArguments;
use crate::config::ConfigArguments;
use crate::copy::CopyArguments;
use crate::crawl::CrawlArguments;
use crate::demo::DemoArguments;
use crate::exit::{EXIT_CODES, ExitStatus};
use crate::explain::ExplainArguments;
use crate::inspect::InspectArguments;
use crate::mark::MarkArguments;
use crate::notify::NotifyArguments;
use crate::plan::PlanArguments;
use crate::prune::PruneArguments;
use crate::read::changes::ChangesArguments;
use crate::read::crawls::CrawlsArguments;
use crate::read::diff::DiffArguments;
use crate::read::history::HistoryArguments;
use crate::read::noise::NoiseArguments;
use crate::read::pages::PagesArguments;
use crate::read::report::ReportArguments;
use crate::read::search::SearchArguments;
use crate::read::show::ShowArguments;
use crate::read::sites::SitesArguments;
use crate::read::stats::StatsArguments;
use crate::read::status::StatusArguments;
use crate::serve::ServeArguments;
use crate::sql::SqlArguments;

/// What changed on a web site this week: crawl it politely, and see what is new, changed, moved and gone.
#[derive(Debug, Parser)]
#[command(name = "recrawl", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Crawl(Box<CrawlArguments>),
    /// Stop an open crawl on Google Cloud for good: what it read stays, and it is closed as partial
    Stop(CommandArguments),
    /// Let an open crawl on Google Cloud rest, until it is resumed or stopped
    Pause(CommandArguments),
    /// Go on with a crawl on Google Cloud that was paused
    Resume(CommandArguments),
    Archive(ArchiveArguments),
    Demo(DemoArguments),
    Changes(ChangesArguments),
    Mark(MarkArguments),
    Diff(DiffArguments),
    History(HistoryArguments),
    Show(ShowArguments),
    Explain(ExplainArguments),
    Accept(AcceptArguments),
    Noise(NoiseArguments),
    Sites(SitesArguments),
    Search(SearchArguments),
    Pages(PagesArguments),
    Plan(PlanArguments),
    Report(ReportArguments),
    Crawls(CrawlsArguments),
    Status(StatusArguments),
    Stats(StatsArguments),
    Sql(SqlArguments),
    Copy(CopyArguments),
    Backup(BackupArguments),
    Certificate(CertificateArguments),
    Check(CheckArguments),
    Prune(PruneArguments),
    Notify(NotifyArguments),
    Serve(ServeArguments),
    Inspect(InspectArguments),
    Config(Box<ConfigArguments>),
    Completions(CompletionsArguments),
}

impl Arguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        match self.command {
            Command::Crawl(arguments) => arguments.run(),
            Command::Stop(arguments) => arguments.run(CrawlCommand::Stop),
            Command::Pause(arguments) => arguments.run(CrawlCommand::Pause),
            Command::Resume(arguments) => arguments.run(CrawlCommand::Resume),
            Command::Archive(arguments) => arguments.run(),
            Command::Demo(arguments) => arguments.run(),
            Command::Changes(arguments) => arguments.run(),
            Command::Mark(arguments) => arguments.run(),
            Command::Diff(arguments) => arguments.run(),
            Command::History(arguments) => arguments.run(),
            Command::Show(arguments) => arguments.run(),
            Command::Explain(arguments) => arguments.run(),
            Command::Accept(arguments) => arguments.run(),
            Command::Noise(arguments) => arguments.run(),
            Command::Sites(arguments) => arguments.run(),
            Command::Search(arguments) => arguments.run(),
            Command::Pages(arguments) => arguments.run(),
            Command::Plan(arguments) => arguments.run(),
            Command::Report(arguments) => arguments.run(),
            Command::Crawls(arguments) => arguments.run(),
            Command::Status(arguments) => arguments.run(),
            Command::Stats(arguments) => arguments.run(),
            Command::Sql(arguments) => arguments.run(),
            Command::Copy(arguments) => arguments.run(),
            Command::Backup(arguments) => arguments.run(),
            Command::Certificate(arguments) => arguments.run(),
            Command::Check(arguments) => arguments.run(),
            Command::Prune(arguments) => arguments.run(),
            Command::Notify(arguments) => arguments.run(),
            Command::Serve(arguments) => arguments.run(),
            Command::Inspect(arguments) => arguments.run(),
            Command::Config(arguments) => arguments.run(),
            Command::Completions(arguments) => arguments.run(),
        }
    }
}
