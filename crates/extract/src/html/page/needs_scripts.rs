//! Pages whose text is made by JavaScript, which Recrawl does not run: next to no text, scripts, and an empty element
//! for them to fill, or a `noscript` that asks for JavaScript.
//!
//! A page is taken for one only where it says next to nothing by itself: with a text that is short, it is a short page.

/// The canonical text of such a page, what stands in its `noscript` included, is shorter.
const MAX_TEXT: usize = 1_000;

/// Such a page has no more words outside the element that scripts fill: its name, a notice.
const MAX_WORDS: usize = 15;

/// As many words say that something is loading.
const LOADING: usize = 4;

/// How the elements are called that scripts fill.
const MOUNTS: [&str; 20] = [
    "root",
    "app",
    "__next",
    "__nuxt",
    "___gatsby",
    "application",
    "app-root",
    "approot",
    "app-container",
    "app-mount",
    "appmountpoint",
    "react-root",
    "reactroot",
    "react-app",
    "vue-app",
    "svelte",
    "svelte-app",
    "q-app",
    "spa-root",
    "single-spa-application",
];

/// Elements whose content is no text of the page.
const SILENT: [&str; 6] = ["script", "style", "noscript", "template", "title", "svg"];

/// Tells whether scripts make the text of a page, given its canonical text and its source.
pub(super) fn is_made_by_scripts(text: &str, html: &str) -> bool {
    if text.len() > MAX_TEXT {
        return false;
    }
    let source = html.to_ascii_lowercase();
    let page = Sketch::of(&source);
    let is_short = page.words <= MAX_WORDS;
    page.has_script && is_short && (page.has_empty_mount || page.asks_for_scripts && page.words <= LOADING)
}

/// What the source of a page shows at a glance.
#[derive(Debug, Default)]
struct Sketch {
    words: usize,
    has_script: bool,
    has_empty_mount: bool,
    asks_for_scripts: bool,
}

/// An element that scripts may fill, while it is open.
struct Mount<'html> {
    name: &'html str,
    /// How many elements of its name are open in it, itself included.
    depth: usize,
    /// How many words stood before it.
    words: usize,
}

impl Sketch {
    /// Goes through a source in lower case, tag by tag. What is broken is read as far as it can be.
    fn of(source: &str) -> Self {
        let mut sketch = Self::default();
        let mut mount: Option<Mount<'_>> = None;
        let mut rest = source;
        while let Some(begin) = rest.find('<') {
            sketch.words += rest[..begin].split_whitespace().count();
            rest = &rest[begin..];
            if let Some(comment) = rest.strip_prefix("<!--") {
                rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
                continue;
            }
            let Some(end) = rest.find('>') else { break };
            let (tag, after) = (&rest[1..end], &rest[end + 1..]);
            rest = after;
            let (name, is_end) = match tag.strip_prefix('/') {
                Some(name) => (name.trim(), true),
                None => (name_of(tag), false),
            };
            if !is_end && SILENT.contains(&name) {
                let closing = format!("</{name}");
                let (inside, beyond) = after.split_at(after.find(&closing).unwrap_or(after.len()));
                sketch.has_script |= name == "script";
                sketch.asks_for_scripts |= name == "noscript" && asks_for_scripts(inside);
                rest = beyond;
                continue;
            }
            match &mut mount {
                None if !is_end && is_mount(name, tag) => {
                    mount = Some(Mount { name, depth: 1, words: sketch.words });
                }
                Some(open) if open.name == name => {
                    open.depth = if is_end { open.depth - 1 } else { open.depth + 1 };
                    if open.depth == 0 {
                        sketch.has_empty_mount |= sketch.words - open.words <= LOADING;
                        mount = None;
                    }
                }
                _ => {}
            }
        }
        sketch
    }
}

fn name_of(tag: &str) -> &str {
    let ends = |character: char| character.is_ascii_whitespace() || character == '/';
    tag.split(ends).next().unwrap_or(tag)
}

/// Tells whether an element is one that scripts fill: by its id, or as an element that only scripts define.
fn is_mount(name: &str, tag: &str) -> bool {
    if name.contains('-') && name.starts_with(|first: char| first.is_ascii_lowercase()) {
        return true;
    }
    let Some((_, value)) = tag.split_once(" id=") else { return false };
    let quotes = |character: char| matches!(character, '"' | '\'');
    let value = value.trim_start_matches(quotes);
    let ends = |character: char| quotes(character) || character.is_ascii_whitespace();
    value.split(ends).next().is_some_and(|id| MOUNTS.contains(&id))
}

/// Tells whether the content of a `noscript` asks for JavaScript.
fn asks_for_scripts(inside: &str) -> bool {
    inside.contains("javascript")
        && ["enable", "need", "require", "turn on", "activate", "without", "disabled", "aktivier", "activer"]
            .iter()
            .any(|word| inside.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUNDLE: &str = "<script src=/static/main.3f2a.js></script>";

    fn is_one(body: &str) -> bool {
        let html =
            format!("<!doctype html><html><head><title>Permits</title></head><body>{body}</body></html>");
        is_made_by_scripts("", &html)
    }

    #[test]
    fn a_page_that_scripts_fill_is_told_from_a_short_one() {
        let notice = "<noscript>You need to enable JavaScript to run this app.</noscript>";
        for (body, expected) in [
            (format!("{notice}<div id=\"root\"></div>{BUNDLE}"), true),
            (format!("<div id=root></div>{BUNDLE}"), true),
            (format!("<div class='x' id='app'><!-- app --></div>{BUNDLE}"), true),
            (format!("<div id=\"__next\"><div class=spinner><div></div></div></div>{BUNDLE}"), true),
            (format!("<DIV ID=\"Root\">Loading, please wait \u{2026}</DIV>{BUNDLE}"), true),
            (format!("<app-root></app-root>{BUNDLE}"), true),
            (format!("<h1>Permits</h1><div id=root></div><footer>City of Ashford</footer>{BUNDLE}"), true),
            (format!("{notice}<main></main>{BUNDLE}"), true),
            // Nothing would fill it.
            (format!("{notice}<div id=root></div>"), false),
            (format!("<div id=root><h1>Permits</h1><p>Apply in room 4 until noon.</p></div>{BUNDLE}"), false),
            (format!("<div id=main></div>{BUNDLE}"), false),
            (format!("<p>Closed for the holidays.</p>{BUNDLE}"), false),
            (
                format!(
                    "<p>Closed for the holidays until 7 January.</p><noscript>Please enable JavaScript to view the \
                     comments.</noscript>{BUNDLE}"
                ),
                false,
            ),
            (format!("<p>{}</p><div id=root></div>{BUNDLE}", "word ".repeat(16)), false),
            (String::new(), false),
            ("<div id=root".to_owned(), false),
        ] {
            assert_eq!(is_one(&body), expected, "{body}");
        }
    }

    #[test]
    fn a_page_with_a_text_is_none_whatever_its_source_shows() {
        let html = format!("<div id=root></div>{BUNDLE}");
        assert!(is_made_by_scripts("Permits", &html));
        assert!(!is_made_by_scripts(&"word ".repeat(300), &html));
    }
}
