//! [References to characters](https://html.spec.whatwg.org/multipage/parsing.html#character-reference-state), such as
//! `&amp;`.

use std::borrow::Cow;

use html5ever::data::NAMED_ENTITIES;
use memchr::memchr;

/// Those that most pages are full of.
const FREQUENT: [(&str, char); 5] =
    [("amp;", '&'), ("nbsp;", '\u{a0}'), ("quot;", '"'), ("lt;", '<'), ("gt;", '>')];

/// What the numbers from 128 on mean that Windows-1252 uses otherwise.
const WINDOWS: [char; 32] = [
    '\u{20ac}', '\u{81}', '\u{201a}', '\u{192}', '\u{201e}', '\u{2026}', '\u{2020}', '\u{2021}', '\u{2c6}',
    '\u{2030}', '\u{160}', '\u{2039}', '\u{152}', '\u{8d}', '\u{17d}', '\u{8f}', '\u{90}', '\u{2018}',
    '\u{2019}', '\u{201c}', '\u{201d}', '\u{2022}', '\u{2013}', '\u{2014}', '\u{2dc}', '\u{2122}', '\u{161}',
    '\u{203a}', '\u{153}', '\u{9d}', '\u{17e}', '\u{178}',
];

/// A reference and what it means.
struct Reference {
    length: usize,
    first: char,
    /// Some names mean two characters.
    second: Option<char>,
}

/// Replaces references by what they mean. In the value of an attribute a name without a semicolon may be something else.
pub(in crate::fast::treeless) fn decode(text: &str, is_value: bool) -> Cow<'_, str> {
    let Some(mut at) = memchr(b'&', text.as_bytes()) else { return Cow::Borrowed(text) };
    let mut decoded = String::with_capacity(text.len());
    let mut start = 0;
    loop {
        let found = reference(&text[at..], is_value);
        let next = match found {
            Some(Reference { length, first, second }) => {
                decoded.push_str(&text[start..at]);
                decoded.push(first);
                decoded.extend(second);
                start = at + length;
                start
            }
            None => at + 1,
        };
        match memchr(b'&', &text.as_bytes()[next..]) {
            Some(distance) => at = next + distance,
            None => break,
        }
    }
    decoded.push_str(&text[start..]);
    Cow::Owned(decoded)
}

/// Reads the reference at the beginning of a text, if it is one.
fn reference(text: &str, is_value: bool) -> Option<Reference> {
    let rest = &text[1..];
    match rest.as_bytes().first()? {
        b'#' => numeric(rest).map(|(length, first)| Reference { length: 1 + length, first, second: None }),
        letter if letter.is_ascii_alphanumeric() => {
            let frequent = FREQUENT.iter().find(|(name, _)| rest.starts_with(name));
            match frequent {
                Some((name, first)) => {
                    Some(Reference { length: 1 + name.len(), first: *first, second: None })
                }
                None => named(rest, is_value),
            }
        }
        _ => None,
    }
}

fn numeric(text: &str) -> Option<(usize, char)> {
    let bytes = text.as_bytes();
    let (radix, start) = if matches!(bytes.get(1), Some(b'x' | b'X')) { (16, 2) } else { (10, 1) };
    let mut number = 0_u32;
    let mut end = start;
    while let Some(digit) = bytes.get(end).and_then(|byte| char::from(*byte).to_digit(radix)) {
        number = number.saturating_mul(radix).saturating_add(digit);
        end += 1;
    }
    if end == start {
        return None;
    }
    if bytes.get(end) == Some(&b';') {
        end += 1;
    }
    let character = match number {
        0 => None,
        0x80..=0x9F => WINDOWS.get(number as usize - 0x80).copied(),
        _ => char::from_u32(number),
    };
    Some((end, character.unwrap_or(char::REPLACEMENT_CHARACTER)))
}

/// Reads the longest name at the beginning of a text.
fn named(text: &str, is_value: bool) -> Option<Reference> {
    let bytes = text.as_bytes();
    let mut found = None;
    let mut end = 0;
    while bytes.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b';') {
        end += 1;
        match NAMED_ENTITIES.get(&text[..end]) {
            // The table has every beginning of a name, too; those mean nothing.
            Some((0, _)) => {}
            Some((first, second)) => found = Some((end, *first, *second)),
            None => break,
        }
    }
    let (end, first, second) = found?;
    let goes_on = bytes.get(end).is_some_and(|byte| *byte == b'=' || byte.is_ascii_alphanumeric());
    if is_value && bytes[end - 1] != b';' && goes_on {
        return None;
    }
    let second = if second == 0 { None } else { char::from_u32(second) };
    Some(Reference { length: 1 + end, first: char::from_u32(first)?, second })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_replaced_by_the_standard() {
        for (text, in_text, in_value) in [
            ("a", "a", "a"),
            ("a&amp;b&lt;&gt;&quot;&nbsp;", "a&b<>\"\u{a0}", "a&b<>\"\u{a0}"),
            ("&notit;", "\u{ac}it;", "&notit;"),
            ("&notin;", "\u{2209}", "\u{2209}"),
            ("&not", "\u{ac}", "\u{ac}"),
            ("?a&copy=1", "?a\u{a9}=1", "?a&copy=1"),
            ("?a&copy;=1", "?a\u{a9}=1", "?a\u{a9}=1"),
            ("&NotEqualTilde;", "\u{2242}\u{338}", "\u{2242}\u{338}"),
            (
                "&#65&#x42;&#0;&#x80;&#xD800;&#99999999999;",
                "AB\u{fffd}\u{20ac}\u{fffd}\u{fffd}",
                "AB\u{fffd}\u{20ac}\u{fffd}\u{fffd}",
            ),
            ("&;&#;&#x;&bogus;& &", "&;&#;&#x;&bogus;& &", "&;&#;&#x;&bogus;& &"),
            ("&&amp;&", "&&&", "&&&"),
        ] {
            assert_eq!(decode(text, false), in_text, "{text}");
            assert_eq!(decode(text, true), in_value, "{text}");
        }
    }
}
