//! A page's canonical text: what a person reads, line by line, and what the semantic hash covers.

use sha2::{Digest, Sha256};

pub(crate) use rules::Cleaned;
pub use rules::{TextRules, TextRulesError, TextSettings};

use crate::fast::{is_canonical, run_end};

mod kept_lines;
mod matches;
mod rules;

/// Returns the semantic hash of a page: the SHA-256 of its canonical text in UTF-8.
pub fn semantic_hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// Writes canonical text: white space collapsed, lines trimmed, no empty lines.
#[derive(Debug, Default)]
pub(crate) struct TextWriter {
    text: String,
    lines: usize,
    gap: Gap,
}

/// What separates the next word from the text so far.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Gap {
    #[default]
    None,
    Space,
    Line,
}

impl TextWriter {
    /// Makes a writer with room for `length` bytes.
    pub(crate) fn with_capacity(length: usize) -> Self {
        Self { text: String::with_capacity(length), lines: 0, gap: Gap::None }
    }

    /// Separates what follows by a space at least.
    pub(crate) fn break_word(&mut self) {
        if self.gap == Gap::None {
            self.gap = Gap::Space;
        }
    }

    /// Begins a new line.
    pub(crate) fn break_line(&mut self) {
        self.gap = Gap::Line;
    }

    /// Appends text as it stands in a page.
    pub(crate) fn push(&mut self, text: &str) {
        // Source lines are short enough to be judged whole, and most need no change.
        let mut rest = text;
        while let Some(end) = memchr::memchr(b'\n', rest.as_bytes()) {
            self.push_line(&rest[..end]);
            self.break_word();
            rest = &rest[end + 1..];
        }
        self.push_line(rest);
    }

    fn push_line(&mut self, line: &str) {
        let start_trimmed = line.trim_ascii_start();
        if start_trimmed.len() < line.len() {
            self.break_word();
        }
        let trimmed = start_trimmed.trim_ascii_end();
        if is_canonical(trimmed.as_bytes()) {
            self.write(trimmed);
        } else {
            self.push_collapsed(trimmed);
        }
        if trimmed.len() < start_trimmed.len() {
            self.break_word();
        }
    }

    /// Returns how many bytes were written.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns how many lines were begun.
    pub(crate) fn lines(&self) -> usize {
        self.lines
    }

    /// Returns the line to which the next word will belong, counted from 0.
    pub(crate) fn next_line(&self) -> usize {
        if self.gap == Gap::Line { self.lines } else { self.lines.saturating_sub(1) }
    }

    /// Returns what was written since the text had this length.
    pub(crate) fn since(&self, length: usize) -> &str {
        self.text.get(length..).unwrap_or_default()
    }

    /// Returns the text.
    pub(crate) fn finish(self) -> String {
        self.text
    }

    fn push_collapsed(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let end = run_end(bytes, at);
            self.write(&text[at..end]);
            at = end;
            let Some(character) = text[at..].chars().next() else {
                break;
            };
            let next = at + character.len_utf8();
            if character.is_whitespace() {
                self.break_word();
            } else if !is_invisible(character) {
                self.write(&text[at..next]);
            }
            at = next;
        }
    }

    fn write(&mut self, words: &str) {
        if words.is_empty() {
            return;
        }
        match self.gap {
            _ if self.text.is_empty() => self.lines = 1,
            Gap::None => {}
            Gap::Space => self.text.push(' '),
            Gap::Line => {
                self.text.push('\n');
                self.lines += 1;
            }
        }
        self.gap = Gap::None;
        self.text.push_str(words);
    }
}

/// Characters that take no room and carry no meaning.
///
/// The joiners U+200C and U+200D are kept: they change letters and compose emoji.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// Restores canonical form after parts of a text were removed.
pub(crate) fn tidy(text: &str) -> String {
    let mut writer = TextWriter::with_capacity(text.len());
    for line in text.split('\n') {
        writer.push(line);
        writer.break_line();
    }
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::{TextWriter, semantic_hash, tidy};
    use proptest::prelude::*;

    fn collapse(text: &str) -> String {
        let mut writer = TextWriter::default();
        writer.push(text);
        writer.finish()
    }

    #[test]
    fn white_space_collapses_and_invisible_characters_vanish() {
        for (text, expected) in [
            ("plain", "plain"),
            ("  two  words \n", "two words"),
            ("a\u{a0}b\u{a0}\u{a0}c", "a b c"),
            ("\u{a0}a\u{3000}", "a"),
            ("a\u{2003}b\u{202f}c\u{2028}d\u{1680}e\u{85}f", "a b c d e f"),
            ("soft\u{ad}hyphen", "softhyphen"),
            ("zero\u{200b}width\u{feff}", "zerowidth"),
            ("a \u{200b} b", "a b"),
            ("\u{e2}ge \u{c2}ge \u{20ac}5", "\u{e2}ge \u{c2}ge \u{20ac}5"),
            ("\u{645}\u{6cc}\u{200c}\u{631}", "\u{645}\u{6cc}\u{200c}\u{631}"),
            ("\u{1f469}\u{200d}\u{1f680}", "\u{1f469}\u{200d}\u{1f680}"),
            ("", ""),
            (" \t\r\n\u{c}", ""),
        ] {
            assert_eq!(collapse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn gaps_join_into_one() {
        let mut writer = TextWriter::default();
        writer.break_line();
        writer.push(" one");
        writer.break_word();
        writer.push(" two ");
        writer.break_line();
        writer.push("  ");
        writer.break_line();
        writer.break_word();
        writer.push("three");
        writer.push("four ");
        writer.break_line();
        assert_eq!(writer.finish(), "one two\nthreefour");
    }

    #[test]
    fn hash_is_the_sha256_of_the_text() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let hash = semantic_hash("abc").map(|byte| format!("{byte:02x}")).concat();
        assert_eq!(hash, expected);
    }

    proptest! {
        #[test]
        fn canonical_text_is_canonical(text in "[a-z \u{a0}\u{200b}\t\u{e9}\u{4e2d}\n.]{0,60}") {
            let once = tidy(&text);
            prop_assert_eq!(tidy(&once), once.clone());
            let words: Vec<&str> = once.split(['\n', ' ']).collect();
            prop_assert!(once.is_empty() || words.iter().all(|word| !word.is_empty()));
        }

        #[test]
        fn collapsing_does_what_the_slow_way_does(text in "[ -~\u{a0}\u{ad}\u{200b}\t\u{e9}\u{2028}\n]{0,60}") {
            let visible: String =
                text.chars().filter(|character| !matches!(character, '\u{ad}' | '\u{200b}')).collect();
            let expected: Vec<&str> = visible.split_whitespace().collect();
            prop_assert_eq!(collapse(&text), expected.join(" "));
        }
    }
}
