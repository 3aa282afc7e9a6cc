//! Pages made to hurt a parser: they must cost no more than their size.

use std::time::{Duration, Instant};

use recrawl_extract::page::Page;
use recrawl_extract::text::{TextRules, TextSettings};
use url::Url;

/// Reads a page within a time that a quadratic reading would miss by far, even unoptimised.
#[track_caller]
fn parse(html: &str, settings: &TextSettings) -> Page {
    let url = Url::parse("https://example.com/").expect("valid address");
    let rules = TextRules::new(settings).expect("valid settings");
    let start = Instant::now();
    let page =
        Page::parse(html.as_bytes(), Some("text/html; charset=utf-8"), &url, &rules).expect("quickly read");
    assert!(start.elapsed() < Duration::from_mins(1), "took {:?}", start.elapsed());
    page
}

fn numbered(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

#[test]
fn deep_nesting_loses_neither_links_nor_text() {
    for tag in [
        "div",
        "span",
        "b",
        "i><p",
        "table><tr><td",
        "ul><li",
        "svg",
        "math><mtext",
        "svg><foreignObject",
        "x-y",
    ] {
        let html = format!("{}deep<a href=/deep>x</a>", format!("<{tag}>").repeat(2_000));
        let page = parse(&html, &TextSettings::default());
        assert!(page.text.contains("deep"), "{tag}");
        assert_eq!(page.links.len(), 1, "{tag}");
    }
}

#[test]
fn what_follows_a_deep_part_is_read_as_usual() {
    let html = format!(
        "<main>{}x{}</main><p>after <a href=/1>y</a></p>",
        "<div>".repeat(5_000),
        "</div>".repeat(5_000)
    );
    let page = parse(&html, &TextSettings::default());
    assert_eq!(page.text, "x\nafter y");
    assert_eq!(page.links.len(), 1);
}

#[test]
fn end_tags_of_a_deep_part_close_nothing_around_it() {
    let html =
        format!("<div class=outer>{}x{} inside</div>outside", "<div>".repeat(600), "</div>".repeat(600));
    let settings = TextSettings { ignore_selectors: vec![".outer".into()], ..TextSettings::default() };
    assert_eq!(parse(&html, &settings).text, "outside");
}

#[test]
fn links_below_the_depth_limit_of_browsers_are_all_found() {
    let html = numbered(3_000, |number| format!("<div><a href=/{number}>x</a>"));
    assert_eq!(parse(&html, &TextSettings::default()).links.len(), 3_000);
}

#[test]
fn unclosed_formatting_does_not_multiply_without_bound() {
    for tag in ["b", "font", "a href=/x"] {
        let html = numbered(5_000, |number| format!("<p><{tag} id={number} data-wf-page={number}>"));
        let page = parse(&html, &TextSettings::default());
        assert!(page.text.len() < 4 * html.len(), "{tag}: {}", page.text.len());
        // A further `a` closes the one before.
        assert_eq!(page.cut.is_some(), !tag.starts_with('a'), "{tag}");
    }
}

#[test]
fn huge_tokens_are_read() {
    let long = "x".repeat(1_000_000);
    let attributes = numbered(100_000, |number| format!(" a{number}=1"));
    let repeated = " href=/1".repeat(100_000);
    for html in [
        format!("<a href='/{long}'>x</a>"),
        format!("<{long}>x</{long}><a href=/1>y</a>"),
        format!("<a{attributes} href=/1>x</a>"),
        format!("<a{repeated}>x</a>"),
        format!("<a {long}=1 href=/1>x</a>"),
        format!("<!--{long}--><a href=/1>x</a>"),
        format!("<a href=/1>{}</a>", "&amp;".repeat(200_000)),
        format!("<a href=/1>{}</a>", "a\0".repeat(200_000)),
        format!("<a href=/1>{}</a>", "<!---->x".repeat(100_000)),
        format!("<a href=/1>{}", "</b>".repeat(200_000)),
        format!("<a href=/1>{}", "<html lang=a><body>".repeat(20_000)),
        format!("<a href=/1>{}", "<table>x".repeat(20_000)),
        format!("<a href=/1>{}", "<b><p></b>".repeat(20_000)),
        format!("<a href=/1>{}", "<template>".repeat(20_000)),
        format!("<a href=/1>{}", "<select><option>".repeat(20_000)),
    ] {
        let page = parse(&html, &TextSettings::default());
        assert_eq!(page.links.len(), 1, "{}", &html[..40]);
    }
}

#[test]
fn selectors_stay_affordable_on_hostile_pages() {
    let settings = TextSettings { ignore_selectors: vec!["div div .x".into()], ..TextSettings::default() };
    let deep = format!("{}x<a href=/1>y</a>", "<div>".repeat(20_000));
    assert_eq!(parse(&deep, &settings).links.len(), 1);
    let attributes = numbered(20_000, |number| format!("<html a{number}=1>"));
    assert_eq!(parse(&format!("{attributes}<a href=/1>y</a>"), &settings).links.len(), 1);
}

#[test]
fn a_page_that_makes_more_than_its_size_is_read_in_part_and_says_so() {
    let fonts = numbered(100, |number| format!("<font color={number} face=serif size=3>"));
    let html =
        format!("<p>first <a href=/1>x</a>{fonts}</p>{}<a href=/2>last</a>", "<p>y</p>".repeat(100_000));
    let page = parse(&html, &TextSettings::default());
    assert!(page.text.starts_with("first x\ny\ny"), "{}", &page.text[..20]);
    assert_eq!(page.links.len(), 1);
    assert!(page.cut.is_some_and(|reason| reason.contains("elements, attributes and texts")));
    let again = parse(&html, &TextSettings::default());
    assert_eq!(page.text, again.text, "the same bytes are cut at the same place");
}

#[test]
fn pages_that_people_make_are_read_whole() {
    let dense = "<tr><td>1<td>2<td><b>3</b><td><a href=/4>4</a></tr>\n".repeat(5_000);
    let page = parse(&format!("<table>{dense}</table>end"), &TextSettings::default());
    assert_eq!(page.cut, None);
    assert_eq!(page.text.lines().count(), 5_001);
}

#[test]
fn texts_that_stand_together_are_one() {
    let html = format!("<p>{}</p><table>{}</table>", "a\0".repeat(100_000), "b\0<!---->".repeat(50_000));
    let page = parse(&html, &TextSettings::default());
    assert_eq!(page.cut, None);
    assert_eq!(page.text, format!("{}\n{}", "a".repeat(100_000), "b".repeat(50_000)));
}

#[test]
fn what_is_meant_to_be_short_is_short() {
    let long = "t".repeat(100_000);
    let html = format!("<html lang={long}><title>{long}</title><link rel=canonical href=/{long}>x");
    let page = parse(&html, &TextSettings::default());
    assert_eq!(page.title.map(|title| title.len()), Some(1_000));
    assert_eq!(page.language.map(|language| language.len()), Some(1_000));
    assert_eq!(page.canonical, None);
}

#[test]
fn an_address_that_is_repeated_is_kept_once() {
    let address = format!("mailto:{}", "x".repeat(1_000_000));
    let html = format!("<p><a href='{address}'></p>{}", "<p>y".repeat(2_000));
    assert_eq!(parse(&html, &TextSettings::default()).targets.len(), 1);
}

#[test]
fn a_selector_that_takes_too_long_fails_the_page_and_is_named() {
    let settings = TextSettings { ignore_selectors: vec!["b ~ p".into()], ..TextSettings::default() };
    let rules = TextRules::new(&settings).expect("valid settings");
    let url = Url::parse("https://example.com/").expect("valid address");
    let html = "<p>x".repeat(40_000);
    let read = Page::parse(html.as_bytes(), Some("text/html"), &url, &rules);
    assert!(read.is_err_and(|error| error.to_string().contains("ignore-selector b ~ p")));
}
