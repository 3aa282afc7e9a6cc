//! How a notification is written for each kind of target. Pure: text in, text out.

pub mod discord;
pub mod json;
pub mod mail;
pub mod markdown;
pub mod slack;

use recrawl_core::model::verdict::{Change, Verdict};

use crate::figures::{counted, grouped};
use crate::text::{plain, plain_lines, shortened};
use recrawl_reports::ChangeEntry;

/// Every character written double still fits the smallest limit of a chat.
const LONGEST_TITLE: usize = 150;

/// Returns what a page is called: its title, or else its address; one line, not yet escaped.
fn name(change: &ChangeEntry) -> String {
    let title = change.title.as_deref().map(plain).filter(|title| !title.is_empty());
    shortened(&title.unwrap_or_else(|| change.url.to_string()), LONGEST_TITLE)
}

/// Returns what else is to be said of a change; one line, not yet escaped.
fn remark(change: &ChangeEntry) -> Option<String> {
    let remark = match change.kind.change() {
        Some(Change::Move) => format!("now leads to {}", plain(change.location.as_deref()?)),
        Some(Change::Delete) => format!("answers {}", change.status?),
        Some(Change::Change) if change.difference.is_none() && !change.aspects.is_empty() => {
            format!("in {}", change.aspects)
        }
        Some(Change::Change | Change::Add) | None => return None,
    };
    Some(shortened(&remark, LONGEST_TITLE))
}

/// Returns the first lines of the difference of a page, not yet escaped; an ellipsis where there are more.
fn excerpt(change: &ChangeEntry, lines: usize, width: usize) -> Vec<String> {
    let Some(difference) = &change.difference else { return Vec::new() };
    let mut all = plain_lines(&difference.brief, width);
    let mut excerpt: Vec<String> = all.by_ref().take(lines).collect();
    if all.next().is_some() {
        excerpt.push("…".to_owned());
    }
    excerpt
}

/// Returns the words for what there was no room for.
fn and_more(count: usize) -> String {
    format!("and {} more", grouped(count as u64))
}

/// Returns the heading of a kind of changes: `2 pages new`.
fn heading(kind: Verdict, count: usize) -> String {
    match kind {
        Verdict::Shared => counted(count as u64, "shared change"),
        _ => format!("{} {kind}", counted(count as u64, "page")),
    }
}
