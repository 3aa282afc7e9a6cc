//! The address in a `meta http-equiv=refresh` element.

/// Returns the address of a refresh, as the HTML Standard parses its `content`.
///
/// `None` if the content is invalid or means this page itself.
pub(super) fn refresh_target(content: &str) -> Option<&str> {
    let rest = content.trim_ascii_start();
    let after_time = rest.trim_start_matches(|character: char| character.is_ascii_digit());
    if after_time.len() == rest.len() && !rest.starts_with('.') {
        return None;
    }
    let after_time =
        after_time.trim_start_matches(|character: char| character.is_ascii_digit() || character == '.');
    let separated = after_time.trim_ascii_start();
    let is_separated = separated.len() < after_time.len() || separated.starts_with([';', ',']);
    if !is_separated {
        return None;
    }
    let target = separated.strip_prefix([';', ',']).unwrap_or(separated).trim_ascii_start();
    let target = after_url_equals(target).unwrap_or(target);
    let target = match target.as_bytes().first() {
        Some(quote @ (b'"' | b'\'')) => {
            let quoted = &target[1..];
            memchr::memchr(*quote, quoted.as_bytes()).map_or(quoted, |end| &quoted[..end])
        }
        Some(_) | None => target,
    };
    (!target.is_empty()).then_some(target)
}

/// Skips `url =`, which may stand before the address.
fn after_url_equals(text: &str) -> Option<&str> {
    let after_name = text.get(..3).filter(|name| name.eq_ignore_ascii_case("url")).map(|_| &text[3..])?;
    Some(after_name.trim_ascii_start().strip_prefix('=')?.trim_ascii_start())
}

#[cfg(test)]
mod tests {
    use super::refresh_target;

    #[test]
    fn content_is_parsed_by_the_standard() {
        for (content, expected) in [
            ("5;url=/next", Some("/next")),
            ("0; URL = '/next' ignored", Some("/next")),
            ("0,\"/next", Some("/next")),
            (" 1.5 ; url=/next", Some("/next")),
            (".5;/next", Some("/next")),
            ("0 /next", Some("/next")),
            ("0;/next", Some("/next")),
            ("0; url/next", Some("url/next")),
            ("0; \u{e9}t\u{e9}", Some("\u{e9}t\u{e9}")),
            ("5", None),
            ("5;", None),
            ("5;url=", None),
            ("", None),
            ("url=/next", None),
            ("-1;url=/next", None),
            ("5x;url=/next", None),
        ] {
            assert_eq!(refresh_target(content), expected, "{content}");
        }
    }
}
