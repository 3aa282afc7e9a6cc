//! The links of a document under way, within their limits.

use std::collections::HashSet;

use crate::limits::{MAX_LINK, MAX_LINK_BYTES, MAX_LINKS};

/// The links of a document under way, each once.
#[derive(Debug, Default)]
pub(crate) struct Links {
    list: Vec<String>,
    seen: HashSet<String>,
    bytes: usize,
}

impl Links {
    /// Adds an address as it is written, unless it is known, no address, or there is no room for it.
    pub(crate) fn push(&mut self, address: &str) {
        let address = address.trim();
        let is_web = address.split_once(':').is_some_and(|(scheme, _)| {
            scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
        });
        if !is_web || address.len() > MAX_LINK || address.contains(char::is_control) || self.is_full() {
            return;
        }
        if self.seen.insert(address.to_owned()) {
            self.bytes += address.len();
            self.list.push(address.to_owned());
        }
    }

    /// Tells whether there is no more room.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= MAX_LINKS || self.bytes >= MAX_LINK_BYTES - MAX_LINK
    }

    /// Returns the links, in order.
    pub(crate) fn into_list(self) -> Vec<String> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_addresses_of_the_web_each_once() {
        let mut links = Links::default();
        let addresses = [
            " https://example.org/a ",
            "HTTP://example.org",
            "mailto:a@example.org",
            "#x",
            "https://example.org/a",
        ];
        for address in addresses {
            links.push(address);
        }
        assert_eq!(links.into_list(), ["https://example.org/a", "HTTP://example.org"]);
    }

    #[test]
    fn there_is_room_for_so_many() {
        let mut links = Links::default();
        for number in 0..2 * MAX_LINKS {
            links.push(&format!("https://example.org/{number}"));
        }
        assert!(links.is_full());
        assert_eq!(links.into_list().len(), MAX_LINKS);
    }
}
