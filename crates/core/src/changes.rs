//! From pages that differ to changes that matter: edits, what is shared, what is noise, how much it matters.
//!
//! A visit that finds other bytes records its edits ([`edits`]) and what the page's own memory says of them
//! ([`memory`]). When the crawl ends, [`settle`] looks at the edits of all pages: the same edit on several pages is one
//! shared change, and what is left are each page's own. Before that, some answers are doubted and asked for [`again`].

pub mod again;
pub mod edits;
mod figures;
mod lines;
pub mod memory;
pub mod noise;
pub mod settle;
pub mod shape;
pub mod weight;
