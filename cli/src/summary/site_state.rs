//! What a person is told of a site that could not be read, or not all of it.

use std::io::Write;

use recrawl_core::decide::opened_before;
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::site_state::SiteState;
use recrawl_core::ports::Store;

use crate::output::{counted, day_and_time, sanitize_for_terminal};

/// Writes what happened, what to do, and what is kept of the site.
pub(super) async fn write(
    out: &mut dyn Write,
    site: &Site,
    crawl: &Crawl,
    state: &SiteState,
    store: &dyn Store,
) -> anyhow::Result<()> {
    writeln!(out, "{}: {}", site.id, sanitize_for_terminal(&state.line()))?;
    writeln!(out, "  {}", state.advice())?;
    if !state.is_unread() {
        return Ok(());
    }
    let crawls = store.crawls(&site.id).await?;
    let read = opened_before(&crawls, crawl.id).iter().rev().filter_map(|earlier| earlier.closed.as_ref());
    let mut read = read.filter(|closed| closed.state.as_ref().is_none_or(|state| !state.is_unread()));
    if let Some(last) = read.next() {
        let pages = counted(last.statistics.total, "page");
        writeln!(
            out,
            "  Last read on {}: {pages}, kept. No page counts as gone because of this crawl.",
            day_and_time(last.at)
        )?;
    }
    Ok(())
}
