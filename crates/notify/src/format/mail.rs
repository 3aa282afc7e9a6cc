//! An e-mail: the same as plain text and as HTML.

use std::fmt::Write;

use super::{and_more, excerpt, heading, name, remark};
use crate::notification::Notification;
use crate::text::rewritten;
use recrawl_reports::ChangeEntry;

/// A longer mail is cut by some readers.
const MOST_CHANGES: usize = 300;
const MOST_LINES: usize = 12;
const WIDTH: usize = 400;

/// Returns the changes that a mail holds under their headings, and how many it does not.
fn cut<'a>(notification: &'a Notification<'_>) -> (Vec<(String, Vec<&'a ChangeEntry>)>, usize) {
    let (mut room, mut sections) = (MOST_CHANGES, Vec::new());
    for (kind, mut changes) in notification.by_kind() {
        let heading = heading(kind, changes.len());
        changes.truncate(room);
        room -= changes.len();
        sections.push((heading, changes));
    }
    (sections, notification.changes.len().saturating_sub(MOST_CHANGES))
}

/// Writes the part that is plain text.
pub fn write_text(notification: &Notification<'_>) -> String {
    let (sections, left) = cut(notification);
    let mut paragraphs = vec![notification.headline()];
    paragraphs.extend(notification.cautions().into_iter().map(|caution| format!("! {caution}")));
    paragraphs.push(format!("{}\n{}", notification.digest.root, notification.figures()));
    for (heading, changes) in sections {
        paragraphs.push(format!("{heading}:"));
        paragraphs.extend(changes.iter().map(|change| text_entry(change)));
    }
    paragraphs.extend((left > 0).then(|| format!("… {}", and_more(left))));
    paragraphs.extend(notification.link().map(|link| format!("See it on the web page: {link}")));
    paragraphs.join("\n\n") + "\n"
}

fn text_entry(change: &ChangeEntry) -> String {
    let mut lines = vec![format!("* {}", name(change)), format!("  {}", change.url)];
    if change.title.is_none() {
        lines.remove(1);
    }
    lines.extend(remark(change).map(|remark| format!("  {remark}")));
    lines.extend(excerpt(change, MOST_LINES, WIDTH).iter().map(|line| format!("    {line}")));
    lines.join("\n")
}

/// Writes the part that is HTML: no script, no picture, nothing from elsewhere.
pub fn write_html(notification: &Notification<'_>) -> String {
    let (sections, left) = cut(notification);
    let headline = escape(&notification.headline());
    let mut html = format!(
        "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>{headline}</title></head>\n\
         <body style=\"font-family:sans-serif;max-width:48em\">\n<h1 style=\"font-size:1.3em\">{headline}</h1>\n"
    );
    for caution in notification.cautions() {
        let style = "background:#fff3cd;color:#4d3800;padding:.5em";
        push(&mut html, format_args!("<p style=\"{style}\">{}</p>\n", escape(&caution)));
    }
    let root = escape(notification.digest.root.as_str());
    let figures = escape(&notification.figures());
    push(&mut html, format_args!("<p><a href=\"{root}\">{root}</a><br>{figures}</p>\n"));
    for (heading, changes) in sections {
        push(&mut html, format_args!("<h2 style=\"font-size:1.1em\">{heading}</h2>\n<ul>\n"));
        for change in changes {
            html_entry(&mut html, change);
        }
        html.push_str("</ul>\n");
    }
    if left > 0 {
        push(&mut html, format_args!("<p>… {}</p>\n", and_more(left)));
    }
    if let Some(link) = notification.link() {
        push(
            &mut html,
            format_args!("<p><a href=\"{}\">See it on the web page</a></p>\n", escape(link.as_str())),
        );
    }
    html.push_str("</body></html>\n");
    html
}

fn html_entry(html: &mut String, change: &ChangeEntry) {
    let (url, name) = (escape(change.url.as_str()), escape(&name(change)));
    push(html, format_args!("<li><a href=\"{url}\">{name}</a>"));
    if let Some(remark) = remark(change) {
        push(html, format_args!(" · {}", escape(&remark)));
    }
    let lines = excerpt(change, MOST_LINES, WIDTH);
    if !lines.is_empty() {
        html.push_str("\n<pre style=\"white-space:pre-wrap;margin:.3em 0\">");
        for line in lines {
            let colour = if line.starts_with('-') { "#b30000" } else { "#006600" };
            push(html, format_args!("<span style=\"color:{colour}\">{}</span>\n", escape(&line)));
        }
        html.push_str("</pre>");
    }
    html.push_str("</li>\n");
}

fn push(html: &mut String, piece: std::fmt::Arguments<'_>) {
    html.write_fmt(piece).expect("a text takes every text");
}

/// Writes text of strangers between tags and in attributes.
fn escape(text: &str) -> String {
    rewritten(text, |character| match character {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\'' => Some("&#39;"),
        _ => None,
    })
}
