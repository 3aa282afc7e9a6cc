//! `recrawl inspect`: what the crawler sees, without crawling.

mod document;
mod links;
mod robots;
mod sitemap;
mod text;
mod url;

use self::links::LinksArguments;
use self::robots::RobotsArguments;
use self::sitemap::SitemapArguments;
use self::text::{HashArguments, OutlineArguments, TextArguments};
use self::url::UrlArguments;
use crate::exit::ExitStatus;

/// Show what the crawler sees in a file, without crawling
#[derive(Debug, clap::Args)]
pub(crate) struct InspectArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Links(LinksArguments),
    Text(TextArguments),
    Outline(OutlineArguments),
    Hash(HashArguments),
    Robots(RobotsArguments),
    Sitemap(SitemapArguments),
    Url(UrlArguments),
}

impl InspectArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        match self.what {
            What::Links(arguments) => arguments.run(),
            What::Text(arguments) => arguments.run(),
            What::Outline(arguments) => arguments.run(),
            What::Hash(arguments) => arguments.run(),
            What::Robots(arguments) => arguments.run(),
            What::Sitemap(arguments) => arguments.run(),
            What::Url(arguments) => arguments.run(),
        }
    }
}
