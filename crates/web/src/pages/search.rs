//! Pages by what they say.

use axum::extract::State;
use axum::http::HeaderMap;
use maud::{Markup, html};
use recrawl_core::ids::SiteId;

use super::layout::{Frame, Place, page, readable};
use super::words::counted;
use crate::address;
use crate::app::App;
use crate::error::WebError;
use crate::parameters::Parameters;
use crate::views;

/// The most hits that are shown.
const MOST: usize = 50;

/// `GET /search`
pub(super) async fn search(
    State(app): State<App>,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Markup, WebError> {
    let query = parameters.get("q").unwrap_or_default();
    let site: Option<SiteId> = parameters.get("site").map(str::parse).transpose()?;
    let sites = app.library.sites().await?;
    let view = views::search(&app, site.as_ref(), query, MOST).await?;
    Ok(page(
        &Frame::new("Search", Place::Search).for_visitor(&app, &headers),
        &html! {
            h1 { "Search" }
            @if app.search.is_none() {
                p.notice {
                    "This store cannot be searched. Changes of a crawl can be filtered by path, address and title."
                }
            }
            form.filters action="/search" method="get" role="search" {
                label { "Look for " input type="search" name="q" value=(query); }
                @if sites.len() > 1 {
                    label { "in "
                        select name="site" {
                            option value="" { "every site" }
                            @for other in &sites {
                                option value=(other.id) selected[Some(&other.id) == site.as_ref()] {
                                    (other.id)
                                }
                            }
                        }
                    }
                }
                button type="submit" disabled[app.search.is_none()] { "Search" }
            }
            @if let Some(by) = view.by {
                p role="status" {
                    @if view.hits.len() == MOST {
                        "The first " (MOST) " pages"
                    } @else {
                        (counted(view.hits.len() as u64, "page"))
                    }
                    " found, by " (by.words()) "."
                }
                ul.changes {
                    @for hit in &view.hits {
                        li.change {
                            div.head {
                                a.title href=(address::page(&hit.site, &hit.url)) {
                                    (hit.title.as_deref().unwrap_or_else(|| hit.url.path_and_query()))
                                }
                            }
                            p.where { (readable(hit.url.as_str())) }
                            @if let Some(excerpt) = &hit.excerpt { p { (excerpt) } }
                        }
                    }
                }
            }
        },
    ))
}
