//! What fuzzers feed: a function for every kind of input that others write.
//!
//! A target takes any bytes. It panics where something that must hold does not hold: a reading that differs from a
//! second, slower one, a text that is not the same after two passes, an answer larger than its limit. What takes too
//! long or too much memory is for the fuzzer to see.
//!
//! `./fuzz` runs them with libFuzzer, from the crate in `fuzz/`, which is no member of the workspace. The tests here
//! replay `seeds/`, in which everything that was ever found has its place.

mod charset;
mod decoding;
mod difference;
mod documents;
mod gemini;
mod headers;
mod noise;
mod page;
mod pubsub;
mod robots;
mod search;
mod settings;
mod sitemap;
mod sql;
mod treeless;
mod url;

pub use self::charset::read_charset;
pub use self::decoding::decode_body;
pub use self::difference::compare_texts;
pub use self::documents::{read_office, read_pdf};
pub use self::gemini::read_gemini;
pub use self::headers::read_headers;
pub use self::noise::remove_noise;
pub use self::page::{read_page, read_page_by_selectors};
pub use self::pubsub::read_message;
pub use self::robots::read_robots;
pub use self::search::search_pages;
pub use self::settings::read_settings;
pub use self::sitemap::read_sitemap;
pub use self::sql::read_sql;
pub use self::treeless::read_without_tree;
pub use self::url::normalise_url;

/// A kind of input, and what reads it.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name of the folder with its seeds, and of the program that feeds it.
    pub name: &'static str,
    /// Reads an input; panics where something does not hold.
    pub run: fn(&[u8]),
}

/// Every target.
pub const TARGETS: [Target; 18] = [
    Target { name: "charset", run: read_charset },
    Target { name: "decoding", run: decode_body },
    Target { name: "difference", run: compare_texts },
    Target { name: "gemini", run: read_gemini },
    Target { name: "headers", run: read_headers },
    Target { name: "noise", run: remove_noise },
    Target { name: "office", run: read_office },
    Target { name: "page", run: read_page },
    Target { name: "pdf", run: read_pdf },
    Target { name: "pubsub", run: read_message },
    Target { name: "robots", run: read_robots },
    Target { name: "search", run: search_pages },
    Target { name: "selectors", run: read_page_by_selectors },
    Target { name: "settings", run: read_settings },
    Target { name: "sitemap", run: read_sitemap },
    Target { name: "sql", run: read_sql },
    Target { name: "treeless", run: read_without_tree },
    Target { name: "url", run: normalise_url },
];

/// Cuts the first line off an input: what stands in it is a parameter, and the rest is what is read.
fn first_line(data: &[u8]) -> (&[u8], &[u8]) {
    match data.iter().position(|byte| *byte == b'\n') {
        Some(end) => (&data[..end], &data[end + 1..]),
        None => (data, &[]),
    }
}

/// Repeats a text up to about `length` bytes: what is quadratic shows in long inputs, and fuzzers make short ones.
fn stretched(text: &str, length: usize) -> String {
    text.repeat(length / text.len().max(1))
}
