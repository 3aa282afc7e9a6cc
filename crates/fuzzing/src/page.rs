//! Pages: read as a crawl does, and by a slow reference on a tree of html5ever alone.

mod reference;
mod tree;

use ::url::Url;
use recrawl_core::model::content::{Extractor, Unreadable};
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_extract::HtmlExtractor;
use recrawl_extract::charset;
use recrawl_extract::page::Page;
use recrawl_extract::text::{TextRules, TextSettings, semantic_hash};

use self::reference::Reading;
use self::tree::Tree;
use crate::first_line;

const ADDRESS: &str = "https://example.com/dir/page?query";
const HTML: Option<&str> = Some("text/html; charset=utf-8");

/// Reads a page without selectors: like the reference, and alike by every way in.
pub fn read_page(data: &[u8]) {
    let plain = TextSettings { noise_rules: [].into(), ..TextSettings::default() };
    compare_with_reference(data, &plain);
    for settings in [plain, TextSettings::default()] {
        let rules = rules_of(&settings).expect("no selector can be wrong");
        let page = parse(data, &rules);
        // A selector that chooses nothing makes the reader keep every attribute, and must change nothing else.
        let idle = TextSettings { ignore_selectors: vec!["no-such-element".to_owned()], ..settings };
        let idle = rules_of(&idle).expect("the selector is one");
        assert_eq!(parse(data, &idle), page, "with a selector that chooses nothing");
        assert_every_way_agrees(data, rules, &page);
    }
}

/// Reads a page with selectors: the first line is left out, the second one limits the page, the rest is the page.
pub fn read_page_by_selectors(data: &[u8]) {
    let (ignored, rest) = first_line(data);
    let (only, body) = first_line(rest);
    let texts = |line: &[u8]| -> Vec<String> {
        let line = String::from_utf8_lossy(line).trim().to_owned();
        if line.is_empty() { Vec::new() } else { vec![line] }
    };
    let settings = TextSettings {
        ignore_selectors: texts(ignored),
        only_selectors: texts(only),
        noise_rules: [].into(),
        ..TextSettings::default()
    };
    let Some(rules) = rules_of(&settings) else { return };
    // A selector that walks too far is named, and the page is not read.
    if !matches!(Page::parse(body, HTML, &address(), &rules), Err(Unreadable::Rule { .. })) {
        compare_with_reference(body, &settings);
        let page = parse(body, &rules);
        assert_every_way_agrees(body, rules, &page);
    }
}

fn rules_of(settings: &TextSettings) -> Option<TextRules> {
    TextRules::new(settings).ok()
}

fn address() -> Url {
    Url::parse(ADDRESS).expect("it is a URL")
}

fn parse(body: &[u8], rules: &TextRules) -> Page {
    Page::parse(body, HTML, &address(), rules).expect("a short page takes no time")
}

fn compare_with_reference(body: &[u8], settings: &TextSettings) {
    let text = charset::decode(body, HTML).text;
    // Pages at a limit are read in part, on purpose, and a reference without limits has nothing to say about them.
    let Some(tree) = Tree::within_limits(&text) else { return };
    let rules = rules_of(settings).expect("the caller has tried");
    let page = parse(body, &rules);
    assert_eq!(page.cut, None, "within the limits");
    assert_eq!(Reading::from(page), Reading::of(tree, &address(), settings));
}

/// A crawl, an explanation and a look at a page read the same of it.
fn assert_every_way_agrees(body: &[u8], rules: TextRules, page: &Page) {
    let extractor = HtmlExtractor::new(rules, UrlRules::default(), false);
    let url: PageUrl = ADDRESS.parse().expect("it is a page");
    let extracted = extractor.extract(&url, HTML, body).expect("a short page takes no time");
    let explained = extractor.explain(&url, HTML, body).expect("as before").expect("it is HTML");
    assert_eq!(explained.extracted, extracted, "explained and extracted");
    assert_eq!((&explained.targets, &explained.media), (&page.targets, &page.media));
    assert_eq!(extracted.text, page.text);
    assert_eq!(extracted.title, page.title);
    assert_eq!(extracted.signatures, Some(page.signatures));
    assert_eq!(page.semantic_hash, semantic_hash(&page.text));
    let lines = page.text.split('\n');
    assert!(page.text.is_empty() || lines.clone().all(|line| !line.is_empty() && line.trim() == line));
    let mut pages: Vec<PageUrl> =
        page.links.iter().filter_map(|link| UrlRules::default().normalise(link.url.clone()).ok()).collect();
    let mut seen = std::collections::HashSet::new();
    pages.retain(|page| seen.insert(page.clone()));
    assert_eq!(extracted.links, pages);
}
