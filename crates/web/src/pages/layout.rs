//! What every page has around its content.

use axum::http::HeaderMap;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::scope::is_list_root;
use recrawl_core::url::PageUrl;

use super::components::{KeysOf, all_keys, foot_keys, sprite};
use crate::app::App;
use crate::assets::{ICON, SCRIPT, STYLE};
use crate::message::Message;
use crate::words::{number, shortened};
use recrawl_reports::text_diff::{Line, Tag};

/// The most characters of a title that are shown.
pub(super) const LONGEST_TITLE: usize = 140;

/// Where in the navigation a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NavigationPlace {
    Home,
    Sites,
    Search,
    Api,
    Elsewhere,
}

/// What a page needs beside its content.
pub(super) struct Frame {
    title: String,
    place: NavigationPlace,
    feed: Option<(String, String)>,
    trail: Vec<(String, String)>,
    at: Option<String>,
    keys: KeysOf,
    unseen: u64,
    login: Option<bool>,
    can_search: bool,
    message: Option<Message>,
}

impl Frame {
    pub(super) fn new(title: impl Into<String>, place: NavigationPlace) -> Self {
        let (title, trail) = (title.into(), Vec::new());
        Self {
            title,
            place,
            feed: None,
            trail,
            at: None,
            keys: KeysOf::Page,
            unseen: 0,
            login: None,
            can_search: false,
            message: None,
        }
    }

    /// Offers a feed to readers that look for one.
    pub(super) fn with_feed(mut self, title: String, address: String) -> Self {
        self.feed = Some((title, address));
        self
    }

    /// Puts the site, by the name under which people know it, and further pages above this one, before the content.
    pub(super) fn below(mut self, site: &SiteId, name: &str, further: &[(String, String)]) -> Self {
        self.trail = vec![(name.to_owned(), crate::address::site(site))];
        self.trail.extend_from_slice(further);
        self
    }

    /// Puts the list of sites before the content.
    pub(super) fn under_sites(mut self) -> Self {
        self.trail = vec![("Sites".to_owned(), "/sites".to_owned())];
        self
    }

    /// Ends the trail with what this page is.
    pub(super) fn at(mut self, words: impl Into<String>) -> Self {
        self.at = Some(words.into());
        self
    }

    /// Tells the keys of a list or of a difference in the foot.
    pub(super) fn with_keys(mut self, keys: KeysOf) -> Self {
        self.keys = keys;
        self
    }

    /// Says how many changes nobody saw yet.
    pub(super) fn with_unseen(mut self, unseen: u64) -> Self {
        self.unseen = unseen;
        self
    }

    /// Says what came of the form that led here.
    pub(super) fn saying(mut self, message: Option<Message>) -> Self {
        self.message = message;
        self
    }

    /// Offers to search, where the store can, and to log in or out, where there is something to log in to.
    pub(super) fn for_visitor(mut self, app: &App, headers: &HeaderMap) -> Self {
        let matters = app.access.demands_token() && app.crawl_control.is_some();
        self.login = matters.then(|| app.access.admits(headers, (app.clock)()));
        self.can_search = app.search.is_some();
        self
    }
}

/// Returns a whole page.
pub(super) fn page(frame: &Frame, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (frame.title) " · Recrawl" }
                link rel="icon" href=(ICON.address) type="image/svg+xml";
                link rel="stylesheet" href=(STYLE.address);
                @if let Some((title, address)) = &frame.feed {
                    link rel="alternate" type="application/atom+xml" title=(title) href=(address);
                }
                script src=(SCRIPT.address) defer {}
            }
            body {
                (sprite())
                a.skip href="#content" { "Skip to content" }
                (top(frame))
                main #content tabindex="-1" {
                    (trail(frame))
                    @if let Some(message) = frame.message {
                        p.notice.done role="status" data-message { (message.text()) }
                    }
                    (content)
                }
                footer.bottom {
                    p { "Times: UTC" }
                    (foot_keys(frame.keys))
                    (all_keys())
                }
            }
        }
    }
}

