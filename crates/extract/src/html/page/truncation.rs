//! Truncation: whether a page breaks off before its end.

/// Elements whose content is text, up to their end tag.
const RAW_TEXT: [&str; 4] = ["script", "style", "textarea", "title"];

/// Tells whether a page has no end: it ends inside a tag, a comment or a script, or it begins an `html`
/// or `body` element and ends neither.
pub(super) fn breaks_off(html: &str) -> bool {
    let ending = html.trim_ascii_end().as_bytes().last_chunk::<7>();
    if ending.is_some_and(|ending| ending.eq_ignore_ascii_case(b"</html>")) {
        return false;
    }
    ends_amiss(html).unwrap_or(true)
}

/// Reads the page roughly; `None` if it ends in the middle of something.
fn ends_amiss(html: &str) -> Option<bool> {
    let mut rest = html;
    let mut has_root = false;
    let mut has_end = false;
    while let Some((_, markup)) = rest.split_once('<') {
        rest = markup;
        if let Some(comment) = markup.strip_prefix("!--") {
            // `<!-->` and `<!--->` are whole comments.
            rest = match comment.strip_prefix('>').or_else(|| comment.strip_prefix("->")) {
                Some(after) => after,
                None => comment.split_once("-->")?.1,
            };
            continue;
        }
        let is_end_tag = markup.starts_with('/');
        let tag = markup.trim_start_matches('/');
        if tag.is_empty() {
            return None;
        }
        if !tag.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '!' | '?')) {
            continue;
        }
        let (name, attributes) = tag.split_at(tag.find([' ', '\n', '\t', '\r', '/', '>'])?);
        let is_frame = name.eq_ignore_ascii_case("html") || name.eq_ignore_ascii_case("body");
        has_root |= is_frame && !is_end_tag;
        has_end |= is_frame && is_end_tag;
        rest = after_tag(attributes)?;
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
        let (_, after) = rest.split_at(rest.find(['>', '='])?);
        if let Some(end) = after.strip_prefix('>') {
            return Some(end);
        }
        rest = after.strip_prefix('=')?;
        let value = rest.trim_ascii_start();
        for quote in ['"', '\''] {
            if let Some(quoted) = value.strip_prefix(quote) {
                rest = quoted.split_once(quote)?.1;
            }
        }
    }
}

/// Returns the end tag of a raw text element, and what follows it.
fn after_raw_text<'text>(text: &'text str, name: &str) -> Option<&'text str> {
    let mut rest = text;
    loop {
        let (_, tag) = rest.split_at(rest.find("</")?);
        rest = tag.strip_prefix("</")?;
        if rest.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name)) {
            return Some(tag);
        }
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
            "\u{e9}",
            "<p>\u{e9}<\u{e9}</\u{e9}",
            "<script></\u{e9}</script>",
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
            "<p>x<script>y</script",
            "<p>x<style>y</style a=\u{e9}",
            "\u{e9}<",
        ] {
            assert!(breaks_off(html), "{html}");
        }
    }
}
