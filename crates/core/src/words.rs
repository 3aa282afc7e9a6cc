//! Text for people: counts, sizes and times in words, and untrusted text made safe to show.

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

/// Writes a size in the unit that fits: `512 B`, `1.5 kB`, `202.3 MB`.
#[expect(clippy::cast_precision_loss, reason = "few digits are shown")]
pub fn bytes(count: u64) -> String {
    if count < 1000 {
        return format!("{count} B");
    }
    let mut value = count as f64 / 1000.0;
    let mut unit = "kB";
    for larger in ["MB", "GB", "TB"] {
        // 999.96 would be shown as 1000.0.
        if value < 999.95 {
            break;
        }
        value /= 1000.0;
        unit = larger;
    }
    format!("{value:.1} {unit}")
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
    fn a_size_is_written_in_the_unit_that_fits() {
        for (count, expected) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (1549, "1.5 kB"),
            (999_949, "999.9 kB"),
            (999_951, "1.0 MB"),
            (202_300_000, "202.3 MB"),
            (5_000_000_000_000_000, "5000.0 TB"),
        ] {
            assert_eq!(bytes(count), expected);
        }
    }

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
