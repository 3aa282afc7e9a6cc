//! The HTML Standard's search for an encoding declaration in a page's first bytes.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// How far into a page a declaration is looked for.
const PRESCAN_LENGTH: usize = 1024;

/// Finds the encoding that a page declares in its first 1024 bytes.
pub(super) fn prescan(body: &[u8]) -> Option<&'static Encoding> {
    let bytes = &body[..body.len().min(PRESCAN_LENGTH)];
    if bytes.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if bytes.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    Scanner { bytes, at: 0 }.find_meta().or_else(|| xml_declaration(bytes))
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

struct Attribute {
    name: Vec<u8>,
    value: Vec<u8>,
}

impl Scanner<'_> {
    fn find_meta(&mut self) -> Option<&'static Encoding> {
        while self.at < self.bytes.len() {
            let rest = &self.bytes[self.at..];
            if rest.starts_with(b"<!--") {
                // The dashes that open a comment may also close it: `<!-->`.
                self.at += memchr::memmem::find(&rest[2..], b"-->")? + 2 + 3;
            } else if is_meta(rest) {
                self.at += 6;
                if let Some(encoding) = self.read_meta()? {
                    return Some(encoding);
                }
            } else if is_tag(rest) {
                self.at += rest.iter().position(|byte| is_space(*byte) || *byte == b'>')?;
                while self.read_attribute()?.is_some() {}
            } else if rest.starts_with(b"<!") || rest.starts_with(b"</") || rest.starts_with(b"<?") {
                self.at += memchr::memchr(b'>', rest)? + 1;
            } else {
                // Nothing below `<` starts anything, so the next one is the next candidate.
                self.at += 1 + memchr::memchr(b'<', &rest[1..])?;
            }
        }
        None
    }

    /// Reads a `meta` element's attributes: `None` at the end of the bytes, `Some(None)` if they
    /// declare no encoding.
    #[expect(clippy::option_option, reason = "out of bytes and without an encoding differ")]
    fn read_meta(&mut self) -> Option<Option<&'static Encoding>> {
        let mut seen: Vec<Vec<u8>> = Vec::new();
        let mut got_pragma = false;
        let mut found: Option<(Option<&'static Encoding>, bool)> = None;
        while let Some(Attribute { name, value }) = self.read_attribute()? {
            if seen.contains(&name) {
                continue;
            }
            match name.as_slice() {
                b"http-equiv" => got_pragma |= value == b"content-type",
                b"content" if found.is_none() => {
                    found = charset_in_content(&value)
                        .and_then(Encoding::for_label)
                        .map(|encoding| (Some(encoding), true));
                }
                b"charset" => found = Some((Encoding::for_label(&value), false)),
                _ => {}
            }
            seen.push(name);
        }
        let Some((encoding, needs_pragma)) = found else {
            return Some(None);
        };
        Some(encoding.filter(|_| got_pragma || !needs_pragma).map(as_ascii_compatible))
    }

    /// Reads the next attribute of a tag: `None` at the end of the bytes, `Some(None)` at its `>`.
    #[expect(clippy::option_option, reason = "out of bytes and out of attributes differ")]
    fn read_attribute(&mut self) -> Option<Option<Attribute>> {
        while is_space(self.byte()?) || self.byte()? == b'/' {
            self.at += 1;
        }
        if self.byte()? == b'>' {
            return Some(None);
        }
        let mut name = Vec::new();
        loop {
            match self.byte()? {
                b'=' if !name.is_empty() => break,
                byte if is_space(byte) => {
                    self.skip_spaces()?;
                    break;
                }
                b'/' | b'>' => {
                    return Some(Some(Attribute { name, value: Vec::new() }));
                }
                byte => name.push(byte.to_ascii_lowercase()),
            }
            self.at += 1;
        }
        if self.byte()? != b'=' {
            return Some(Some(Attribute { name, value: Vec::new() }));
        }
        self.at += 1;
        self.skip_spaces()?;
        let value = self.read_value()?;
        Some(Some(Attribute { name, value }))
    }

    fn read_value(&mut self) -> Option<Vec<u8>> {
        let quote = self.byte()?;
        let rest = &self.bytes[self.at..];
        let (from, to, after) = if matches!(quote, b'"' | b'\'') {
            let end = 1 + memchr::memchr(quote, &rest[1..])?;
            (1, end, end + 1)
        } else {
            let end = rest.iter().position(|byte| is_space(*byte) || *byte == b'>')?;
            (0, end, end)
        };
        self.at += after;
        Some(rest[from..to].to_ascii_lowercase())
    }

    fn skip_spaces(&mut self) -> Option<()> {
        while is_space(self.byte()?) {
            self.at += 1;
        }
        Some(())
    }

    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
}

fn is_meta(rest: &[u8]) -> bool {
    rest.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"<meta"))
        && rest.get(5).is_some_and(|byte| is_space(*byte) || *byte == b'/')
}

