//! One change in a mail: its kind as a coloured word, its title, path, kinds and what changed most.

use recrawl_core::model::kind::Kind;
use recrawl_reports::ChangeEntry;
use recrawl_reports::told::region;

use super::super::html::{escape, marked};
use super::super::{size, what};
use super::palette::{KindLook, look_of};
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
    let KindLook { sign, class, colour, wash } = look_of(change.kind);
    let size = size(change).map_or_else(String::new, |size| {
        format!(" <span class=\"soft\" style=\"color:#53606a;font-size:13px;\">{}</span>", escape(&size))
    });
    push(
        html,
        format_args!(
            "<tr><td valign=\"top\" width=\"84\" class=\"line {class}\" style=\"{FONT}padding:10px 8px 10px 0;{CELL}font-size:13px;\
             line-height:20px;white-space:nowrap;color:{colour};font-weight:600;\"><span class=\"{class} wash\" style=\"background:{wash};\
             color:{colour};border-radius:4px;padding:1px 5px;font-family:Menlo,Consolas,monospace;\">{sign}</span>\
             &nbsp;{}</td>\n<td valign=\"top\" class=\"line ink\" style=\"{FONT}padding:10px 0;{CELL}font-size:14px;line-height:20px;\
             color:#1b2326;\"><a class=\"ink\" href=\"{}\" style=\"color:#1b2326;font-weight:700;text-decoration:none;\">{}</a>{size}\
             <br><span class=\"soft\" style=\"color:#53606a;font-size:12px;\">{}</span>{}</td></tr>\n",
            change.kind,
            escape(link),
            escape(called),
            escape(&place(change)),
            edit(change),
        ),
    );
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
        (
            style("del class=\"went whole\"", "#fdeded", "none"),
            style("ins class=\"came whole\"", "#e8f6eb", "none"),
        )
    } else {
        (
            style("del class=\"went\"", "#f9cfd0", "line-through"),
            style("ins class=\"came\"", "#bfe8c8", "none"),
        )
    };
    format!("<br>{}", marked(&marks, (&went, "</del>"), (&came, "</ins>")))
}

fn style(tag: &str, background: &str, decoration: &str) -> String {
    format!(
        "<{tag} style=\"background:{background};color:#1b2326;text-decoration:{decoration};padding:0 2px;\
         border-radius:2px;\">"
    )
}
