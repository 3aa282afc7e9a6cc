//! The normal form of addresses.

use std::io::Write;

use anyhow::bail;
use recrawl_core::url::{UrlError, UrlRules};
use url::Url;

use crate::exit::ExitStatus;
use crate::output;

/// Print URLs as the crawler names pages, a line each; `invalid: why` for what is not a page
///
/// The exit status is 1 if none of them is the URL of a page.
#[derive(Debug, clap::Args)]
pub(super) struct UrlArguments {
    /// The address that relative URLs build on
    #[arg(long, value_name = "URL")]
    base: Option<Url>,

    /// What to normalise
    #[arg(required = true, value_name = "URL")]
    urls: Vec<String>,
}

impl UrlArguments {
    pub(super) fn run(self) -> anyhow::Result<ExitStatus> {
        let rules = UrlRules::default();
        let mut out = output::raw();
        let mut any = false;
        for text in &self.urls {
            match rules.page(text, self.base.as_ref()) {
                Ok(page) => {
                    any = true;
                    writeln!(out, "{page}")?;
                }
                Err(error) => writeln!(out, "invalid: {}", reason(&error))?,
            }
        }
        out.flush()?;
        if !any {
            bail!("none of them is the URL of a page");
        }
        Ok(ExitStatus::Success)
    }
}

fn reason(error: &UrlError) -> String {
    output::sanitize_for_terminal(&error.to_string()).into_owned()
}
