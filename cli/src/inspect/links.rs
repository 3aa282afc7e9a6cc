//! Links of a page, as the crawler finds them.

use std::io::Write;

use anyhow::Context as _;
use recrawl_core::model::content::Extractor as _;
use recrawl_core::url::UrlRules;
use recrawl_extract::page::Page;
use recrawl_extract::text::TextRules;
use recrawl_extract::{HtmlExtractor, gemtext};
use url::Url;

use super::document::DocumentArguments;
use crate::exit::ExitStatus;
use crate::output;

/// Print the links of an HTML or gemtext page, one absolute URL a line
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
        if gemtext::is_gemtext(self.document.content_type.as_deref()) {
            return self.links_of_gemtext(&body);
        }
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

    fn links_of_gemtext(&self, body: &[u8]) -> anyhow::Result<ExitStatus> {
        let base = UrlRules::keep_all_parameters().normalise(self.base.clone())?;
        let extractor = HtmlExtractor::new(TextRules::default(), UrlRules::keep_all_parameters(), false);
        let page = extractor.extract(&base, self.document.content_type.as_deref(), body)?;
        let mut out = output::raw();
        for link in page.links {
            writeln!(out, "{link}")?;
        }
        out.flush()?;
        Ok(ExitStatus::Success)
    }
}
