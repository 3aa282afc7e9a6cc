//! Makes text of strangers harmless for terminals.

use std::borrow::Cow;

use recrawl_core::words::is_harmful;

/// Returns one line of text in which nothing moves the cursor, starts an escape sequence or turns
/// the direction of reading: such characters are shown as `\n`, `\u{1b}` and so on.
pub(crate) fn sanitize_for_terminal(text: &str) -> Cow<'_, str> {
    escape(text, |_| false)
}

/// Returns text whose lines are [`sanitize_for_terminal`].
pub(crate) fn harmless_lines(text: &str) -> Cow<'_, str> {
    escape(text, |character| character == '\n')
}

fn escape(text: &str, keeps: fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(|character| is_harmful(character) && !keeps(character)) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_harmful(character) && !keeps(character) {
            escaped.extend(character.escape_default());
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_harm_is_shown_escaped() {
        for (text, expected) in [
            ("plain, é, 中 and 👩‍🚀", "plain, é, 中 and 👩‍🚀"),
            ("\u{1b}[31mred\u{7}", "\\u{1b}[31mred\\u{7}"),
            ("\u{9b}31m\u{7f}", "\\u{9b}31m\\u{7f}"),
            ("a\tb\r\nc", "a\\tb\\r\\nc"),
            ("exe\u{202e}fdp", "exe\\u{202e}fdp"),
            ("\u{2066}x\u{2069}\u{200f}\u{61c}", "\\u{2066}x\\u{2069}\\u{200f}\\u{61c}"),
            ("\u{2028}", "\\u{2028}"),
        ] {
            assert_eq!(sanitize_for_terminal(text), expected);
            assert!(!sanitize_for_terminal(text).chars().any(is_harmful));
        }
    }

    #[test]
    fn lines_stay_lines_where_they_may() {
        assert_eq!(harmless_lines("a\n\u{1b}b\n"), "a\n\\u{1b}b\n");
    }
}
