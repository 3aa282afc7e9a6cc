//! What a crawler reads out of bytes: HTML to links, text and hashes; robots.txt; sitemaps.
//!
//! Everything here is a pure function of its arguments. Nothing reads a file or a socket, and the clock is
//! asked only whether a page takes too long.

mod budget;
pub mod charset;
mod document;
mod explain;
mod extractor;
mod fast;
pub mod gemtext;
mod html;
mod media_type;
pub mod noise;
pub mod page_list;
pub mod robots;
pub mod sitemap;
mod text_file;

pub use explain::{Explanation, Removal};
pub use extractor::HtmlExtractor;
pub use html::{links, page, text};
