//! Noise rules: whatever a page says, what they leave of it is canonical, and what they take is said.

use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_extract::text::{TextRules, TextSettings};
use recrawl_extract::{Explanation, HtmlExtractor};

/// Makes a page of the lines, each as a text, an address, an image and a name, and reads it with and without rules.
pub fn remove_noise(data: &[u8]) {
    let mut body = String::from("<!doctype html><html><body>");
    for line in String::from_utf8_lossy(data).split('\n') {
        let line = line.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        body.extend(["<p>", &line, "</p><a href=\"", &line, "\">a</a><img alt=b src=\"", &line, "\">"]);
        body.extend(["<div class=\"", &line, "\">c</div><div id=\"", &line, "\">d</div>"]);
        body.extend(["<input data-wf-page=e type=text name=\"", &line, "\">"]);
    }
    let quiet = explain(&body, &TextSettings::default());
    let loud = explain(&body, &TextSettings { noise_rules: [].into(), ..TextSettings::default() });
    assert_eq!(loud.removals, [], "no rule, nothing to remove");
    let (less, more) = (&quiet.extracted, &loud.extracted);
    assert!(less.text.len() <= more.text.len(), "rules only take away");
    assert!(less.text.is_empty() || less.text.split('\n').all(is_canonical), "{:?}", less.text);
    assert_eq!((&less.links, &less.title), (&more.links, &more.title), "links are followed all the same");
    assert!(quiet.targets.len() <= loud.targets.len() && quiet.media.len() <= loud.media.len());
    if quiet.removals.is_empty() {
        let counted = |explained: &Explanation| {
            let tokens = explained.extracted.text.replace("[data-wf-page=e]", "");
            (tokens.split_whitespace().map(str::to_owned).collect::<Vec<_>>(), explained.targets.clone())
        };
        assert_eq!((counted(&quiet), &quiet.media), (counted(&loud), &loud.media), "taken without a word");
    }
}

fn explain(body: &str, settings: &TextSettings) -> Explanation {
    let rules = TextRules::new(settings).expect("there is no selector");
    let extractor = HtmlExtractor::new(rules, UrlRules::keep_all_parameters(), false);
    let url: PageUrl = "https://example.com/dir/page".parse().expect("it is a page");
    let explained = extractor.explain(&url, Some("text/html; charset=utf-8"), body.as_bytes());
    explained.expect("a short page takes no time").expect("it is HTML")
}

fn is_canonical(line: &str) -> bool {
    !line.is_empty() && line.split(' ').all(|word| !word.is_empty() && !word.contains(char::is_whitespace))
}
