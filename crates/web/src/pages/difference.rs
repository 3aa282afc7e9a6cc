//! The difference of two versions.

mod rows;

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use maud::{Markup, html};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_reports::difference::{Asked, Beside, ComparisonOptions, DifferenceView, SideView};
use recrawl_reports::sites;

use self::rows::beside;
use super::history::archive_now;
use super::layout::{self, Frame, NavigationPlace, live, page, readable, scrolled, spoken, tag_class};
use crate::address::{self, Compared, Form};
use crate::app::Served;
use crate::error::WebError;
use crate::parameters::Parameters;
use crate::visitor::Visitor;
use crate::words::{counted, time};
use recrawl_reports::text_diff::{Context, Difference, Tag};

pub(crate) use self::rows::hunks;

/// How many unchanged lines are shown around a change.
const AROUND: usize = 3;

/// `GET /sites/{site}/diff`
pub(super) async fn difference(
    State(served): State<Served>,
    Path(site): Path<String>,
    visitor: Visitor,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let app = &served.app;
    let id: SiteId = site.parse()?;
    let url = parameters.page()?;
    let view = parameters.list::<Compared>("view")?.first().copied().unwrap_or_default();
    let is_whole = parameters.get("context") == Some("all");
    let site = sites::found_site(&*app.library, &id).await?;
    let asked = Asked {
        from: parameters.crawl("from")?,
        to: parameters.crawl("to")?,
        options: ComparisonOptions {
            markup: view == Compared::Raw,
            context: if is_whole { Context::All } else { Context::Lines(AROUND) },
        },
    };
    let shown = served.reports().difference(&app.reader, &site, &url, &asked).await?;
    let title = shown.title.clone().unwrap_or_else(|| url.path().to_owned());
    let frame = Frame::new(format!("Difference: {title}"), NavigationPlace::Sites)
        .below(&id, &[("History".to_owned(), address::page(&id, &url))])
        .with_feed(format!("Changes of {title}"), address::page_feed(&id, &url))
        .for_visitor(app, &headers);
    Ok(visitor.answer(page(
        &frame,
        &html! {
            div.heading {
                h1 { (layout::title(&title)) }
                div.acts {
                    @if visitor.may_act() && shown.newer.has_text {
                        a href=(address::rules(&id, Some(&url))) { "Ignore this?" }
                    }
                    (archive_now(&visitor, &id, &url))
                }
            }
            p.where { (readable(url.as_str())) }
            (sides(&shown))
            (choice(&shown, view))
            (body(&shown, view, is_whole))
            @for beside in &shown.beside { (came_and_went(beside)) }
            @if let Some(unusual) = &shown.unusual { p.notice.doubt { (unusual) } }
            @for note in &shown.notes { p.notice.doubt { (note) } }
            (facts(&shown))
        },
    )))
}

fn sides(view: &DifferenceView) -> Markup {
    let captures = format!("https://web.archive.org/web/*/{}", view.url);
    html! {
        dl.sides {
            div {
                dt { "Older" }
                dd {
                    @match &view.older {
                        Some(older) => (side(view, older)), None => "nothing: this is the first version"
                    }
                }
            }
            div { dt { "Newer" } dd { (side(view, &view.newer)) } }
            div {
                dt { "Elsewhere" }
                dd {
                    (live(view.url.as_str())) " · "
                    a href=(captures) rel="noreferrer noopener external" {
                        "all captures"
                    }
                }
            }
        }
    }
}

fn side(view: &DifferenceView, side: &SideView) -> Markup {
    let capture = side.wayback_url.as_deref().filter(|capture| capture.starts_with("https://"));
    html! {
        a href=(address::version(&view.site, &view.url, side.crawl, Form::Text)) { "version " (side.number) }
        ", " (time(side.fetched_at)) ", " a href=(address::crawl(&view.site, side.crawl)) { (side.crawl) }
        @if let Some(capture) = capture {
            ", " a href=(capture) rel="noreferrer noopener external" { "Wayback capture" }
        }
    }
}

/// Offers the ways to show a difference, and other versions to compare.
fn choice(view: &DifferenceView, current: Compared) -> Markup {
    let from = view.older.as_ref().map(|older| older.crawl);
    let to = Some(view.newer.crawl);
    html! {
        nav.tabs aria-label="Ways to show the difference" {
            @for way in Compared::ALL {
                @let name = match way {
                    Compared::Inline => "Inline", Compared::Side => "Side by side", Compared::Raw => "Markup"
                }
                ;
                a href=(address::difference(&view.site, &view.url, from, to, way))
                    aria-current=[(way == current).then_some("page")] {
                    (name)
                }
            }
        }
        @if view.versions.len() > 2 {
            form.filters.versions action=(format!("/sites/{}/diff", view.site)) method="get" {
                input type="hidden" name="url" value=(view.url);
                input type="hidden" name="view" value=(current.word());
                label { "Compare " (crawls("from", &view.versions, view.older.as_ref())) }
                label { "with " (crawls("to", &view.versions, Some(&view.newer))) }
                button type="submit" { "Compare" }
            }
        }
    }
}

