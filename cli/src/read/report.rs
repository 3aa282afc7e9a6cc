//! `recrawl report`: what is wrong with a site.

mod broken;
mod duplicates;
mod orphans;
mod redirects;
mod stumbles;

use std::path::PathBuf;

use clap::Subcommand;
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::CrawlId;
use recrawl_core::ports::History;
use serde::Serialize;

use super::source::SourceArguments;
use super::wait_for;
use crate::exit::ExitStatus;
use crate::output::{self, Format, Listing, Sheet};

/// List what is wrong with a site: broken links, redirects, orphans, duplicates; and what is wrong with Recrawl
#[derive(Debug, clap::Args)]
pub(crate) struct ReportArguments {
    #[command(subcommand)]
    about: About,
}

#[derive(Debug, Subcommand)]
enum About {
    /// Broken links, with every page that has them
    Broken(ReportedArguments),
    /// Redirects, followed to their end: loops first, then long chains
    Redirects(ReportedArguments),
    /// Pages that exist although nothing on the site links to them
    Orphans(ReportedArguments),
    /// Pages with the same text, or the same bytes
    Duplicates(ReportedArguments),
    /// Pages that Recrawl itself could not read, and where it broke
    Stumbles(StumblesArguments),
}

#[derive(Debug, clap::Args)]
struct ReportedArguments {
    #[command(flatten)]
    source: SourceArguments,

    /// The crawl, such as crawl-2026-11-16 [default: the latest that saw the whole site]
    #[arg(long, value_name = "CRAWL")]
    crawl: Option<CrawlId>,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, clap::Args)]
struct StumblesArguments {
    #[command(flatten)]
    source: SourceArguments,

    /// The crawl, such as crawl-2026-11-16 [default: the latest]
    #[arg(long, value_name = "CRAWL")]
    crawl: Option<CrawlId>,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Save the bodies of these pages in a folder, for a bug report
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

impl StumblesArguments {
    fn run(&self) -> anyhow::Result<ExitStatus> {
        wait_for(async {
            let source = self.source.open().await?;
            let site = source.site().await?;
            let crawl = source.crawl(&site, self.crawl).await?;
            let history = &*source.history;
            let subject = Subject { site: &site, crawl: &crawl, history, format: self.format };
            stumbles::report(&subject, &*source.stumbles, self.save.as_deref()).await?;
            Ok(ExitStatus::Success)
        })
    }
}

impl ReportArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let arguments = match &self.about {
            About::Broken(arguments)
            | About::Redirects(arguments)
            | About::Orphans(arguments)
            | About::Duplicates(arguments) => arguments,
            About::Stumbles(arguments) => return arguments.run(),
        };
        wait_for(async {
            let source = arguments.source.open().await?;
            let site = source.site().await?;
            let crawl = source.whole_crawl(&site, arguments.crawl).await?;
            if !crawl.closed.as_ref().is_some_and(recrawl_core::model::crawl::Closed::is_whole) {
                output::note(&format!(
                    "{} did not see the whole site, or is unusual: much may be missing.",
                    crawl.id
                ))?;
            }
            let format = arguments.format;
            let subject = Subject { site: &site, crawl: &crawl, history: &*source.history, format };
            match &self.about {
                About::Broken(_) => broken::report(&subject).await?,
                About::Redirects(_) => redirects::report(&subject).await?,
                About::Orphans(_) => orphans::report(&subject).await?,
                About::Duplicates(_) => duplicates::report(&subject).await?,
                About::Stumbles(_) => {}
            }
            Ok(ExitStatus::Success)
        })
    }
}

/// What a report is about.
struct Subject<'a> {
    site: &'a Site,
    crawl: &'a Crawl,
    history: &'a dyn History,
    format: Format,
}

impl Subject<'_> {
    /// Prints rows under a headline that says what was found.
    fn print<R: Serialize>(
        &self,
        rows: &[R],
        fields: &[&str],
        found: &str,
        sheet: impl Fn(&[R]) -> Sheet,
    ) -> anyhow::Result<()> {
        let headline = format!("{} of {}: {found}.", self.crawl.id, self.site.root);
        Listing::new(rows, fields, &|_| sheet(rows)).under(&headline).print(self.format)?;
        Ok(())
    }
}
