//! What is wrong with a site: links that lead nowhere, pages that nobody links to.

use maud::{Markup, html};
use recrawl_core::ids::SiteId;

use super::link;
use crate::pages::layout::readable;
use crate::views::{BrokenLink, ChainEnd, RedirectChain, SiteReport};
use crate::words::{counted, number};

/// Returns what is wrong with a site, each kind folded below its number.
pub(super) fn faults(site: &SiteId, report: &SiteReport) -> Markup {
    let SiteReport { broken, redirects, orphans, duplicates, .. } = report;
    html! {
        section {
            h3 { "What is wrong" }
            (fault("broken link", broken.total, &listed(&broken.rows, |row| broken_link(site, row)), broken.rows.len()))
        }
    }
}
