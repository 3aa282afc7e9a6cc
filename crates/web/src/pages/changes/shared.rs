//! All pages of one shared change.

use maud::{Markup, html};
use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::edit::EditId;
use recrawl_reports::changes::SharedEntry;
use recrawl_reports::told;

use super::list::pagination;
use crate::app::Served;
use crate::error::WebError;
use crate::listing::{Listed, Listing};
use crate::pages::capitalised;
use crate::words::{counted, number, shortened};

/// How many pages are named at a time.
const PER_PAGE: usize = 200;

/// Returns the pages that a crawl found to have the shared change of this id.
pub(super) async fn pages(
    served: &Served,
    listing: &Listing,
    (listed, crawl): (&Listed, &Crawl),
    id: &str,
    page: usize,
) -> Result<Markup, WebError> {
    let absent = || WebError::NotFound(format!("{} has no shared change {id}", crawl.id));
    let site = listed.sites.first().ok_or_else(absent)?;
    let id = u64::from_str_radix(id, 16).map(EditId).map_err(|_| absent())?;
    let change = served.reports().shared_change(site, crawl, id).await?.ok_or_else(absent)?;
    let entry = SharedEntry::of(&site.id, crawl.id, &change);
    let pages = change.urls.len().div_ceil(PER_PAGE).max(1);
    let shown = change.urls.iter().skip((page - 1) * PER_PAGE).take(PER_PAGE);
    let address = listing.with(&[]);
    let left_out = change.pages.saturating_sub(change.urls.len() as u64);
    Ok(html! {
        h1 dir="auto" { (capitalised(&told::of_shared(&entry, 100))) }
        p.lead { "The same on " (counted(change.pages, "page")) ", in the " (told::region(entry.region)) "." }
        ul.addresses {
            @for url in shown {
                li {
                    a href=(listing.change(&site.id, url, None, crawl.id)) {
                        (shortened(url.path_and_query(), 100, 40))
                    }
                }
            }
        }
        @if left_out > 0 && page == pages {
            p.soft { "And " (number(left_out)) " more, which are not named." }
        }
        (pagination(&address, page, pages))
        p { a href=(listing.with(&[("shared", "")])) { "All changes of this crawl" } }
    })
}
