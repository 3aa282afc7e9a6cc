//! What was left out of a page and why, as people are told.

use proptest::prelude::*;
use recrawl_core::model::content::Extractor;
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_extract::text::{TextRules, TextSettings};
use recrawl_extract::{Explanation, HtmlExtractor};

fn extractor(settings: &TextSettings) -> HtmlExtractor {
    HtmlExtractor::new(TextRules::new(settings).expect("valid settings"), UrlRules::default(), true)
}

fn address() -> PageUrl {
    "https://example.com/dir/page".parse().expect("a valid address")
}

fn explain(html: &str, settings: &TextSettings) -> Explanation {
    let explanation =
        extractor(settings).explain(&address(), Some("text/html"), html.as_bytes()).expect("quickly read");
    explanation.expect("the page is HTML")
}

#[test]
fn every_removal_names_its_rule() {
    let settings = TextSettings {
        ignore_selectors: vec![".clock".into(), "aside".into()],
        ignore_patterns: vec!["Draft [0-9]+".into()],
        ..TextSettings::default()
    };
    let html = "<p>News, Draft 7<p>Updated 5 minutes ago<p>By Ann | 33 views<p class=clock>12:33</p>\
        <aside>Other <a href=/x>things</a></aside><div class=klaro>We use cookies</div>\
        <ins class=adsbygoogle><a href=/ad><img src=/ad.png></a></ins>\
        <a href='/a?utm_source=x&amp;b=1'>a</a><img src='/c.png?v=2'><img src='https://bat.bing.com/p?x=1'>";
    let explanation = explain(html, &settings);
    let removals: Vec<(&str, &str)> =
        explanation.removals.iter().map(|removal| (removal.rule.as_str(), removal.what.as_str())).collect();
    assert_eq!(
        removals,
        [
            ("ignore-selector .clock", "12:33"),
            ("ignore-selector aside", "Other /x things"),
            ("cookie-banners", "We use cookies"),
            ("ads", "/ad /ad.png"),
            ("relative-times", "5 minutes ago"),
            ("counters", "33 views"),
            ("ignore-regex Draft [0-9]+", "Draft 7"),
            ("session-links", "https://example.com/a?utm_source=x&b=1 -> https://example.com/a?b=1"),
            ("cache-busting", "https://example.com/c.png?v=2 -> https://example.com/c.png"),
            ("monitoring", "https://bat.bing.com/p?x=1"),
        ]
    );
    assert_eq!(explanation.extracted.text, "News,\nUpdated\nBy Ann\na");
    assert_eq!(explanation.targets, ["https://example.com/a?b=1"]);
    assert_eq!(explanation.media, ["https://example.com/c.png"]);
}

#[test]
fn what_stands_outside_is_told_once() {
    let settings = TextSettings { only_selectors: vec!["main".into()], ..TextSettings::default() };
    let explanation = explain("<nav>Menu</nav><main>Text</main><footer>Foot</footer>", &settings);
    assert_eq!(explanation.extracted.text, "Text");
    assert_eq!(explanation.removals.len(), 1);
    assert_eq!(explanation.removals[0].rule, "only-selector main");
    assert_eq!(explanation.removals[0].what, "Menu Foot");
}

#[test]
fn what_is_not_html_needs_no_explanation() {
    let extractor = extractor(&TextSettings::default());
    assert_eq!(extractor.explain(&address(), Some("application/pdf"), b"%PDF"), Ok(None));
}

const PIECES: [&str; 26] = [
    "<p>",
    "</p>",
    "<div class=ad-slot>",
    "<div id=sliding-popup>",
    "<div class=x>",
    "</div>",
    "<main>",
    "</main>",
    "<table><tr><td>",
    "</table>",
    "<a href='/a?utm_source=x'>",
    "<a href=/b;jsessionid=0a1b2c3d>",
    "<a href=tel:1>",
    "</a>",
    "<img src='/c.png?v=1' alt=c>",
    "<img src=https://bat.bing.com/x>",
    "<script>x</script>",
    "<ins data-ad-slot=1>",
    "</ins>",
    "Updated 5 minutes ago",
    "1,234 views",
    " | ",
    "Today is Monday",
    "secret",
    "text ",
    "<!-- c -->",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_explanation_is_of_what_a_crawl_reads(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..24),
        has_selectors in any::<bool>(),
        is_whole in any::<bool>(),
    ) {
        let body = pieces.concat();
        let html = if is_whole {
            format!("<!doctype html><html><head><title>t</title></head><body>{body}</body></html>")
        } else {
            body
        };
        let mut settings = TextSettings { ignore_patterns: vec!["secret".into()], ..TextSettings::default() };
        if has_selectors {
            settings.ignore_selectors = vec![".x".into()];
            settings.only_selectors = vec!["main".into()];
        }
        let read = extractor(&settings).extract(&address(), Some("text/html"), html.as_bytes()).expect("quickly read");
        prop_assert_eq!(explain(&html, &settings).extracted, read);
    }
}
