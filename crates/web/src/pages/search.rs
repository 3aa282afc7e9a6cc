//! Pages by what they say.

use axum::extract::State;
use axum::http::HeaderMap;
use maud::{Markup, html};
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::Search;
use recrawl_reports::search::{self as searching, ComparedWith, HitView, PassageView, PieceView};
use recrawl_reports::search::{SearchHistoryView, SearchView};

use super::layout::{Frame, LONGEST_TITLE, NavigationPlace, page, readable, title};
use crate::address::{self, Form};
use crate::app::Served;
use crate::blocking;
use crate::error::WebError;
use crate::parameters::Parameters;
use crate::words::{counted, shortened, time};

/// The most hits that are shown.
const MOST: usize = 50;

/// What the form sends where all stored versions are to be looked through.
const EVER: &str = "ever";

/// `GET /search`
pub(super) async fn search(
    State(served): State<Served>,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Markup, WebError> {
    let app = &served.app;
    let query = parameters.get("q").unwrap_or_default();
    let site: Option<SiteId> = parameters.get("site").map(str::parse).transpose()?;
    let sites = app.library.sites().await?;
    let history = parameters.get("when") == Some(EVER);
    let search = app.search.as_deref();
    let texts = search.is_none_or(Search::compares_texts);
    let names_sites = sites.len() > 1;
    let problem = searching::asks_for_nothing(query).filter(|_| !query.is_empty());
    let answer = if query.is_empty() || problem.is_some() {
        html! { @if let Some(problem) = problem { p.notice role="status" { (sentence(problem)) } } (hint(texts)) }
    } else if history {
        told(&blocking::search_history(&served, site.clone(), query, MOST).await?, names_sites)
    } else {
        let view = searching::search(search, site.as_ref(), query, MOST).await?;
        html! {
            @if let Some(by) = view.by { (answer(&view, by, names_sites)) }
            @if view.hits.is_empty() { (hint(texts)) }
        }
    };
    Ok(page(
        &Frame::new("Search", NavigationPlace::Search).for_visitor(app, &headers),
        &html! {
            h1 { "Search" }
            @if app.search.is_none() {
                p.notice {
                    "This store cannot be searched. "
                    "Changes of a crawl can be filtered by path, address and title."
                }
            }
            (form(query, &sites, site.as_ref(), history, search))
            @if app.search.is_some() { (answer) }
        },
    ))
}

fn form(
    query: &str,
    sites: &[Site],
    chosen: Option<&SiteId>,
    history: bool,
    search: Option<&dyn Search>,
) -> Markup {
    html! {
        form.filters action="/search" method="get" role="search" {
            label.wide { "Look for " input type="search" name="q" value=(query); }
            @if sites.len() > 1 {
                label { "In "
                    select name="site" {
                        option value="" { "every site" }
                        @for site in sites {
                            option value=(site.id) selected[Some(&site.id) == chosen] { (site.shown_name()) }
                        }
                    }
                }
            }
            @if search.is_none_or(Search::compares_texts) {
                label { "What pages "
                    select name="when" {
                        option value="" { "say now" }
                        option value=(EVER) selected[history] { "ever said, and when" }
                    }
                }
            }
            button type="submit" disabled[search.is_none()] { "Search" }
        }
    }
}

/// Says what can be looked for: words where `texts` are compared, otherwise addresses.
fn hint(texts: bool) -> Markup {
    if !texts {
        return html! {
            p.muted {
                "This history is on Firestore, where the beginning of addresses is compared and nothing else: look for a "
                "path such as " code { "/news/" } ", or an address. To look for words, take the history home with "
                code { "recrawl copy" } ": in a file, everything that pages say and ever said can be searched."
            }
        };
    }
    html! {
        p.muted {
            "All words are looked for, also in titles and addresses; "
            "the last one may be the beginning of a word. "
            "Write " code { "\"two words\"" } " for words that follow each other, "
            "and " code { "-word" } " for what must not be there. "
            "A path such as " code { "/news/" } " is looked for in addresses alone."
        }
    }
}

fn answer(view: &SearchView, by: ComparedWith, names_sites: bool) -> Markup {
    html! {
        p role="status" {
            @if view.hits.is_empty() {
                "Nothing found"
            } @else if view.hits.len() == MOST {
                "The first " (MOST) " pages found"
            } @else {
                (counted(view.hits.len() as u64, "page")) " found"
            }
            ", by " (by.words()) "."
        }
        @if let Some(waiting) = view.waiting.filter(|waiting| *waiting > 0) {
            p.notice {
                "The text of " (counted(waiting, "page")) " is not in the index yet; "
                "of those, title and address were searched."
            }
        }
        ul.changes { @for hit in &view.hits { li.change { (found(hit, names_sites)) } } }
    }
}

fn found(hit: &HitView, names_site: bool) -> Markup {
    html! {
        div.head {
            a.title href=(address::page(&hit.site, &hit.url)) {
                @if hit.marked_title.is_empty() {
                    (title(hit.url.path_and_query()))
                } @else {
                    (pieces(&beginning(&hit.marked_title)))
                }
            }
        }
        p.where { (readable(hit.url.as_str())) }
        @if !hit.excerpt.is_empty() { p { (pieces(&hit.excerpt)) } }
        p.where {
            @if names_site { (hit.site) " · " }
            "seen " (time(hit.last_seen)) " · "
            a href=(address::version(&hit.site, &hit.url, hit.crawl, Form::Text)) {
                "stored version" span.only-read { ": " (hit.url) }
            }
        }
    }
}

/// Shows when pages said it.
fn told(view: &SearchHistoryView, names_sites: bool) -> Markup {
    let Some(compared) = view.compared else {
        return html! {
            p.notice role="status" {
                "This store compares the beginning of addresses and nothing else, so what pages said before cannot be "
                "looked for. The history of a page lists all of its versions."
            }
        };
    };
    html! {
        p role="status" {
            @match view.passages.len() {
                0 => "Nothing found",
                MOST => { "The last " (MOST) " times found" },
                count => { (counted(count as u64, "time")) " found" },
            }
            ", in " (counted(compared, "stored text")) " and in addresses."
        }
        @if let Some(visits) = view.left_out.filter(|visits| *visits > 0) {
            p.notice {
                (counted(visits, "visit")) " saw what has no text, is not kept, or is too old to be compared."
            }
        }
        ul.changes { @for passage in &view.passages { li.change { (said(passage, names_sites)) } } }
        @if view.passages.is_empty() { (hint(true)) }
    }
}

fn said(passage: &PassageView, names_site: bool) -> Markup {
    let is_once = passage.first_crawl == passage.last_crawl;
    html! {
        div.head {
            a.title href=(address::page(&passage.site, &passage.url)) {
                (title(passage.title.as_deref().unwrap_or_else(|| passage.url.path_and_query())))
            }
        }
        p.where { (readable(passage.url.as_str())) }
        @if !passage.excerpt.is_empty() { p { (pieces(&passage.excerpt)) } }
        p.where {
            @if names_site { (passage.site) " · " }
            @if passage.is_current {
                "since " (time(passage.first_seen)) ", and now"
            } @else if is_once {
                "on " (time(passage.first_seen)) ", and not any more"
            } @else {
                "from " (time(passage.first_seen)) " to " (time(passage.last_seen)) ", and not any more"
            }
            " · "
            a href=(address::version(&passage.site, &passage.url, passage.last_crawl, Form::Text)) {
                "the page then" span.only-read { ": " (passage.url) }
            }
        }
    }
}

/// Writes what is wrong as a sentence.
fn sentence(problem: &str) -> String {
    let mut letters = problem.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// Returns the pieces of a title, cut where it would be longer than a title should be.
fn beginning(title: &[PieceView]) -> Vec<PieceView> {
    let mut room = LONGEST_TITLE;
    let mut shown: Vec<PieceView> = Vec::new();
    for piece in title {
        let text = shortened(&piece.text, room, 0).into_owned();
        let is_cut = text != piece.text;
        room = room.saturating_sub(text.chars().count());
        shown.push(PieceView { text, matches: piece.matches });
        if is_cut {
            break;
        }
    }
    shown
}

/// Returns a text with what was asked for marked.
fn pieces(pieces: &[PieceView]) -> Markup {
    html! { @for piece in pieces { @if piece.matches { mark { (piece.text) } } @else { (piece.text) } } }
}
