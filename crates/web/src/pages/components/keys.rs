//! Which keys there are: those of a page stand in its foot, all of them under `?`.

use maud::{Markup, html};

/// What the keys of a page move in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pages) enum KeysOf {
    /// A list of changes.
    List,
    /// A difference.
    Difference,
    /// The versions of a page.
    History,
    /// Nothing of its own.
    Page,
}

/// What a key does, in lists and in differences.
struct Row {
    keys: &'static [&'static str],
    list: &'static str,
    difference: &'static str,
}

const ROWS: [Row; 13] = [
    Row { keys: &["j", "k"], list: "next, previous row", difference: "next, previous edit" },
    Row { keys: &["n", "p"], list: "next, previous row", difference: "next, previous page of the list" },
    Row { keys: &["Enter", "o"], list: "open", difference: "live page" },
    Row { keys: &["u"], list: "back", difference: "back to the list" },
    Row { keys: &["e"], list: "seen", difference: "seen and next" },
    Row { keys: &["Shift+e"], list: "mark all as seen (asks first)", difference: "" },
    Row { keys: &["s", "m"], list: "star, note", difference: "star, note" },
    Row { keys: &["x"], list: "select", difference: "" },
    Row { keys: &["v"], list: "", difference: "side by side" },
    Row { keys: &["i"], list: "", difference: "ignore" },
    Row { keys: &["c"], list: "compare two versions of a page", difference: "" },
    Row { keys: &["/"], list: "filter", difference: "search" },
    Row { keys: &["?", "g h"], list: "all keys, home", difference: "all keys, home" },
];

/// Returns the keys that people need most here.
pub(in crate::pages) fn foot_keys(of: KeysOf) -> Markup {
    let keys: &[(&[&str], &str)] = match of {
        KeysOf::List => &[
            (&["j", "k"], "next, previous"),
            (&["Enter"], "open"),
            (&["e"], "seen"),
            (&["s"], "star"),
            (&["Shift+e"], "mark all as seen"),
        ],
        KeysOf::Difference => &[
            (&["j", "k"], "edits"),
            (&["n", "p"], "pages"),
            (&["e"], "seen and next"),
            (&["v"], "side by side"),
            (&["u"], "back to the list"),
        ],
        KeysOf::History => &[(&["j", "k"], "next, previous"), (&["c"], "compare the two chosen")],
        KeysOf::Page => &[(&["/"], "search")],
    };
    html! {
        p.keys aria-label="Keys" {
            @for (names, does) in keys { span { @for name in *names { kbd { (name) } " " } (does) } }
            span { kbd { "?" } " " a href="#all-keys" data-all-keys { "all keys" } }
        }
    }
}

/// Returns the table of all keys, folded.
pub(in crate::pages) fn all_keys() -> Markup {
    html! {
        details.all-keys #all-keys {
            summary { "All keys" }
            table {
                thead { tr { th scope="col" { "Key" } th scope="col" { "In a list" } th scope="col" { "In a difference" } } }
                tbody {
                    @for row in &ROWS {
                        tr {
                            th scope="row" { @for key in row.keys { kbd { (key) } " " } }
                            td { (row.list) } td { (row.difference) }
                        }
                    }
                }
            }
            p { "No key sends, accepts or deletes: that takes a button." }
        }
    }
}
