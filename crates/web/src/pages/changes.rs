//! What a crawl found.

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use maud::{Markup, html};
use recrawl_core::decide::{is_first_crawl, opened_after, opened_before};
use recrawl_core::model::aspect::{Aspect, Aspects};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::verdict::Verdict;
use recrawl_reports::changes::{ChangesView, Part, Slice};
use recrawl_reports::crawls::{self, CrawlState, CrawlView};
use recrawl_reports::marks::{marks, written};
use recrawl_reports::{ChangeEntry, ChangeRow, ChangesFilter, Detail, SharedEntry, Sort, sites};

use super::components::verdict_kind;
use super::home::doubts;
use super::layout::{Frame, NavigationPlace, excerpt, page, readable, title};
use super::standing::Standing;
use crate::address;
use crate::app::Served;
use crate::error::WebError;
use crate::parameters::Parameters;
use crate::visitor::Visitor;
use crate::words::{bytes, counted, day, duration, number};

/// How many changes a page shows.
const PER_PAGE: usize = 100;

/// `GET /sites/{site}/crawls/{crawl}`
pub(super) async fn changes(
    State(served): State<Served>,
    Path((site, crawl)): Path<(String, String)>,
    visitor: Visitor,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let app = &served.app;
    let (id, crawl): (SiteId, CrawlId) = (site.parse()?, crawl.parse()?);
    let filter = ChangesFilter { open_folders: true, ..parameters.changes_filter()? };
    let number = parameters.number("page", 1_000_000)?.unwrap_or(1);
    let site = sites::found_site(&*app.library, &id).await?;
    let (crawls, crawl) = crawls::crawl(&*app.library, &id, crawl).await?;
    let previous = opened_before(&crawls, crawl.id).last().map(|other| other.id);
    let next = opened_after(&crawls, crawl.id).first().map(|other| other.id);
    let part = Part { sort: Sort::Section, slice: Slice::From((number - 1) * PER_PAGE, PER_PAGE) };
    let reports = served.reports();
    let view = reports.changes(&site, &crawl, previous, &filter, part, Detail::Excerpts).await?;
    let standing = Standing::of(app, &id, Some(view.crawl.clone())).await?;
    let frame = Frame::new(format!("{} of {id}", view.crawl.id), NavigationPlace::Sites)
        .below(&id, &[])
        .for_visitor(app, &headers)
        .saying(parameters.message())
        .with_feed(format!("Changes of {id}"), address::site_feed(&id));
    Ok(visitor.answer(page(
        &frame,
        &html! {
            h1 { "Changes of " span.nowrap { (view.crawl.id) } }
            p.muted { (day(view.crawl.opened_at)) " · " (figures(&view)) }
            @if view.crawl.state == CrawlState::Open {
                (standing.shown())
                div.acts { (standing.buttons(&visitor)) }
            } @else {
                (doubts(&visitor, &view.crawl))
            }
            @if previous.is_none() {
                p { "The first crawl of this site: everything is new to it." }
            } @else if is_first_crawl(&crawls, crawl.id) {
                p { "No crawl before this one saw the whole site: what is new to it may have been there for long." }
            }
            (neighbours(&id, previous, next))
            (tally(&view.crawl, &filter.verdicts))
            (filters(&view, &filter))
            (listed(&id, &view, &filter, number))
        },
    )))
}

/// Returns how many of each kind there are, each leading to those.
pub(super) fn tally(crawl: &CrawlView, chosen: &[Verdict]) -> Markup {
    let Some(statistics) = &crawl.statistics else { return html! {} };
    let all = address::crawl(&crawl.site, crawl.id);
    let kinds = Verdict::CHANGES.iter().filter(|kind| statistics.counts[**kind] > 0);
    html! {
        p.tally {
            @for kind in kinds {
                @let is_chosen = chosen == [*kind];
                a href=(address::with_query(&all, &[("kind", kind.word())]))
                    aria-current=[is_chosen.then_some("true")] {
                    (verdict_kind(*kind)) " " strong { (number(statistics.counts[*kind])) }
                }
            }
        }
    }
}

