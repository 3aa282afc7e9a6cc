//! Links that choose: which window or view, which kind of change.

use maud::{Markup, html};

use crate::words::number;

/// One of several.
pub(in crate::pages) struct Choice {
    /// What it says.
    pub(in crate::pages) label: Markup,
    /// Where it leads.
    pub(in crate::pages) address: String,
    /// How many there are behind it, where that is known.
    pub(in crate::pages) count: Option<u64>,
    /// It is the chosen one.
    pub(in crate::pages) is_chosen: bool,
}

/// Returns choices of which one stands out: windows and views.
pub(in crate::pages) fn segments(name: &str, choices: &[Choice]) -> Markup {
    html! { nav.segments aria-label=(name) { (links(choices)) } }
}

/// Returns choices that narrow a list.
pub(in crate::pages) fn chips(name: &str, choices: &[Choice]) -> Markup {
    html! { nav.chips aria-label=(name) { (links(choices)) } }
}

fn links(choices: &[Choice]) -> Markup {
    html! {
        @for choice in choices {
            a href=(choice.address) aria-current=[choice.is_chosen.then_some("true")] {
                (choice.label)
                @if let Some(count) = choice.count { " " span.n { (number(count)) } }
            }
        }
    }
}
