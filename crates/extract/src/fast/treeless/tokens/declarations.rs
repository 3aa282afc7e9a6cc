//! What begins with `<!` or `<?`: comments, doctypes, CDATA sections.

use memchr::{memchr, memmem};

use super::{Token, Tokens};
use crate::fast::treeless::GaveUp;

impl<'page> Tokens<'page, '_> {
    /// Passes a comment, at which the page is.
    pub(super) fn pass_comment(&mut self) {
        let bytes = self.page.as_bytes();
        let start = self.at + "<!--".len();
        for short in [">", "->"] {
            if bytes[start..].starts_with(short.as_bytes()) {
                self.at = start + short.len();
                return;
            }
        }
        let mut at = start;
        while let Some(distance) = memmem::find(&bytes[at..], b"--") {
            at += distance + "--".len();
            while bytes.get(at) == Some(&b'-') {
                at += 1;
            }
            for end in [">", "!>"] {
                if bytes[at..].starts_with(end.as_bytes()) {
                    self.at = at + end.len();
                    return;
                }
            }
        }
        self.at = bytes.len();
    }

    /// Passes something that ends with the next `>`, whatever it is.
    pub(super) fn pass_bogus_comment(&mut self) {
        let end = memchr(b'>', &self.page.as_bytes()[self.at..]);
        self.at = end.map_or(self.page.len(), |distance| self.at + distance + 1);
    }

    /// Returns what stands in a CDATA section, at which the page is.
    pub(super) fn cdata_section(&mut self) -> &'page str {
        let page = self.page;
        let start = self.at + "<![CDATA[".len();
        let length = memmem::find(&page.as_bytes()[start..], b"]]>");
        let end = length.map_or(page.len(), |length| start + length);
        self.at = length.map_or(page.len(), |_| end + "]]>".len());
        &page[start..end]
    }

    /// Reads a doctype, at which the page is.
    pub(super) fn doctype(&mut self) -> Result<Token<'page>, GaveUp> {
        let start = self.at + "<!doctype".len();
        let unclear = GaveUp("a doctype that is not written like most");
        let length = memchr(b'>', &self.page.as_bytes()[start..]).ok_or(unclear)?;
        let text = self.page[start..start + length].to_ascii_lowercase();
        self.at = start + length + 1;
        has_quirks(text.trim_ascii()).map(|quirks| Token::Doctype { quirks }).ok_or(unclear)
    }
}

/// Tells whether a page with this doctype, in lower case, [has
/// quirks](https://html.spec.whatwg.org/multipage/parsing.html#the-initial-insertion-mode); `None` if it is an unusual one.
fn has_quirks(doctype: &str) -> Option<bool> {
    let (name, rest) =
        doctype.split_once(|character: char| character.is_ascii_whitespace()).unwrap_or((doctype, ""));
    if name != "html" {
        return (!name.is_empty() && rest.is_empty()).then_some(true);
    }
    let rest = rest.trim_ascii();
    if rest.is_empty() {
        return Some(false);
    }
    if let Some(rest) = rest.strip_prefix("system") {
        let (system, rest) = quoted(rest)?;
        return (rest.is_empty() && system == "about:legacy-compat").then_some(false);
    }
    let (public, rest) = quoted(rest.strip_prefix("public")?)?;
    let system = if rest.is_empty() { None } else { Some(quoted(rest)?) };
    if system.is_some_and(|(system, rest)| !rest.is_empty() || system.contains("ibmxhtml1")) {
        return None;
    }
    let begins = |beginnings: &[&str]| beginnings.iter().any(|beginning| public.starts_with(beginning));
    if begins(&["-//w3c//dtd html 4.01 transitional//", "-//w3c//dtd html 4.01 frameset//"]) {
        Some(system.is_none())
    } else if begins(&["-//w3c//dtd xhtml 1.", "-//w3c//dtd html 4.01//", "-//w3c//dtd html 4.0//"]) {
        Some(false)
    } else if begins(&[
        "-//w3c//dtd html 4.0 transitional//",
        "-//w3c//dtd html 3.2//",
        "-//w3c//dtd html 3.2 final//",
    ]) {
        Some(true)
    } else {
        None
    }
}

/// Returns the text between quotation marks with which another begins, and what comes after.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_ascii_start();
    let quote = text.chars().next().filter(|character| matches!(character, '"' | '\''))?;
    let (inside, rest) = text[1..].split_once(quote)?;
    Some((inside, rest.trim_ascii_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quirks_follow_from_the_doctype() {
        for (doctype, expected) in [
            ("html", Some(false)),
            ("html system \"about:legacy-compat\"", Some(false)),
            (
                "html public \"-//w3c//dtd xhtml 1.0 transitional//en\" \"http://www.w3.org/x.dtd\"",
                Some(false),
            ),
            ("html public '-//w3c//dtd html 4.01 transitional//en'", Some(true)),
            ("html public '-//w3c//dtd html 4.01 transitional//en' 'x'", Some(false)),
            ("html public \"-//w3c//dtd html 3.2 final//en\"", Some(true)),
            ("other", Some(true)),
            ("", None),
            ("html public", None),
            ("html public \"-//someone//dtd\"", None),
            ("html \"x", None),
        ] {
            assert_eq!(has_quirks(doctype), expected, "{doctype}");
        }
    }
}
