//! Canonical percent-encoding (RFC 3986, section 6.2.2).

/// Appends `text` with escapes of unreserved characters decoded and other escapes in upper case.
///
/// An escape is kept where decoding it would complete another one: `%%37E` is not `%7E`, because
/// the next pass would decode that too.
pub(super) fn push_canonical(output: &mut String, text: &str) {
    let mut rest = text;
    let mut stray = None;
    while let Some(start) = rest.find('%') {
        output.push_str(&rest[..start]);
        let escape = rest.as_bytes().get(start + 1..start + 3);
        let digits = escape.and_then(|pair| Some((hexadecimal(pair[0])?, hexadecimal(pair[1])?)));
        let Some((high, low)) = digits else {
            stray = Some(output.len());
            output.push('%');
            rest = &rest[start + 1..];
            continue;
        };
        let byte = high << 4 | low;
        if is_unreserved(byte) && !completes_an_escape(output, stray, byte) {
            output.push(char::from(byte));
        } else {
            output.push('%');
            output.extend([high, low].map(upper_digit));
        }
        rest = &rest[start + 3..];
    }
    output.push_str(rest);
}

/// Returns whether `byte`, put behind `output`, would belong to the stray `%` at `stray`.
fn completes_an_escape(output: &str, stray: Option<usize>, byte: u8) -> bool {
    let Some(stray) = stray.filter(|_| byte.is_ascii_hexdigit()) else {
        return false;
    };
    match output.as_bytes()[stray + 1..] {
        [] => true,
        [digit] => digit.is_ascii_hexdigit(),
        _ => false,
    }
}

/// Returns whether `byte` means the same with and without an escape, everywhere in a URL.
pub(super) fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Returns the value of a digit that is not a lowercase letter.
pub(super) fn upper_hexadecimal(digit: u8) -> Option<u8> {
    hexadecimal(digit).filter(|_| !digit.is_ascii_lowercase())
}

fn hexadecimal(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

fn upper_digit(value: u8) -> char {
    char::from(if value < 10 { b'0' + value } else { b'A' + value - 10 })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn canonical(text: &str) -> String {
        let mut output = String::new();
        push_canonical(&mut output, text);
        output
    }

    #[test]
    fn escapes_have_one_spelling() {
        for (text, expected) in [
            ("", ""),
            ("/a", "/a"),
            ("%7e%41%2D%5f", "~A-_"),
            ("%2f%3F%26%3d%2B", "%2F%3F%26%3D%2B"),
            ("%c3%a9%0a", "%C3%A9%0A"),
            ("%", "%"),
            ("%4", "%4"),
            ("%zz%41", "%zzA"),
            ("%é%41", "%éA"),
            ("%%37E", "%%37E"),
            ("%4%31", "%4%31"),
            ("%%34%31", "%%341"),
            ("%%7e", "%~"),
            ("%g%41", "%gA"),
            ("%252e", "%252e"),
        ] {
            assert_eq!(canonical(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_second_pass_changes_nothing(text in "(%|[0-9a-gA-G]|%[2-7][0-9a-fA-F]|é){0,12}") {
            let once = canonical(&text);
            prop_assert_eq!(canonical(&once), once);
        }
    }
}
