//! URLs as search compares them.

use percent_encoding::percent_decode_str;

use super::words::for_each_word;
use crate::url::{PageUrl, UrlRules};

/// Returns an address, or a part of one, as people write it: in small letters, with nothing encoded that is text.
pub fn readable_address(address: &str) -> String {
    percent_decode_str(address).decode_utf8_lossy().to_lowercase()
}

/// Returns what the address of a page says: its path and query.
pub fn address_words(url: &PageUrl) -> String {
    readable_address(url.path_and_query())
}

/// Returns the beginning of the addresses that a query is about, for stores that can compare nothing else: an address
/// is taken as it is, a path belongs to the host of the site, and words are looked for below the site's root, as
/// addresses write them. `None` where nothing is asked for.
pub fn address_prefix(root: &PageUrl, query: &str) -> Option<String> {
    let query = query.trim();
    let origin = format!("{}://{}", root.scheme(), root.authority());
    let has_scheme = ["http://", "https://", "gemini://"].iter().any(|scheme| starts_with(query, scheme));
    if has_scheme {
        return Some(in_normal_form(query));
    }
    if query.starts_with('/') {
        return Some(in_normal_form(&format!("{origin}{query}")));
    }
    if starts_with(query, root.authority()) {
        return Some(in_normal_form(&format!("{}://{query}", root.scheme())));
    }
    let mut words = Vec::new();
    for_each_word(query, |place, _| words.push(&query[place]));
    let is_one = !query.contains(|sign: char| sign.is_whitespace() || sign == '"');
    let last = if is_one { query.to_lowercase() } else { words.join("-").to_lowercase() };
    let below = root.path().trim_end_matches('/');
    (!words.is_empty()).then(|| in_normal_form(&format!("{origin}{below}/{last}")))
}

fn starts_with(text: &str, beginning: &str) -> bool {
    text.get(..beginning.len()).is_some_and(|start| start.eq_ignore_ascii_case(beginning))
}

fn in_normal_form(address: &str) -> String {
    let page = UrlRules::keep_all_parameters().page(address, None);
    page.map_or_else(|_| address.to_owned(), |page| page.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_what_is_encoded_in_it() {
        let url: PageUrl = "https://example.org/Stra%C3%9Fe/caf%C3%A9?q=a%20b".parse().unwrap();
        assert_eq!(address_words(&url), "/straße/café?q=a b");
        assert_eq!(readable_address("%FF%"), "\u{fffd}%");
    }

    #[test]
    fn a_query_becomes_the_beginning_of_an_address() {
        let root: PageUrl = "https://example.org/town".parse().unwrap();
        for (query, expected) in [
            ("HTTPS://Example.org/Town", Some("https://example.org/Town")),
            ("http://other.example", Some("http://other.example/")),
            ("/town/ne", Some("https://example.org/town/ne")),
            ("/straße", Some("https://example.org/stra%C3%9Fe")),
            ("example.org/x", Some("https://example.org/x")),
            ("Bridge", Some("https://example.org/town/bridge")),
            ("\"New bridge\"", Some("https://example.org/town/new-bridge")),
            ("plan.pdf", Some("https://example.org/town/plan.pdf")),
            ("", None),
            ("👩‍🚀 \" *", None),
        ] {
            assert_eq!(address_prefix(&root, query).as_deref(), expected, "{query:?}");
        }
    }
}
