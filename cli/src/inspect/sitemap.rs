//! Entries of a sitemap.

use std::io::Write;
use std::path::PathBuf;

use recrawl_extract::sitemap;
use url::Url;

use super::document;
use crate::exit::ExitStatus;
use crate::output;

/// Print the entries of a sitemap or feed as JSON, an object a line
///
/// Each has kind (page or sitemap), loc, lastmod, changefreq and priority. What is wrong with the
/// file is said on standard error.
#[derive(Debug, clap::Args)]
pub(super) struct SitemapArguments {
    /// The address of the sitemap
    #[arg(long, value_name = "URL")]
    url: Url,

    /// The Content-Type header it came with
    #[arg(long, value_name = "TYPE")]
    content_type: Option<String>,

    /// The file, compressed or not, or - for standard input
    file: PathBuf,
}

impl SitemapArguments {
    pub(super) fn run(self) -> anyhow::Result<ExitStatus> {
        let bytes = document::read(&self.file)?;
        let sitemap = sitemap::parse(&bytes, self.content_type.as_deref(), self.url.as_str());
        let mut out = output::raw();
        for entry in &sitemap.entries {
            output::write_json_line(&mut out, entry)?;
        }
        out.flush()?;
        for warning in &sitemap.warnings {
            output::note(&format!("warning: {warning}"))?;
        }
        Ok(ExitStatus::Success)
    }
}
