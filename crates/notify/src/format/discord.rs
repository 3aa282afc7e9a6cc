//! The message of an incoming webhook of Discord.
//!
//! Limits: 2,000 characters of content; 10 embeds with 256 characters a title, 4,096 a description and 6,000 in all.

use serde_json::{Value, json};
use url::Url;

use super::{and_more, excerpt, name, remark};
use crate::notification::{Notification, Part};
use crate::text::{fitting, rewritten, shortened, units};
use recrawl_reports::ChangeEntry;

const LONGEST_CONTENT: usize = 2_000;
/// Of 4,096 after the line that says how much there was no room for.
const LONGEST_DESCRIPTION: usize = 3_600;
/// Of 6,000 after those lines and nine titles.
const ALL_DESCRIPTIONS: usize = 4_000;
const LONGEST_TITLE: usize = 100;
const MOST_EMBEDS: usize = 9;
const MOST_CAUTIONS: usize = 2;
/// The accent of the web page.
const COLOUR: u32 = 0x1d_5c_63;
/// A longer address is not made a link.
const LONGEST_LINK: usize = 400;

/// Writes the message: the summary, and an embed a site. It mentions nobody.
pub fn write(notification: &Notification<'_>) -> Value {
    let parts: Vec<&Part<'_>> = notification.parts.iter().filter(|part| !part.changes.is_empty()).collect();
    let (shown, rest) = parts.split_at(parts.len().min(MOST_EMBEDS));
    let (mut room, mut embeds) = (ALL_DESCRIPTIONS, Vec::new());
    for (place, part) in shown.iter().enumerate() {
        let share = (room / (shown.len() - place)).min(LONGEST_DESCRIPTION);
        let (lines, left) = fitting(part.changes.iter().map(|change| entry(change)), share, usize::MAX);
        room -= lines.iter().map(|line| units(line) + 1).sum::<usize>();
        // There is no room for nine links.
        let is_one = shown.len() == 1;
        let overflow = (left > 0)
            .then(|| if is_one { overflow(notification, left) } else { format!("… {}", and_more(left)) });
        let lines: Vec<String> = lines.into_iter().chain(overflow).collect();
        embeds.push(json!({
            "title": shortened(&format!("{}: {}", part.digest.site, part.heading()), LONGEST_TITLE),
            "color": COLOUR,
            "description": lines.join("\n"),
        }));
    }
    let left = rest.iter().map(|part| part.changes.len()).sum();
    json!({"content": content(notification, left), "embeds": embeds, "allowed_mentions": {"parse": []}})
}

fn content(notification: &Notification<'_>, left: usize) -> String {
    let mut lines = vec![format!("**{}**", escape(&notification.headline()))];
    for caution in notification.cautions().into_iter().take(MOST_CAUTIONS) {
        lines.push(format!("\u{26a0} {}", escape(&shortened(&caution, 400))));
    }
    lines.push(notification.figures());
    lines.extend((left > 0).then(|| format!("… {} on other sites", and_more(left))));
    lines.extend(address(notification).map(|link| format!("[See it on the web page](<{link}>)")));
    fitting(lines, LONGEST_CONTENT, usize::MAX).0.join("\n")
}

fn entry(change: &ChangeEntry) -> String {
    let name = escape(&name(change));
    let is_short = units(change.url.as_str()) <= LONGEST_LINK;
    let page = if is_short { format!("[{name}](<{}>)", change.url) } else { name };
    let remark = remark(change).map(|remark| format!(" · {}", escape(&remark))).unwrap_or_default();
    // Nothing is read as markup between the fences but the fence.
    let lines: Vec<String> = excerpt(change, 4, 120).iter().map(|line| line.replace('`', "ˋ")).collect();
    let head = format!("**{}** {page}{remark}", change.kind);
    if lines.is_empty() {
        return head;
    }
    format!("{head}\n```diff\n{}\n```", lines.join("\n"))
}

fn overflow(notification: &Notification<'_>, left: usize) -> String {
    let words = format!("… {}", and_more(left));
    address(notification).map_or_else(|| words.clone(), |link| format!("[{words}](<{link}>)"))
}

fn address(notification: &Notification<'_>) -> Option<Url> {
    notification.link().filter(|link| units(link.as_str()) <= LONGEST_LINK)
}

/// Writes text of strangers: no markup, no emoji, no mention.
fn escape(text: &str) -> String {
    rewritten(text, |character| match character {
        '\\' => Some(r"\\"),
        '*' => Some(r"\*"),
        '_' => Some(r"\_"),
        '~' => Some(r"\~"),
        '`' => Some(r"\`"),
        '|' => Some(r"\|"),
        '>' => Some(r"\>"),
        '<' => Some(r"\<"),
        '#' => Some(r"\#"),
        '-' => Some(r"\-"),
        '[' => Some(r"\["),
        ']' => Some(r"\]"),
        '(' => Some(r"\("),
        ')' => Some(r"\)"),
        ':' => Some(r"\:"),
        '@' => Some("@\u{200b}"),
        _ => None,
    })
}
