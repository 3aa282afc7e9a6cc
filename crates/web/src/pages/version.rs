//! One version of a page.

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use maud::{Markup, html};
use recrawl_core::model::ids::SiteId;
use recrawl_extract::gemtext::is_gemtext;
use recrawl_reports::history::{self, VersionView};
use recrawl_reports::{file_name, sites};

use super::components::{Icon, icon};
use super::gemtext;
use super::layout::{self, Frame, NavigationPlace, live, page, readable, scrolled};
use crate::address::{self, Compared, Form};
use crate::app::App;
use crate::error::WebError;
use crate::parameters::Parameters;
use crate::words::{bytes, counted, time};

/// `GET /sites/{site}/version`
pub(super) async fn version(
    State(app): State<App>,
    Path(site): Path<String>,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Markup, WebError> {
    let id: SiteId = site.parse()?;
    let url = parameters.page()?;
    let form = parameters.list::<Form>("as")?.first().copied().unwrap_or(Form::Text);
    let site = sites::found_site(&*app.library, &id).await?;
    let view = history::version(&*app.library, &id, &url, parameters.crawl("crawl")?).await?;
    let title = view.title.clone().unwrap_or_else(|| url.path().to_owned());
    let frame = Frame::new(format!("{title}, version {}", view.number), NavigationPlace::Sites)
        .below(&id, site.shown_name(), &[("History".to_owned(), address::page(&id, &url))])
        .for_visitor(&app, &headers);
    Ok(page(
        &frame,
        &html! {
            h1 { (layout::title(&title)) }
            p.where { (readable(url.as_str())) }
            p.muted {
                "Version " (view.number) " of " (view.of) ", read " (time(view.fetched_at)) " · "
                a href=(address::crawl(&id, view.crawl)) { "the crawl of " (view.crawl.day().strftime("%-d %B").to_string()) } " · " (live(url.as_str()))
                @if let Some(document) = &view.document { " · " (document) }
                @if view.number > 1 {
                    " · " a href=(address::difference(&id, &url, None, Some(view.crawl), Compared::Inline)) {
                        "what changed"
                    }
                }
            }
            @if let Some(unusual) = &view.unusual { p.notice.doubt { (unusual) } }
            nav.neighbours aria-label="Other versions" {
                @if let Some(previous) = view.previous {
                    a rel="prev" href=(address::version(&id, &url, previous, form)) {
                        "← Version " (view.number - 1)
                    }
                }
                @if let Some(next) = view.next {
                    a rel="next" href=(address::version(&id, &url, next, form)) {
                        "Version " (view.number + 1) " →"
                    }
                }
            }
            nav.tabs aria-label="Forms of this version" {
                @for other in Form::ALL {
                    @let name = match other {
                        Form::Text => "Text",
                        Form::Html => "Stored page",
                        Form::Headers => "Headers",
                        Form::Links => "Links",
                    }
                    ;
                    a href=(address::version(&id, &url, view.crawl, other))
                        aria-current=[(other == form).then_some("page")] {
                        (name)
                    }
                }
            }
            @match form {
                Form::Text => (text(&view)),
                Form::Html => (stored(&view)),
                Form::Headers => (headers_of(&view)),
                Form::Links => (links(&view)),
            }
        },
    ))
}

fn text(view: &VersionView) -> Markup {
    html! {
        @match &view.text {
            Some(text) if is_gemtext(view.headers.content_type.as_deref()) && !text.is_empty() => {
                (gemtext::show(&view.site, &view.url, text))
            }
            Some(text) if !text.trim().is_empty() => pre.text tabindex="0" { (text) },
            Some(_) => p.lead { "The page says nothing." },
            None => p.lead {
                @match &view.document {
                    Some(document) => { "This version has no text that can be shown: " (document) "." }
                    None => "This version has no text: it is no HTML page, or it redirects.",
                }
            },
        }
    }
}

fn stored(view: &VersionView) -> Markup {
    let address = address::stored(&view.site, view.crawl, &view.url);
    html! {
        @if view.has_body && is_download(view) {
            @let name = file_name(&view.url, view.fetched_at, view.headers.content_type.as_deref());
            p.lead {
                a href=(address) download=(name) { "Download " (name) }
                @if let Some(size) = view.size { ", " (bytes(size)) }
            }
        } @else if view.has_body {
            p.muted {
                "As it was stored, without scripts, pictures and styles from elsewhere. "
                a href=(address) target="_blank" rel="noopener" { "Open in a new tab" (icon(Icon::Out)) }
            }
            iframe.stored src=(address) sandbox="" referrerpolicy="no-referrer" loading="lazy"
                title="The stored page" {}
        } @else { p.lead { "The body of this version was not kept." } }
    }
}

/// Tells whether a browser would show nothing of the body: it is neither HTML nor text.
fn is_download(view: &VersionView) -> bool {
    let content_type = view.headers.content_type.as_deref().unwrap_or_default();
    !content_type.starts_with("text/") && !recrawl_extract::page::is_html(Some(content_type), &[])
}

fn headers_of(view: &VersionView) -> Markup {
    let headers = &view.headers;
    let rows = [
        ("status", view.status.map(|status| status.to_string())),
        ("content-type", headers.content_type.clone()),
        ("etag", headers.etag.clone()),
        ("last-modified", headers.last_modified.clone()),
        ("location", headers.location.clone()),
        ("x-robots-tag", headers.robots_tag.clone()),
        ("size", view.size.map(bytes)),
        ("sha-256", view.sha256.clone()),
    ];
    let table = html! {
        table.values {
            thead { tr { th scope="col" { "Name" } th scope="col" { "Value" } } }
            tbody {
                @for (name, value) in rows {
                    @if let Some(value) = value { tr { th scope="row" { (name) } td.code { (value) } } }
                }
            }
        }
    };
    scrolled("Status and headers", &table)
}

fn links(view: &VersionView) -> Markup {
    html! {
        @if view.links.is_empty() { p.lead { "It leads nowhere." } } @else {
            p.muted { (counted(view.links.len() as u64, "link")) ", in the order of the page" }
            ul.addresses {
                @for link in &view.links {
                    li { a href=(address::page(&view.site, link)) { (readable(link.as_str())) } }
                }
            }
        }
    }
}
