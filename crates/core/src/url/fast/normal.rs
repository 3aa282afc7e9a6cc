//! Proves normal form without parsing, for the plain text that nearly all stored addresses are.

use crate::url::spelling::{is_unreserved, upper_hexadecimal};

/// Returns whether `text` is surely in normal form; `false` says nothing.
pub(in crate::url) fn is_plainly_normal(text: &str) -> bool {
    super::ON && is_surely_normal(text)
}

fn is_surely_normal(text: &str) -> bool {
    let (after_scheme, default_port) = if let Some(after) = text.strip_prefix("https://") {
        (after, "443")
    } else if let Some(after) = text.strip_prefix("http://") {
        (after, "80")
    } else {
        return false;
    };
    let Some(slash) = after_scheme.find('/') else {
        return false;
    };
    let (authority, target) = after_scheme.split_at(slash);
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    };
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    (is_plain_host(host) || is_plain_address(host))
        && port.is_none_or(|port| port != default_port && is_plain_port(port))
        && is_plain_path(path)
        && query.is_none_or(|query| is_plainly_spelled(query, |byte| byte == b'?'))
}

/// Returns whether `path`, which starts with a slash, is surely in normal form.
pub(super) fn is_plain_path(path: &str) -> bool {
    let bytes = path.as_bytes();
    let has_dot_segment = || path.split('/').any(|segment| matches!(segment, "." | ".."));
    is_plainly_spelled(path, |byte| byte == b'\'')
        && !(bytes.windows(2).any(|pair| pair == b"/.") && has_dot_segment())
}

/// Names that no IDNA or IPv4 rule can change: the last label starts with a letter, no label with a
/// hyphen at a border or two in a row (`xn--`).
fn is_plain_host(host: &str) -> bool {
    let is_plain_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
            && !label.starts_with('-')
            && !label.ends_with('-')
            && !label.contains("--")
    };
    host.split('.').all(is_plain_label)
        && host.rsplit('.').next().is_some_and(|last| last.as_bytes()[0].is_ascii_lowercase())
}

/// Four decimal numbers as the parser writes them.
fn is_plain_address(host: &str) -> bool {
    let is_plain_number =
        |number: &str| number.parse::<u8>().is_ok() && (number == "0" || !number.starts_with(['0', '+']));
    host.split('.').count() == 4 && host.split('.').all(is_plain_number)
}

fn is_plain_port(port: &str) -> bool {
    !port.starts_with('0') && port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok()
}

/// Accepts the characters that neither path nor query escape, and canonical escapes.
fn is_plainly_spelled(text: &str, is_also_plain: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    let mut index = 0;
    while let Some(&byte) = bytes.get(index) {
        if byte == b'%' {
            let (Some(&high), Some(&low)) = (bytes.get(index + 1), bytes.get(index + 2)) else {
                return false;
            };
            match (upper_hexadecimal(high), upper_hexadecimal(low)) {
                (Some(high), Some(low)) if !is_unreserved(high << 4 | low) => index += 3,
                _ => return false,
            }
        } else if is_unreserved(byte) || is_plain_punctuation(byte) || is_also_plain(byte) {
            index += 1;
        } else {
            return false;
        }
    }
    true
}

fn is_plain_punctuation(byte: u8) -> bool {
    matches!(
        byte,
        b'!' | b'$'
            | b'&'
            | b'('
            | b')'
            | b'*'
            | b'+'
            | b','
            | b';'
            | b'='
            | b':'
            | b'@'
            | b'/'
            | b'['
            | b']'
            | b'|'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::url::{UrlRules, resolve};

    #[test]
    fn everyday_addresses_need_no_parser() {
        for text in [
            "https://www.portland.gov/",
            "https://www.portland.gov/transportation/news?page=1&f[0]=a%20b",
            "http://localhost:8080/a/.b/...",
            "http://a-b.c1.example/x%2Fy/~z//(w)'",
            "http://a/?",
            "http://127.0.0.1:8080/a",
        ] {
            assert!(is_surely_normal(text), "{text}");
        }
    }

    #[test]
    fn doubtful_addresses_are_left_to_the_parser() {
        for text in [
            "http://a",
            "http://A/",
            "http://1.2.3/",
            "http://1.2.3.04/",
            "http://1.2.3.256/",
            "http://1.2.3.+4/",
            "http://a.1/",
            "http://xn--a/",
            "http://a./",
            "http://a:80/",
            "https://a:443/",
            "http://a:0/",
            "http://a:/",
            "http://a:65536/",
            "http://a/.",
            "http://a/../b",
            "http://a/%7E",
            "http://a/%2f",
            "http://a/%2",
            "http://a/^",
            "http://a/?'",
            "http://a/#",
            "http://a/é",
            "http://u@a/",
            "http://[::1]/",
            "ftp://a/",
        ] {
            assert!(!is_surely_normal(text), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn what_is_plainly_normal_is_normal(
            text in "https?://([a-z0-9.-]{1,8}|([0-9]{1,3}[.]){3}[0-9]{1,3}|[a-z]{1,4}[.](xn--)?[a-z0]{1,3})(:[0-9]{0,6})?/([a-z./;|^~'%25eEfF\\[]|%[0-9A-F]{2}|/[.]){0,12}([?][a-z=&'/?^%27F|]{0,8})?"
        ) {
            if is_surely_normal(&text) {
                let parsed = resolve(&text, None).unwrap();
                let normal = UrlRules::keep_all_parameters().normalise(parsed).unwrap();
                prop_assert_eq!(normal.as_str(), text);
            }
        }
    }
}
