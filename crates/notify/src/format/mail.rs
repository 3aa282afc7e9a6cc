//! An e-mail: the same as plain text and as HTML.
//!
//! Mail programs know tables and inline styles, and little else. Colours are given in pairs, so that a program that
//! turns them for the dark turns both; one that reads style sheets finds a palette for the dark.

mod palette;
mod row;

use std::fmt::Write;

use recrawl_core::model::verdict::Verdict;
use recrawl_reports::ChangeEntry;
use recrawl_reports::marks::written;

use self::palette::DARK;
use self::row::{CELL, FONT, html_row};
use super::html::escape;
use super::{and_more, headline, name, size, what};
use crate::figures::counted;
use crate::notification::{Look, Notification, Part};
use crate::text::plain;

/// A longer mail is cut by some readers.
const MOST_CHANGES: usize = 300;
const LONGEST_EDIT: usize = 160;

/// Returns for each part how many of its changes a mail holds.
fn shares(notification: &Notification<'_>) -> Vec<usize> {
    let mut room = MOST_CHANGES;
    let share = |part: &Part<'_>| {
        let share = part.changes.len().min(room);
        room -= share;
        share
    };
    notification.parts.iter().map(share).collect()
}

/// Writes the part that is plain text.
pub fn write_text(notification: &Notification<'_>) -> String {
    let mut paragraphs = vec![notification.headline()];
    if notification.looks().is_empty() {
        paragraphs.extend(notification.cautions().into_iter().map(|caution| format!("! {caution}")));
    } else {
        let looks = notification.looks().iter();
        let mut lines = vec!["NEEDS A LOOK".to_owned()];
        lines.extend(looks.map(|look| format!("  {}: {}: {}", look.site, look.mark, plain(&look.sentence))));
        lines.extend(notification.link().map(|link| format!("  {link}")));
        paragraphs.push(lines.join("\n"));
    }
    for (part, share) in notification.parts.iter().zip(shares(notification)) {
        paragraphs.push(format!("{}: {}", part.digest.site.as_str().to_uppercase(), part.heading()));
        paragraphs
            .extend(part.changes.iter().take(share).map(|change| text_entry(notification, part, change)));
        let left = part.changes.len() - share;
        paragraphs.extend((left > 0).then(|| format!("… {}", and_more(left))));
        paragraphs.extend(part.rest());
    }
    paragraphs.push(notification.figures());
    paragraphs.extend(notification.link().map(|link| format!("See it on the web page: {link}")));
    paragraphs.join("\n\n") + "\n"
}

fn text_entry(notification: &Notification<'_>, part: &Part<'_>, change: &ChangeEntry) -> String {
    let size = size(change).map(|size| format!(", {size}")).unwrap_or_default();
    let mut lines = vec![format!("  {:<8} {}{size}", change.kind, called(change))];
    let what = written(&what(change, LONGEST_EDIT));
    lines.extend((!what.is_empty()).then(|| format!("           {what}")));
    lines.push(format!("           {}", part.change_link(notification.web, change)));
    lines.join("\n")
}

/// Returns what a change is called: a shared one by what it is, others by their pages.
fn called(change: &ChangeEntry) -> String {
    match &change.shared {
        Some(shared) => plain(&recrawl_reports::told::of_shared(shared, LONGEST_EDIT)),
        None => name(change),
    }
}

/// Writes the part that is HTML: no script, no picture, nothing from elsewhere.
pub fn write_html(notification: &Notification<'_>) -> String {
    let title = escape(&notification.headline());
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\">\
         <meta name=\"supported-color-schemes\" content=\"light dark\"><title>{title}</title>\n\
         <style>\n{DARK}</style></head>\n\
         <body class=\"page ink\" style=\"margin:0;padding:0;background:#f4f7f7;color:#1b2326;\">\n\
         <div style=\"display:none;max-height:0;overflow:hidden;\">{}</div>\n\
         <table role=\"presentation\" width=\"100%\" cellpadding=\"0\" cellspacing=\"0\" class=\"page\" \
         style=\"background:#f4f7f7;\">\
         <tr><td align=\"center\" style=\"padding:24px 12px;\">\n\
         <table role=\"presentation\" width=\"100%\" cellpadding=\"0\" cellspacing=\"0\" class=\"card\" \
         style=\"max-width:640px;background:#ffffff;border:1px solid #d9e0e2;border-radius:8px;\"><tr><td style=\"padding:24px 24px 28px;\">\n\
         <table role=\"presentation\" width=\"100%\" cellpadding=\"0\" cellspacing=\"0\">\n",
        escape(&preview(notification)),
    );
    head(&mut html, notification, &title);
    looks(&mut html, notification);
    for (part, share) in notification.parts.iter().zip(shares(notification)) {
        site(&mut html, notification, part, share);
    }
    html.push_str("</table>\n</td></tr></table>\n</td></tr></table>\n</body></html>\n");
    html
}

/// Returns what a list of mails shows beside the subject.
fn preview(notification: &Notification<'_>) -> String {
    let mut said: Vec<String> =
        notification.changes().take(2).map(|(_, change)| format!("{}.", headline(change))).collect();
    let left = notification.count().saturating_sub(said.len());
    said.extend((left > 0).then(|| format!("And {} more.", crate::figures::grouped(left as u64))));
    said.join(" ")
}

