//! The difference of two versions, as a change is reviewed.

mod beside;
mod head;
mod rows;
mod said;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use maud::{Markup, html};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::review::ReviewMark;
use recrawl_reports::difference::{Asked, ComparisonOptions, DifferenceView, Review, Told};
use recrawl_reports::text_diff::{Context, Difference};
use recrawl_reports::{reviews, sites};

use self::beside::{came_and_went, facts, files, of_the_head};
use self::head::{CARRIED, Head, is_one_sided};
use self::rows::{IGNORE_FORM, Lines};
use self::said::{said, versions};
use super::components::KeysOf;
use super::layout::{Frame, NavigationPlace, page};
use crate::address::{self, Compared, Form};
use crate::app::Served;
use crate::error::WebError;
use crate::listing::{ListOf, Listing};
use crate::parameters::Parameters;
use crate::visitor::Visitor;
use crate::words::counted;

pub(in crate::pages) use self::rows::plain;

/// How many lines of a page that is gone or new are shown before the rest is folded.
const BEGINNING: usize = 20;

/// `GET /sites/{site}/diff`
pub(super) async fn difference(
    State(served): State<Served>,
    Path(site): Path<String>,
    own: Uri,
    visitor: Visitor,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, WebError> {
    let app = &served.app;
    let now = (app.clock)();
    let id: SiteId = site.parse()?;
    let url = parameters.page()?;
    let way = parameters.list::<Compared>("view")?.first().copied().unwrap_or_default();
    let is_whole = parameters.get("context") == Some("all");
    let site = sites::found_site(&*app.library, &id).await?;
    let asked = Asked {
        from: parameters.crawl("from")?,
        to: parameters.crawl("to")?,
        options: ComparisonOptions { markup: way == Compared::Raw, context: Context::All },
    };
    let review = served.reports().review(&app.reader, &site, &url, &asked).await?;
    let mark = if visitor.may_act() {
        reviews::marks(&*app.library, &id, review.visit.crawl).await?.of(&review.visit.event)
    } else {
        ReviewMark::default()
    };
    let list = Listing::named(&served, &parameters).await?;
    let step = match &list {
        Some(list) => list.step(&served, &id, &url).await?,
        None => None,
    };
    let named = list.as_ref().map(|list| {
        let name = list_name(list, step.as_ref().map(|step| step.of));
        (list, name, step)
    });
    let head = Head { review: &review, visitor: &visitor, mark: &mark, list: named, way, own: &own };
    let title = review.view.title.clone().unwrap_or_else(|| url.path().to_owned());
    let frame = Frame::new(title.clone(), NavigationPlace::Sites)
        .with_keys(KeysOf::Difference)
        .with_feed(format!("Changes of {title}"), address::page_feed(&id, &url))
        .for_visitor(app, &headers)
        .saying(parameters.message());
    let whole = head.with("context", "all");
    let shown = Shown { review: &review, way, is_whole, whole: &whole, may_ignore: visitor.may_set() };
    Ok(visitor.answer(page(
        &frame,
        &html! {
            (head.shown())
            @if let Some(note) = &mark.note { p.own-note { b { "Note: " } span dir="auto" { (note) } } }
            (versions(&review, &visitor, (!is_whole && shown.folds()).then_some(&*whole), now))
            @if let Some(unusual) = &review.view.unusual { p.notice { (unusual) } }
            (said(&review, now))
            h2.only-read { @if review.view.of_markup { "What changed in the HTML" } @else { "What changed in the text" } }
            (shown.body())
            @for note in &review.view.notes { p.notice { (note) } }
            (files(&review, now))
            (of_the_head(&review))
            (came_and_went(&review))
            (others(&review.view, way, parameters.get(CARRIED)))
            (facts(&review.view))
            @if visitor.may_set() { (ignore_form(&review, &own)) }
        },
    )))
}

/// Says what a list is: `8 changes, 16 November`.
fn list_name(list: &Listing, changes: Option<usize>) -> String {
    let what = changes.map_or_else(|| "changes".to_owned(), |changes| counted(changes as u64, "change"));
    match &list.of {
        ListOf::Crawl(_, crawl) => format!("{what}, {}", crawl.day().strftime("%-d %B")),
        ListOf::Window(..) => what,
    }
}

/// A difference as it is shown.
struct Shown<'a> {
    review: &'a Review,
    way: Compared,
    is_whole: bool,
    whole: &'a str,
    may_ignore: bool,
}