fn crawls(name: &str, versions: &[CrawlId], chosen: Option<&SideView>) -> Markup {
    let count = versions.len();
    html! {
        select name=(name) {
            @for (place, crawl) in versions.iter().enumerate() {
                option value=(crawl) selected[chosen.is_some_and(|side| side.number == count - place)] {
                    (count - place) ": " (crawl)
                }
            }
        }
    }
}

fn body(view: &DifferenceView, way: Compared, is_whole: bool) -> Markup {
    let has_text = view.newer.has_text && view.older.as_ref().is_none_or(|older| older.has_text);
    if !has_text && !view.of_markup {
        return html! {
            p.lead {
                "This is no page with a text that could be compared, or it redirects. "
                "What is known of both is below."
            }
        };
    }
    let difference = &view.difference;
    if difference.hunks.is_empty() {
        let what = if view.of_markup { "The markup is" } else { "What they say is" };
        return html! { p.lead { (what) " the same." } };
    }
    let from = view.older.as_ref().map(|older| older.crawl);
    let this = address::difference(&view.site, &view.url, from, Some(view.newer.crawl), way);
    html! {
        p.muted {
            (counted(difference.removed as u64, "line")) " went, "
            (counted(difference.added as u64, "line")) " came. "
            @if is_whole { a href=(this) { "Fold what did not change" } }
            @else if folds(difference) {
                a href=(format!("{this}&context=all")) { "Show what did not change" }
            }
            span.keys { " Keys: " kbd { "j" } " next change, " kbd { "k" } " previous." }
        }
        (limits(view))
        @match way {
            Compared::Inline | Compared::Raw => (hunks(difference)),
            Compared::Side => (beside(difference)),
        }
    }
}

/// Says what of a difference is not shown, or not as it could be, and where it is.
fn limits(view: &DifferenceView) -> Markup {
    let Difference { omitted_lines, cut_lines, coarse, .. } = view.difference;
    if omitted_lines == 0 && cut_lines == 0 && !coarse {
        return html! {};
    }
    let form = if view.of_markup { Form::Html } else { Form::Text };
    let version = |side: &SideView| {
        html! { a href=(address::version(&view.site, &view.url, side.crawl, form)) { "version " (side.number) } }
    };
    html! {
        div.notice.doubt {
            @if coarse {
                p {
                    "These versions are too large to be compared line by line: whole blocks are shown as replaced, "
                    "which may have lines in common."
                }
            }
            @if omitted_lines > 0 {
                p {
                    "This is too much for a page: " (counted(omitted_lines as u64, "line"))
                    " that went or came are not shown."
                }
            }
            @if cut_lines > 0 { p { (counted(cut_lines as u64, "line")) " too long for a page: shown in part." } }
            p {
                "All of it: " code { (command(view)) } ", or "
                @if let Some(older) = &view.older { (version(older)) " and " } (version(&view.newer)) "."
            }
        }
    }
}

/// Returns what shows the whole difference in a terminal.
fn command(view: &DifferenceView) -> String {
    let from = view.older.as_ref().map_or_else(String::new, |older| format!(" --from {}", older.crawl));
    format!("recrawl diff '{}' --site {}{from} --to {}", view.url, view.site, view.newer.crawl)
}

fn folds(difference: &Difference) -> bool {
    difference.skipped_after > 0 || difference.hunks.iter().any(|hunk| hunk.skipped_before > 0)
}

fn came_and_went(beside: &Beside) -> Markup {
    let items = |tag: Tag, addresses: &[String]| {
        html! {
            @for address in addresses {
                li class=(tag_class(tag)) { span.mark { (spoken(tag)) } (readable(address)) }
            }
        }
    };
    html! {
        section.came {
            h2 { "Changes of " (beside.what) }
            ul.addresses { (items(Tag::Removed, &beside.went)) (items(Tag::Added, &beside.came)) }
        }
    }
}

fn facts(view: &DifferenceView) -> Markup {
    let dash = |value: &Option<String>| value.clone().unwrap_or_else(|| "–".to_owned());
    let table = html! {
        table.stack.values {
            thead { tr { th scope="col" { "What" } th scope="col" { "Older" } th scope="col" { "Newer" } } }
            tbody {
                @for fact in &view.facts {
                    tr.differs[fact.older != fact.newer] {
                        th scope="row" { (fact.name) }
                        td.code data-label="Older" { (dash(&fact.older)) }
                        td.code data-label="Newer" { (dash(&fact.newer)) }
                    }
                }
            }
        }
    };
    html! {
        section {
            h2 { "Status and headers" }
            (scrolled("Status and headers", &table))
        }
    }
}
