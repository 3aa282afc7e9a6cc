//! How much a line says: its letters, and whether it is a sentence.

/// What is shorter is a label, even if it ends with a full stop.
const SHORT: u32 = 20;

/// Returns about how many letters a text has. A Chinese, Japanese or Korean character says as much as three.
pub(crate) fn letters(text: &str) -> u32 {
    // By byte, without a branch, and in parts whose sums fit a byte, so that the compiler adds many at once. The first byte
    // of a character of two or more is 0xC0 or above; nearly all of them are letters.
    const PART: usize = 64;
    let weight = |byte: &u8| {
        u8::from(byte.is_ascii_alphabetic())
            + u8::from(*byte >= 0xC0)
            + 2 * u8::from(byte.wrapping_sub(0xE3) <= 0xED - 0xE3)
    };
    let part = |part: &[u8]| u32::from(part.iter().map(weight).fold(0, u8::wrapping_add));
    text.as_bytes().chunks(PART).map(part).sum()
}

/// Returns the lines of a canonical text, faster than the standard library does.
pub(crate) fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text).filter(|text| !text.is_empty());
    std::iter::from_fn(move || {
        let text = rest?;
        let end = memchr::memchr(b'\n', text.as_bytes());
        rest = end.and_then(|end| text.get(end + 1..));
        text.get(..end.unwrap_or(text.len()))
    })
}

/// Tells whether a text has a letter or a digit.
pub(crate) fn has_words(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// Tells whether a line is a sentence, or has one: words up to a full stop, a question mark or the like.
pub(crate) fn is_sentence(line: &str) -> bool {
    if letters(line) < SHORT {
        return false;
    }
    let mut before = None;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let is_end = match character {
            '.' | '!' | '?' | '\u{2026}' => {
                let is_after_word = before.is_some_and(|before: char| {
                    before.is_alphanumeric() || ")]\"'\u{201d}\u{2019}\u{bb}%".contains(before)
                });
                let is_before_gap = characters
                    .peek()
                    .is_none_or(|next| next.is_whitespace() || ")]\"'\u{201d}\u{2019}\u{bb}".contains(*next));
                is_after_word && is_before_gap
            }
            // Chinese and Japanese; Devanagari; Arabic, Urdu; Armenian; Ethiopic; Burmese; Khmer.
            '\u{3002}' | '\u{ff01}' | '\u{ff1f}' | '\u{964}' | '\u{61f}' | '\u{6d4}' | '\u{589}'
            | '\u{1362}' | '\u{104b}' | '\u{17d4}' => true,
            _ => false,
        };
        if is_end {
            return true;
        }
        before = Some(character);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_counted_in_every_script() {
        for (text, expected) in [
            ("", 0),
            ("a1 b.", 2),
            ("\u{e9}t\u{e9}", 3),
            ("\u{43f}\u{440}\u{438}", 3),
            ("\u{939}\u{93f}", 2),
            ("\u{4e2d}\u{6587}", 6),
            ("\u{d55c}", 3),
        ] {
            assert_eq!(letters(text), expected, "{text}");
        }
    }

    #[test]
    fn long_texts_are_counted_whole() {
        for length in [63, 64, 65, 1_000] {
            assert_eq!(letters(&"a".repeat(length)), u32::try_from(length).unwrap());
            assert_eq!(letters(&"\u{4e2d}".repeat(length)), 3 * u32::try_from(length).unwrap());
        }
    }

    #[test]
    fn lines_are_those_of_the_standard_library() {
        for text in ["", "a", "a\nb", "a\n\nb"] {
            assert_eq!(lines_of(text).collect::<Vec<_>>(), text.lines().collect::<Vec<_>>(), "{text:?}");
        }
    }

    #[test]
    fn a_sentence_ends_as_sentences_do() {
        for (line, expected) in [
            ("I agree to the terms of use.", true),
            ("Do you have any questions?", true),
            ("\"We will be closed on Monday.\"", true),
            ("We close early. See you", false),
            ("The office closes early today. See you tomorrow", true),
            ("I agree to the terms of use", false),
            ("Download version 3.1.2 of the program", false),
            ("Submit.", false),
            ("Read more about it ...", false),
            ("\u{672c}\u{7ad9}\u{5c06}\u{4e8e}\u{5468}\u{4e00}\u{5173}\u{95ed}\u{3002}", true),
        ] {
            assert_eq!(is_sentence(line), expected, "{line}");
        }
    }
}