impl Shown<'_> {
    /// Tells whether anything is folded.
    fn folds(&self) -> bool {
        use recrawl_reports::difference::DiffRow;
        let rows = &self.review.rows;
        is_one_sided(self.review) && rows.len() > BEGINNING
            || rows
                .iter()
                .any(|row| matches!(row, DiffRow::Unchanged(..) | DiffRow::Folded(_) | DiffRow::Around(_)))
    }

    fn body(&self) -> Markup {
        let Review { view, rows, told, .. } = self.review;
        if rows.is_empty() {
            return html! {
                @match told {
                    Told::Moved { .. } | Told::Unchanged { .. } => {},
                    _ if view.of_markup => p.lead { "The HTML is the same, or was not kept." },
                    _ if !view.newer.has_text && view.older.as_ref().is_none_or(|older| !older.has_text) => {},
                    Told::Changed => p.lead { "What they say is the same." },
                    Told::Gone { .. } | Told::New { .. } => p.lead { "No text of it is known." },
                }
            };
        }
        let is_of_visit = self.review.is_of_visit && !view.of_markup && self.may_ignore;
        let lines = Lines {
            is_beside: self.way == Compared::Side && !is_one_sided(self.review),
            is_whole: self.is_whole,
            ignorable: (
                is_of_visit && !matches!(told, Told::New { .. }),
                is_of_visit && matches!(told, Told::Changed),
            ),
            whole: Some(self.whole),
        };
        let name = if lines.is_beside { "Difference, side by side" } else { "Difference" };
        html! {
            (limits(view))
            @if is_one_sided(self.review) && rows.len() > BEGINNING && !self.is_whole {
                (lines.shown(&rows[..BEGINNING], name))
                details.rest {
                    summary { (counted((rows.len() - BEGINNING) as u64, "more line")) }
                    (lines.shown(&rows[BEGINNING..], "The rest"))
                }
            } @else {
                (lines.shown(rows, name))
            }
            @if !self.review.known_noise.is_empty() && !view.of_markup {
                p.small.soft {
                    "Known noise was left out before comparing: "
                    @for (place, (rule, count)) in self.review.known_noise.iter().enumerate() {
                        @if place > 0 { ", " }
                        (recrawl_reports::told::rule(rule))
                        @if *count > 1 { " (" (count) ")" }
                    }
                    "."
                }
            }
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
    let version = |crawl: CrawlId, name: &str| {
        html! { a href=(address::version(&view.site, &view.url, crawl, form)) { (name) " version" } }
    };
    html! {
        div.notice {
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
                @if let Some(older) = &view.older { "the " (version(older.crawl, "older")) " and " }
                "the " (version(view.newer.crawl, "newer")) "."
            }
        }
    }
}

/// Returns what shows the whole difference in a terminal.
fn command(view: &DifferenceView) -> String {
    let from = view.older.as_ref().map_or_else(String::new, |older| format!(" --from {}", older.crawl));
    format!("recrawl diff '{}' --site {}{from} --to {}", view.url, view.site, view.newer.crawl)
}

/// Offers other versions to compare, folded.
fn others(view: &DifferenceView, way: Compared, list: Option<&str>) -> Markup {
    if view.versions.len() <= 2 {
        return html! {};
    }
    html! {
        details.more {
            summary { "Compare other versions" }
            form.filters.versions action=(format!("/sites/{}/diff", view.site)) method="get" {
                input type="hidden" name="url" value=(view.url);
                @if way != Compared::Inline { input type="hidden" name="view" value=(way.word()); }
                @if let Some(list) = list { input type="hidden" name=(CARRIED) value=(list); }
                label { "Compare " (crawls("from", view, view.older.as_ref().map(|older| older.number))) }
                label { "with " (crawls("to", view, Some(view.newer.number))) }
                button type="submit" { "Compare" }
            }
        }
    }
}

fn crawls(name: &str, view: &DifferenceView, chosen: Option<usize>) -> Markup {
    let count = view.versions.len();
    html! {
        select name=(name) {
            @for (place, crawl) in view.versions.iter().enumerate() {
                option value=(crawl) selected[chosen == Some(count - place)] { (count - place) ": " (crawl) }
            }
        }
    }
}

/// Returns the form that the buttons of lines send: what to ignore, and where to go back.
fn ignore_form(review: &Review, own: &Uri) -> Markup {
    html! {
        form id=(IGNORE_FORM) action=(address::ignore(&review.view.site)) method="get" {
            input type="hidden" name="url" value=(review.view.url);
            input type="hidden" name="crawl" value=(review.visit.crawl);
            input type="hidden" name="back" value=(own.to_string());
        }
    }
}
