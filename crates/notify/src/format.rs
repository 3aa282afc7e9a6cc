//! How a notification is written for each kind of target. Pure: text in, text out.

pub mod discord;
pub mod github_issue;
mod html;
pub mod json;
pub mod mail;
pub mod markdown;
pub mod matrix;
pub mod ntfy;
pub mod slack;
pub mod teams;
pub mod telegram;

use recrawl_core::model::verdict::Change;
use recrawl_reports::ChangeEntry;
use recrawl_reports::marks::{Mark, marks};
use recrawl_reports::told;

use crate::figures::grouped;
use crate::notification::{Notification, Part};
use crate::text::{plain, plain_lines, shortened};

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

/// Returns how large a change is, where that is known.
fn size(change: &ChangeEntry) -> Option<String> {
    Some(told::size_of_page(change, false)).filter(|size| !size.is_empty())
}

/// Returns the change itself in one line, not yet escaped.
fn headline(change: &ChangeEntry) -> String {
    plain(&told::headline(change, LONGEST_TITLE))
}

/// Returns what changed most, on one line, or where the page is now; not yet escaped.
fn what(change: &ChangeEntry, most: usize) -> Vec<Mark> {
    if change.kind.change() == Some(Change::Move) {
        return told::leads_to(change)
            .map(|to| Mark::Same(format!("now at {}", plain(&to))))
            .into_iter()
            .collect();
    }
    let brief = |sign: char| {
        let mut lines = change.difference.iter().flat_map(|difference| difference.brief.lines());
        lines.find_map(|line| line.strip_prefix(sign))
    };
    let (went, came) =
        (change.went.as_deref().or_else(|| brief('-')), change.came.as_deref().or_else(|| brief('+')));
    if went.is_none() && came.is_none() {
        return Vec::new();
    }
    let plain_mark = |mark: Mark| match mark {
        Mark::Same(text) => Mark::Same(spaced(&text)),
        Mark::Went(text) => Mark::Went(spaced(&text)),
        Mark::Came(text) => Mark::Came(spaced(&text)),
    };
    marks(went, came, most).into_iter().map(plain_mark).collect()
}

/// Returns a text that is [`plain`], with the space at its ends.
fn spaced(text: &str) -> String {
    let (start, end) = (text.starts_with(' '), text.ends_with(' ') && text.trim() != "");
    format!("{}{}{}", if start { " " } else { "" }, plain(text), if end { " " } else { "" })
}

/// Writes site after site as far as there is room: a heading where there are several, and the changes of each; returns
/// what was written, and how many changes there was no room for. `measure` says how much room a piece takes.
fn cut(
    notification: &Notification<'_>,
    room: usize,
    measure: impl Fn(&str) -> usize,
    heading: impl Fn(&Part<'_>) -> String,
    entry: impl Fn(&Part<'_>, &ChangeEntry) -> String,
) -> (Vec<String>, usize) {
    let (mut written, mut used, mut left, mut is_full) = (Vec::new(), 0, 0, false);
    for part in &notification.parts {
        let mut pending = notification.together.is_some().then(|| heading(part));
        for change in &part.changes {
            let entry = entry(part, change);
            let needed = measure(&entry) + pending.as_deref().map_or(0, &measure);
            if is_full || used + needed > room {
                (is_full, left) = (true, left + 1);
                continue;
            }
            used += needed;
            written.extend(pending.take());
            written.push(entry);
        }
    }
    (written, left)
}
