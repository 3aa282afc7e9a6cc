//! The colours of a mail, in the light and in the dark.
//!
//! Inline styles are for the light, because they are all that some programs read. A program that asks for the dark and
//! reads style sheets finds the other colour of each by its class; others turn all colours by themselves.

use recrawl_core::model::verdict::{Change, Verdict};

/// The dark colours. Letters and what they stand on are at least 5.8 to 1 apart.
pub(super) const DARK: &str = "\
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page{background:#14191b!important}
.card{background:#1b2225!important;border-color:#313b3f!important}
.line{border-color:#313b3f!important}
.ink{color:#e4eaec!important}
.soft{color:#a3b0b6!important}
.link{color:#7fd0dc!important}
.button{background:#7fd0dc!important;color:#14191b!important}
.caution{background:#3a2d10!important;color:#e4eaec!important}
.failed{background:#c9aef0!important;color:#14191b!important}
.unusual{background:#f0be66!important;color:#14191b!important}
.new{color:#7ed396!important}
.changed{color:#f0be66!important}
.moved{color:#71d0e0!important}
.gone{color:#ff9a9a!important}
.shared{color:#a3b0b6!important}
.new.wash{background:#173522!important}
.changed.wash{background:#3a2d10!important}
.moved.wash{background:#12343b!important}
.gone.wash{background:#431f21!important}
.shared.wash{background:#262f33!important}
.went{background:#7c3035!important;color:#e4eaec!important}
.came{background:#25643b!important;color:#e4eaec!important}
.went.whole{background:#361b1d!important}
.came.whole{background:#152e1e!important}
}
";

/// How a kind of change looks.
pub(super) struct KindLook {
    /// Its sign.
    pub(super) sign: &'static str,
    /// The class by which the dark has other colours.
    pub(super) class: &'static str,
    /// The colour of sign and word in the light.
    pub(super) colour: &'static str,
    /// What the sign stands on in the light.
    pub(super) wash: &'static str,
}

/// Returns how a kind of change looks.
pub(super) const fn look_of(kind: Verdict) -> KindLook {
    let (sign, class, colour, wash) = match kind.change() {
        Some(Change::Add) => ("+", "new", "#1a6b34", "#e2f3e6"),
        Some(Change::Change) => ("~", "changed", "#7d4b08", "#fbeed4"),
        Some(Change::Move) => ("→", "moved", "#0d5f6d", "#ddf1f5"),
        Some(Change::Delete) => ("−", "gone", "#a3282c", "#fde6e6"),
        None => ("≡", "shared", "#53606a", "#eaefef"),
    };
    KindLook { sign, class, colour, wash }
}
