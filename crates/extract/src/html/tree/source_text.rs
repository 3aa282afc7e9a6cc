//! Text from the tokenizer that arrives in parts, kept as one slice of the source wherever it can be.

use html5ever::tendril::StrTendril;

/// Text links from the tokenizer without copying what stands together in the source.
#[derive(Debug, Default)]
pub(super) struct SourceText {
    start: usize,
    end: usize,
    /// Holds the whole text once it is not a slice of the source any more.
    copied: Vec<u8>,
}

impl SourceText {
    /// Appends `part`, which may or may not lie inside `source`.
    pub(super) fn push(&mut self, source: &[u8], part: &[u8]) {
        if part.is_empty() {
            return;
        }
        if self.copied.is_empty() {
            let at = part.as_ptr().addr().wrapping_sub(source.as_ptr().addr());
            let lies_inside = at.checked_add(part.len()).is_some_and(|end| end <= source.len());
            if lies_inside && (self.start == self.end || self.end == at) {
                if self.start == self.end {
                    self.start = at;
                }
                self.end = at + part.len();
                return;
            }
            self.copied.extend_from_slice(&source[self.start..self.end]);
        }
        self.copied.extend_from_slice(part);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.start == self.end && self.copied.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.start = 0;
        self.end = 0;
        self.copied.clear();
    }

    /// Returns the bytes links so far.
    pub(super) fn bytes<'a>(&'a self, source: &'a [u8]) -> &'a [u8] {
        if self.copied.is_empty() { &source[self.start..self.end] } else { &self.copied }
    }

    /// Takes the text out, sharing the source's buffer where it can.
    pub(super) fn take(&mut self, source: &StrTendril) -> StrTendril {
        let text = if self.copied.is_empty() {
            u32::try_from(self.start)
                .ok()
                .zip(u32::try_from(self.end - self.start).ok())
                .and_then(|(start, length)| source.try_subtendril(start, length).ok())
        } else {
            None
        };
        let text = text.unwrap_or_else(|| to_tendril(self.bytes(source.as_bytes())));
        self.clear();
        text
    }
}

fn to_tendril(bytes: &[u8]) -> StrTendril {
    StrTendril::from_slice(&String::from_utf8_lossy(bytes))
}

#[cfg(test)]
mod tests {
    use super::{SourceText, StrTendril};

    #[test]
    fn pieces_join_whether_they_stand_together_or_not() {
        let source = StrTendril::from_slice("one two three four");
        let bytes = source.as_bytes();
        for (parts, expected) in [
            (vec![&bytes[0..3], &bytes[3..7]], "one two"),
            (vec![&bytes[0..3], &bytes[7..13]], "one three"),
            (vec![&bytes[4..7], b"&".as_slice(), &bytes[8..13]], "two&three"),
            (vec![b"<".as_slice(), &bytes[0..3]], "<one"),
            (vec![&bytes[14..18], b"".as_slice()], "four"),
            (vec![b"".as_slice()], ""),
        ] {
            let mut piece = SourceText::default();
            for part in parts {
                piece.push(bytes, part);
            }
            assert_eq!(piece.is_empty(), expected.is_empty());
            assert_eq!(&*piece.take(&source), expected);
            assert!(piece.is_empty());
        }
    }
}
