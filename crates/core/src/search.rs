//! Full-text search for pages: what a query means, and which part of a text answers it. Pure.
//!
//! * [`for_each_word`], [`word_list`]: the words that texts and queries are compared by.
//! * [`Query`]: what somebody looks for.
//! * [`excerpt`], [`excerpts`], [`marked`]: a text with what was looked for set apart.
//! * [`Stretches`]: when pages said it.
//! * [`readable_address`], [`address_prefix`]: addresses as they are compared.

mod address;
mod excerpt;
mod page;
mod query;
mod stretches;
mod words;

pub use self::address::{address_prefix, address_words, readable_address};
pub use self::excerpt::{Piece, excerpt, marked};
pub use self::page::{PageText, excerpts};
pub use self::query::{Phrase, Query};
pub use self::stretches::{Stretch, Stretches};
pub use self::words::{for_each_word, word_list};
