//! What the process that reads a document says to the one that asked: a line a fact, the first character says which.

use recrawl_core::model::document::{Document, DocumentLine, LineKind, UnreadDocument};

/// So many bytes are read of an answer; no document is longer, whose text, links and lines are limited.
pub(crate) const MAX_ANSWER: usize = 4 << 20;

/// The last line of a document. One without broke off.
const END: &str = ".";

/// Writes what was read.
pub(crate) fn encode(read: &Result<Document, UnreadDocument>) -> String {
    let document = match read {
        Ok(document) => document,
        Err(reason) => {
            let number = UnreadDocument::ALL.iter().position(|known| known == reason).unwrap_or_default();
            return format!("!{number}\n{END}\n");
        }
    };
    let mut answer = String::new();
    let mut push = |mark: char, text: &str| {
        answer.push(mark);
        answer.extend(text.chars().map(|letter| if letter == '\n' { ' ' } else { letter }));
        answer.push('\n');
    };
    if let Some(title) = &document.title {
        push('t', title);
    }
    if let Some(language) = &document.language {
        push('g', language);
    }
    if let Some(parts) = document.parts {
        push('n', &parts.to_string());
    }
    if let Some(cut) = &document.cut {
        push('x', cut);
    }
    for link in &document.links {
        push('u', link);
    }
    for line in &document.lines {
        push(mark(line.kind), &line.text);
    }
    answer.push_str(END);
    answer.push('\n');
    answer
}

/// Reads what [`encode`] wrote; `None` where that is not whole.
pub(crate) fn decode(answer: &str) -> Option<Result<Document, UnreadDocument>> {
    let mut document = Document::default();
    let mut lines = answer.split_terminator('\n');
    if lines.next_back()? != END || !answer.ends_with('\n') {
        return None;
    }
    for line in lines {
        let mut letters = line.chars();
        let mark = letters.next()?;
        let text = letters.as_str();
        match mark {
            '!' => return UnreadDocument::ALL.get(text.parse::<usize>().ok()?).copied().map(Err),
            't' => document.title = Some(text.to_owned()),
            'g' => document.language = Some(text.to_owned()),
            'n' => document.parts = Some(text.parse().ok()?),
            'x' => document.cut = Some(text.to_owned()),
            'u' => document.links.push(text.to_owned()),
            _ => document.lines.push(DocumentLine { kind: kind(mark)?, text: text.to_owned() }),
        }
    }
    // No document is read without lines.
    (!document.lines.is_empty()).then_some(Ok(document))
}

const fn mark(kind: LineKind) -> char {
    match kind {
        LineKind::Text => ' ',
        LineKind::Heading => 'h',
        LineKind::Margin => 'm',
        LineKind::Furniture => 'f',
    }
}

fn kind(letter: char) -> Option<LineKind> {
    LineKind::ALL.into_iter().find(|kind| mark(*kind) == letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_reads_back() {
        let lines = LineKind::ALL.map(|kind| DocumentLine { kind, text: "a line".to_owned() });
        let document = Document {
            title: Some("A title".to_owned()),
            language: Some("de".to_owned()),
            parts: Some(3),
            lines: lines.into(),
            links: vec!["https://example.org/".to_owned()],
            cut: Some("long".to_owned()),
        };
        assert_eq!(decode(&encode(&Ok(document.clone()))), Some(Ok(document)));
        for reason in UnreadDocument::ALL {
            assert_eq!(decode(&encode(&Err(reason))), Some(Err(reason)));
        }
    }

    #[test]
    fn what_breaks_off_is_no_answer() {
        let line = DocumentLine { kind: LineKind::Text, text: "a line\u{2028}and\nanother".to_owned() };
        let whole = encode(&Ok(Document { lines: vec![line], ..Document::default() }));
        assert!(decode(&whole).is_some());
        for end in 0..whole.len() - 1 {
            if let Some(part) = whole.get(..end) {
                assert_eq!(decode(part), None, "{part:?}");
            }
        }
        for broken in ["", ".\n", "?x\n.\n", "!99\n.\n"] {
            assert_eq!(decode(broken), None, "{broken:?}");
        }
    }
}
