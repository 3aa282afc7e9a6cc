//! The lines of a robots.txt, and the spellings of its directives that are understood.

use std::time::Duration;

use super::Robots;

/// The longest line; what goes beyond is not there, and what it would have opened stays closed.
const MAX_LINE: usize = 16_663;

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Directive {
    UserAgent(String),
    Allow(Vec<u8>),
    Disallow(Vec<u8>),
    CrawlDelay(Duration),
    Sitemap(String),
}

/// Returns the directives of a file with the numbers of their lines.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, Directive)> {
    let text = without_byte_order_mark(within_limit(bytes));
    let mut rest = Some(text);
    let all = std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = memchr::memchr2(b'\n', b'\r', text) else {
            rest = None;
            return Some(text);
        };
        let after = if text[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 };
        rest = Some(&text[after..]);
        Some(&text[..end])
    });
    (1..).zip(all).filter_map(|(number, line)| Some((number, directive(line)?)))
}

/// Cuts a file that is too long behind its last whole line.
fn within_limit(bytes: &[u8]) -> &[u8] {
    bytes.get(..Robots::MAX_BYTES).map_or(bytes, whole_lines)
}

/// Drops what follows the last line break: half a line.
pub(super) fn whole_lines(bytes: &[u8]) -> &[u8] {
    memchr::memrchr2(b'\n', b'\r', bytes).map_or(&[], |end| &bytes[..end])
}

/// Skips a byte order mark, also one that lost its end.
fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    let marks = bytes.iter().zip(b"\xEF\xBB\xBF").take_while(|(byte, mark)| byte == mark).count();
    &bytes[marks..]
}

