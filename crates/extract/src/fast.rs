//! Short cuts of reading a page, each with a plain twin that does the same more slowly.
//!
//! The feature `plain` switches all of them off, here and in `recrawl-core`: a page reads the same either way. Where
//! reading seems wrong, run the tests with `--features plain` first; where it is slow, measure here.

mod canonical;
mod kept_texts;
mod likely_kinds;
mod name_cache;
mod name_table;
mod suspect_lines;
pub(crate) mod treeless;
mod value_cache;
mod word_search;

pub(crate) use canonical::{is_canonical, run_end};
pub(crate) use kept_texts::{KeptTexts, TextKeeper};
pub(crate) use likely_kinds::LikelyKinds;
pub(crate) use name_cache::NameCache;
pub(crate) use name_table::NameTable;
pub(crate) use suspect_lines::SuspectLines;
pub(crate) use value_cache::ValueCache;

/// Whether short cuts are taken.
pub(crate) const ON: bool = !cfg!(feature = "plain");

/// Makes what the first page would wait for otherwise.
pub(crate) fn warm_up() {
    std::sync::LazyLock::force(&word_search::ANYWHERE);
    std::sync::LazyLock::force(&word_search::BESIDE_DIGITS);
    likely_kinds::warm_up();
}
