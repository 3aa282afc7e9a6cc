//! The message of a bot of Telegram: `sendMessage`, in the HTML that it knows.
//!
//! Limit: 4,096 characters, counted here with the markup, which Telegram leaves out.

use serde_json::{Value, json};

use super::html;
use super::{and_more, cut, name, size, what};
use crate::notification::{Notification, Part};
use crate::text::{rewritten, shortened, units};
use recrawl_reports::ChangeEntry;

const LONGEST: usize = 4_096;
/// What the changes leave for the line about the rest.
const RESERVE: usize = 500;
/// A longer address is not made a link.
const LONGEST_LINK: usize = 600;
const LONGEST_EDIT: usize = 200;

/// Writes the message to `chat`.
pub fn write(notification: &Notification<'_>, chat: &str) -> Value {
    let mut lines = vec![format!("<b>{}</b>", escape(&notification.headline()))];
    let cautions = notification.cautions();
    lines.extend(
        cautions.iter().take(5).map(|caution| format!("\u{26a0} {}", escape(&shortened(caution, 200)))),
    );
    let used: usize = lines.iter().map(|line| units(line) + 2).sum();
    let room = LONGEST.saturating_sub(used + RESERVE);
    let heading =
        |part: &Part<'_>| format!("<b>{}</b>: {}", escape(part.digest.site.as_str()), part.heading());
    let (entries, left) = cut(
        notification,
        room,
        |text| units(text) + 2,
        heading,
        |part, change| entry(notification, part, change),
    );
    lines.extend(entries);
    lines.extend((left > 0).then(|| format!("… {}", and_more(left))));
    lines.extend(notification.link().and_then(|link| linked(link.as_str(), "See it on the web page")));
    json!({
        "chat_id": chat,
        "text": lines.join("\n\n"),
        "parse_mode": "HTML",
        "link_preview_options": {"is_disabled": true},
    })
}

fn entry(notification: &Notification<'_>, part: &Part<'_>, change: &ChangeEntry) -> String {
    let name = name(change);
    let page =
        linked(part.change_link(notification.web, change).as_str(), &name).unwrap_or_else(|| escape(&name));
    let size = size(change).map(|size| format!(", {}", escape(&size))).unwrap_or_default();
    let what = nobody(&html::marked(&what(change, LONGEST_EDIT), ("<s>", "</s>"), ("<b>", "</b>")));
    let head = format!("{} {page}{size}", change.kind);
    if what.is_empty() { head } else { format!("{head}\n{what}") }
}

fn escape(text: &str) -> String {
    nobody(&html::escape(text))
}

/// Takes care that nobody is called.
fn nobody(text: &str) -> String {
    rewritten(text, |character| (character == '@').then_some("@\u{200b}"))
}

fn linked(url: &str, words: &str) -> Option<String> {
    let url = html::escape(url);
    (units(&url) <= LONGEST_LINK).then(|| format!("<a href=\"{url}\">{}</a>", escape(words)))
}
