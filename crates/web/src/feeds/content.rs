//! What an entry of a feed says: paragraphs, `del` and `ins` with their colours inline, as readers drop style sheets.
//!
//! Both colours of a mark are given, so that it can be read on light and on dark.

use jiff::Timestamp;
use maud::{Markup, html};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use recrawl_core::words::grouped;
use recrawl_reports::marks::{Mark, marks};
use recrawl_reports::told::{headline, leads_to, of_shared};
use recrawl_reports::{ChangeEntry, CrawlView, NewsItem, Story, day};

use crate::address;
use crate::words::counted;

/// What went, and what came instead.
pub(super) const WENT: &str = "background:#f9cfd0;color:#1b2326;text-decoration:line-through";
pub(super) const CAME: &str = "background:#bfe8c8;color:#1b2326;text-decoration:none";

/// A whole page that went or came: paler, and not struck through.
const GONE: &str = "background:#fdeded;color:#1b2326;text-decoration:none";
const NEW: &str = "background:#e8f6eb;color:#1b2326;text-decoration:none";

/// How many edits an entry tells.
const MOST_EDITS: usize = 20;

/// How much of one edit.
const MOST_OF_EDIT: usize = 600;

/// The longest title of an entry.
const LONGEST_TITLE: usize = 140;

/// Returns the title of an entry.
pub(super) fn title(item: &NewsItem) -> String {
    match &item.story {
        Story::Change(entry, _) => headline(entry, LONGEST_TITLE),
        Story::State(crawl) => {
            let line = crawl.site_state.as_ref().map_or("cannot be read", |state| state.line.as_str());
            format!("{}: {line}", item.site)
        }
    }
}

/// Returns where an entry leads: the address of our page below `base`.
pub(super) fn page(item: &NewsItem) -> String {
    match &item.story {
        Story::Change(entry, _) if entry.shared.is_some() => address::crawl(&item.site, entry.crawl),
        Story::Change(entry, _) => address::change(&item.site, entry),
        Story::State(crawl) => address::crawl(&item.site, crawl.id),
    }
}

/// Returns what an entry says.
pub(super) fn content(item: &NewsItem, base: &str) -> Markup {
    match &item.story {
        Story::Change(entry, before) => of_change(item, entry, *before, base),
        Story::State(crawl) => of_state(crawl),
    }
}

fn of_state(crawl: &CrawlView) -> Markup {
    html! {
        @if let Some(state) = &crawl.site_state {
            p { (state.sentence) "." }
            p { (state.advice) }
        }
    }
}

fn of_change(item: &NewsItem, entry: &ChangeEntry, before: Option<Timestamp>, base: &str) -> Markup {
    html! {
        p { (sentence(entry, before)) }
        @if let Some(reason) = &item.unusual {
            p {
                (reason)
                @if !item.is_accepted { " Nobody has accepted it yet." }
            }
        }
        (told(entry))
        p {
            a href={ (base) (page(item)) } { (link_word(entry)) }
            " · " a href=(entry.url) { "Live page" }
            @if let Some(copy) = &entry.wayback_url { " · " a href=(copy) { "Archived copy" } }
        }
    }
}

fn link_word(entry: &ChangeEntry) -> &'static str {
    match entry.kind {
        Verdict::Changed | Verdict::Touched => "The whole difference",
        Verdict::Shared => "All changes of this crawl",
        Verdict::New
        | Verdict::Gone
        | Verdict::Moved
        | Verdict::Unchanged
        | Verdict::Missing
        | Verdict::Failed
        | Verdict::Excluded => "History of the page",
    }
}

