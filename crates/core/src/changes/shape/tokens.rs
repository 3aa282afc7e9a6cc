//! A line as words, and what stands between them.

/// A word with the signs that hold it together, or what stands between two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'line> {
    pub(super) text: &'line str,
    pub(super) is_word: bool,
}

/// Signs of currencies, each a token of its own.
pub(super) const CURRENCIES: [char; 6] = ['$', '\u{20ac}', '\u{a3}', '\u{a5}', '\u{20b9}', '\u{20bd}'];

/// Takes a line apart. `1,234.50`, `2026-11-16`, `6:04` and `4fd1-c0a2` are one word each.
pub(super) fn tokens(line: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut begin = 0;
    let mut was_word: Option<bool> = None;
    let mut was_currency = false;
    let mut characters = line.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|(_, character)| *character);
        let is_word =
            character.is_alphanumeric() || was_word == Some(true) && joins(&line[begin..at], character, next);
        let is_currency = CURRENCIES.contains(&character);
        if let Some(was) = was_word.filter(|was| *was != is_word || is_currency || was_currency) {
            tokens.push(Token { text: &line[begin..at], is_word: was });
            begin = at;
        }
        was_word = Some(is_word);
        was_currency = is_currency;
    }
    if let Some(is_word) = was_word {
        tokens.push(Token { text: &line[begin..], is_word });
    }
    tokens
}

/// Tells whether a sign belongs to the word before it: it stands inside a number, a date, a time or an id.
fn joins(word: &str, sign: char, next: Option<char>) -> bool {
    let Some(next) = next else { return false };
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    match sign {
        '.' | ',' | ':' | '\'' | '\u{2019}' | '/' => {
            next.is_ascii_digit() && word.ends_with(|last: char| last.is_ascii_digit())
        }
        // Ids and dates: at least one side has digits.
        '-' | '_' => next.is_ascii_alphanumeric() && (has_digit || next.is_ascii_digit()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_dates_and_ids_are_one_word_each() {
        for (line, expected) in [
            ("1,234.50 m", &["1,234.50", "m"] as &[&str]),
            ("on 2026-11-16, 6:04.", &["on", "2026-11-16", "6:04"]),
            ("well-known", &["well", "known"]),
            ("a4-b5", &["a4-b5"]),
            ("end. Next", &["end", "Next"]),
            ("11/16/2026", &["11/16/2026"]),
        ] {
            let tokens = tokens(line);
            assert_eq!(tokens.iter().map(|token| token.text).collect::<String>(), line);
            let words: Vec<&str> =
                tokens.iter().filter(|token| token.is_word).map(|token| token.text).collect();
            assert_eq!(words, expected);
        }
    }
}
