//! The parts of a `Content-Type` header that decide how a body is read.

/// The essence and charset of a `Content-Type` value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct MediaType {
    /// `type/subtype` in lower case.
    pub(crate) essence: String,
    /// The first `charset` parameter, unquoted.
    pub(crate) charset: Option<String>,
    /// The first `lang` parameter: capsules name the languages of a page so.
    pub(crate) language: Option<String>,
}

impl MediaType {
    /// Reads a header value; `None` if it has no `type/subtype`.
    pub(crate) fn parse(header: &str) -> Option<Self> {
        let (essence, mut rest) = header.split_once(';').unwrap_or((header, ""));
        let essence = essence.trim().to_ascii_lowercase();
        let (kind, subtype) = essence.split_once('/')?;
        if kind.is_empty() || subtype.is_empty() || essence.contains(char::is_whitespace) {
            return None;
        }
        let (mut charset, mut language) = (None, None);
        while !rest.is_empty() {
            let (name, value, after) = split_parameter(rest);
            let parameter = match name.trim_end() {
                name if name.eq_ignore_ascii_case("charset") => Some(&mut charset),
                name if name.eq_ignore_ascii_case("lang") => Some(&mut language),
                _ => None,
            };
            if let Some(parameter @ None) = parameter.filter(|_| !value.is_empty()) {
                *parameter = Some(value);
            }
            rest = after;
        }
        Some(Self { essence, charset, language })
    }

    /// Tells whether the standard reads this type as an HTML page.
    pub(crate) fn is_html(&self) -> bool {
        matches!(self.essence.as_str(), "text/html" | "application/xhtml+xml")
    }

    /// Tells whether the header says no more than a missing one would.
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self.essence.as_str(), "unknown/unknown" | "application/unknown" | "*/*")
    }
}

/// Splits the first parameter off: its name, its unquoted value, and what follows.
fn split_parameter(text: &str) -> (&str, String, &str) {
    let text = text.trim_start();
    let name_end = text.find([';', '=']).unwrap_or(text.len());
    let name = &text[..name_end];
    let Some(value) = text[name_end..].strip_prefix('=') else {
        return (name, String::new(), text.get(name_end + 1..).unwrap_or_default());
    };
    let Some(quoted) = value.strip_prefix('"') else {
        let (value, after) = value.split_once(';').unwrap_or((value, ""));
        // Servers send `charset='utf-8'` too; a quote is part of no encoding label.
        return (name, value.trim().trim_matches('\'').to_owned(), after);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => {
                let after = &quoted[at + 1..];
                return (name, value, after.split_once(';').map_or("", |(_, after)| after));
            }
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            plain => value.push(plain),
        }
    }
    (name, value, "")
}

#[cfg(test)]
mod tests {
    use super::MediaType;

    #[test]
    fn charset_is_found_in_every_way_servers_write_it() {
        for (header, expected) in [
            ("text/html; charset=utf-8", Some("utf-8")),
            ("text/html;charset=UTF-8", Some("UTF-8")),
            ("text/html; Charset=\"iso-8859-1\"", Some("iso-8859-1")),
            ("text/html; charset='utf-8'", Some("utf-8")),
            ("text/html; boundary=\"a;charset=b\"; charset=koi8-r", Some("koi8-r")),
            ("text/html; charset=utf-8; charset=koi8-r", Some("utf-8")),
            ("text/html; charset=\"a\\\"b\"", Some("a\"b")),
            ("text/html; charset", None),
            ("text/html; charset=", None),
            ("text/html", None),
        ] {
            let parsed = MediaType::parse(header).expect(header);
            assert_eq!(parsed.charset.as_deref(), expected, "{header}");
            assert_eq!(parsed.essence, "text/html", "{header}");
        }
    }

    #[test]
    fn values_without_a_type_are_refused() {
        for header in ["", "html", "text/", "/html", "text html/x", "; charset=utf-8"] {
            assert_eq!(MediaType::parse(header), None, "{header}");
        }
    }
}
