//! One crawl into an embedded store: what it is made of, how it opens, resumes and runs.

mod assembly;
mod list;
#[cfg(debug_assertions)]
mod on_purpose;
mod one_site;
mod preview;

use anyhow::Context;
use recrawl_fetch::GuardError;

pub use self::list::{All, ListInput, crawl_list, open_list, run_list};
pub use self::one_site::{Crawled, Opened, RunOptions, crawl, open, run};
pub use self::preview::{FirstPage, OnMore, PreviewedSite, Previewer};
use crate::settings::Settings;

/// Checks that the root's host can be found and is not one that nobody meant, such as a private address (SSRF).
///
/// Before anything is written, and without the patience that a known site deserves.
pub async fn check_host_resolves(settings: &Settings) -> anyhow::Result<()> {
    match assembly::guard(settings).check(&settings.root).await {
        Ok(()) => Ok(()),
        Err(GuardError::Forbidden(forbidden)) => Err(forbidden.into()),
        Err(GuardError::Lookup(error)) => Err(error).with_context(|| {
            let host = settings.root.host();
            format!("the host {host} cannot be found: a typing error, or no network")
        }),
    }
}
