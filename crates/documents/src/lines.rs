//! The lines of a document under way, within their limits.

use recrawl_core::model::document::{DocumentLine, LineKind};

use crate::limits::{CUT, MAX_LINES, MAX_TEXT};

/// The lines of a document under way.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    list: Vec<DocumentLine>,
    bytes: usize,
    is_cut: bool,
}

impl Lines {
    /// Adds a line, white space collapsed, unless it is empty or there is no room for it.
    pub(crate) fn push(&mut self, kind: LineKind, text: &str) {
        let mut line = String::with_capacity(text.len());
        for word in text.split_whitespace() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        if line.is_empty() {
            return;
        }
        if self.is_cut || self.list.len() == MAX_LINES || self.bytes + line.len() > MAX_TEXT {
            self.is_cut = true;
            return;
        }
        self.bytes += line.len();
        self.list.push(DocumentLine { kind, text: line });
    }

    /// Tells whether something had no room.
    pub(crate) fn is_full(&self) -> bool {
        self.is_cut
    }

    /// Returns why there are not all lines, if some are missing.
    pub(crate) fn cut(&self) -> Option<String> {
        self.is_cut.then(|| CUT.to_owned())
    }

    /// Returns the lines.
    pub(crate) fn into_lines(self) -> Vec<DocumentLine> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_collapsed_and_end_where_there_is_no_room() {
        let mut lines = Lines::default();
        lines.push(LineKind::Text, " a\n\u{a0}b  c ");
        lines.push(LineKind::Text, " \t");
        lines.push(LineKind::Heading, &"x".repeat(MAX_TEXT));
        lines.push(LineKind::Text, "never");
        assert!(lines.is_full() && lines.cut().is_some());
        let texts: Vec<String> = lines.into_lines().into_iter().map(|line| line.text).collect();
        assert_eq!(texts, ["a b c"]);
    }
}