fn head(html: &mut String, notification: &Notification<'_>, title: &str) {
    let line = match &notification.together {
        Some(together) => format!("Recrawl · {}", together.stretch()),
        None => format!("Recrawl · {}", notification.figures()),
    };
    push(
        html,
        format_args!(
            "<tr><td colspan=\"2\" class=\"soft\" style=\"{FONT}font-size:13px;line-height:20px;color:#53606a;\">{}</td></tr>\n\
             <tr><td colspan=\"2\" style=\"padding:4px 0 0;\"><h1 class=\"ink\" style=\"{FONT}margin:0;font-size:22px;\
             line-height:30px;font-weight:700;color:#1b2326;\">{title}</h1></td></tr>\n",
            escape(&line),
        ),
    );
    if let Some(link) = notification.link() {
        let own: u64 = notification.parts.iter().map(Part::own).sum();
        let review = match own {
            0 => "Open Recrawl".to_owned(),
            own => format!("Review {}", counted(own, "change")),
        };
        push(
            html,
            format_args!(
                "<tr><td colspan=\"2\" style=\"{FONT}padding:12px 0 0;\"><a class=\"button\" href=\"{}\" style=\"display:inline-block;\
                 background:#1d5c63;color:#ffffff;font-size:14px;line-height:20px;font-weight:600;\
                 text-decoration:none;border-radius:6px;padding:8px 16px;\">{review}</a></td></tr>\n",
                escape(link.as_str()),
            ),
        );
    }
    if notification.looks().is_empty() {
        for caution in notification.cautions() {
            push(
                html,
                format_args!(
                    "<tr><td colspan=\"2\" style=\"{FONT}padding:12px 0 0;\"><div class=\"caution\" style=\"background:#fbeed4;\
                     color:#1b2326;border-radius:6px;padding:8px 12px;font-size:14px;line-height:20px;\">{}</div>\
                     </td></tr>\n",
                    escape(&caution),
                ),
            );
        }
    }
}

fn looks(html: &mut String, notification: &Notification<'_>) {
    let Some(together) = notification.together.as_ref().filter(|together| !together.looks.is_empty()) else {
        return;
    };
    let of = format!("{} of {}", together.looks.len(), counted(together.sites as u64, "site"));
    heading(html, "Needs a look", &of);
    for Look { site, is_failed, mark, sentence } in &together.looks {
        let (class, colour) = if *is_failed { ("failed", "#643a98") } else { ("unusual", "#7d4b08") };
        let link = notification.web.map_or_else(String::new, |web| {
            let mut url = web.clone();
            if let Ok(mut path) = url.path_segments_mut() {
                path.pop_if_empty().extend(["sites", site.as_str()]);
            }
            format!(
                " <a class=\"link\" href=\"{}\" style=\"color:#0b5c66;\">Review</a>",
                escape(url.as_str())
            )
        });
        push(
            html,
            format_args!(
                "<tr><td valign=\"top\" width=\"84\" class=\"line\" style=\"{FONT}padding:10px 8px 10px 0;{CELL}\">\
                 <span class=\"{class}\" style=\"background:{colour};color:#ffffff;border-radius:10px;padding:2px 9px;font-size:12px;\
                 font-weight:600;white-space:nowrap;\">{}</span></td><td class=\"line ink\" style=\"{FONT}padding:10px 0;{CELL}\
                 font-size:14px;line-height:20px;color:#1b2326;\"><strong>{}</strong><br>{}{link}</td></tr>\n",
                escape(mark),
                escape(site.as_str()),
                escape(&plain(sentence)),
            ),
        );
    }
}

fn heading(html: &mut String, words: &str, beside: &str) {
    push(
        html,
        format_args!(
            "<tr><td colspan=\"2\" class=\"ink\" style=\"{FONT}padding:28px 0 8px;font-size:17px;line-height:24px;font-weight:700;\
             color:#1b2326;\">{}<span class=\"soft\" style=\"font-weight:400;color:#53606a;font-size:13px;\"> {}</span></td></tr>\n",
            escape(words),
            escape(beside),
        ),
    );
}

fn site(html: &mut String, notification: &Notification<'_>, part: &Part<'_>, share: usize) {
    heading(html, part.digest.site.as_str(), &part.heading());
    for change in part.changes.iter().take(share) {
        html_row(html, &called(change), part.change_link(notification.web, change).as_str(), change);
    }
    let left = part.changes.len() - share;
    let mut rest: Vec<String> = (left > 0).then(|| format!("… {}.", and_more(left))).into_iter().collect();
    rest.extend(part.rest());
    if rest.is_empty() {
        return;
    }
    let link = part.link(notification.web).map_or_else(String::new, |link| {
        format!(" <a class=\"link\" href=\"{}\" style=\"color:#0b5c66;\">See all</a>", escape(link.as_str()))
    });
    push(
        html,
        format_args!(
            "<tr><td></td><td class=\"line soft\" style=\"{FONT}padding:10px 0;{CELL}font-size:13px;line-height:20px;color:#53606a;\">\
             {}{link}</td></tr>\n",
            escape(&rest.join(" ")),
        ),
    );
}

fn push(html: &mut String, piece: std::fmt::Arguments<'_>) {
    html.write_fmt(piece).expect("a text takes every text");
}

/// Tells whether what is told is a whole page that came or went.
const fn is_whole_page(kind: Verdict) -> bool {
    matches!(kind, Verdict::New | Verdict::Gone)
}
