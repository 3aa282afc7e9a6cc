//! The message of an incoming webhook of Discord.
//!
//! Limits: 2,000 characters of content; 10 embeds with 256 characters a title, 4,096 a description and 6,000 in all.

use recrawl_core::model::verdict::{Change, Verdict};
use serde_json::{Value, json};
use url::Url;

use super::{and_more, excerpt, heading, name, remark};
use crate::notification::Notification;
use crate::text::{fitting, rewritten, shortened, units};
use recrawl_reports::ChangeEntry;

const LONGEST_CONTENT: usize = 2_000;
/// Of 4,096 after the line that says how much there was no room for.
const LONGEST_DESCRIPTION: usize = 3_600;
/// Of 6,000 after titles and those lines, four of each.
const ALL_DESCRIPTIONS: usize = 4_000;
/// A longer address is not made a link.
const LONGEST_LINK: usize = 400;

/// Writes the message: the summary, and an embed a kind of change. It mentions nobody.
pub fn write(notification: &Notification<'_>) -> Value {
    let kinds = notification.by_kind();
    let (mut room, mut embeds) = (ALL_DESCRIPTIONS, Vec::new());
    for (place, (kind, changes)) in kinds.iter().enumerate() {
        let share = (room / (kinds.len() - place)).min(LONGEST_DESCRIPTION);
        let (lines, left) = fitting(changes.iter().map(|change| entry(change)), share, usize::MAX);
        room -= lines.iter().map(|line| units(line) + 1).sum::<usize>();
        let overflow = (left > 0).then(|| overflow(notification, left));
        let lines: Vec<String> = lines.into_iter().chain(overflow).collect();
        embeds.push(json!({
            "title": heading(*kind, changes.len()),
            "color": colour(*kind),
            "description": lines.join("\n"),
        }));
    }
    json!({"content": content(notification), "embeds": embeds, "allowed_mentions": {"parse": []}})
}

fn content(notification: &Notification<'_>) -> String {
    let mut lines = vec![format!("**{}**", escape(&notification.headline()))];
    for caution in notification.cautions() {
        lines.push(format!("\u{26a0} {}", escape(&shortened(&caution, 400))));
    }
    lines.push(notification.figures());
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
    if lines.is_empty() {
        return format!("{page}{remark}");
    }
    format!("{page}{remark}\n```diff\n{}\n```", lines.join("\n"))
}

fn overflow(notification: &Notification<'_>, left: usize) -> String {
    let words = format!("… {}", and_more(left));
    address(notification).map_or_else(|| words.clone(), |link| format!("[{words}](<{link}>)"))
}

fn address(notification: &Notification<'_>) -> Option<Url> {
    notification.link().filter(|link| units(link.as_str()) <= LONGEST_LINK)
}

const fn colour(kind: Verdict) -> u32 {
    match kind.change() {
        Some(Change::Add) => 0x2e_a0_43,
        Some(Change::Change) => 0xd2_99_22,
        Some(Change::Move) => 0x38_8b_fd,
        Some(Change::Delete) => 0xda_36_33,
        None => 0x8b_94_9e,
    }
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
