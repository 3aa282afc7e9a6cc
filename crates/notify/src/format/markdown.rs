//! A Markdown file, for wikis, repositories and static sites, as `CommonMark` reads it.

use super::{and_more, cut, excerpt, name, remark, size};
use crate::notification::{Notification, Part};
use crate::text::{rewritten, shortened};
use recrawl_reports::ChangeEntry;

/// How much is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// Characters of all changes together.
    pub(super) changes: usize,
    /// Lines of the difference of each.
    pub(super) lines: usize,
    /// Characters of a line.
    pub(super) width: usize,
}

impl Room {
    /// All of it.
    const ALL: Self = Self { changes: usize::MAX, lines: usize::MAX, width: usize::MAX };
}

/// The most of what must be known to read the rest.
const LONGEST_CAUTION: usize = 500;

/// Writes the file.
pub fn write(notification: &Notification<'_>) -> String {
    format!("# {}\n\n{}", escape(&notification.headline()), body(notification, Room::ALL))
}

/// Writes what stands below the title.
pub(super) fn body(notification: &Notification<'_>, room: Room) -> String {
    let mut paragraphs: Vec<String> = notification
        .cautions()
        .iter()
        .map(|caution| format!("> {}", escape(&shortened(caution, LONGEST_CAUTION))))
        .collect();
    if let (None, [part]) = (&notification.together, notification.parts.as_slice()) {
        paragraphs.push(format!("Site: <{}>", part.digest.root));
    }
    paragraphs.push(notification.figures());
    paragraphs.extend(notification.link().map(|link| format!("[See it on the web page](<{link}>)")));
    let measure = |text: &str| text.chars().count() + 2;
    let (entries, left) = cut(notification, room.changes, measure, heading, |_, change| entry(change, room));
    paragraphs.extend(entries);
    paragraphs.extend((left > 0).then(|| format!("… {}", and_more(left))));
    paragraphs.join("\n\n") + "\n"
}

fn heading(part: &Part<'_>) -> String {
    let rest = part.rest().map(|rest| format!("\n\n{}", escape(&rest))).unwrap_or_default();
    format!("## {}: {}{rest}", escape(part.digest.site.as_str()), escape(&part.heading()))
}

fn entry(change: &ChangeEntry, room: Room) -> String {
    let remark = remark(change).map(|remark| format!(" · {}", escape(&remark))).unwrap_or_default();
    let size = size(change).map(|size| format!(" · {}", escape(&size))).unwrap_or_default();
    let head = format!("- **{}** [{}](<{}>){size}{remark}", change.kind, escape(&name(change)), change.url);
    let lines = excerpt(change, room.lines, room.width);
    if lines.is_empty() {
        return head;
    }
    let fence = fence(&lines);
    format!("{head}\n\n  {fence}diff\n  {}\n  {fence}", lines.join("\n  "))
}

/// Returns a fence that no line of the code can close.
fn fence(lines: &[String]) -> String {
    let runs = lines.iter().flat_map(|line| line.split(|character| character != '`')).map(str::len);
    "`".repeat(runs.max().unwrap_or_default().max(2) + 1)
}

/// Writes text of strangers: every character that can mean something within a line stands behind a backslash,
/// braces also, which mean something to makers of static sites.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in rewritten(text, |character| (character == '@').then_some("@\u{200b}")).chars() {
        if "\\`*_{}[]<>#|~&$".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}
