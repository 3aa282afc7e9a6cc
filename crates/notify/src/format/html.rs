//! What the formats that are HTML have in common.

use recrawl_reports::marks::Mark;

use crate::text::rewritten;

/// Writes text of strangers between tags and in attributes.
pub(super) fn escape(text: &str) -> String {
    rewritten(text, |character| match character {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\'' => Some("&#39;"),
        _ => None,
    })
}

/// Writes an edit with these tags around what went and what came.
pub(super) fn marked(marks: &[Mark], went: (&str, &str), came: (&str, &str)) -> String {
    let mark = |mark: &Mark| match mark {
        Mark::Same(text) => escape(text),
        Mark::Went(text) => format!("{}{}{}", went.0, escape(text), went.1),
        Mark::Came(text) => format!("{}{}{}", came.0, escape(text), came.1),
    };
    marks.iter().map(mark).collect()
}
