//! Character references that mean the same wherever they stand.

use std::borrow::Cow;

/// The names that pages use most. Without the semicolon a name may end anywhere, so it is required.
const NAMED: [(&str, char); 22] = [
    ("amp", '&'),
    ("apos", '\''),
    ("bull", '\u{2022}'),
    ("copy", '\u{a9}'),
    ("deg", '\u{b0}'),
    ("eacute", '\u{e9}'),
    ("euro", '\u{20ac}'),
    ("gt", '>'),
    ("hellip", '\u{2026}'),
    ("laquo", '\u{ab}'),
    ("ldquo", '\u{201c}'),
    ("lsquo", '\u{2018}'),
    ("lt", '<'),
    ("mdash", '\u{2014}'),
    ("middot", '\u{b7}'),
    ("nbsp", '\u{a0}'),
    ("ndash", '\u{2013}'),
    ("quot", '"'),
    ("raquo", '\u{bb}'),
    ("rdquo", '\u{201d}'),
    ("reg", '\u{ae}'),
    ("rsquo", '\u{2019}'),
];

/// Replaces the references in a text; `None` if one of them is not plain.
pub(super) fn decode(text: &str) -> Option<Cow<'_, str>> {
    decode_where(text, |_| false)
}

/// Replaces the references in a value; `None` if one of them is not plain.
///
/// The name of a parameter, as in `?a=1&b=2`, is no reference there, whatever it begins with.
pub(super) fn decode_value(value: &str) -> Option<Cow<'_, str>> {
    decode_where(value, |rest| {
        let name_end = rest.bytes().position(|byte| !byte.is_ascii_alphanumeric());
        name_end.is_some_and(|end| rest.as_bytes()[end] == b'=')
    })
}

fn decode_where(text: &str, is_no_reference: impl Fn(&str) -> bool) -> Option<Cow<'_, str>> {
    if memchr::memchr(b'&', text.as_bytes()).is_none() {
        return Some(Cow::Borrowed(text));
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        decoded.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let begins = rest.bytes().next().is_some_and(|byte| byte == b'#' || byte.is_ascii_alphanumeric());
        if begins && !is_no_reference(rest) {
            let (name, after) = rest.split_at_checked(memchr::memchr(b';', rest.as_bytes())?)?;
            decoded.push(character(name)?);
            rest = &after[1..];
        } else {
            decoded.push('&');
        }
    }
    decoded.push_str(rest);
    Some(Cow::Owned(decoded))
}

fn character(name: &str) -> Option<char> {
    let Some(number) = name.strip_prefix('#') else {
        return NAMED.iter().find(|(known, _)| *known == name).map(|(_, character)| *character);
    };
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    // A sign would be taken for a part of the number.
    if !digits.bytes().all(|digit| digit.is_ascii_alphanumeric()) {
        return None;
    }
    // Control characters stand for others.
    let code = u32::from_str_radix(digits, radix).ok()?;
    char::from_u32(code).filter(|character| !character.is_control())
}

#[cfg(test)]
mod tests {
    use super::{decode, decode_value};

    #[test]
    fn plain_references_are_replaced() {
        for (text, expected) in [
            ("no reference", Some("no reference")),
            ("a &amp; b&nbsp;c", Some("a & b\u{a0}c")),
            ("&#65;&#x42;&#X63;", Some("ABc")),
            ("&amp;lt;", Some("&lt;")),
            ("AT&", Some("AT&")),
            ("a & b &, &&lt;", Some("a & b &, &<")),
            ("&#128512;", Some("\u{1f600}")),
            ("a=1&b=2", None),
            ("&amp b", None),
            ("&copyx;", None),
            ("&unknown;", None),
            ("&#0;", None),
            ("&#x80;", None),
            ("&#xD800;", None),
            ("&#+65;", None),
            ("&#;", None),
            ("&#x;", None),
            ("&#99999999999;", None),
        ] {
            assert_eq!(decode(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn names_of_parameters_are_no_references_in_values() {
        for (value, expected) in [
            ("?a=1&b=2&amp;c=3", Some("?a=1&b=2&c=3")),
            ("?a&copy=1&lt=2", Some("?a&copy=1&lt=2")),
            ("[&>p]:m", Some("[&>p]:m")),
            ("a&b", None),
            ("a&#61=", None),
        ] {
            assert_eq!(decode_value(value).as_deref(), expected, "{value}");
        }
    }
}
