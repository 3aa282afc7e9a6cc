//! Path patterns with `*` and a final `$`.

use std::fmt;

use memchr::memmem;

/// A pattern of an `Allow` or `Disallow` line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    text: String,
    /// Another pattern that the line stands for too.
    alternative: Option<String>,
    /// `*` and `$` are letters like others.
    is_prefix: bool,
}

impl Pattern {
    /// Reads the pattern of an `Allow` line; `/dir/index.html` allows `/dir/` too.
    pub(super) fn allowing(pattern: &[u8]) -> Self {
        let text = escaped(pattern);
        let alternative = text
            .rfind('/')
            .filter(|slash| text[*slash..].starts_with("/index.htm"))
            .map(|slash| format!("{}$", &text[..=slash]));
        Self { text, alternative, is_prefix: false }
    }

    /// Reads what the paths begin with that a `Disallow` line of a capsule forbids.
    pub(super) fn prefix(pattern: &[u8]) -> Self {
        Self { is_prefix: true, ..Self::forbidding(pattern) }
    }

    /// Reads the pattern of a `Disallow` line; escaped letters forbid the plain ones too.
    pub(super) fn forbidding(pattern: &[u8]) -> Self {
        let text = escaped(pattern);
        let plain = with_plain_letters(&text);
        let alternative = (plain != text).then_some(plain);
        Self { text, alternative, is_prefix: false }
    }

    /// Returns the length of the pattern if it matches the start of `path`.
    pub(super) fn match_length(&self, path: &str) -> Option<usize> {
        let patterns = [Some(&self.text), self.alternative.as_ref()];
        let is_match = |pattern: &&String| {
            if self.is_prefix { path.starts_with(pattern.as_str()) } else { matches(path, pattern) }
        };
        let mut matching = patterns.into_iter().flatten().filter(is_match);
        matching.next().map(String::len)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// Matches piece by piece, each as early as it can: no choice is ever taken back.
fn matches(path: &str, pattern: &str) -> bool {
    let (pattern, is_anchored) = match pattern.strip_suffix('$') {
        Some(before) => (before, true),
        None => (pattern, false),
    };
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = path.as_bytes().strip_prefix(first.as_bytes()) else {
        return false;
    };
    let mut last = None;
    for piece in pieces {
        if let Some(before) = last.replace(piece) {
            let Some(start) = memmem::find(rest, before.as_bytes()) else {
                return false;
            };
            rest = &rest[start + before.len()..];
        }
    }
    match (last, is_anchored) {
        (None, true) => rest.is_empty(),
        (None, false) => true,
        (Some(last), true) => rest.ends_with(last.as_bytes()),
        (Some(last), false) => memmem::find(rest, last.as_bytes()).is_some(),
    }
}

/// Escapes what is not ASCII, and writes the digits of escapes in upper case.
fn escaped(pattern: &[u8]) -> String {
    let mut text = String::with_capacity(pattern.len());
    let mut index = 0;
    while let Some(&byte) = pattern.get(index) {
        index += 1;
        if let Some(digits) = pattern.get(index..index + 2).filter(|_| byte == b'%')
            && digits.iter().all(u8::is_ascii_hexdigit)
        {
            text.push('%');
            text.extend(digits.iter().map(|digit| char::from(digit.to_ascii_uppercase())));
            index += 2;
        } else if byte.is_ascii() {
            text.push(char::from(byte));
        } else {
            text.extend(format!("%{byte:02X}").chars());
        }
    }
    text
}

/// Decodes the escapes of characters that need none in a URL.
fn with_plain_letters(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(start) = rest.find('%') {
        text.push_str(&rest[..start]);
        let code = rest.get(start + 1..start + 3).and_then(|code| u8::from_str_radix(code, 16).ok());
        match code.map(char::from) {
            Some(plain) if plain.is_ascii_alphanumeric() || "-._~".contains(plain) => {
                text.push(plain);
                rest = &rest[start + 3..];
            }
            Some(_) | None => {
                text.push('%');
                rest = &rest[start + 1..];
            }
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn patterns_match_the_start_of_a_path() {
        for (pattern, path, expected) in [
            ("", "/x", true),
            ("/", "/x", true),
            ("/x", "/xy", true),
            ("/x/", "/x", false),
            ("/x$", "/x", true),
            ("/x$", "/xy", false),
            ("/x$y", "/x$y", true),
            ("/x$$", "/x$", true),
            ("$", "/", false),
            ("*", "/", true),
            ("*$", "/x", true),
            ("/*/x", "/a/b/x/y", true),
            ("/*/x$", "/a/x/b/x", true),
            ("/*/x$", "/x", false),
            ("/*x*x$", "/x", false),
            ("/*.php$", "/a.php?b", false),
            ("/*.php", "/a.php?b", true),
            ("/a**b", "/ab", true),
            ("/a*", "/a", true),
            ("/ab*b", "/ab", false),
            ("/aba*aba$", "/aba", false),
            ("x", "/x", false),
        ] {
            assert_eq!(matches(path, pattern), expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn escapes_are_upper_case_and_cover_what_is_not_ascii() {
        for (pattern, expected) in [
            (&b"/a"[..], "/a"),
            ("/ö".as_bytes(), "/%C3%B6"),
            (b"/\xF6", "/%F6"),
            (b"/%c3%b6", "/%C3%B6"),
            (b"/%7e%", "/%7E%"),
            (b"/%zz%4", "/%zz%4"),
        ] {
            assert_eq!(escaped(pattern), expected);
        }
    }

    #[test]
    fn a_line_may_stand_for_two_patterns() {
        for (pattern, path, expected) in [
            (Pattern::allowing(b"/d/index.html"), "/d/", Some(4)),
            (Pattern::allowing(b"/d/index.html"), "/d/index.html", Some(13)),
            (Pattern::allowing(b"/d/index.html"), "/d/e", None),
            (Pattern::allowing(b"/d/index.htmx"), "/d/", Some(4)),
            (Pattern::allowing(b"/d/index.php"), "/d/", None),
            (Pattern::allowing(b"/%7Ejoe"), "/~joe", None),
            (Pattern::forbidding(b"/d/index.html"), "/d/", None),
            (Pattern::forbidding(b"/%7ejoe"), "/~joe", Some(5)),
            (Pattern::forbidding(b"/%7ejoe"), "/%7Ejoe", Some(7)),
            (Pattern::forbidding(b"/%2Fjoe"), "//joe", None),
        ] {
            assert_eq!(pattern.match_length(path), expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn many_wildcards_take_no_time() {
        let pattern = "/*a".repeat(2_000) + "b";
        assert!(!matches(&"/a".repeat(50_000), &pattern));
    }

    /// Tries every way to match, as slowly as the definition reads.
    fn matches_by_definition(path: &[u8], pattern: &[u8]) -> bool {
        match pattern {
            [] => true,
            b"$" => path.is_empty(),
            [b'*', rest @ ..] => {
                (0..=path.len()).any(|skipped| matches_by_definition(&path[skipped..], rest))
            }
            [byte, rest @ ..] => path.first() == Some(byte) && matches_by_definition(&path[1..], rest),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn matching_early_is_matching_by_definition(path in "[ab$]{0,8}", pattern in "[ab*$]{0,6}") {
            let expected = matches_by_definition(path.as_bytes(), pattern.as_bytes());
            prop_assert_eq!(matches(&path, &pattern), expected);
        }
    }
}
