//! The normal form of gemini addresses, which the URL Standard parses without knowing their scheme: no default port, no
//! IDNA, no path for an empty one.

use std::fmt::Write;

use url::{Host, ParseError, Url};

use super::spelling::push_canonical;
use super::{PageUrl, UrlError};

/// What the port is where an address names none.
pub(super) const PORT: u16 = 1965;

/// Puts the address of a page of a capsule in normal form.
///
/// As with web pages, the user is dropped, and the host is what a resolver is asked for. A query is what a person typed:
/// it has no parameters, so none is dropped. What RFC 3986 has in no address is escaped, because capsules refuse it.
pub(super) fn normalise(url: &Url) -> Result<PageUrl, UrlError> {
    let host = url.host_str().filter(|host| !host.is_empty()).ok_or(ParseError::EmptyHost)?;
    let mut text = format!("gemini://{}", Host::parse(host)?);
    if let Some(port) = url.port().filter(|port| *port != PORT) {
        text.push(':');
        text.push_str(&port.to_string());
    }
    if url.path().is_empty() {
        text.push('/');
    }
    push_canonical(&mut text, &escaped(url.path()));
    if let Some(query) = url.query() {
        text.push('?');
        push_canonical(&mut text, &escaped(query));
    }
    if text.len() > PageUrl::MAX_GEMINI_LENGTH {
        return Err(UrlError::TooLongForGemini);
    }
    PageUrl::from_normal(&text)
}

/// Escapes what the URL Standard leaves in an address, and RFC 3986 does not know there.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | '^' | '|' | '[' | ']' | '{' | '}' | '`' | '"' | '<' | '>' => {
                let _ = write!(escaped, "%{:02X}", u32::from(character));
            }
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::url::{HostKey, PageUrl, UrlError, UrlRules};
    use url::Url;

    fn normal(text: &str) -> String {
        UrlRules::default().page(text, None).unwrap().into()
    }

    #[test]
    fn one_page_of_a_capsule_has_one_address() {
        for (text, expected) in [
            ("gemini://a.example", "gemini://a.example/"),
            ("GEMINI://A.Example:1965/B", "gemini://a.example/B"),
            ("gemini://user:secret@a.example/", "gemini://a.example/"),
            ("gemini://a.example:1966", "gemini://a.example:1966/"),
            ("gemini://b\u{fc}cher.example/\u{f6}?\u{fc}", "gemini://xn--bcher-kva.example/%C3%B6?%C3%BC"),
            ("gemini://127.1/", "gemini://127.0.0.1/"),
            ("gemini://[::1]:1965", "gemini://[::1]/"),
            ("gemini://a/b/../c/./%7ed#e", "gemini://a/c/~d"),
            ("gemini://a/x\\y^z|[]", "gemini://a/x%5Cy%5Ez%7C%5B%5D"),
            ("gemini://a?utm_source=b", "gemini://a/?utm_source=b"),
            ("gemini://a/;jsessionid=1", "gemini://a/;jsessionid=1"),
            ("gemini://a/?two words", "gemini://a/?two%20words"),
            ("gemini://a/?", "gemini://a/?"),
        ] {
            assert_eq!(normal(text), expected, "{text}");
            assert_eq!(expected.parse::<PageUrl>().unwrap().to_url().as_str(), expected);
        }
    }

    #[test]
    fn references_lead_where_they_lead_on_the_web() {
        let base: PageUrl = "gemini://a.example/b/c?d".parse().unwrap();
        let (rules, base) = (UrlRules::default(), base.to_url());
        for (reference, expected) in [
            ("e", "gemini://a.example/b/e"),
            ("/e", "gemini://a.example/e"),
            ("../../../e", "gemini://a.example/e"),
            ("//f", "gemini://f/"),
            ("?g", "gemini://a.example/b/c?g"),
            ("#g", "gemini://a.example/b/c?d"),
            ("https://a.example", "https://a.example/"),
        ] {
            assert_eq!(rules.page(reference, Some(&base)).unwrap().as_str(), expected, "{reference}");
        }
    }

    #[test]
    fn a_capsule_is_another_host_than_the_web_site_of_its_name() {
        for (page, key) in [
            ("gemini://a.example/", "a.example:1965"),
            ("gemini://a.example:1966/", "a.example:1966"),
            ("gemini://[::1]/", "[::1]:1965"),
        ] {
            let page: PageUrl = page.parse().unwrap();
            assert_eq!(page.host_key().as_str(), key);
            assert_eq!(key.parse::<HostKey>(), Ok(page.host_key()));
        }
        let page: PageUrl = "gemini://[::1]/x?y".parse().unwrap();
        assert_eq!(
            (page.scheme(), page.authority(), page.host(), page.path()),
            ("gemini", "[::1]", "[::1]", "/x")
        );
        assert_eq!((page.port(), page.is_gemini()), (1965, true));
    }

    #[test]
    fn what_no_capsule_can_be_asked_for_is_no_page() {
        for text in
            ["gemini:a", "gemini:///a", "gemini://a b/", "gemini://", "gemini://1.2.3.4.5/", "gemini://a%00/"]
        {
            assert!(matches!(UrlRules::default().page(text, None), Err(UrlError::Syntax(_))), "{text}");
        }
        let fits = format!("gemini://a/{}", "x".repeat(1_024 - 11));
        assert_eq!(normal(&fits), fits);
        assert_eq!(UrlRules::default().page(&format!("{fits}x"), None), Err(UrlError::TooLongForGemini));
        assert_eq!("gemini://a".parse::<PageUrl>(), Err(UrlError::NotNormal("gemini://a/".into())));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn normalising_twice_is_normalising_once(
            text in "gemini:/{2,3}([a-zA-Z0-9.%\u{e9}-]{1,8}|[a-z]{1,5}[.]com|[0-9.x]{1,6})(:[0-9]{1,5})?([/\\\\](%|[.;a-f0-9'^ \u{e9}/\\\\|]|%[2-7][0-9a-fA-F]|[.]{1,2}){0,8})?([?](%|[a-f0-9=&'^ \u{e9}?\\\\]|%[2-7][0-9a-fA-F]){0,8})?(#.{0,3})?"
        ) {
            if let Ok(once) = UrlRules::default().page(&text, None) {
                prop_assert_eq!(UrlRules::default().page(once.as_str(), None), Ok(once.clone()));
                prop_assert_eq!(once.as_str().parse::<PageUrl>(), Ok(once.clone()));
                prop_assert_eq!(String::from(once.to_url()), once.as_str());
                prop_assert!(Url::parse(once.as_str()).unwrap().has_host());
            }
        }
    }
}
