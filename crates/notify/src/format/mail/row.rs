//! One change in a mail: its kind as a coloured word, its title, path, kinds and what changed most.

use recrawl_core::model::kind::Kind;
use recrawl_core::model::verdict::{Change, Verdict};
use recrawl_reports::ChangeEntry;
use recrawl_reports::told::region;

use super::super::html::{escape, marked};
use super::super::{size, what};
use super::{LONGEST_EDIT, is_whole_page, push};
use crate::text::{plain, shortened};

/// The letters of every cell.
pub(super) const FONT: &str =
    "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;";

/// The line above every cell, and where a long word breaks.
pub(super) const CELL: &str = "border-top:1px solid #d9e0e2;overflow-wrap:anywhere;word-break:break-word;";

const LONGEST_PATH: usize = 120;

/// Writes a change that is `called` so and is best seen at `link`.
pub(super) fn html_row(html: &mut String, called: &str, link: &str, change: &ChangeEntry) {
    let (sign, colour, wash) = look_of(change.kind);
    let size = size(change).map_or_else(String::new, |size| {
        format!(" <span style=\"color:#53606a;font-size:13px;\">{}</span>", escape(&size))
    });
    push(
        html,
        format_args!(
            "<tr><td valign=\"top\" width=\"84\" style=\"{FONT}padding:10px 8px 10px 0;{CELL}font-size:13px;\
             line-height:20px;white-space:nowrap;color:{colour};font-weight:600;\"><span style=\"background:{wash};\
             color:{colour};border-radius:4px;padding:1px 5px;font-family:Menlo,Consolas,monospace;\">{sign}</span>\
             &nbsp;{}</td>\n<td valign=\"top\" style=\"{FONT}padding:10px 0;{CELL}font-size:14px;line-height:20px;\
             color:#1b2326;\"><a href=\"{}\" style=\"color:#1b2326;font-weight:700;text-decoration:none;\">{}</a>{size}\
             <br><span style=\"color:#53606a;font-size:12px;\">{}</span>{}</td></tr>\n",
            change.kind,
            escape(link),
            escape(called),
            escape(&place(change)),
            edit(change),
        ),
    );
}

/// Returns sign, colour and wash of a kind.
const fn look_of(kind: Verdict) -> (&'static str, &'static str, &'static str) {
    match kind.change() {
        Some(Change::Add) => ("+", "#1a6b34", "#e2f3e6"),
        Some(Change::Change) => ("~", "#7d4b08", "#fbeed4"),
        Some(Change::Move) => ("→", "#0d5f6d", "#ddf1f5"),
        Some(Change::Delete) => ("−", "#a3282c", "#fde6e6"),
        None => ("≡", "#53606a", "#eaefef"),
    }
}

/// Returns where the change is, and of what kinds it is: `/budget/2026-27 · numbers`.
fn place(change: &ChangeEntry) -> String {
    let place = match &change.shared {
        Some(shared) => region(shared.region).to_owned(),
        None => shortened(&plain(change.url.path_and_query()), LONGEST_PATH),
    };
    let kinds: Vec<&str> = change.kinds.iter().map(Kind::word).collect();
    if kinds.is_empty() { place } else { format!("{place} · {}", kinds.join(", ")) }
}

fn edit(change: &ChangeEntry) -> String {
    let marks = what(change, LONGEST_EDIT);
    if marks.is_empty() {
        return String::new();
    }
    let (went, came) = if is_whole_page(change.kind) {
        (style("del", "#fdeded", "none"), style("ins", "#e8f6eb", "none"))
    } else {
        (style("del", "#f9cfd0", "line-through"), style("ins", "#bfe8c8", "none"))
    };
    format!("<br>{}", marked(&marks, (&went, "</del>"), (&came, "</ins>")))
}

fn style(tag: &str, background: &str, decoration: &str) -> String {
    format!(
        "<{tag} style=\"background:{background};color:#1b2326;text-decoration:{decoration};padding:0 2px;\
         border-radius:2px;\">"
    )
}
