//! HTML: a page becomes links, text, media and metadata, most often [without its tree](crate::fast::treeless).

pub(crate) mod around;
mod frame_words;
mod letters;
pub mod links;
mod newlines;
pub mod page;
pub(crate) mod removal_log;
mod selectors;
pub mod text;
pub(crate) mod tree;
