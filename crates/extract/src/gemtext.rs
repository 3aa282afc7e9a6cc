//! Gemtext, the pages of capsules: a line is what its first characters say.

use std::collections::HashSet;

use recrawl_core::model::content::{Extracted, Unreadable};
use recrawl_core::model::ids::{ContentHash, RulesVersion, SemanticHash};
use recrawl_core::model::outline::Outline;
use recrawl_core::model::region::Mark;
use recrawl_core::url::{PageUrl, UrlRules, resolve};

use crate::budget::WorkBudget;
use crate::charset;
use crate::html::text::{TextRules, semantic_hash};
use crate::media_type::MediaType;
use crate::text_file;

/// The media type of gemtext.
pub const MEDIA_TYPE: &str = "text/gemini";

/// More links than these are not followed: no person wrote such a page.
const MOST_LINKS: usize = 50_000;

/// A title longer than this is none.
const LONGEST_TITLE: usize = 1_000;

/// A line of gemtext.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'a> {
    /// A paragraph, or nothing.
    Text(&'a str),
    /// A link: where it leads, as it is written, and what it says. Without words, the address is what it says.
    Link {
        /// Where it leads.
        target: &'a str,
        /// What it says.
        words: &'a str,
    },
    /// A heading of level 1, 2 or 3.
    Heading(usize, &'a str),
    /// An item of a list.
    Item(&'a str),
    /// A quotation.
    Quote(&'a str),
    /// Where a preformatted part begins or ends, and, where it begins, what it shows, in words.
    Fence(&'a str),
    /// A line of a preformatted part, as it stands.
    Preformatted(&'a str),
}

/// Returns the lines of a text. A preformatted part holds nothing but what it shows: no links, no headings.
pub fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut is_preformatted = false;
    text.lines().map(move |line| {
        if let Some(words) = line.strip_prefix("```") {
            is_preformatted = !is_preformatted;
            return Line::Fence(words.trim());
        }
        if is_preformatted { Line::Preformatted(line) } else { line_of(line) }
    })
}

fn line_of(line: &str) -> Line<'_> {
    if let Some(reference) = line.strip_prefix("=>") {
        let reference = reference.trim();
        let (target, words) = reference.split_once([' ', '\t']).unwrap_or((reference, ""));
        return if target.is_empty() { Line::Text(line) } else { Line::Link { target, words: words.trim() } };
    }
    if let Some(after) = line.strip_prefix('#') {
        let more = after.bytes().take(2).take_while(|byte| *byte == b'#').count();
        return Line::Heading(1 + more, after[more..].trim());
    }
    match line.strip_prefix("* ") {
        Some(item) => Line::Item(item.trim()),
        None => line.strip_prefix('>').map_or(Line::Text(line.trim_end()), |quote| Line::Quote(quote.trim())),
    }
}

/// Tells whether a body is gemtext by its header.
pub fn is_gemtext(content_type: Option<&str>) -> bool {
    content_type.and_then(MediaType::parse).is_some_and(|media| media.essence == MEDIA_TYPE)
}

/// Returns gemtext as text. Without a charset it is UTF-8, whatever it looks like.
pub fn decoded<'body>(body: &'body [u8], content_type: Option<&str>) -> std::borrow::Cow<'body, str> {
    charset::decode_as_declared(body, content_type).text
}

/// Reads the page at `url`. Its text is compared as it is written, links and all.
pub(crate) fn read(
    url: &PageUrl,
    body: &[u8],
    content_type: Option<&str>,
    rules: &TextRules,
    url_rules: &UrlRules,
) -> Result<Extracted, Unreadable> {
    let budget = WorkBudget::for_page();
    let source = decoded(body, content_type);
    budget.work_on(&source)?;
    let (links, cut) = links(url, &source, url_rules);
    let text = rules.without_patterns(text_file::lines(&source), &budget)?;
    let mut outline = Outline::default();
    lines(&text).for_each(|line| outline.push_line(mark(line)));
    Ok(Extracted {
        semantic: SemanticHash::from(semantic_hash(&text)),
        rules: RulesVersion(rules.text_file_version()),
        title: title(&source),
        language: content_type.and_then(MediaType::parse).and_then(|media| media.language),
        links,
        cut,
        text,
        outline: Some(outline),
        ..Extracted::opaque(ContentHash::of(body))
    })
}

fn mark(line: Line<'_>) -> Mark {
    let is_heading = matches!(line, Line::Heading(..));
    Mark { is_heading, is_links: matches!(line, Line::Link { .. }), ..Mark::CONTENT }
}

/// Returns the first heading, of the highest level that there is.
fn title(text: &str) -> Option<String> {
    let mut best: Option<(usize, &str)> = None;
    for line in lines(text) {
        if let Line::Heading(level, words) = line
            && !words.is_empty()
            && words.len() <= LONGEST_TITLE
            && best.is_none_or(|(found, _)| level < found)
        {
            best = Some((level, words));
        }
    }
    best.map(|(_, words)| words.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns the pages that a text leads to, in order, without doubles, and why some are left out, if they are.
fn links(url: &PageUrl, text: &str, rules: &UrlRules) -> (Vec<PageUrl>, Option<String>) {
    let base = url.to_url();
    let (mut links, mut seen) = (Vec::new(), HashSet::new());
    for line in lines(text) {
        let Line::Link { target, .. } = line else { continue };
        let Some(page) = resolve(target, Some(&base)).ok().and_then(|link| rules.normalise(link).ok()) else {
            continue;
        };
        if links.len() == MOST_LINKS {
            return (links, Some(format!("more than {MOST_LINKS} links: the others are not followed")));
        }
        if seen.insert(page.fingerprint()) {
            links.push(page);
        }
    }
    (links, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::text::TextSettings;

    const CAPSULE: &str = "# The  capsule\r\n\
        Welcome.   \r\n\
        => /news News of the week\r\n\
        =>\tsub/page\r\n\
        =>   gemini://other.example:1965?q#f\t Another capsule \r\n\
        => https://www.example.org/ The web\r\n\
        => mailto:a@example.org Mail\r\n\
        => gopher://example.org/ Gopher\r\n\
        => /news#today Again\r\n\
        =>\r\n\
        ``` art => /alt\r\n\
        => /hidden No link\r\n\
        \x20 # No heading\r\n\
        ```\r\n\
        ## Section\r\n\
        * an item\r\n\
        *no item\r\n\
        > said\r\n\
        ###Third\r\n";

    fn read_as(content_type: &str, body: &[u8]) -> Extracted {
        let rules = TextRules::new(&TextSettings::default()).unwrap();
        let url = "gemini://capsule.example/dir/index.gmi?x".parse().unwrap();
        read(&url, body, Some(content_type), &rules, &UrlRules::default()).unwrap()
    }

    #[test]
    fn each_line_is_what_its_first_characters_say() {
        use Line::{Fence, Heading, Item, Link, Preformatted, Quote, Text};
        let expected = [
            Heading(1, "The  capsule"),
            Text("Welcome."),
            Link { target: "/news", words: "News of the week" },
            Link { target: "sub/page", words: "" },
            Link { target: "gemini://other.example:1965?q#f", words: "Another capsule" },
            Link { target: "https://www.example.org/", words: "The web" },
            Link { target: "mailto:a@example.org", words: "Mail" },
            Link { target: "gopher://example.org/", words: "Gopher" },
            Link { target: "/news#today", words: "Again" },
            Text("=>"),
            Fence("art => /alt"),
            Preformatted("=> /hidden No link"),
            Preformatted("  # No heading"),
            Fence(""),
            Heading(2, "Section"),
            Item("an item"),
            Text("*no item"),
            Quote("said"),
            Heading(3, "Third"),
        ];
        assert_eq!(lines(CAPSULE).collect::<Vec<_>>(), expected);
        assert_eq!(lines("####").collect::<Vec<_>>(), [Heading(3, "#")]);
    }

    #[test]
    fn links_are_pages_and_preformatted_parts_hold_none() {
        let page = read_as("text/gemini", CAPSULE.as_bytes());
        let links: Vec<&str> = page.links.iter().map(PageUrl::as_str).collect();
        assert_eq!(
            links,
            [
                "gemini://capsule.example/news",
                "gemini://capsule.example/dir/sub/page",
                "gemini://other.example/?q",
                "https://www.example.org/",
            ]
        );
        assert_eq!(page.title.as_deref(), Some("The capsule"));
        assert_eq!(page.cut, None);
    }

    #[test]
    fn text_is_compared_as_it_is_written() {
        let page = read_as("text/gemini", b"a  b\r\n\r\n  ```\r\n=> /x y \r\n");
        assert_eq!(page.text, "a  b\n  ```\n=> /x y");
        let link = Mark { is_links: true, ..Mark::CONTENT };
        assert_eq!(page.outline.unwrap().lines, [(Mark::CONTENT, 2), (link, 1)]);
    }

    #[test]
    fn charset_and_language_are_those_of_the_header() {
        let latin = read_as("text/gemini; lang=de; charset=iso-8859-1", b"# caf\xe9");
        assert_eq!((latin.title.as_deref(), latin.language.as_deref()), (Some("caf\u{e9}"), Some("de")));
        let plain = read_as("text/gemini;lang=\"en,fr\"", "# caf\u{e9}".as_bytes());
        assert_eq!((plain.title.as_deref(), plain.language.as_deref()), (Some("caf\u{e9}"), Some("en,fr")));
        let declared_by_nobody = read_as("text/gemini", b"<meta charset=iso-8859-1>\xe9");
        assert_eq!(declared_by_nobody.text, "<meta charset=iso-8859-1>\u{fffd}");
        assert_eq!(declared_by_nobody.language, None);
    }

    #[test]
    fn the_title_is_the_first_heading_of_the_highest_level() {
        for (text, expected) in [
            ("", None),
            ("no heading", None),
            ("#\n##\n", None),
            ("## b\n# a\n# c", Some("a")),
            ("### c\n## b", Some("b")),
            ("```\n# a\n```", None),
        ] {
            assert_eq!(read_as("text/gemini", text.as_bytes()).title.as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_page_of_links_alone_is_cut() {
        let many: Vec<String> = (0..MOST_LINKS + 2).map(|number| format!("=> /{number}\n")).collect();
        let page = read_as("text/gemini", many.concat().as_bytes());
        assert_eq!(page.links.len(), MOST_LINKS);
        assert!(page.cut.is_some());
    }
}
