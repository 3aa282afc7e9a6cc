//! The standard's tree construction without a tree.
//!
//! Why: nothing of a page's tree is needed once but its walk, in which most elements mean nothing. So the walk is told while
//! the page is cut into tokens, and only the stack of open elements and the list of active formatting elements are kept.
//! This takes less than half of the time.
//!
//! That works because tree construction hardly ever changes the order of what a page says. Formatting elements that are
//! closed out of order (the adoption agency) or go on (reconstruction) change what stands around a text, but not where it
//! stands. Whatever does change the order, such as text straight inside a table, is not read here: the reader gives up, and
//! the page is read from its tree. So does everything that is rare and hard to get right.
//!
//! The plain twin is the tree builder; `tests/treeless.rs` compares both, and `./fuzz treeless` does.
//!
//! `tokens` is the standard's tokenization, `construction` its tree construction, one file for some insertion modes, and
//! [`Listener`] is who reads.

use recrawl_core::model::content::Unreadable;

use self::construction::Construction;
pub(crate) use self::listener::{ElementView, Listener};
use crate::budget::WorkBudget;
use crate::fast::TextKeeper;
use crate::html::tree::AttributeFilter;

mod construction;
mod elements;
mod formatting;
mod limits;
mod listener;
mod names;
mod tokens;

/// Why a page is not read without a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GaveUp(pub(crate) &'static str);

/// Only time runs out, and then the budget says so, whoever asks.
impl From<Unreadable> for GaveUp {
    fn from(_: Unreadable) -> Self {
        Self("it takes too long")
    }
}

/// Tells a listener what stands on a page, whose lines end in line feeds alone, and returns the listener.
pub(crate) fn read<'page, L: Listener<'page>>(
    page: &'page str,
    filter: &AttributeFilter,
    kept: TextKeeper<'page>,
    budget: &WorkBudget,
    listener: L,
) -> Result<L, GaveUp> {
    if filter.keeps_all {
        return Err(GaveUp("selectors look at the whole tree"));
    }
    let is_special = |name: &String| name.contains(':') || listener::FOR_THE_PARSER.contains(&name.as_str());
    if filter.extra.iter().any(is_special) {
        return Err(GaveUp("a kept attribute that has another name in the tree, or is read by the parser"));
    }
    if memchr::memchr(0, page.as_bytes()).is_some() {
        return Err(GaveUp("a zero byte"));
    }
    Construction::new(page, filter, kept, budget, listener).run()
}
