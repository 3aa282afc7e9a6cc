//! The message of an incoming webhook of Slack, or of a chat that takes the same.
//!
//! Limits: 50 blocks a message, 150 characters a header, 3,000 a section.

use serde_json::{Value, json};

use super::{and_more, cut, excerpt, name, remark};
use crate::notification::{Notification, Part};
use crate::text::{rewritten, shortened, units};
use recrawl_reports::ChangeEntry;

const LONGEST_HEADER: usize = 150;
const LONGEST_SECTION: usize = 3_000;
/// Of 50 blocks, after header, summary and what there was no room for.
const MOST_BLOCKS: usize = 40;
/// Each may have 400 characters, written double.
const MOST_CAUTIONS: usize = 3;
/// A longer address is not made a link.
const LONGEST_LINK: usize = 1_200;

/// Writes the message: blocks for Slack, and the same as `text` for notifications and for chats without blocks.
pub fn write(notification: &Notification<'_>) -> Value {
    let summary = summary(notification);
    let mut blocks = vec![
        json!({"type": "header", "text": {"type": "plain_text", "emoji": false,
            "text": shortened(&notification.headline(), LONGEST_HEADER)}}),
        section(&summary),
    ];
    // Every block counts as one, however long.
    let (entries, left) = cut(notification, MOST_BLOCKS, |_| 1, heading, |_, change| entry(change));
    blocks.extend(entries.iter().map(|entry| section(entry)));
    blocks.extend((left > 0).then(|| section(&overflow(notification, left))));
    json!({"text": text(notification, &summary), "blocks": blocks, "unfurl_links": false, "unfurl_media": false})
}

fn heading(part: &Part<'_>) -> String {
    format!("*{}*: {}", escape(part.digest.site.as_str()), escape(&part.heading()))
}

fn text(notification: &Notification<'_>, summary: &str) -> String {
    let measure = |text: &str| units(text) + 1;
    let (mut lines, left) = cut(notification, LONGEST_SECTION, measure, heading, |_, change| head(change));
    lines.splice(0..0, [format!("*{}*", escape(&notification.headline())), summary.to_owned()]);
    lines.extend((left > 0).then(|| overflow(notification, left)));
    lines.join("\n")
}

fn section(text: &str) -> Value {
    json!({"type": "section", "text": {"type": "mrkdwn", "text": text}})
}

fn summary(notification: &Notification<'_>) -> String {
    let cautions = notification.cautions().into_iter().take(MOST_CAUTIONS).map(|caution| {
        let caution = shortened(&caution, 400);
        format!(":warning: {}", escape(&caution))
    });
    let mut lines: Vec<String> = cautions.collect();
    lines.push(notification.figures());
    lines.extend(address(notification).map(|link| format!("<{link}|See it on the web page>")));
    lines.join("\n")
}

fn address(notification: &Notification<'_>) -> Option<String> {
    link_of(notification.link()?.as_str())
}

fn entry(change: &ChangeEntry) -> String {
    let head = head(change);
    let lines: Vec<String> = excerpt(change, 4, 160).iter().map(|line| escape(line)).collect();
    let whole = format!("{head}\n```\n{}\n```", lines.join("\n"));
    if lines.is_empty() || units(&whole) > LONGEST_SECTION { head } else { whole }
}

fn head(change: &ChangeEntry) -> String {
    let name = escape(&name(change));
    let page = match link_of(change.url.as_str()) {
        Some(link) => format!("<{link}|{name}>"),
        None => name,
    };
    let remark = remark(change).map(|remark| format!(" · {}", escape(&remark))).unwrap_or_default();
    format!("*{}* {page}{remark}", change.kind)
}

fn overflow(notification: &Notification<'_>, left: usize) -> String {
    let words = format!("… {}", and_more(left));
    address(notification).map_or_else(|| words.clone(), |link| format!("<{link}|{words}>"))
}

/// Writes an address so that nothing in it ends the link early.
fn link_of(url: &str) -> Option<String> {
    let link = rewritten(url, |character| match character {
        '&' => Some("&amp;"),
        '<' => Some("%3C"),
        '>' => Some("%3E"),
        '|' => Some("%7C"),
        _ => None,
    });
    (units(&link) <= LONGEST_LINK).then_some(link)
}

/// Writes text of strangers.
///
/// Slack has escapes for `&`, `<` and `>`, by which it makes links and mentions, and none for emphasis: those
/// characters are replaced by their likes. Chats that read `text` as Markdown make mentions of `@all` and links
/// of brackets, too.
fn escape(text: &str) -> String {
    rewritten(text, |character| match character {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '*' => Some("∗"),
        '_' => Some("\u{ff3f}"),
        '~' => Some("∼"),
        '`' => Some("ˋ"),
        '@' => Some("@\u{200b}"),
        ']' => Some("]\u{200b}"),
        _ => None,
    })
}
