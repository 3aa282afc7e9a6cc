//! Pages read without their trees say the same as with them.

#[path = "treeless/cases.rs"]
mod cases;

use proptest::prelude::*;
use recrawl_extract::page::Page;
use recrawl_extract::text::{TextRules, TextSettings};
use url::Url;

const HTML: Option<&str> = Some("text/html; charset=utf-8");

fn address() -> Url {
    Url::parse("https://example.com/dir/page?query").expect("a valid address")
}

fn rules() -> [TextRules; 2] {
    let plain = TextSettings {
        noise_rules: [].into(),
        keep_attributes: vec!["data-wf-page".to_owned(), "title".to_owned(), "href".to_owned()],
        ..TextSettings::default()
    };
    [TextRules::default(), TextRules::new(&plain).expect("valid settings")]
}

/// Reads a page in both ways; returns whether it was read without a tree.
#[track_caller]
fn assert_alike(html: &str, rules: &TextRules) -> bool {
    let read =
        |by: fn(&[u8], Option<&str>, &Url, &TextRules) -> _| by(html.as_bytes(), HTML, &address(), rules);
    let (quick, plain): (Result<Page, _>, Result<Page, _>) = (read(Page::parse), read(Page::parse_by_tree));
    assert_eq!(quick, plain, "{html}");
    Page::needs_tree(html.as_bytes(), HTML, rules).is_none()
}

#[test]
fn pages_as_people_write_them_need_no_tree() {
    let [rules, _] = rules();
    for html in [
        "",
        "text",
        "<!DOCTYPE html>\r\n<html lang=en><head><title>A &amp; B</title><script>if (a<b) '</p>'</script></head>\r\n<body>\
            <nav class=menu><ul><li><a href=/>Home</a><li><a href='/a?b=1&amp;c'>A</a></ul></nav><main><h1>Title</h1><p>One\
            <p>Two <b>three</b><br>four<table><tr><td>1<td>2</table><img src=a.png alt=b></main></body></html>\n",
        "<p><a href=1>one</p>two</a><p>three",
        "<b>1<p>2</b>3</p>4",
        "<svg viewBox='0 0 1 1'><title>Logo</title><path d=x /><a xlink:href=/x>y</a></svg>text",
        "<math><mi>x</mi><mo>=</mo><mn>1</mn></math>",
        "<template><tr><td>x</template><p>y",
        "<select><option>a<option selected>b</select>",
        "<noscript><iframe src=/x /></noscript><p>x",
        "<!-- <p> --><p>x<!-- y -->z<![CDATA[x]]>",
    ] {
        assert!(assert_alike(html, &rules), "{html}: {:?}", Page::needs_tree(html.as_bytes(), HTML, &rules));
    }
}

#[test]
fn what_would_be_told_in_another_order_needs_a_tree() {
    let [rules, _] = rules();
    for (html, reason) in [
        ("<table>x<tr><td>y</table>", "text straight inside a table"),
        ("<table><b>x<tr><td>y</table>", "an element straight inside a table"),
        ("<table><tr></p><td>y</table>", "an end tag straight inside a table"),
        ("<a href=1><p>x</a>y", "an element that means something is closed out of order"),
        ("<frameset><frame src=x></frameset>", "frames"),
        ("<html><html lang=de>x", "a second html or body with attributes"),
        ("<body><body data-wf-page=1>x", "a second html or body with attributes"),
        ("a\0b", "a zero byte"),
        ("<plaintext>x</p>", "plain text up to the end"),
        ("<!DOCTYPE html PUBLIC \"-//nobody//DTD\"><p>x", "a doctype that is not written like most"),
    ] {
        assert!(!assert_alike(html, &rules), "{html}");
        assert_eq!(Page::needs_tree(html.as_bytes(), HTML, &rules), Some(reason), "{html}");
    }
    let deep = "<div>".repeat(600);
    assert_eq!(Page::needs_tree(deep.as_bytes(), HTML, &rules), Some("nested too deeply"));
    let fonts = format!(
        "<p>{}</p>{}",
        "<font size=1><font size=2>".repeat(40),
        format!("<p>{}</p>", "x ".repeat(50)).repeat(5_000)
    );
    assert_eq!(Page::needs_tree(fonts.as_bytes(), HTML, &rules), Some("too many formatting elements go on"));
}

#[test]
fn selectors_and_odd_kept_attributes_need_a_tree() {
    let needs_tree = |settings: TextSettings| {
        let rules = TextRules::new(&settings).expect("valid settings");
        assert!(!assert_alike("<p color=red>x", &rules));
    };
    needs_tree(TextSettings { ignore_selectors: vec!["p".to_owned()], ..TextSettings::default() });
    needs_tree(TextSettings { only_selectors: vec!["p".to_owned()], ..TextSettings::default() });
    needs_tree(TextSettings { keep_attributes: vec!["color".to_owned()], ..TextSettings::default() });
    needs_tree(TextSettings { keep_attributes: vec!["xml:lang".to_owned()], ..TextSettings::default() });
}

#[test]
fn our_own_cases_are_read_alike() {
    for rules in &rules() {
        let without = cases::all().iter().filter(|case| assert_alike(case, rules)).count();
        assert!(4 * without > 3 * cases::all().len(), "{without} of {} need no tree", cases::all().len());
    }
}

#[test]
#[ignore = "reads the cases of html5lib (PyPI: html5lib-1.1.tar.gz) from the folder that HTML5LIB_CASES names"]
fn the_cases_of_html5lib_are_read_alike() {
    let folder =
        std::env::var("HTML5LIB_CASES").expect("HTML5LIB_CASES names the folder `testdata` of html5lib");
    let html5lib = cases::of_html5lib(folder.as_ref());
    assert!(html5lib.len() > 1_000, "{} cases", html5lib.len());
    for rules in &rules() {
        for case in &html5lib {
            assert_alike(case, rules);
        }
    }
}

/// Returns how many random pages are compared: `SOUP` of them, or enough for every day.
fn soup() -> u32 {
    std::env::var("SOUP").map_or(4_000, |count| count.parse().expect("SOUP is a number"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: soup(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_soup_is_read_alike(pieces in prop::collection::vec(cases::piece(), 0..50)) {
        for rules in &rules() {
            assert_alike(&pieces.concat(), rules);
        }
    }
}
