//! Links of a page, as the crawler finds them.

use std::io::Write;

use anyhow::Context as _;
use recrawl_extract::page::Page;
use recrawl_extract::text::TextRules;
use url::Url;

use super::document::DocumentArguments;
use crate::exit::ExitStatus;
use crate::output;

/// Print the links of an HTML page, one absolute URL a line
///
/// In document order, without fragments and duplicates, as the URL standard writes them. Scope, rules and
/// nofollow leave nothing out.
#[derive(Debug, clap::Args)]
pub(super) struct LinksArguments {
    /// The address of the page, which relative links build on
    #[arg(long, value_name = "URL")]
    base: Url,

    #[command(flatten)]
    document: DocumentArguments,
}

impl LinksArguments {
    pub(super) fn run(self) -> anyhow::Result<ExitStatus> {
        let body = self.document.read()?;
        if !self.document.is_html(&body) {
            output::note("Not HTML, so it has no links.")?;
            return Ok(ExitStatus::Success);
        }
        let page =
            Page::parse(&body, self.document.content_type.as_deref(), &self.base, &TextRules::default())
                .context("the page cannot be read")?;
        let mut out = output::raw();
        for link in page.links {
            writeln!(out, "{}", link.url)?;
        }
        out.flush()?;
        Ok(ExitStatus::Success)
    }
}
