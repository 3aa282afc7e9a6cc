//! Newlines as the standard's parser wants them: line feeds alone.

use std::borrow::Cow;

use memchr::memchr;

/// Returns a text in which every carriage return became a line feed, and those before a line feed are gone.
pub(crate) fn with_line_feeds(text: &str) -> Cow<'_, str> {
    let Some(mut end) = memchr(b'\r', text.as_bytes()) else { return Cow::Borrowed(text) };
    let mut normal = String::with_capacity(text.len());
    let mut start = 0;
    loop {
        normal.push_str(&text[start..end]);
        start = end + 1;
        if text.as_bytes().get(start) != Some(&b'\n') {
            normal.push('\n');
        }
        match memchr(b'\r', &text.as_bytes()[start..]) {
            Some(distance) => end = start + distance,
            None => break,
        }
    }
    normal.push_str(&text[start..]);
    Cow::Owned(normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_line_feeds() {
        for (text, expected) in [
            ("", ""),
            ("a\nb", "a\nb"),
            ("a\r\nb\r\n", "a\nb\n"),
            ("\ra\r\r\n\n\rb", "\na\n\n\n\nb"),
            ("\r", "\n"),
        ] {
            assert_eq!(with_line_feeds(text), expected, "{text:?}");
        }
    }
}
