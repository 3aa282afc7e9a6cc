//! The host of the last address that was parsed, which nearly always is that of the next one, too.

use std::cell::RefCell;

use url::Url;

thread_local! {
    static LAST: RefCell<Option<Url>> = const { RefCell::new(None) };
}

/// Parses the beginning of a page's address, up to its path.
pub(in crate::url) fn parse_host(host: &str) -> Url {
    LAST.with_borrow_mut(|last| {
        let known = last.as_ref().filter(|url| super::ON && url.as_str().strip_suffix('/') == Some(host));
        known.cloned().unwrap_or_else(|| last.insert(parse(host)).clone())
    })
}

/// The plain twin.
fn parse(host: &str) -> Url {
    Url::parse(host).expect("a page address was made from a parsed URL")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_parsed_the_same_whatever_came_before() {
        let hosts = [
            "http://a",
            "https://a",
            "https://a:81",
            "https://a.b",
            "https://a",
            "http://[::1]:8",
            "http://a",
        ];
        for host in hosts.iter().chain(&hosts) {
            assert_eq!(parse_host(host), parse(host), "{host}");
            assert_eq!(parse_host(host), parse(host), "{host} again");
        }
    }
}
