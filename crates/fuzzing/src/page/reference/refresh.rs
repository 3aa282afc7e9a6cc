//! The address in a `meta http-equiv=refresh`, step by step as the HTML Standard says it.

use std::collections::VecDeque;

/// Returns the address; `None` if there is none, or the content means nothing.
pub(super) fn refresh_address(content: &str) -> Option<String> {
    let mut rest: VecDeque<char> = content.chars().collect();
    skip_blanks(&mut rest);
    let digits = take_while(&mut rest, |character| character.is_ascii_digit());
    if digits.is_empty() && rest.front() != Some(&'.') {
        return None;
    }
    take_while(&mut rest, |character| character.is_ascii_digit() || character == '.');
    match rest.front() {
        Some(';' | ',') => {}
        Some(character) if character.is_ascii_whitespace() => {}
        Some(_) | None => return None,
    }
    skip_blanks(&mut rest);
    if matches!(rest.front(), Some(';' | ',')) {
        rest.pop_front();
    }
    skip_blanks(&mut rest);
    skip_url_and_equals(&mut rest);
    let quote = rest.front().copied().filter(|character| matches!(character, '"' | '\''));
    if quote.is_some() {
        rest.pop_front();
    }
    let address: String = rest.into_iter().take_while(|character| Some(*character) != quote).collect();
    (!address.is_empty()).then_some(address)
}

/// Skips `url =` where all of it is there.
fn skip_url_and_equals(rest: &mut VecDeque<char>) {
    let mut ahead = rest.clone();
    for letter in ['u', 'r', 'l'] {
        if ahead.pop_front().is_none_or(|character| !character.eq_ignore_ascii_case(&letter)) {
            return;
        }
    }
    skip_blanks(&mut ahead);
    if ahead.pop_front() == Some('=') {
        skip_blanks(&mut ahead);
        *rest = ahead;
    }
}

fn skip_blanks(rest: &mut VecDeque<char>) {
    take_while(rest, |character| character.is_ascii_whitespace());
}

fn take_while(rest: &mut VecDeque<char>, is_taken: impl Fn(char) -> bool) -> String {
    let mut taken = String::new();
    while let Some(character) = rest.front().copied().filter(|character| is_taken(*character)) {
        taken.push(character);
        rest.pop_front();
    }
    taken
}