fn figures(view: &ChangesView) -> Markup {
    let Some(statistics) = &view.crawl.statistics else { return html! { "under way" } };
    html! {
        (counted(statistics.total, "page")) ", " (counted(statistics.requests, "request"))
        ", " (duration(view.crawl.seconds.unwrap_or_default()))
        ", " (bytes(statistics.received_bytes)) " received, " (bytes(statistics.saved_bytes)) " saved"
    }
}

fn neighbours(site: &SiteId, previous: Option<CrawlId>, next: Option<CrawlId>) -> Markup {
    html! {
        nav.neighbours aria-label="Other crawls" {
            @if let Some(previous) = previous {
                a rel="prev" href=(address::crawl(site, previous)) { "← " (previous) }
            }
            @if let Some(next) = next { a rel="next" href=(address::crawl(site, next)) { (next) " →" } }
        }
    }
}

/// Returns the field that most people use, with the others folded below it.
fn filters(view: &ChangesView, filter: &ChangesFilter) -> Markup {
    let all = address::crawl(&view.crawl.site, view.crawl.id);
    let is_finer = !filter.verdicts.is_empty() || !filter.aspects.is_empty() || filter.path.is_some();
    html! {
        form.filters action=(all) method="get" role="search" aria-label="Filter changes" {
            div.heading {
                label.wide {
                    "Address or title has "
                    input type="search" name="q" value=[&filter.text] data-filter="changes";
                }
                @if let Some(section) = &filter.section {
                    input type="hidden" name="section" value=(address::section_word(section));
                }
                button type="submit" { "Filter" }
                @if filter.is_narrow() { a href=(all) { "Show all changes" } }
            }
            details open[is_finer] {
                summary { "By kind, path and what changed" }
                (finer(view, filter))
            }
        }
    }
}

fn finer(view: &ChangesView, filter: &ChangesFilter) -> Markup {
    html! {
        fieldset {
            legend { "Kind" }
            @for kind in Verdict::ALL {
                label.choice {
                    input type="checkbox" name="kind" value=(kind) checked[filter.page_verdicts().contains(&kind)];
                    " " (verdict_kind(kind))
                    @if let Some(statistics) = &view.crawl.statistics {
                        " " span.muted { (number(statistics.counts[kind])) }
                    }
                }
            }
        }
        div.heading {
            label { "What changed "
                select name="aspect" {
                    option value="" { "anything" }
                    @for aspect in Aspect::ALL {
                        option value=(aspect) selected[filter.aspects.contains(aspect)] { (aspect) }
                    }
                }
            }
            label {
                "Path begins with " input type="text" name="path" value=[&filter.path] placeholder="/news";
            }
        }
    }
}

fn listed(site: &SiteId, view: &ChangesView, filter: &ChangesFilter, number: usize) -> Markup {
    let pages = view.total.div_ceil(PER_PAGE).max(1);
    html! {
        @if view.total == 0 {
            p.lead {
                @if filter.is_narrow() { "No page matches." }
                @else if view.crawl.state == CrawlState::Open { "No changes so far." }
                @else if view.crawl.site_state.is_some() { "No change could be seen." }
                @else { "A quiet week: nothing changed." }
            }
        } @else {
            p role="status" {
                (counted(view.total as u64, "page"))
                @if pages > 1 { ", " (PER_PAGE) " at a time: page " (number) " of " (pages) }
                "." span.only-read data-shown {}
            }
            @if view.changes.is_empty() { p.lead { "There is nothing on this page." } }
            @if view.sections.len() > 1 && filter.section.is_none() { (contents(view, filter)) }
            (change_list(site, &view.changes, 2))
            (pagination(view, filter, number, pages))
        }
    }
}

fn contents(view: &ChangesView, filter: &ChangesFilter) -> Markup {
    html! {
        details.contents open[view.sections.len() <= 12] {
            summary { (counted(view.sections.len() as u64, "section")) }
            ul {
                @for section in &view.sections {
                    li {
                        a href=(link(view, filter, Some(&section.name), 1)) { (section_name(&section.name)) }
                        " " span.muted { (section.changes) }
                    }
                }
            }
        }
    }
}

/// Returns the name of a section as it is shown.
pub(super) fn section_name(name: &str) -> &str {
    if name.is_empty() { "top of the site" } else { name }
}

