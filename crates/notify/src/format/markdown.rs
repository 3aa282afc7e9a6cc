//! A Markdown file, for wikis, repositories and static sites, as `CommonMark` reads it.

use super::{excerpt, heading, name, remark};
use crate::notification::Notification;
use crate::text::rewritten;
use recrawl_reports::ChangeEntry;

/// Writes the file.
pub fn write(notification: &Notification<'_>) -> String {
    let mut paragraphs = vec![format!("# {}", escape(&notification.headline()))];
    paragraphs.extend(notification.cautions().iter().map(|caution| format!("> {}", escape(caution))));
    paragraphs.push(format!("Site: <{}>", notification.digest.root));
    paragraphs.push(notification.figures());
    paragraphs.extend(notification.link().map(|link| format!("[See it on the web page](<{link}>)")));
    for (kind, changes) in notification.by_kind() {
        paragraphs.push(format!("## {}", heading(kind, changes.len())));
        let entries: Vec<String> = changes.iter().map(|change| entry(change)).collect();
        paragraphs.push(entries.join("\n"));
    }
    paragraphs.join("\n\n") + "\n"
}

fn entry(change: &ChangeEntry) -> String {
    let remark = remark(change).map(|remark| format!(" · {}", escape(&remark))).unwrap_or_default();
    let head = format!("- [{}](<{}>){remark}", escape(&name(change)), change.url);
    let lines = excerpt(change, usize::MAX, usize::MAX);
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
