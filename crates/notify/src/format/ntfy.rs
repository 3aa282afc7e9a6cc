//! The message of ntfy, published as JSON.
//!
//! Limit: 4,096 bytes a message; a longer one becomes a file.

use recrawl_reports::ChangeEntry;
use serde_json::{Value, json};

use super::{and_more, cut, headline};
use crate::notification::{Notification, Part};
use crate::text::shortened;

const LONGEST: usize = 4_000;
const RESERVE: usize = 60;
/// Three bytes a character still make a title that a telephone shows.
const LONGEST_TITLE: usize = 120;

/// Writes the message to a topic.
pub fn write(notification: &Notification<'_>, topic: &str) -> Value {
    let cautions = notification.cautions();
    let mut lines: Vec<String> =
        cautions.iter().take(4).map(|caution| format!("\u{26a0} {}", shortened(caution, 150))).collect();
    let used: usize = lines.iter().map(|line| line.len() + 1).sum();
    let heading = |part: &Part<'_>| format!("{}: {}", part.digest.site, part.heading());
    let entry = |_: &Part<'_>, change: &ChangeEntry| format!("• {}", headline(change));
    let room = LONGEST.saturating_sub(used + RESERVE);
    let (entries, left) = cut(notification, room, |text| text.len() + 1, heading, entry);
    lines.extend(entries);
    lines.extend((left > 0).then(|| format!("… {}", and_more(left))));
    if lines.is_empty() {
        lines.push(notification.figures());
    }
    let mut message = json!({
        "topic": topic,
        "title": shortened(&notification.headline(), LONGEST_TITLE),
        "message": lines.join("\n"),
    });
    if !notification.looks().is_empty() || !cautions.is_empty() {
        message["tags"] = json!(["warning"]);
    }
    if let Some(link) = notification.link() {
        message["click"] = json!(link.as_str());
    }
    message
}