fn directive(line: &[u8]) -> Option<Directive> {
    let is_cut = line.len() > MAX_LINE;
    let line = &line[..line.len().min(MAX_LINE)];
    let end = memchr::memchr2(b'#', 0, line).unwrap_or(line.len());
    let (key, value) = key_and_value(trimmed(&line[..end]))?;
    let is = |names: &[&str]| names.iter().any(|name| starts_with_ignoring_case(key, name));
    let text = || String::from_utf8_lossy(value).into_owned();
    if is(&["user-agent", "useragent", "user agent"]) {
        Some(Directive::UserAgent(text()))
    } else if is(&["allow"]) {
        // Google's matcher cuts a line of this length and lets the beginning count, and so do we.
        Some(Directive::Allow(value.to_vec()))
    } else if is(&["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]) {
        Some(Directive::Disallow(value.to_vec()))
    } else if is(&["crawl-delay", "crawldelay", "crawl delay"]) {
        Some(Directive::CrawlDelay(seconds(&text())?))
    } else if is(&["sitemap", "site-map"]) {
        Some(Directive::Sitemap(text())).filter(|_| !value.is_empty() && !is_cut)
    } else {
        None
    }
}

/// Splits at the colon or, where it was forgotten, at the only white space.
fn key_and_value(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (key, value) = if let Some(colon) = memchr::memchr(b':', line) {
        (trimmed(&line[..colon]), trimmed(&line[colon + 1..]))
    } else {
        let space = memchr::memchr2(b' ', b'\t', line)?;
        let value = trimmed(&line[space..]);
        if memchr::memchr2(b' ', b'\t', value).is_some() {
            return None;
        }
        (&line[..space], value)
    };
    (!key.is_empty()).then_some((key, value))
}

/// Reads decimal seconds without a sign or an exponent.
fn seconds(text: &str) -> Option<Duration> {
    if !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    Duration::try_from_secs_f64(text.parse().ok()?).ok()
}

fn starts_with_ignoring_case(key: &[u8], name: &str) -> bool {
    key.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
}

/// Trims what the C library calls white space, a vertical tab included.
fn trimmed(bytes: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0B;
    let start = bytes.iter().position(|byte| !is_space(byte)).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|byte| !is_space(byte)).map_or(start, |last| last + 1);
    &bytes[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disallow(pattern: &str) -> Directive {
        Directive::Disallow(pattern.into())
    }

    #[test]
    fn a_line_is_understood_in_many_spellings() {
        for line in [
            "Disallow: /x",
            "disallow:/x",
            "  DISALLOW \t:\t /x \t",
            "disallow /x",
            "disallow\t \t/x",
            "Disallow: /x # why",
            "dissallow: /x",
            "dissalow: /x",
            "disalow: /x",
            "diasllow: /x",
            "disallaw: /x",
            "disallowed: /x",
            "Disallow: /x\0y",
            "\u{b}disallow: /x\u{c}",
        ] {
            assert_eq!(directive(line.as_bytes()), Some(disallow("/x")), "{line:?}");
        }
        for line in ["User-agent: a", "USERAGENT:a", "user agent: a", "user-agents a"] {
            let expected = Some(Directive::UserAgent("a".into()));
            assert_eq!(directive(line.as_bytes()), expected, "{line:?}");
        }
        for line in ["Sitemap: http://a/b", "site-map: http://a/b", "SITEMAPS:http://a/b"] {
            let expected = Some(Directive::Sitemap("http://a/b".into()));
            assert_eq!(directive(line.as_bytes()), expected, "{line:?}");
        }
        assert_eq!(directive(b"Allow:"), Some(Directive::Allow(Vec::new())));
        assert_eq!(directive(b"Disallow: /a:b c"), Some(disallow("/a:b c")));
    }

    #[test]
    fn other_lines_say_nothing() {
        for line in [
            "",
            " ",
            "#",
            "# Disallow: /",
            "disallow",
            ": /x",
            "disallow /x /y",
            "nofollow: /x",
            "Crawl-delay: -1",
            "Crawl-delay: soon",
            "Crawl-delay: 1e3",
            "Crawl-delay:",
            "Crawl-delay: .",
            "Crawl-delay: inf",
            "Crawl-delay: 99999999999999999999999",
            "Sitemap:",
        ] {
            assert_eq!(directive(line.as_bytes()), None, "{line:?}");
        }
    }

    #[test]
    fn delays_have_decimals() {
        for (line, milliseconds) in [
            ("Crawl-delay: 10", 10_000),
            ("crawldelay 0.25", 250),
            ("Crawl-Delay:.5 # s", 500),
            ("crawl-delay: 0", 0),
        ] {
            let expected = Some(Directive::CrawlDelay(Duration::from_millis(milliseconds)));
            assert_eq!(directive(line.as_bytes()), expected, "{line:?}");
        }
    }

    #[test]
    fn lines_end_with_any_line_ending() {
        for (text, numbers) in [
            ("allow: a\nallow: b\n\nallow: c", vec![1, 2, 4]),
            ("allow: a\r\nallow: b\r\n\r\nallow: c\r\n", vec![1, 2, 4]),
            ("allow: a\rallow: b\r\rallow: c\r", vec![1, 2, 4]),
            ("allow: a\n\rallow: b", vec![1, 3]),
            ("", vec![]),
        ] {
            let found: Vec<usize> = lines(text.as_bytes()).map(|(number, _)| number).collect();
            assert_eq!(found, numbers, "{text:?}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_skipped_whole_or_in_part() {
        for mark in [&b"\xEF\xBB\xBF"[..], b"\xEF\xBB", b"\xEF", b""] {
            let file = [mark, b"allow: a"].concat();
            assert_eq!(lines(&file).count(), 1, "{mark:?}");
        }
        assert_eq!(lines(b"\xBB\xBFallow: a").count(), 0);
    }

    #[test]
    fn long_lines_are_cut() {
        let line = format!("disallow: /{}", "x".repeat(20_000));
        assert_eq!(directive(line.as_bytes()), Some(disallow(&line[10..MAX_LINE])));
        let line = format!("allow: /{}", "x".repeat(20_000));
        let allowed = line.as_bytes()[7..MAX_LINE].to_vec();
        assert_eq!(directive(line.as_bytes()), Some(Directive::Allow(allowed)));
        let line = format!("sitemap: http://a/{}", "x".repeat(20_000));
        assert_eq!(directive(line.as_bytes()), None, "half of it would name something else");
    }

    #[test]
    fn long_files_end_with_a_whole_line() {
        let line = "disallow: /abcdefghijklm\n";
        let file = line.repeat(Robots::MAX_BYTES / line.len() + 100);
        let found: Vec<_> = lines(file.as_bytes()).collect();
        assert_eq!(found.len(), Robots::MAX_BYTES / line.len());
        assert!(found.iter().all(|(_, directive)| *directive == disallow("/abcdefghijklm")));
    }

    #[test]
    fn the_line_at_which_a_file_was_cut_is_dropped() {
        let rules = "user-agent: *\ndisallow: /private/\n";
        let comment = "#".repeat(Robots::MAX_BYTES - rules.len() - "\nallow: /private/".len());
        let cut = format!("{rules}{comment}\nallow: /private/");
        assert_eq!(cut.len(), Robots::MAX_BYTES);
        for rest in ["", "open/page", "open/page\n", "ö\nallow: /x\n"] {
            assert_eq!(lines(format!("{cut}{rest}").as_bytes()).count(), 2, "{rest:?}");
        }
        for (bytes, whole) in [
            (&b"a\nb\nc"[..], &b"a\nb"[..]),
            (b"a\nb\n", b"a\nb"),
            (b"a\r\nb", b"a\r"),
            (b"a\n\xC3", b"a"),
            (b"a", b""),
            (b"", b""),
        ] {
            assert_eq!(whole_lines(bytes), whole, "{bytes:?}");
        }
    }
}
