//! Whether a page breaks off.

use memchr::{memchr, memmem};

/// Elements whose content is text, up to their end tag.
const RAW_TEXT: [&str; 4] = ["script", "style", "textarea", "title"];

/// Tells whether a page has no end: it ends inside a tag, a comment or a script, or it begins an `html`
/// or `body` element and ends neither.
pub(super) fn breaks_off(html: &str) -> bool {
    let bytes = html.trim_ascii_end().as_bytes();
    if bytes.len() >= 7 && bytes[bytes.len() - 7..].eq_ignore_ascii_case(b"</html>") {
        return false;
    }
    ends_amiss(html).unwrap_or(true)
}

/// Reads the page roughly; `None` if it ends in the middle of something.
fn ends_amiss(html: &str) -> Option<bool> {
    let mut rest = html;
    let mut has_root = false;
    let mut has_end = false;
    while let Some(at) = memchr(b'<', rest.as_bytes()) {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            // `<!-->` and `<!--->` are whole comments.
            let end = memmem::find(comment.as_bytes(), b"-->");
            rest = match comment.strip_prefix('>').or_else(|| comment.strip_prefix("->")) {
                Some(after) => after,
                None => &comment[end? + 3..],
            };
            continue;
        }
        let is_end_tag = rest.starts_with('/');
        let tag = rest.trim_start_matches('/');
        if tag.is_empty() {
            return None;
        }
        if !tag.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '!' | '?')) {
            continue;
        }
        let name_length =
            tag.bytes().position(|byte| matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | b'/' | b'>'))?;
        let name = &tag[..name_length];
        let is_frame = name.eq_ignore_ascii_case("html") || name.eq_ignore_ascii_case("body");
        has_root |= is_frame && !is_end_tag;
        has_end |= is_frame && is_end_tag;
        rest = after_tag(&tag[name_length..])?;
        if !is_end_tag && let Some(raw) = RAW_TEXT.iter().find(|raw| name.eq_ignore_ascii_case(raw)) {
            rest = after_raw_text(rest, raw)?;
        }
    }
    Some(has_root && !has_end)
}

/// Returns what follows a tag whose name was read.
fn after_tag(tag: &str) -> Option<&str> {
    let mut rest = tag;
    loop {
        let at = rest.bytes().position(|byte| matches!(byte, b'>' | b'='))?;
        let found = rest.as_bytes()[at];
        rest = &rest[at + 1..];
        if found == b'>' {
            return Some(rest);
        }
        let value = rest.trim_ascii_start();
        if let Some(quote @ (b'"' | b'\'')) = value.bytes().next() {
            rest = &value[1..];
            rest = &rest[memchr(quote, rest.as_bytes())? + 1..];
        }
    }
}

/// Returns what follows the start of the end tag of a raw text element.
fn after_raw_text<'text>(text: &'text str, name: &str) -> Option<&'text str> {
    let mut rest = text;
    loop {
        rest = &rest[memmem::find(rest.as_bytes(), b"</")?..];
        let found = rest.get(2..2 + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name));
        if found {
            return Some(rest);
        }
        rest = &rest[2..];
    }
}

#[cfg(test)]
mod tests {
    use super::breaks_off;

    #[test]
    fn whole_pages_end() {
        for html in [
            "",
            "text",
            "<p>a fragment",
            "<html><body>x</body></html>",
            "<html><body>x</body></HTML> \n",
            "<html><body>x</body></html><!-- cached -->",
            "<html><body>x</body></html><script>y</script>",
            "<html><body>x</body>",
            "<body>x</html>z",
            "<html><!--> --><body a='>' b=\"</body>\">x</body >",
            "a < b <> c <3",
            "<title>a<b</title>",
        ] {
            assert!(!breaks_off(html), "{html}");
        }
    }

    #[test]
    fn pages_without_their_end_break_off() {
        for html in [
            "<html><body>x",
            "<!doctype html><HTML lang=en><p>x</p>",
            "<body class=a><div>",
            "<html><body>x</body></ht",
            "<html><body>x</body></html",
            "<p>x <a href=\"/long",
            "<p>x <a hre",
            "<p>x <a",
            "<p>x <",
            "<p>x </",
            "<p>x <!-- comm",
            "<p>x <script>if (a",
            "<html><body><script>document.write('</html>');",
            "<html><body><!-- </body></html> -->x",
            "<style>p {} </styl",
        ] {
            assert!(breaks_off(html), "{html}");
        }
    }
}
