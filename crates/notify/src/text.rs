//! Text of strangers, cut to size and without characters that do something.

use std::fmt;

use recrawl_core::words::is_harmful;

/// Returns one line: white space collapsed, and `�` for what would move a cursor, start an escape sequence or
/// turn the direction of reading.
pub(crate) fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words
        .join(" ")
        .chars()
        .map(|character| if is_harmful(character) { '\u{fffd}' } else { character })
        .collect()
}

/// Returns the lines of a text, each [`plain`] and at most `most` characters long.
pub(crate) fn plain_lines(text: &str, most: usize) -> impl Iterator<Item = String> {
    text.lines().map(move |line| shortened(&plain(line), most))
}

/// Returns the first `most` characters, the last of them an ellipsis if there are more.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// Returns the text with every character that `escaped` knows written as it says.
pub(crate) fn rewritten(text: &str, escaped: impl Fn(char) -> Option<&'static str>) -> String {
    let mut written = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match escaped(character) {
            Some(escape) => written.push_str(escape),
            None => written.push(character),
        }
    }
    written
}

/// Returns as many entries as fit, with a line end each, and how many do not.
///
/// Sizes are UTF-16 units: services that count characters count no more than that.
pub(crate) fn fitting(
    entries: impl IntoIterator<Item = String>,
    room: usize,
    most: usize,
) -> (Vec<String>, usize) {
    let (mut taken, mut used, mut left) = (Vec::new(), 0, 0);
    for entry in entries {
        let size = units(&entry) + 1;
        if left == 0 && taken.len() < most && used + size <= room {
            used += size;
            taken.push(entry);
        } else {
            left += 1;
        }
    }
    (taken, left)
}

/// Returns the size of a text in UTF-16 units.
pub(crate) fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Bytes as hexadecimal digits.
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_something_is_taken_out() {
        for (text, expected) in [
            ("plain, é, 中 and 👩‍🚀", "plain, é, 中 and 👩‍🚀"),
            ("  a\r\nBcc: x@y.z\t b ", "a Bcc: x@y.z b"),
            ("\u{1b}[31mred\u{7}", "\u{fffd}[31mred\u{fffd}"),
            ("exe\u{202e}fdp\u{2028}", "exe\u{fffd}fdp"),
        ] {
            assert_eq!(plain(text), expected);
        }
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(shortened("ééé", 3), "ééé");
        assert_eq!(shortened("éééé", 3), "éé…");
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let entries = || ["aa", "bb", "c", "d"].map(str::to_owned);
        for (room, most, taken, left) in
            [(100, 9, 4, 0), (6, 9, 2, 2), (7, 9, 2, 2), (100, 3, 3, 1), (0, 9, 0, 4)]
        {
            let fits = fitting(entries(), room, most);
            assert_eq!((fits.0.len(), fits.1), (taken, left), "{room} {most}");
        }
        assert_eq!(fitting(["👩".to_owned()], 2, 1).1, 1, "two units and the line end");
    }
}
