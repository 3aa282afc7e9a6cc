//! Resolving references as today's URL Standard does, where the `url` crate is behind it.

use std::borrow::Cow;

use url::{EncodingOverride, Url};

use super::UrlError;

/// Resolves `input` against `base` as the URL Standard does.
pub fn resolve(input: &str, base: Option<&Url>) -> Result<Url, UrlError> {
    resolve_with_encoding(input, base, None)
}

/// Resolves `input` as a link on a page whose encoding writes query strings with `encode`.
///
/// What `encode` returns is percent-encoded by the rules of queries, which leave `%`, `&` and `;`
/// alone: a character that the encoding lacks must come back as `%26%23` CODE POINT `%3B`.
pub fn resolve_with_encoding(
    input: &str,
    base: Option<&Url>,
    encode: EncodingOverride<'_>,
) -> Result<Url, UrlError> {
    let input = shorten_leading_slashes(input, base);
    let mut url = Url::options().base_url(base).encoding_override(encode).parse(&input)?;
    // The standard's path percent-encode set has `^` since 2023, the crate's has not.
    if url.has_host() && url.path().contains('^') {
        let path = url.path().replace('^', "%5E");
        url.set_path(&path);
    }
    Ok(url)
}

/// Leaves two of three or more leading slashes.
///
/// Below a special scheme any number of slashes and backslashes leads to an authority ("special
/// authority ignore slashes state"), while the crate takes the third for the start of a path.
fn shorten_leading_slashes<'a>(input: &'a str, base: Option<&Url>) -> Cow<'a, str> {
    let is_special =
        base.is_some_and(|base| matches!(base.scheme(), "http" | "https" | "ws" | "wss" | "ftp"));
    let trimmed = input.trim_start_matches(|character| character <= ' ');
    if !is_special || !trimmed.starts_with(['/', '\\']) {
        return Cow::Borrowed(input);
    }
    // Tab, line feed and carriage return are not there for the standard, wherever they stand.
    let rest = trimmed.trim_start_matches(['/', '\\', '\t', '\n', '\r']);
    let slashes =
        trimmed[..trimmed.len() - rest.len()].bytes().filter(|byte| matches!(byte, b'/' | b'\\')).count();
    if slashes < 3 { Cow::Borrowed(input) } else { Cow::Owned(format!("//{rest}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(input: &str, base: &str) -> String {
        let base = Url::parse(base).unwrap();
        resolve(input, Some(&base)).unwrap().into()
    }

    #[test]
    fn any_number_of_slashes_leads_to_a_host() {
        for input in [
            "//host/p",
            "///host/p",
            "////host/p",
            "//////////host/p",
            "\\\\host/p",
            "\\\\\\host/p",
            "/\\/host/p",
            "//\\host/p",
            "\\/\\host\\p",
            "  \u{1}///host/p",
            "/\t/\n/\rhost/p",
            "\n/\t\t/host/p",
            "https:///host/p",
            "https:\\\\\\host/p",
        ] {
            assert_eq!(resolved(input, "https://a/b/c"), "https://host/p", "{input:?}");
        }
    }

    #[test]
    fn slashes_elsewhere_stay() {
        for (input, base, expected) in [
            ("/p", "https://a/b/c", "https://a/p"),
            ("\\p", "https://a/b/c", "https://a/p"),
            ("/\tp", "https://a/b/c", "https://a/p"),
            ("p///q", "https://a/b/c", "https://a/b/p///q"),
            ("?///q", "https://a/b/c", "https://a/b/c?///q"),
            ("#///q", "https://a/b/c", "https://a/b/c#///q"),
            ("https:/p", "https://a/b/c", "https://a/p"),
            ("https:p", "https://a/b/c", "https://a/b/p"),
            ("///p/q", "file:///a", "file:///p/q"),
            ("", "https://a/b/c#d", "https://a/b/c"),
        ] {
            assert_eq!(resolved(input, base), expected, "{input:?} on {base}");
        }
    }

    #[test]
    fn three_slashes_without_a_base_are_no_url() {
        assert_eq!(
            resolve("///host/p", None),
            Err(UrlError::Syntax(url::ParseError::RelativeUrlWithoutBase))
        );
        let base = Url::parse("https://a/").unwrap();
        assert_eq!(resolve("///", Some(&base)), Err(UrlError::Syntax(url::ParseError::EmptyHost)));
    }

    #[test]
    fn a_caret_is_escaped_in_paths_only() {
        for (input, expected) in [
            ("https://a/x^y", "https://a/x%5Ey"),
            ("https://a/^/../^?^#^", "https://a/%5E?^#^"),
            ("https://a/x%5ey^", "https://a/x%5ey%5E"),
            ("https://a/?^", "https://a/?^"),
            ("mailto:x^y", "mailto:x^y"),
        ] {
            assert_eq!(resolve(input, None).unwrap().as_str(), expected, "{input}");
        }
    }

    #[test]
    fn dot_segments_follow_the_standard() {
        for (input, expected) in [
            ("../x", "https://a/x"),
            ("../../../x", "https://a/x"),
            (".", "https://a/b/"),
            ("..", "https://a/"),
            ("%2e%2E/x", "https://a/x"),
            ("/m//../x", "https://a/m/x"),
            ("/m/n//..", "https://a/m/n/"),
            ("/.//x", "https://a//x"),
            ("/m/./x/.", "https://a/m/x/"),
            ("..\\x", "https://a/x"),
            ("/...", "https://a/..."),
        ] {
            assert_eq!(resolved(input, "https://a/b/c"), expected, "{input}");
        }
    }

    fn latin(text: &str) -> Cow<'_, [u8]> {
        text.chars().map(|character| u8::try_from(character).unwrap()).collect()
    }

    #[test]
    fn queries_are_written_in_the_encoding_of_the_page() {
        let base = Url::parse("https://a/").unwrap();
        let url = resolve_with_encoding("///b/é?é#é", Some(&base), Some(&latin)).unwrap();
        assert_eq!(url.as_str(), "https://b/%C3%A9?%E9#%C3%A9");
    }
}