fn top(frame: &Frame) -> Markup {
    let places = [
        (NavigationPlace::Home, "/", "Changes"),
        (NavigationPlace::Sites, "/sites", "Sites"),
        (NavigationPlace::Search, "/search", "Search"),
        (NavigationPlace::Api, "/api", "API and feeds"),
    ];
    html! {
        header.top {
            div {
                a.brand href="/" { (PreEscaped(include_str!("../assets/icon.svg"))) span { "Recrawl" } }
                nav aria-label="Main" {
                    ul {
                        @for (place, address, name) in places {
                            li {
                                a href=(address) aria-current=[(place == frame.place).then_some("page")] {
                                    (name)
                                    @if place == NavigationPlace::Home && frame.unseen > 0 {
                                        " " span.badge { span data-unseen { (number(frame.unseen)) } span.only-read { " unseen" } }
                                    }
                                }
                            }
                        }
                        @if let Some(is_logged_in) = frame.login {
                            li { a href="/login" { @if is_logged_in { "Log out" } @else { "Log in" } } }
                        }
                    }
                }
                // The page of the search has a larger one.
                @if frame.can_search && frame.place != NavigationPlace::Search {
                    form.find action="/search" method="get" role="search" aria-label="All pages" {
                        label.only-read for="find" { "Search pages" }
                        input #find type="search" name="q" placeholder="Search pages";
                        kbd aria-hidden="true" { "/" }
                    }
                }
            }
        }
    }
}

fn trail(frame: &Frame) -> Markup {
    html! {
        @if !frame.trail.is_empty() {
            nav.trail aria-label="Where you are" {
                ol {
                    @for (name, address) in &frame.trail { li { a href=(address) { (name) } } }
                    @if let Some(at) = &frame.at { li aria-current="page" { (at) } }
                }
            }
        }
    }
}

/// Returns the text of a line, with what differs in it marked.
pub(super) fn pieces(line: &Line) -> Markup {
    html! {
        @for piece in &line.pieces {
            @match (piece.emphasised, line.tag) {
                (true, Tag::Removed) => del { (piece.text) },
                (true, Tag::Added) => ins { (piece.text) },
                (_, _) => (piece.text),
            }
        }
    }
}

/// Returns the sign of a line for the eye, and a word for the ear.
pub(super) fn spoken(tag: Tag) -> Markup {
    let word = match tag {
        Tag::Same => "",
        Tag::Removed => "removed: ",
        Tag::Added => "added: ",
    };
    html! { span aria-hidden="true" { (tag.mark()) } @if !word.is_empty() { span.only-read { (word) } } }
}

/// Returns the class of a line.
pub(super) const fn tag_class(tag: Tag) -> &'static str {
    match tag {
        Tag::Same => "same",
        Tag::Removed => "removed",
        Tag::Added => "added",
    }
}

/// Returns a table in a frame of its own, which scrolls where the table is wider than the page, also by keys.
pub(super) fn scrolled(name: &str, table: &Markup) -> Markup {
    html! { div.scroll role="region" aria-label=(name) tabindex="0" { (table) } }
}

/// Returns a title of a page, cut where it would be longer than a title should be.
pub(super) fn title(title: &str) -> Markup {
    let cut = shortened(title, LONGEST_TITLE, 0);
    html! { @if cut == title { (breakable(title)) } @else { span title=(title) { (breakable(&cut)) } } }
}

/// Returns where a site begins, as a link that ends with `mark`; a list of pages begins nowhere.
pub(super) fn root_link(root: &PageUrl, mark: &Markup) -> Markup {
    html! {
        @if is_list_root(root) { "a list of pages" }
        @else { a href=(root) rel="noreferrer noopener external" { (readable(root.as_str())) (mark) } }
    }
}

/// Returns an address as people read it, with places to break it; the middle of a long one is left out.
pub(super) fn readable(url: &str) -> Markup {
    let shown = shortened(url.strip_prefix("https://").unwrap_or(url), 110, 40);
    html! { @if url.ends_with(&*shown) { (breakable(&shown)) } @else { span title=(url) { (breakable(&shown)) } } }
}

/// Returns a text that may be broken behind each slash.
fn breakable(text: &str) -> Markup {
    html! { @for (place, part) in text.split('/').enumerate() { @if place > 0 { "/" wbr; } (part) } }
}

/// Returns a text in which what stands between backticks is typed into a terminal.
pub(super) fn with_code(text: &str) -> Markup {
    html! { @for (place, part) in text.split('`').enumerate() { @if place % 2 == 1 { code { (part) } } @else { (part) } } }
}

/// Returns a link to the live page.
pub(super) fn live(url: &str) -> Markup {
    html! { a href=(url) rel="noreferrer noopener external" { "live page" span.only-read { " " (url) } } }
}