fn pagination(view: &ChangesView, filter: &ChangesFilter, number: usize, pages: usize) -> Markup {
    html! {
        @if pages > 1 {
            nav.pagination aria-label="Pages of the list" {
                @if number > 1 { a rel="prev" href=(link(view, filter, None, number - 1)) { "← Previous" } }
                span { "Page " (number) " of " (pages) }
                @if number < pages { a rel="next" href=(link(view, filter, None, number + 1)) { "Next →" } }
            }
        }
    }
}

/// Returns the address of this list, in another section or on another page.
fn link(view: &ChangesView, filter: &ChangesFilter, section: Option<&str>, number: usize) -> String {
    let kinds: Vec<&str> = filter.verdicts.iter().map(|kind| kind.word()).collect();
    let number = if number > 1 { number.to_string() } else { String::new() };
    let query = [
        ("kind", &*kinds.join(",")),
        ("aspect", filter.aspects.iter().next().map_or("", Aspect::word)),
        ("path", filter.path.as_deref().unwrap_or_default()),
        ("section", section.or(filter.section.as_deref()).map_or("", address::section_word)),
        ("q", filter.text.as_deref().unwrap_or_default()),
        ("page", &number),
    ];
    address::with_query(&address::crawl(&view.crawl.site, view.crawl.id), &query)
}

/// Returns changes under the headings of their sections.
pub(super) fn change_list(site: &SiteId, rows: &[ChangeRow], level: u8) -> Markup {
    let changes: Vec<&ChangeEntry> = rows.iter().filter_map(ChangeRow::page).collect();
    let groups = changes.chunk_by(|one, other| one.section == other.section);
    let shared: Vec<&SharedEntry> = rows.iter().filter_map(shared_of).collect();
    html! {
        div.changes {
            @for group in groups {
                @let name = group.first().map_or("", |change| section_name(&change.section));
                section.group aria-label=(name) {
                    @if level == 2 { h2.section { (name) " " span.muted { (group.len()) } } }
                    @else { h3.section { (name) " " span.muted { (group.len()) } } }
                    ul { @for change in group { (change_item(site, change)) } }
                }
            }
            @if !shared.is_empty() {
                section.group aria-label="shared changes" {
                    @if level == 2 { h2.section { "shared by several pages " span.muted { (shared.len()) } } }
                    @else { h3.section { "shared by several pages " span.muted { (shared.len()) } } }
                    ul { @for change in shared { (shared_item(site, change)) } }
                }
            }
        }
    }
}

fn shared_of(row: &ChangeRow) -> Option<&SharedEntry> {
    match row {
        ChangeRow::Shared(entry) => Some(entry),
        ChangeRow::Page(_) | ChangeRow::Folder(_) => None,
    }
}

fn shared_item(site: &SiteId, change: &SharedEntry) -> Markup {
    let told = written(&marks(change.went.as_deref(), change.came.as_deref(), 160));
    html! {
        li.change data-change {
            div.head { (verdict_kind(change.kind)) " " (told) }
            p.where {
                (counted(change.pages, "page")) " · " (change.region)
                @if let Some(url) = &change.url { " · " a href=(address::page(site, url)) { (readable(url.as_str())) } }
            }
        }
    }
}

fn change_item(site: &SiteId, change: &ChangeEntry) -> Markup {
    let history = address::page(site, &change.url);
    let target = address::change(site, change);
    html! {
        li.change data-change {
            div.head {
                (verdict_kind(change.kind)) " "
                a.title href=(target) {
                    (title(change.title.as_deref().unwrap_or_else(|| change.url.path_and_query())))
                }
                @if !change.aspects.is_empty() && change.aspects != Aspects::TEXT {
                    " " span.muted { (change.aspects) }
                }
            }
            p.where {
                a href=(history) { (readable(change.url.as_str())) }
                @if let Some(status) = change.status.filter(|status| *status != 200) { " · " (status) }
            }
            @if let Some(target) = &change.target { p.where { "leads to " (readable(target.as_str())) } }
            @if let Some(reason) = &change.reason { p.where { (reason) } }
            (excerpt(&change.excerpt))
        }
    }
}
