//! A message of a Matrix room: `m.room.message` as a notice, which no bot answers, as text and in HTML.
//!
//! Limit: 65,536 bytes for the whole event.

use recrawl_reports::ChangeEntry;
use recrawl_reports::marks::written;
use serde_json::{Value, json};

use super::html::{escape, marked};
use super::{and_more, cut, name, size, what};
use crate::notification::{Notification, Part};
use crate::text::shortened;

/// Of 65,536 for text and HTML together, with what JSON escapes and the server adds.
const LONGEST_TEXT: usize = 10_000;
const LONGEST_HTML: usize = 24_000;
const LONGEST_EDIT: usize = 300;

/// Writes the message.
pub fn write(notification: &Notification<'_>) -> Value {
    let headline = notification.headline();
    let cautions: Vec<String> =
        notification.cautions().iter().take(10).map(|caution| shortened(caution, 300)).collect();
    json!({
        "msgtype": "m.notice",
        "body": text(notification, &headline, &cautions),
        "format": "org.matrix.custom.html",
        "formatted_body": html(notification, &headline, &cautions),
        // Whoever is named in a title is not called.
        "m.mentions": {},
    })
}

fn text(notification: &Notification<'_>, headline: &str, cautions: &[String]) -> String {
    let mut lines = vec![headline.to_owned()];
    lines.extend(cautions.iter().map(|caution| format!("! {caution}")));
    let heading = |part: &Part<'_>| format!("{}: {}", part.digest.site, part.heading());
    let (entries, left) = cut(notification, LONGEST_TEXT, bytes, heading, |_, change| {
        let size = size(change).map(|size| format!(", {size}")).unwrap_or_default();
        let what = written(&what(change, LONGEST_EDIT));
        let head = format!("{} {}{size}", change.kind, name(change));
        if what.is_empty() { head } else { format!("{head}: {what}") }
    });
    lines.extend(entries);
    lines.extend((left > 0).then(|| format!("… {}", and_more(left))));
    lines.extend(notification.link().map(|link| link.to_string()));
    lines.join("\n")
}

fn html(notification: &Notification<'_>, headline: &str, cautions: &[String]) -> String {
    let mut html = format!("<p><strong>{}</strong></p>", escape(headline));
    html.extend(cautions.iter().map(|caution| format!("<p>\u{26a0} {}</p>", escape(caution))));
    let heading = |part: &Part<'_>| {
        format!("<h4>{}: {}</h4>", escape(part.digest.site.as_str()), escape(&part.heading()))
    };
    let (entries, left) =
        cut(notification, LONGEST_HTML, bytes, heading, |part, change| entry(notification, part, change));
    html.extend(entries);
    if left > 0 {
        html.extend(["<p>… ", &and_more(left), "</p>"]);
    }
    if let Some(link) = notification.link() {
        html.extend(["<p><a href=\"", &escape(link.as_str()), "\">See it on the web page</a></p>"]);
    }
    html
}

fn entry(notification: &Notification<'_>, part: &Part<'_>, change: &ChangeEntry) -> String {
    let (link, name) = (escape(part.change_link(notification.web, change).as_str()), escape(&name(change)));
    let size = size(change).map(|size| format!(", {}", escape(&size))).unwrap_or_default();
    let what = marked(&what(change, LONGEST_EDIT), ("<del>", "</del>"), ("<strong>", "</strong>"));
    let what = if what.is_empty() { what } else { format!("<br>{what}") };
    format!("<p>{} <a href=\"{link}\">{name}</a>{size}{what}</p>", change.kind)
}

/// Returns the bytes of a line with its end.
fn bytes(text: &str) -> usize {
    text.len() + 1
}
