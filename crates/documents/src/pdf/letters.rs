//! What a glyph says: letters, ligatures, accents.

use std::ops::Deref;

use icu_normalizer::properties::CanonicalCompositionBorrowed;

/// The text of one glyph.
pub(super) struct Letters {
    bytes: [u8; 4],
    length: usize,
    ligature: Option<&'static str>,
}

impl Letters {
    /// Returns what a letter says: a ligature is its letters, and what is no text is a blank.
    pub(super) fn of(letter: char) -> Self {
        let ligature = ligature(letter);
        let mut bytes = [0; 4];
        let length = replacement(letter).encode_utf8(&mut bytes).len();
        Self { bytes, length, ligature }
    }

    /// Returns what stands for a glyph of which nothing but its code is known.
    ///
    /// Codes of one byte are Latin-1, as other readers take them. Longer ones become private characters: nobody can read
    /// them, but they can be compared.
    pub(super) fn of_code(code: u32) -> Self {
        const PRIVATE: u32 = 0xE000;
        const PRIVATE_LETTERS: u32 = 6_400;
        let letter = if code < 256 { code } else { PRIVATE + code % PRIVATE_LETTERS };
        Self::of(char::from_u32(letter).unwrap_or(' '))
    }
}

impl Deref for Letters {
    type Target = str;

    fn deref(&self) -> &str {
        match self.ligature {
            Some(letters) => letters,
            None => self.bytes.get(..self.length).and_then(|bytes| str::from_utf8(bytes).ok()).unwrap_or(" "),
        }
    }
}

/// Returns what a character counts as: a blank if it is none that can be read.
pub(super) fn replacement(letter: char) -> char {
    match letter {
        '\u{a0}' | '\u{2028}' | '\u{2029}' => ' ',
        _ if letter.is_control() => ' ',
        _ => letter,
    }
}

/// Returns what an accent at the end of a text and the letter behind it make together, if that is one letter.
pub(super) fn compose(text: &str, letter: &str) -> Option<char> {
    let accent = combining(text.chars().next_back()?)?;
    CanonicalCompositionBorrowed::new().compose(letter.chars().next()?, accent)
}

fn ligature(letter: char) -> Option<&'static str> {
    Some(match letter {
        '\u{fb00}' => "ff",
        '\u{fb01}' => "fi",
        '\u{fb02}' => "fl",
        '\u{fb03}' => "ffi",
        '\u{fb04}' => "ffl",
        '\u{fb05}' | '\u{fb06}' => "st",
        _ => return None,
    })
}

/// Returns the combining form of an accent that stands alone.
fn combining(accent: char) -> Option<char> {
    Some(match accent {
        '`' | '\u{2cb}' => '\u{300}',
        '\u{b4}' | '\u{2ca}' => '\u{301}',
        '^' | '\u{2c6}' => '\u{302}',
        '~' | '\u{2dc}' => '\u{303}',
        '\u{af}' | '\u{2c9}' => '\u{304}',
        '\u{2d8}' => '\u{306}',
        '\u{2d9}' => '\u{307}',
        '\u{a8}' => '\u{308}',
        '\u{2da}' => '\u{30a}',
        '\u{2dd}' => '\u{30b}',
        '\u{2c7}' => '\u{30c}',
        '\u{b8}' => '\u{327}',
        '\u{2db}' => '\u{328}',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glyph_says_its_letters() {
        assert_eq!(&*Letters::of('\u{fb03}'), "ffi");
        assert_eq!(&*Letters::of('\u{a0}'), " ");
        assert_eq!(&*Letters::of('ß'), "ß");
        assert_eq!(&*Letters::of_code(0xe9), "é");
        assert_eq!(&*Letters::of_code(300), "\u{e12c}");
    }

    #[test]
    fn an_accent_and_a_letter_are_one() {
        assert_eq!(compose("Caf\u{b4}", "e"), Some('é'));
        assert_eq!(compose("M\u{a8}", "unchen"), Some('ü'));
        assert_eq!(compose("Caf", "e"), None);
        assert_eq!(compose("", "e"), None);
    }
}
