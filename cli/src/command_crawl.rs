//! `recrawl stop`, `pause` and `resume`: what is to become of a crawl that a service makes.

use jiff::Timestamp;
use recrawl_engine::{CrawlCommand, command_crawl};
use recrawl_stores::{Access, OpenStore, open};

use crate::exit::{ExitStatus, usage};
use crate::output;
use crate::read::source::SourceArguments;
use crate::read::wait_for;

/// The options of the three commands.
#[derive(Debug, clap::Args)]
pub(crate) struct CommandArguments {
    #[command(flatten)]
    source: SourceArguments,
}

impl CommandArguments {
    pub(crate) fn run(self, command: CrawlCommand) -> anyhow::Result<ExitStatus> {
        wait_for(async {
            let site = self.source.open().await?.site().await?.id;
            let OpenStore::Remote(store) = open(self.source.address(), Access::Write).await? else {
                return Err(usage(
                    "a crawl into a file is stopped where it runs: Ctrl-C lets it rest, `recrawl crawl` goes on with it, \
                     and the pages of `recrawl serve` have buttons",
                ));
            };
            let commanded = command_crawl(&*store, &site, command, Timestamp::now()).await?;
            output::note(&format!("{}.", commanded.sentence(command, &site)))?;
            Ok(ExitStatus::Success)
        })
    }
}
