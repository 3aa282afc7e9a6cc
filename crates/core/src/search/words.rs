//! Tokenisation: the words that texts and queries are compared by.

use std::ops::Range;

use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_normalizer::properties::CanonicalCombiningClassMapBorrowed;

const DECOMPOSED: DecomposingNormalizerBorrowed = DecomposingNormalizerBorrowed::new_nfd();
const CLASSES: CanonicalCombiningClassMapBorrowed = CanonicalCombiningClassMapBorrowed::new();

/// What a character does to the words around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Begins a word or goes on with one.
    Letter,
    /// Is a word of its own: a character of a script without blanks between words.
    Alone,
    /// Belongs to the word before it.
    Attached,
    /// Ends a word.
    Between,
}

/// Calls `each` with every word of `text`: where it stands, and how it is compared.
///
/// Words are compared in small letters and without accents. Chinese, Japanese, Thai, Lao, Khmer and Burmese are
/// written without blanks between words, so there each character counts as a word. A compared word is made of
/// letters, digits and their marks alone, with no blank and no sign of ASCII.
pub fn for_each_word(text: &str, mut each: impl FnMut(Range<usize>, &str)) {
    let mut word = String::new();
    let (mut start, mut end, mut is_alone) = (0, 0, false);
    for (at, character) in text.char_indices() {
        let role = role(character);
        let continues = match role {
            Role::Letter => !is_alone,
            Role::Attached => true,
            Role::Alone | Role::Between => false,
        };
        if !continues && !word.is_empty() {
            each(start..end, &word);
            word.clear();
        }
        match role {
            Role::Between => continue,
            Role::Attached if word.is_empty() => continue,
            Role::Letter | Role::Alone | Role::Attached => {}
        }
        if word.is_empty() {
            start = at;
            is_alone = role == Role::Alone;
        }
        fold(character, &mut word);
        end = at + character.len_utf8();
    }
    if !word.is_empty() {
        each(start..end, &word);
    }
}

/// Returns the words of `text` as they are compared, with a blank between.
pub fn word_list(text: &str) -> String {
    let mut list = String::with_capacity(text.len());
    for_each_word(text, |_, word| {
        if !list.is_empty() {
            list.push(' ');
        }
        list.push_str(word);
    });
    list
}

fn role(character: char) -> Role {
    if character.is_ascii() {
        return if character.is_ascii_alphanumeric() { Role::Letter } else { Role::Between };
    }
    if is_invisible(character) || CLASSES.get_u8(character) != 0 {
        Role::Attached
    } else if !character.is_alphanumeric() {
        Role::Between
    } else if is_of_script_without_blanks(character) {
        Role::Alone
    } else {
        Role::Letter
    }
}

fn fold(character: char, word: &mut String) {
    if character.is_ascii() {
        word.push(character.to_ascii_lowercase());
    } else if !is_invisible(character) {
        let parts = DECOMPOSED.normalize_iter(std::iter::once(character));
        word.extend(parts.filter(|part| !is_accent(*part)).flat_map(char::to_lowercase));
    }
}

/// Tells whether a character only says where a word may be broken or joined.
const fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

const fn is_accent(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

const fn is_of_script_without_blanks(character: char) -> bool {
    matches!(
        character,
        '\u{e00}'..='\u{eff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{3040}'..='\u{30ff}'
            | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_compared_in_small_letters_and_without_accents() {
        for (text, expected) in [
            ("", ""),
            ("  -- \0 !? ", ""),
            ("The Bridge, re-opened: 24/7", "the bridge re opened 24 7"),
            ("City’s", "city s"),
            ("Ünïcode ÀÉÎ E\u{301}té", "unicode aei ete"),
            ("Việt Nam", "viet nam"),
            ("ΠΌΛΗ", "πολη"),
            ("Stra\u{ad}ße", "straße"),
            ("東京タワー tower", "東 京 タ ワ ー tower"),
            ("한국어", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}\u{110b}\u{1165}"),
            ("हिन्दी", "हिन्दी"),
            ("👩‍🚀 \u{301}", ""),
        ] {
            assert_eq!(word_list(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_word_says_where_it_stands() {
        let text = "Élan, 東京!";
        let mut places = Vec::new();
        for_each_word(text, |place, word| places.push((text[place].to_owned(), word.to_owned())));
        let expected = [("Élan", "elan"), ("東", "東"), ("京", "京")];
        assert_eq!(places, expected.map(|(written, word)| (written.to_owned(), word.to_owned())));
    }

    proptest! {
        #[test]
        fn words_hold_nothing_that_means_something_to_a_query(text in any::<String>()) {
            let mut last = 0;
            for_each_word(&text, |place, word| {
                assert!(!word.is_empty() && last <= place.start && place.start < place.end);
                assert!(text.is_char_boundary(place.start) && text.is_char_boundary(place.end));
                assert!(word.chars().all(|letter| !letter.is_ascii() || letter.is_ascii_alphanumeric()), "{word:?}");
                last = place.end;
            });
        }
    }
}
