//! Lists of pages that people give: an address a line, a column of a table, a sitemap, a feed, an OPML file.

mod opml;
mod table;

use std::collections::HashSet;

use recrawl_core::url::{PageUrl, UrlError, UrlRules};
use thiserror::Error;

use crate::charset;
use crate::sitemap::{self, EntryKind};

/// How many wrong lines an error names.
const NAMED: usize = 5;

/// Pages, in the order of the list, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageList {
    /// The pages.
    pub pages: Vec<PageUrl>,
    /// What is odd about the list, in words.
    pub warnings: Vec<String>,
}

/// Why a list cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PageListError {
    /// Lines hold something else than an address.
    #[error("{}", said_of(.0, *.1))]
    Lines(Vec<WrongLine>, usize),
    /// The table has no such column.
    #[error("it has no column {0:?}: its columns are {1}")]
    NoColumn(String, String),
    /// The table cannot be read.
    #[error("it is no table: {0}")]
    NoTable(String),
    /// It is an index of sitemaps, which names no pages.
    #[error("it is an index of sitemaps: give one of them, such as {0}")]
    Index(String),
    /// There is no page in it.
    #[error("it names no page")]
    Empty,
}

/// A line that holds no address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongLine {
    number: usize,
    text: String,
    error: UrlError,
}

fn said_of(lines: &[WrongLine], more: usize) -> String {
    let mut said: Vec<String> = lines
        .iter()
        .map(|WrongLine { number, text, error }| format!("line {number}, {text:?}, is no page: {error}"))
        .collect();
    if more > 0 {
        said.push(format!("and {more} more"));
    }
    said.join("; ")
}

/// Reads a list, whatever it is: what stands in it says so. `column` names a column of a table, by its heading or its
/// number; without it, a table is one whose first line has the heading `url`.
pub fn read(bytes: &[u8], column: Option<&str>, rules: &UrlRules) -> Result<PageList, PageListError> {
    let text = charset::decode_as_declared(bytes, None).text;
    let is_compressed = bytes.starts_with(&[0x1F, 0x8B]);
    let mut gathered = Gathered { rules, list: PageList::default(), seen: HashSet::new(), wrong: Vec::new() };
    if column.is_none() && (is_compressed || text.trim_start().starts_with('<')) {
        if opml::is_opml(&text) {
            opml::read(&text, &mut gathered);
        } else {
            read_sitemap(bytes, &mut gathered)?;
        }
    } else if column.is_some() || table::has_heading(&text) {
        table::read(&text, column, &mut gathered)?;
    } else {
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                gathered.add(number, line);
            }
        }
    }
    gathered.finish()
}

fn read_sitemap(bytes: &[u8], gathered: &mut Gathered<'_>) -> Result<(), PageListError> {
    let sitemap = sitemap::parse(bytes, None, "http://list.invalid/");
    for (number, entry) in (1..).zip(&sitemap.entries) {
        match entry.kind {
            EntryKind::Page => gathered.add(number, &entry.loc),
            EntryKind::Sitemap => return Err(PageListError::Index(entry.loc.clone())),
        }
    }
    gathered.list.warnings = sitemap.warnings;
    Ok(())
}

/// What was gathered so far.
struct Gathered<'a> {
    rules: &'a UrlRules,
    list: PageList,
    seen: HashSet<u128>,
    wrong: Vec<WrongLine>,
}

impl Gathered<'_> {
    /// Adds what stands on a line. As in a browser, `https://` may be left out.
    fn add(&mut self, number: usize, text: &str) {
        let address = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
        match self.rules.page(&address, None) {
            Ok(page) if self.seen.insert(page.fingerprint()) => self.list.pages.push(page),
            Ok(_) => {}
            Err(error) => {
                let text = text.chars().take(80).collect();
                self.wrong.push(WrongLine { number, text, error });
            }
        }
    }

    fn finish(mut self) -> Result<PageList, PageListError> {
        if !self.wrong.is_empty() {
            let more = self.wrong.len().saturating_sub(NAMED);
            self.wrong.truncate(NAMED);
            return Err(PageListError::Lines(self.wrong, more));
        }
        if self.list.pages.is_empty() { Err(PageListError::Empty) } else { Ok(self.list) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(text: &str, column: Option<&str>) -> Vec<String> {
        let list = read(text.as_bytes(), column, &UrlRules::default()).unwrap();
        list.pages.iter().map(ToString::to_string).collect()
    }

    fn error(text: &str, column: Option<&str>) -> String {
        read(text.as_bytes(), column, &UrlRules::default()).unwrap_err().to_string()
    }

    #[test]
    fn a_list_is_read_by_what_it_is() {
        let expected = ["https://a.example/", "http://b.example/x"];
        for text in [
            "\u{FEFF}# ours\r\nhttps://a.example\r\n\r\n  http://b.example/x#y \r\na.example\n",
            "name,URL\none,https://a.example/\n\"two, or\",http://b.example/x\n",
            "url;note\nhttps://a.example;\"a;b\"\nhttp://b.example/x;\n",
            "url\nhttps://a.example\nhttp://b.example/x\n",
            "<?xml version=\"1.0\"?><urlset><url><loc>https://a.example/</loc></url><url><loc>http://b.example/x</loc></url></urlset>",
            "<rss><channel><item><link>https://a.example/</link></item><item><link>http://b.example/x</link></item></channel></rss>",
            "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='https://a.example/'/></entry>\
             <entry><link href='http://b.example/x'/></entry></feed>",
            "<?xml version='1.0'?><!-- mine --><OPML version='2.0'><body><outline text='News'>\
             <outline type='rss' xmlUrl='https://a.example/feed' htmlUrl='https://a.example/'/></outline>\
             <outline type='link' url='http://b.example/x'/></body></OPML>",
        ] {
            assert_eq!(pages(text, None), expected, "{text}");
        }
        assert_eq!(
            pages("<opml><outline xmlUrl='https://a.example/feed'/></opml>", None),
            ["https://a.example/feed"]
        );
        assert_eq!(pages("gemini://a.example\n", None), ["gemini://a.example/"]);
    }

    #[test]
    fn a_column_is_named_by_its_heading_or_its_number() {
        let table = "page\tseen\nhttps://a.example\t1\n\t2\n";
        assert_eq!(pages(table, Some("Page")), ["https://a.example/"]);
        assert_eq!(pages("x,https://a.example/\n", Some("2")), ["https://a.example/"]);
        assert_eq!(error(table, Some("link")), "it has no column \"link\": its columns are page, seen");
    }

    #[test]
    fn what_is_no_list_says_what_is_wrong_with_it() {
        for (text, expected) in [
            ("", "it names no page"),
            ("# nothing\n\n", "it names no page"),
            (
                "https://a.example\nftp://b/\n\n:::\n",
                "line 2, \"ftp://b/\", is no page: not an http, https or gemini URL but ftp:; line 4, ",
            ),
            (
                "<sitemapindex><sitemap><loc>https://a.example/1.xml</loc></sitemap></sitemapindex>",
                "it is an index of sitemaps: give one of them, such as https://a.example/1.xml",
            ),
            ("<html><p>page", "it names no page"),
        ] {
            assert!(error(text, None).starts_with(expected), "{text}: {}", error(text, None));
        }
        let many = error(&"mailto://\n".repeat(7), None);
        assert!(many.ends_with("; and 2 more"), "{many}");
    }
}
