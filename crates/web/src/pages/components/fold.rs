//! What is counted instead of shown: a line that opens.

use maud::{Markup, html};

/// A counted rest.
pub(in crate::pages) struct Fold<'a> {
    /// How much there is: "46 pages".
    pub(in crate::pages) count: &'a str,
    /// What of it: "changed only around their content".
    pub(in crate::pages) words: &'a str,
    /// More about it, where there is more.
    pub(in crate::pages) hint: &'a str,
    /// Where it opens, or closes again.
    pub(in crate::pages) address: &'a str,
    /// What is in it, when it is open.
    pub(in crate::pages) inside: Option<Markup>,
}

/// Returns the line of a counted rest. It opens by a request, since what is in it may be much.
pub(in crate::pages) fn fold_line(fold: &Fold<'_>) -> Markup {
    html! {
        a.fold-line href=(fold.address) aria-expanded=(fold.inside.is_some()) {
            strong { (fold.count) } " " (fold.words)
            @if !fold.hint.is_empty() { " " span.soft { (fold.hint) } }
        }
        @if let Some(inside) = &fold.inside { (inside) }
    }
}