/// Says in one sentence what happened, and when.
fn sentence(entry: &ChangeEntry, before: Option<Timestamp>) -> String {
    let day_of = |time| day(time, entry.fetched_at);
    let now = entry.fetched_at.strftime("%-d %B %Y").to_string();
    if let Some(shared) = &entry.shared {
        return format!("On {}: {}.", counted(shared.pages, "page"), of_shared(shared, MOST_OF_EDIT));
    }
    let (changed, of) = (u64::from(entry.words.changed), u64::from(entry.words.of));
    match entry.kind {
        Verdict::New if of > 0 => format!("New, {}, seen on {now}.", counted(of, "word")),
        Verdict::New => format!("New, seen on {now}."),
        Verdict::Gone => match (before, entry.status) {
            (Some(before), Some(status)) => {
                format!("Gone since {now}: it answers {status}. On {} it said:", day_of(before))
            }
            _ => format!("Gone since {now}. It said:"),
        },
        Verdict::Moved => {
            let same = if entry.same_text { ", with the same text" } else { "" };
            format!("Moved, seen on {now}: now at {}{same}.", leads_to(entry).unwrap_or_default())
        }
        Verdict::Changed | Verdict::Shared | Verdict::Touched => {
            let size = if changed > 0 {
                format!("{} of {} changed", grouped(changed), counted(of, "word"))
            } else {
                "Changed".to_owned()
            };
            match before {
                Some(before) if day_of(before) == day_of(entry.fetched_at) => format!("{size} on {now}."),
                Some(before) => format!("{size} between {} and {now}.", day_of(before)),
                None => format!("{size}, seen on {now}."),
            }
        }
        Verdict::Unchanged | Verdict::Missing | Verdict::Failed | Verdict::Excluded => {
            format!("{} on {now}.", entry.kind)
        }
    }
}

/// Returns the words that went and came.
fn told(entry: &ChangeEntry) -> Markup {
    let is_page = matches!(entry.kind, Verdict::New | Verdict::Gone);
    if is_page {
        let style = if entry.kind == Verdict::New { NEW } else { GONE };
        return html! {
            @for line in &entry.excerpt {
                p dir="auto" {
                    @if entry.kind == Verdict::New { ins style=(style) { (text_of(line)) } }
                    @else { del style=(style) { (text_of(line)) } }
                }
            }
        };
    }
    let of_entry = [(entry.went.as_deref().unwrap_or_default(), entry.came.as_deref().unwrap_or_default())];
    let mut pairs = entry.texts.as_ref().map(|texts| texts.pairs()).unwrap_or_default();
    if pairs.is_empty() && entry.went.as_ref().or(entry.came.as_ref()).is_some() {
        pairs.extend(of_entry);
    }
    let left = pairs.len().saturating_sub(MOST_EDITS);
    html! {
        @for (went, came) in pairs.into_iter().take(MOST_EDITS) { (edit(went, came)) }
        @if left > 0 { p { "And " (counted(left as u64, "more edit")) "." } }
        @if entry.texts.is_none() && entry.went.is_none() && entry.came.is_none() {
            @for line in &entry.excerpt { p dir="auto" { (text_of(line)) } }
        }
        @if let Some(shared) = &entry.shared { (examples(&shared.samples, shared.pages)) }
    }
}

fn edit(went: &str, came: &str) -> Markup {
    html! {
        p dir="auto" {
            @for mark in marks(Some(went), Some(came), MOST_OF_EDIT) {
                @match mark {
                    Mark::Same(text) => (text),
                    Mark::Went(text) => del style=(WENT) { (text) },
                    Mark::Came(text) => ins style=(CAME) { (text) },
                }
            }
        }
    }
}

fn examples(samples: &[PageUrl], pages: u64) -> Markup {
    let left = pages.saturating_sub(samples.len() as u64);
    html! {
        @if !samples.is_empty() {
            p {
                "For example "
                @for (place, url) in samples.iter().enumerate() {
                    @if place > 0 { ", " }
                    a href=(url) { (url.path_and_query()) }
                }
                @if left > 0 { " and " (grouped(left)) " more" }
                "."
            }
        }
    }
}

fn text_of(line: &recrawl_reports::text_diff::Line) -> String {
    line.pieces.iter().map(|piece| piece.text.as_str()).collect()
}
