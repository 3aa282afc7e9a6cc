//! Elements whose text ends at their end tag, whatever stands in it: scripts, styles, titles and the like.

use memchr::{memchr, memchr2};

use super::{Tokens, attributes, is_space};
use crate::fast::treeless::names::Name;

/// How far an element of text reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::fast::treeless) struct RawText<'page> {
    pub(in crate::fast::treeless) text: &'page str,
    /// The end tag was that of the `noscript` around the element.
    pub(in crate::fast::treeless) ends_noscript: bool,
}

/// Where a script is that may hold a comment with scripts in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Plain,
    /// In a comment.
    Escaped,
    /// In a script in a comment.
    DoublyEscaped,
}

impl<'page> Tokens<'page, '_> {
    /// Returns the text of an element whose start tag was the last token, and passes its end tag. In a `noscript`, that
    /// one's end tag ends the text of a frame, too.
    pub(in crate::fast::treeless) fn raw_text(&mut self, name: Name, is_in_noscript: bool) -> RawText<'page> {
        let start = self.at;
        let end = match name {
            Name::Script => self.end_of_script(),
            _ => self.end_of_text(name, is_in_noscript && name == Name::Iframe),
        };
        let Some((end, name_end, ends_noscript)) = end else {
            self.at = self.page.len();
            return RawText { text: &self.page[start..], ends_noscript: false };
        };
        self.at = attributes::pass(self.page.as_bytes(), name_end).unwrap_or(self.page.len());
        RawText { text: &self.page[start..end], ends_noscript }
    }

    /// Returns where a text ends, where the name of its end tag ends, and whether that is `noscript`.
    fn end_of_text(&self, name: Name, or_noscript: bool) -> Option<(usize, usize, bool)> {
        let bytes = self.page.as_bytes();
        let mut at = self.at;
        loop {
            at += memchr(b'<', &bytes[at..])?;
            if bytes.get(at + 1) == Some(&b'/') {
                if let Some(end) = end_of_name(bytes, at + 2, name) {
                    return Some((at, end, false));
                }
                if or_noscript && let Some(end) = end_of_name(bytes, at + 2, Name::Noscript) {
                    return Some((at, end, true));
                }
            }
            at += 1;
        }
    }

    /// The same for [scripts](https://html.spec.whatwg.org/multipage/parsing.html#script-data-state), which may hold
    /// comments with scripts in them.
    fn end_of_script(&self) -> Option<(usize, usize, bool)> {
        let bytes = self.page.as_bytes();
        let script_at = |at: usize| end_of_name(bytes, at, Name::Script);
        let is_end_tag = |at: usize| bytes.get(at + 1) == Some(&b'/');
        let mut state = Script::Plain;
        let mut at = self.at;
        loop {
            at += match state {
                Script::Plain => memchr(b'<', &bytes[at..])?,
                Script::Escaped | Script::DoublyEscaped => memchr2(b'<', b'>', &bytes[at..])?,
            };
            let end = is_end_tag(at).then(|| script_at(at + 2)).flatten();
            match (state, bytes[at]) {
                (_, b'>') => {
                    // The dashes may be those with which the comment begins.
                    if bytes[..at].ends_with(b"--") {
                        state = Script::Plain;
                    }
                }
                (Script::Plain | Script::Escaped, _) if end.is_some() => {
                    return end.map(|end| (at, end, false));
                }
                (Script::Plain, _) => {
                    if bytes[at..].starts_with(b"<!--") {
                        state = Script::Escaped;
                        at += "<!-".len();
                    }
                }
                (Script::Escaped, _) => {
                    if script_at(at + 1).is_some() {
                        state = Script::DoublyEscaped;
                    }
                }
                (Script::DoublyEscaped, _) => {
                    if end.is_some() {
                        state = Script::Escaped;
                    }
                }
            }
            at += 1;
        }
    }
}

/// Returns where a name ends that stands here as a whole.
fn end_of_name(bytes: &[u8], start: usize, name: Name) -> Option<usize> {
    let end = start + name.text().len();
    let is_name = bytes.get(start..end)?.eq_ignore_ascii_case(name.text().as_bytes());
    (is_name && (is_space(*bytes.get(end)?) || matches!(bytes[end], b'/' | b'>'))).then_some(end)
}
