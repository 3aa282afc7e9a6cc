//! How figures and text of strangers are put before people, whoever does it.

/// Writes a number with its thousands apart: `3,500`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Writes how many there are of something: `1 page`, `3,500 pages`.
pub fn counted(count: u64, word: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {word}{ending}", grouped(count))
}

/// The most characters of a title that are of use to anybody.
pub const LONGEST_TITLE: usize = 1_000;

/// Returns a title of a page, without what is longer than any title.
pub fn short_title(mut title: String) -> String {
    if let Some((end, _)) = title.char_indices().nth(LONGEST_TITLE) {
        title.truncate(end);
        title.shrink_to_fit();
    }
    title
}

/// Tells whether a character does something to a terminal or to the order of what is beside it.
pub fn is_harmful(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fff9}'..='\u{fffb}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_apart_and_one_is_singular() {
        for (count, expected) in [
            (0, "0 pages"),
            (1, "1 page"),
            (999, "999 pages"),
            (3_500, "3,500 pages"),
            (1_234_567, "1,234,567 pages"),
        ] {
            assert_eq!(counted(count, "page"), expected);
        }
    }

    #[test]
    fn a_title_is_cut_between_characters() {
        for (title, length) in
            [("", 0), ("é", 1), (&"é".repeat(1_000), 1_000), (&"é".repeat(2_000_000), 1_000)]
        {
            assert_eq!(short_title(title.to_owned()).chars().count(), length);
        }
    }

    #[test]
    fn what_moves_the_cursor_or_turns_the_text_is_harmful() {
        for character in
            ['\n', '\t', '\u{1b}', '\u{7f}', '\u{9b}', '\u{202e}', '\u{2066}', '\u{200f}', '\u{2028}']
        {
            assert!(is_harmful(character), "{character:?}");
        }
        for character in ['a', ' ', 'é', '中', '\u{200d}', '\u{a0}'] {
            assert!(!is_harmful(character), "{character:?}");
        }
    }
}
