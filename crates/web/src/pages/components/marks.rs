//! Small marks: a change has a square, a state has a pill, a hint has a tag. Each says in words what its colour says.

use maud::{Markup, html};
use recrawl_core::model::verdict::Verdict;

/// Returns a kind of change: a sign in a square, and the word.
pub(in crate::pages) fn kind(class: &str, sign: &str, word: &str) -> Markup {
    html! { span class={ "kind " (class) } { b aria-hidden="true" { (sign) } (word) } }
}

/// Returns a verdict as a kind of change.
pub(in crate::pages) fn verdict_kind(verdict: Verdict) -> Markup {
    let (sign, word) = match verdict {
        Verdict::New => ("+", "new"),
        Verdict::Changed => ("~", "changed"),
        Verdict::Shared => ("≡", "shared"),
        Verdict::Moved => ("→", "moved"),
        Verdict::Gone => ("−", "gone"),
        Verdict::Missing => ("?", "never there"),
        Verdict::Failed => ("!", "failed"),
        Verdict::Unchanged => ("=", "unchanged"),
        Verdict::Touched => ("·", "only noise"),
        Verdict::Excluded => ("×", "excluded"),
    };
    kind(verdict.word(), sign, word)
}

/// How a state looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pages) enum Pill {
    /// It could not be read.
    Failed,
    /// It is to be looked at before it is believed.
    Unusual,
    /// There is something that nobody saw yet.
    Unseen,
    /// Something goes on.
    Running,
    /// As it should be.
    Good,
    /// Nothing to be said.
    Quiet,
}

/// Returns a state.
pub(in crate::pages) fn pill(pill: Pill, words: &str) -> Markup {
    let class = match pill {
        Pill::Failed => "failed",
        Pill::Unusual => "unusual",
        Pill::Unseen => "unseen",
        Pill::Running => "running",
        Pill::Good => "good",
        Pill::Quiet => "quiet",
    };
    html! { span class={ "state " (class) } { (words) } }
}

/// Returns a hint beside a text.
pub(in crate::pages) fn tag(words: &str) -> Markup {
    html! { span.tag { (words) } }
}

/// Returns a weight from 0 to 1,000 as a bar that is explained on hover. Nothing is said to those who do not see it: lists have
/// the order of weights.
pub(in crate::pages) fn weight(weight: u32, why: &str) -> Markup {
    let weight = weight.min(1000);
    let shown = format!("Weight {}.{:02}", weight / 1000, weight % 1000 / 10);
    html! {
        svg.weight aria-hidden="true" {
            title { (shown) @if !why.is_empty() { ": " (why) } }
            // So that there is something to point at.
            rect width="100%" height="100%" fill-opacity="0" {}
            rect width={ (weight / 10) "." (weight % 10) "%" } height="100%" {}
        }
    }
}

/// Returns a share of a whole as a bar.
pub(in crate::pages) fn bar(part: u64, whole: u64) -> Markup {
    let percent = part.saturating_mul(100) / whole.max(1);
    html! { svg.bar aria-hidden="true" { rect width={ (percent.min(100)) "%" } height="100%" {} } }
}
