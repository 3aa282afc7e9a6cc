//! Files that are text but no pages: plain text, Markdown, CSV, JSON, XML and feeds.
//!
//! They are compared line by line, like the text of a page, but by rules of their own. Noise rules know how pages are
//! written, and in data a number or a date is what matters: so nothing is left out but what a user says.

use recrawl_core::model::content::{Extracted, Unreadable};
use recrawl_core::model::ids::{ContentHash, RulesVersion, SemanticHash};
use recrawl_core::model::outline::Outline;
use recrawl_core::model::region::Mark;

use crate::budget::WorkBudget;
use crate::charset;
use crate::html::text::{TextRules, semantic_hash};
use crate::media_type::MediaType;

/// So many bytes tell whether a file that claims to be text is binary, by the MIME Sniffing Standard.
const SNIFFED: usize = 1_445;

/// How the lines of a text file are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextFile {
    /// As they stand.
    Lines,
    /// One for each value, however the file is laid out.
    Json,
    /// One for each element, however the file is laid out.
    Xml,
}

impl TextFile {
    /// Returns what a body is by its header, unless it is binary or of another type.
    pub(crate) fn of(content_type: Option<&str>, body: &[u8]) -> Option<Self> {
        let MediaType { essence, .. } = MediaType::parse(content_type?)?;
        let (kind, subtype) = essence.split_once('/')?;
        let found = match (kind, subtype) {
            // An image, whatever it is written in.
            ("image", _) => return None,
            (_, "json") => Self::Json,
            (_, "xml") => Self::Xml,
            (_, subtype) if subtype.ends_with("+json") => Self::Json,
            (_, subtype) if subtype.ends_with("+xml") => Self::Xml,
            ("text", _) => Self::Lines,
            ("application", "csv" | "markdown" | "yaml" | "x-yaml" | "toml" | "x-ndjson" | "jsonl") => {
                Self::Lines
            }
            _ => return None,
        };
        (!is_binary(body)).then_some(found)
    }

    /// Reads a file.
    pub(crate) fn read(
        self,
        body: &[u8],
        content_type: Option<&str>,
        rules: &TextRules,
    ) -> Result<Extracted, Unreadable> {
        let budget = WorkBudget::for_page();
        let decoded = charset::decode(body, content_type);
        budget.work_on(&decoded.text)?;
        let text = match self {
            Self::Lines => lines(&decoded.text),
            Self::Json => json_lines(&decoded.text),
            Self::Xml => xml_lines(&decoded.text),
        };
        let text = rules.without_patterns(text, &budget)?;
        let mut outline = Outline::default();
        text.lines().for_each(|_| outline.push_line(Mark::CONTENT));
        Ok(Extracted {
            semantic: SemanticHash::from(semantic_hash(&text)),
            rules: RulesVersion(rules.text_file_version()),
            text,
            outline: Some(outline),
            ..Extracted::opaque(ContentHash::of(body))
        })
    }
}

/// Tells whether a body is binary, whatever its header says: servers call what they do not know plain text.
fn is_binary(body: &[u8]) -> bool {
    let has_mark = [&b"\xEF\xBB\xBF"[..], b"\xFE\xFF", b"\xFF\xFE"].iter().any(|mark| body.starts_with(mark));
    let is_no_text = |byte: &u8| matches!(byte, 0..=8 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F);
    !has_mark && body.iter().take(SNIFFED).any(is_no_text)
}

/// Returns the lines of a text without white space at their ends, and without empty ones.
pub(crate) fn lines(text: &str) -> String {
    let filled = text.split(['\n', '\r']).map(str::trim_end).filter(|line| !line.is_empty());
    joined(text.len(), filled)
}

/// Returns a line for each tag and the text behind it.
fn xml_lines(text: &str) -> String {
    let mut apart = String::with_capacity(text.len());
    for piece in text.split_inclusive('>') {
        let is_tag = piece.trim_start().starts_with('<');
        if is_tag && apart.ends_with('>') {
            apart.push('\n');
        }
        apart.push_str(piece);
    }
    joined(apart.len(), apart.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()))
}

/// Returns a line for each value, and for each bracket that ends some.
fn json_lines(text: &str) -> String {
    let mut apart = String::with_capacity(text.len());
    let mut is_string = false;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                is_string = !is_string;
                apart.push('"');
            }
            '\\' if is_string => {
                apart.push('\\');
                apart.extend(characters.next());
            }
            _ if is_string => apart.push(character),
            '{' | '[' | ',' => apart.extend([character, '\n']),
            '}' | ']' => apart.extend(['\n', character]),
            ':' => apart.push_str(": "),
            _ if character.is_whitespace() => {}
            _ => apart.push(character),
        }
    }
    lines(&apart)
}

fn joined<'text>(length: usize, lines: impl Iterator<Item = &'text str>) -> String {
    let mut text = String::with_capacity(length);
    for line in lines {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_known_by_its_type_and_not_binary() {
        for (content_type, expected) in [
            ("text/plain", Some(TextFile::Lines)),
            ("text/csv; charset=utf-8", Some(TextFile::Lines)),
            ("text/markdown", Some(TextFile::Lines)),
            ("application/json", Some(TextFile::Json)),
            ("application/ld+json", Some(TextFile::Json)),
            ("application/xml", Some(TextFile::Xml)),
            ("text/xml", Some(TextFile::Xml)),
            ("application/rss+xml", Some(TextFile::Xml)),
            ("application/atom+xml", Some(TextFile::Xml)),
            ("image/svg+xml", None),
            ("application/pdf", None),
            ("application/octet-stream", None),
            ("nonsense", None),
        ] {
            assert_eq!(TextFile::of(Some(content_type), b"text"), expected, "{content_type}");
            assert_eq!(TextFile::of(Some(content_type), b"PK\x03\x04"), None, "{content_type}");
        }
        assert_eq!(TextFile::of(None, b"text"), None);
        assert_eq!(TextFile::of(Some("text/plain"), b"\xFF\xFEa\0"), Some(TextFile::Lines));
    }

    #[test]
    fn lines_stand_as_they_are_written_but_for_white_space_at_their_ends() {
        assert_eq!(lines("a  b \r\n\r\n  c\t\rd\n"), "a  b\n  c\nd");
        assert_eq!(lines(" \n"), "");
    }

    #[test]
    fn json_has_a_line_for_each_value() {
        let minified = r#"{"a":1,"b":["x, {y}","\"z\\"],"c":{}}"#;
        let expected = "{\n\"a\": 1,\n\"b\": [\n\"x, {y}\",\n\"\\\"z\\\\\"\n],\n\"c\": {\n}\n}";
        assert_eq!(json_lines(minified), expected);
        assert_eq!(json_lines(expected), expected);
        let spread = minified.replace(",\"c\"", ",\n\t \"c\"");
        assert_eq!(json_lines(&spread), expected);
    }

    #[test]
    fn xml_has_a_line_for_each_element() {
        let expected = "<rss>\n<item>\n<title>One > two</title>\n<link/>\n</item>\n</rss>";
        assert_eq!(xml_lines("<rss><item><title>One > two</title><link/></item></rss>"), expected);
        assert_eq!(xml_lines(&expected.replace('\n', "\r\n   ")), expected);
    }
}
