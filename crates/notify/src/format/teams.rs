//! The message of a workflow webhook of Microsoft Teams: one adaptive card.
//!
//! Limit: 28 KB a message.

use recrawl_reports::ChangeEntry;
use serde_json::{Value, json};

use super::{and_more, cut, headline, size};
use crate::notification::{Notification, Part};
use crate::text::{rewritten, shortened};

/// Of 28,000 bytes, after headline, cautions and what stands around each block.
const LONGEST: usize = 18_000;
/// What a block needs beside its text.
const AROUND: usize = 60;
/// A longer address is not made a link.
const LONGEST_LINK: usize = 800;

/// Writes the message.
pub fn write(notification: &Notification<'_>) -> Value {
    let mut body = vec![json!({
        "type": "TextBlock", "text": escape(&notification.headline()), "size": "Large", "weight": "Bolder", "wrap": true,
    })];
    let cautions = notification.cautions();
    body.extend(cautions.iter().take(8).map(|caution| {
        json!({"type": "TextBlock", "text": escape(&shortened(caution, 300)), "color": "Warning", "wrap": true})
    }));
    body.push(
        json!({"type": "TextBlock", "text": escape(&notification.figures()), "isSubtle": true, "wrap": true}),
    );
    let heading =
        |part: &Part<'_>| format!("**{}**: {}", escape(part.digest.site.as_str()), escape(&part.heading()));
    // As it stands in JSON.
    let measure = |text: &str| json!(text).to_string().len() + AROUND;
    let (entries, left) =
        cut(notification, LONGEST, measure, heading, |part, change| entry(notification, part, change));
    body.extend(entries.iter().map(|entry| json!({"type": "TextBlock", "text": entry, "wrap": true})));
    if left > 0 {
        body.push(json!({"type": "TextBlock", "text": format!("… {}", and_more(left)), "wrap": true}));
    }
    let mut card = json!({
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": body,
        "msteams": {"width": "Full"},
    });
    if let Some(link) = notification.link() {
        card["actions"] =
            json!([{"type": "Action.OpenUrl", "title": "See it on the web page", "url": link.as_str()}]);
    }
    json!({
        "type": "message",
        "attachments": [
            {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": null, "content": card},
        ],
    })
}

fn entry(notification: &Notification<'_>, part: &Part<'_>, change: &ChangeEntry) -> String {
    let said = escape(&headline(change));
    let size = size(change).map(|size| format!(", {}", escape(&size))).unwrap_or_default();
    let link = part.change_link(notification.web, change);
    if link.as_str().len() > LONGEST_LINK {
        return format!("{said}{size}");
    }
    let link = rewritten(link.as_str(), |character| match character {
        '(' => Some("%28"),
        ')' => Some("%29"),
        _ => None,
    });
    format!("[{said}]({link}){size}")
}

/// Writes text of strangers: the Markdown of cards has emphasis, lists and links, and a backslash takes their sign away.
fn escape(text: &str) -> String {
    rewritten(text, |character| match character {
        '\\' => Some(r"\\"),
        '*' => Some(r"\*"),
        '_' => Some(r"\_"),
        '[' => Some(r"\["),
        ']' => Some(r"\]"),
        '#' => Some(r"\#"),
        '`' => Some(r"\`"),
        '~' => Some(r"\~"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '@' => Some("@\u{200b}"),
        _ => None,
    })
}