fn is_tag(rest: &[u8]) -> bool {
    match rest {
        [b'<', b'/', letter, ..] | [b'<', letter, ..] => letter.is_ascii_alphabetic(),
        _ => false,
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

/// Takes the charset out of a `content` value such as `text/html; charset=utf-8`.
fn charset_in_content(content: &[u8]) -> Option<&[u8]> {
    let mut rest = content;
    loop {
        let at = memchr::memmem::find(rest, b"charset")?;
        rest = rest[at + 7..].trim_ascii_start();
        if let Some(after) = rest.strip_prefix(b"=") {
            rest = after.trim_ascii_start();
            break;
        }
    }
    if let Some(quote @ (b'"' | b'\'')) = rest.first().copied() {
        let end = memchr::memchr(quote, &rest[1..])?;
        return Some(&rest[1..=end]);
    }
    let end = rest.iter().position(|byte| is_space(*byte) || *byte == b';').unwrap_or(rest.len());
    Some(&rest[..end])
}

/// Reads the encoding of an XML declaration, which counts when no `meta` element speaks.
fn xml_declaration(bytes: &[u8]) -> Option<&'static Encoding> {
    let declaration = bytes.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr::memchr(b'>', declaration)?];
    let at = memchr::memmem::find(declaration, b"encoding")?;
    let value = trim_controls(&declaration[at + 8..]).strip_prefix(b"=")?;
    let value = trim_controls(value);
    let quote = value.first().copied().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let label = &value[1..=memchr::memchr(quote, &value[1..])?];
    let encoding = Encoding::for_label(label).filter(|_| label.iter().all(|byte| *byte > b' '))?;
    Some(if is_utf16(encoding) { UTF_8 } else { encoding })
}

fn trim_controls(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|byte| *byte > b' ').unwrap_or(bytes.len());
    &bytes[start..]
}

/// What a declaration that was read as ASCII can mean at most.
fn as_ascii_compatible(encoding: &'static Encoding) -> &'static Encoding {
    if is_utf16(encoding) {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

fn is_utf16(encoding: &'static Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

#[cfg(test)]
mod tests {
    use super::prescan;

    #[test]
    fn declarations_are_read_by_the_standard() {
        for (page, expected) in [
            ("<meta charset=koi8-r>", Some("KOI8-R")),
            ("<META CHARSET = 'KOI8-R' >", Some("KOI8-R")),
            ("<meta/charset=koi8-r/>", None),
            ("<meta/charset='koi8-r'/>", Some("KOI8-R")),
            ("<meta charset=koi8-r", None),
            ("<meta charset=utf-16le>", Some("UTF-8")),
            ("<meta charset=x-user-defined>", Some("windows-1252")),
            ("<meta charset=nonsense><meta charset=koi8-r>", Some("KOI8-R")),
            ("<meta charset=koi8-r charset=utf-8>", Some("KOI8-R")),
            ("<meta http-equiv=content-type content='text/html; charset=koi8-r'>", Some("KOI8-R")),
            ("<meta content='text/html; charset=koi8-r' http-equiv=Content-Type>", Some("KOI8-R")),
            ("<meta content='text/html; charset=koi8-r'>", None),
            ("<meta http-equiv=content-type content='charset; charset = \"koi8-r\"'>", Some("KOI8-R")),
            ("<meta http-equiv=content-type content='charset=\"koi8-r'>", None),
            ("<meta name=a content='charset=utf-8' charset=koi8-r>", Some("KOI8-R")),
            ("<metadata charset=koi8-r>", None),
            ("<!-- <meta charset=utf-8> --><meta charset=koi8-r>", Some("KOI8-R")),
            ("<!--><meta charset=koi8-r>", Some("KOI8-R")),
            ("<!-- <meta charset=utf-8>", None),
            ("<a title='<meta charset=utf-8>'><meta charset=koi8-r>", Some("KOI8-R")),
            ("</a title='>'><meta charset=koi8-r>", Some("KOI8-R")),
            ("<!doctype html><meta charset=koi8-r>", Some("KOI8-R")),
            ("<?xml version='1.0' encoding='koi8-r'?><html>", Some("KOI8-R")),
            ("<?xml version='1.0' encoding='koi8-r'?><meta charset=utf-8>", Some("UTF-8")),
            ("<?xml version='1.0' encoding='utf-16'?>", Some("UTF-8")),
            ("<\0?\0x\0m\0l\0", Some("UTF-16LE")),
            ("\0<\0?\0x\0m\0l", Some("UTF-16BE")),
            ("a < b <meta charset=koi8-r>", Some("KOI8-R")),
            ("", None),
            ("<", None),
        ] {
            let found = prescan(page.as_bytes()).map(encoding_rs::Encoding::name);
            assert_eq!(found, expected, "{page}");
        }
    }

    #[test]
    fn only_the_first_1024_bytes_count() {
        let near = format!("{}<meta charset=koi8-r>", " ".repeat(1003));
        let far = format!("{}<meta charset=koi8-r>", " ".repeat(1004));
        assert!(prescan(near.as_bytes()).is_some());
        assert!(prescan(far.as_bytes()).is_none());
    }
}
