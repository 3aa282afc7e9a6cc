//! What one page says in a week.

use super::path;
use super::prose::{capitalised, name, paragraph};

pub(super) const REWORDED: usize = 1;
pub(super) const LONGER: usize = 2;
pub(super) const SHORTER: usize = 3;
pub(super) const NAMED: usize = 4;
pub(super) const DATED: usize = 5;
pub(super) const PASS: usize = 6;
pub(super) const TICKET: usize = 7;
pub(super) const GONE: usize = 8;
pub(super) const ROTATING: usize = 9;
/// The first page; it is edited in the last week alone.
pub(super) const LATE: usize = 0;

/// Pages with changes of their own that have the build line, too.
pub(super) const EDITED_AND_BUILT: [usize; 5] = [SHORTER, NAMED, DATED, PASS, ROTATING];

/// How many paragraphs a page has.
const PARAGRAPHS: usize = 6;

/// What a page has beside its text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PageKind {
    /// A line that tells by which machine it was made.
    pub(super) is_built: bool,
}

/// The lines of the content of a page.
pub(super) fn lines(number: usize, week: usize) -> Vec<String> {
    let mut lines: Vec<String> = (0..PARAGRAPHS).map(|place| paragraph(number, place)).collect();
    let has_changed = week > 0;
    match number {
        REWORDED => lines.insert(1, DOGS[usize::from(has_changed)].to_owned()),
        LONGER => {
            if has_changed {
                lines.push(ADDED.to_owned());
            }
            if week > 1 {
                lines.push(ADDED_LATER.to_owned());
            }
        }
        SHORTER if !has_changed => lines.push(REMOVED.to_owned()),
        NAMED => lines.push(HEAD[usize::from(has_changed)].to_owned()),
        DATED => lines.push(VALID[usize::from(has_changed)].to_owned()),
        PASS => lines.push(PASSES[usize::from(has_changed)].to_owned()),
        TICKET => lines.push(TICKETS[usize::from(has_changed)].to_owned()),
        LATE => lines.push(BOOTHS[usize::from(week > 2)].to_owned()),
        _ => {}
    }
    lines
}

pub(super) const DOGS: [&str; 2] = [
    "Dogs must be kept on a lead in the orchard, on the pier and along the whole of the river walk between April and \
     October.",
    "Dogs may run free in the orchard and along the whole of the river walk between November and March, but must be \
     kept on a lead on the pier.",
];
pub(super) const ADDED: &str = "A second bus will run between the station and the harbour on market days, and bicycles travel free of charge.";
pub(super) const ADDED_LATER: &str = "Prams are carried on the lower deck of the second bus.";
pub(super) const REMOVED: &str =
    "Applications by letter are accepted at the counter in the old town hall until further notice.";
pub(super) const HEAD: [&str; 2] = ["Head of office: Amira Holt", "Head of office: Jonas Weber"];
pub(super) const VALID: [&str; 2] =
    ["The new parking rules apply from 1 March 2027.", "The new parking rules apply from 1 May 2027."];
pub(super) const PASSES: [&str; 2] =
    ["Annual pass for the museum: $48.00", "Annual pass for the museum: $52.00"];
pub(super) const TICKETS: [&str; 2] = [
    "A day ticket for the ferry costs $12.50 at the pier.",
    "A day ticket for the ferry costs $13.80 at the pier.",
];
pub(super) const BOOTHS: [&str; 2] =
    ["Booths at the fair are given away by lot.", "Booths at the fair are given to those who ask first."];
const ROTATION: [&str; 2] = ["Visit the open studios on the quay", "Lend a hand in the community orchard"];

/// Returns the line that tells by which machine a page was made: another one each week.
pub(super) fn built(number: usize, week: usize) -> String {
    let draw = |salt: usize| (number * 4_241 + week * 99_991 + salt) as u64;
    let drawn = |salt: usize| draw(salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("Composed by unit b{:08x} at mark 4f{:010x}", drawn(1) >> 32, drawn(2) >> 24)
}

/// Returns a page as it is in a week.
pub(super) fn html(kind: PageKind, number: usize, week: usize) -> String {
    let (title, ferry) = (format!("{} and around", capitalised(&name(number))), path(TICKET));
    let jobs = if week > 0 { "<li><a href=\"/jobs\">Jobs</a></li>" } else { "" };
    let year = if week > 0 { 2027 } else { 2026 };
    let paragraphs: Vec<String> = lines(number, week).iter().map(|line| format!("<p>{line}</p>\n")).collect();
    let paragraphs = paragraphs.concat();
    let aside = match number {
        ROTATING => format!("<aside><p>{}</p></aside>\n", ROTATION[week % 2]),
        _ => String::new(),
    };
    let built = if kind.is_built { format!("<p>{}</p>\n", built(number, week)) } else { String::new() };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{title}</title></head>\n<body>\n\
         <header><a href=\"/\">The town of Lindenmere</a>\n\
         <nav><ul><li><a href=\"/\">Home</a></li><li><a href=\"{ferry}\">Ferry</a></li>{jobs}</ul></nav></header>\n\
         <main><article><h1>{title}</h1>\n{paragraphs}</article>\n{aside}</main>\n\
         <footer><p>Town hall, Harbour Street 1, Lindenmere</p>\n{built}<p>\u{a9} {year} Town of Lindenmere</p></footer>\n\
         </body>\n</html>\n"
    )
}
