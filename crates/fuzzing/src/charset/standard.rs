//! "Prescan a byte stream to determine its encoding", as the HTML Standard writes it: position by position.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// Returns the encoding that a page declares in its first 1024 bytes.
pub(super) fn declared(body: &[u8]) -> Option<&'static Encoding> {
    let bytes = &body[..body.len().min(1024)];
    if bytes.starts_with(&[0x3C, 0, 0x3F, 0, 0x78, 0]) {
        return Some(UTF_16LE);
    }
    if bytes.starts_with(&[0, 0x3C, 0, 0x3F, 0, 0x78]) {
        return Some(UTF_16BE);
    }
    let mut prescan = Prescan { bytes, position: 0 };
    prescan.run().or_else(|| xml_encoding(bytes))
}

struct Prescan<'a> {
    bytes: &'a [u8],
    position: usize,
}

type Attribute = (Vec<u8>, Vec<u8>);

impl Prescan<'_> {
    fn at(&self, offset: usize) -> Option<u8> {
        self.bytes.get(self.position + offset).copied()
    }

    fn looks_at(&self, text: &str) -> bool {
        let letters = text.bytes().enumerate();
        letters
            .into_iter()
            .all(|(offset, letter)| self.at(offset).map(|b| b.to_ascii_lowercase()) == Some(letter))
    }

    fn run(&mut self) -> Option<&'static Encoding> {
        while self.position < self.bytes.len() {
            if self.looks_at("<!--") {
                // The dashes may be the same as those that open the comment.
                self.position += 2;
                while !self.looks_at("-->") {
                    self.at(0)?;
                    self.position += 1;
                }
                self.position += 2;
            } else if self.looks_at("<meta") && self.at(5).is_some_and(|byte| is_space(byte) || byte == b'/')
            {
                self.position += 5;
                if let Some(encoding) = self.meta()? {
                    return Some(encoding);
                }
            } else if self.is_tag() {
                while !is_space(self.at(0)?) && self.at(0)? != b'>' {
                    self.position += 1;
                }
                while self.attribute()?.is_some() {}
            } else if ["<!", "</", "<?"].iter().any(|start| self.looks_at(start)) {
                while self.at(0)? != b'>' {
                    self.position += 1;
                }
            }
            self.position += 1;
        }
        None
    }

    fn is_tag(&self) -> bool {
        let after = if self.at(1) == Some(b'/') { 2 } else { 1 };
        self.at(0) == Some(b'<') && self.at(after).is_some_and(|byte| byte.is_ascii_alphabetic())
    }

    /// Processes a `meta`: `None` if the bytes end in it.
    #[expect(clippy::option_option, reason = "out of bytes and without an encoding differ")]
    fn meta(&mut self) -> Option<Option<&'static Encoding>> {
        let (mut names, mut got_pragma, mut need_pragma) = (Vec::new(), false, None);
        // Null, failure, or an encoding.
        let mut charset: Option<Option<&'static Encoding>> = None;
        while let Some((name, value)) = self.attribute()? {
            if names.contains(&name) {
                continue;
            }
            match &*name {
                b"http-equiv" => got_pragma |= value == b"content-type",
                b"content" => {
                    let found = extracted(&value);
                    if found.is_some() && charset.is_none() {
                        (charset, need_pragma) = (Some(found), Some(true));
                    }
                }
                b"charset" => (charset, need_pragma) = (Some(Encoding::for_label(&value)), Some(false)),
                _ => {}
            }
            names.push(name);
        }
        let (Some(need_pragma), Some(Some(encoding))) = (need_pragma, charset) else { return Some(None) };
        if need_pragma && !got_pragma {
            return Some(None);
        }
        Some(Some(match encoding {
            encoding if encoding == UTF_16LE || encoding == UTF_16BE => UTF_8,
            encoding if encoding == X_USER_DEFINED => WINDOWS_1252,
            encoding => encoding,
        }))
    }

    /// "Get an attribute": `None` if the bytes end in it.
    #[expect(clippy::option_option, reason = "out of bytes and out of attributes differ")]
    fn attribute(&mut self) -> Option<Option<Attribute>> {
        while is_space(self.at(0)?) || self.at(0)? == b'/' {
            self.position += 1;
        }
        if self.at(0)? == b'>' {
            return Some(None);
        }
        let (mut name, mut value) = (Vec::new(), Vec::new());
        loop {
            match self.at(0)? {
                b'=' if !name.is_empty() => {
                    self.position += 1;
                    break;
                }
                byte if is_space(byte) => {
                    while is_space(self.at(0)?) {
                        self.position += 1;
                    }
                    if self.at(0)? != b'=' {
                        return Some(Some((name, value)));
                    }
                    self.position += 1;
                    break;
                }
                b'/' | b'>' => return Some(Some((name, value))),
                byte => name.push(byte.to_ascii_lowercase()),
            }
            self.position += 1;
        }
        while is_space(self.at(0)?) {
            self.position += 1;
        }
        let quote = self.at(0).filter(|byte| matches!(byte, b'"' | b'\''));
        if quote.is_some() {
            self.position += 1;
        }
        loop {
            let byte = self.at(0)?;
            match quote {
                Some(quote) if byte == quote => {
                    self.position += 1;
                    return Some(Some((name, value)));
                }
                None if is_space(byte) || byte == b'>' => return Some(Some((name, value))),
                Some(_) | None => value.push(byte.to_ascii_lowercase()),
            }
            self.position += 1;
        }
    }
}

/// "Extracting a character encoding from a meta element".
fn extracted(content: &[u8]) -> Option<&'static Encoding> {
    let mut position = 0;
    loop {
        let rest = content.get(position..)?;
        let found = rest.windows(7).position(|word| word.eq_ignore_ascii_case(b"charset"))?;
        position += found + 7;
        while content.get(position).is_some_and(|byte| is_space(*byte)) {
            position += 1;
        }
        if content.get(position) == Some(&b'=') {
            break;
        }
    }
    let value = content.get(position + 1..)?.trim_ascii_start();
    let (first, rest) = value.split_first()?;
    let label = if matches!(first, b'"' | b'\'') {
        rest.get(..rest.iter().position(|byte| byte == first)?)?
    } else {
        value.split(|byte| is_space(*byte) || *byte == b';').next()?
    };
    Encoding::for_label(label)
}

/// "Get an XML encoding".
fn xml_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let declaration = bytes.strip_prefix(b"<?xml")?;
    let declaration = declaration.get(..declaration.iter().position(|byte| *byte == b'>')?)?;
    let start = declaration.windows(8).position(|word| word == b"encoding")?;
    let skip_controls = |bytes: &mut &[u8]| {
        while let [0..=b' ', rest @ ..] = *bytes {
            *bytes = rest;
        }
    };
    let mut rest = &declaration[start + 8..];
    skip_controls(&mut rest);
    rest = rest.strip_prefix(b"=")?;
    skip_controls(&mut rest);
    let (quote, rest) = rest.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    let label = &rest[..rest.iter().position(|byte| byte == quote)?];
    if label.iter().any(|byte| *byte <= b' ') {
        return None;
    }
    let encoding = Encoding::for_label(label)?;
    Some(if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding })
}

fn is_space(byte: u8) -> bool {
    matches!(byte, 0x09 | 0x0A | 0x0C | 0x0D | 0x20)
}
