//! What is read from whole pages: links, metadata, text and hashes.

use recrawl_extract::links::LinkKind;
use recrawl_extract::noise::NoiseRule;
use recrawl_extract::page::Page;
use recrawl_extract::text::{TextRules, TextSettings};
use url::Url;

fn parse_with(html: &str, settings: &TextSettings) -> Page {
    let url = Url::parse("https://example.com/dir/page").expect("valid address");
    let rules = TextRules::new(settings).expect("valid settings");
    Page::parse(html.as_bytes(), Some("text/html; charset=utf-8"), &url, &rules).expect("quickly read")
}

fn parse(html: &str) -> Page {
    parse_with(html, &TextSettings::default())
}

fn links(html: &str) -> Vec<String> {
    parse(html).links.iter().map(|link| link.url.to_string()).collect()
}

#[test]
fn links_are_found_where_the_standard_has_them() {
    for (html, expected) in [
        ("<a href=/1>x</a><map><area href=/2></map>", vec!["/1", "/2"]),
        (
            "<link rel=next href=/1><link rel=Canonical href=/2><link rel='x alternate' href=/3>",
            vec!["/1", "/2", "/3"],
        ),
        ("<link rel=stylesheet href=/1><link rel='alternate stylesheet' href=/2><link href=/3>", vec![]),
        ("<link rel=next href=''>", vec![]),
        ("<iframe src=/1></iframe>", vec!["/1"]),
        ("<frameset><frame src=/1></frameset>", vec!["/1"]),
        ("<meta http-equiv=Refresh content='5; url=/1'>", vec!["/1"]),
        ("<meta name=refresh content='5; url=/1'>", vec![]),
        ("<svg><a href=/1 xlink:href=/2>x</a><a xlink:href=/3>y</a></svg>", vec!["/1", "/3"]),
        ("<math><a href=/1>x</a></math>", vec![]),
        ("<math><annotation-xml encoding=text/HTML><p><a href=/1>x</a></annotation-xml></math>", vec!["/1"]),
        ("<math><annotation-xml><a href=/1>x</a></annotation-xml></math>", vec![]),
        ("<template><a href=/1>x</a></template>", vec![]),
        ("<div><template shadowrootmode=open><a href=/1>x</a></template></div>", vec![]),
        ("<noscript><a href=/1>x</a></noscript>", vec!["/1"]),
        ("<head><noscript><link rel=next href=/1></noscript>", vec!["/1"]),
        ("<!-- <a href=/1>x</a> --><script>'<a href=/2>'</script><textarea><a href=/3></textarea>", vec![]),
        ("<a href=/1#a>x</a><a href=/1#b>y</a><a href='#c'>z</a>", vec!["/1", "/dir/page"]),
        ("<a href=mailto:a@b.c>x</a><a href=javascript:x>y</a><a>z</a>", vec![]),
        ("<a href='/a?x=1&amp;y=2&copy=3'>x</a>", vec!["/a?x=1&y=2&copy=3"]),
        ("<a href=/1 href=/2>x</a>", vec!["/1"]),
        ("<a href='  /1\n'>x</a>", vec!["/1"]),
        ("<img src=/1><form action=/2></form><object data=/3></object>", vec![]),
    ] {
        let expected: Vec<_> = expected.iter().map(|path| format!("https://example.com{path}")).collect();
        assert_eq!(links(html), expected, "{html}");
    }
}

#[test]
fn the_first_base_with_an_address_counts_for_the_whole_page() {
    for (html, expected) in [
        ("<a href=1>x</a><base href=/b/>", "https://example.com/b/1"),
        ("<base href=sub/><base href=/c/><a href=1>x</a>", "https://example.com/dir/sub/1"),
        ("<base target=_top><base href=/c/><a href=1>x</a>", "https://example.com/c/1"),
        ("<base href=javascript:x><base href=/c/><a href=1>x</a>", "https://example.com/dir/1"),
        ("<base href=data:,x><a href=1>x</a>", "https://example.com/dir/1"),
        ("<svg><base href=/b/></svg><a href=1>x</a>", "https://example.com/dir/1"),
        ("<template><base href=/b/></template><a href=1>x</a>", "https://example.com/dir/1"),
    ] {
        assert_eq!(links(html), [expected], "{html}");
    }
}

#[test]
fn links_know_their_kind_and_nofollow() {
    let page = parse(
        "<link rel=canonical href=/1><link rel=alternate href=/2><link rel=next href=/3>\
         <a href=/4 rel='external NoFollow'>x</a><area href=/5><iframe src=/6></iframe>\
         <meta http-equiv=refresh content='0;/7'><a href=/8 rel=nofollow>x</a><a href=/8>y</a>",
    );
    let seen: Vec<_> = page.links.iter().map(|link| (link.url.path(), link.kind, link.nofollow)).collect();
    assert_eq!(
        seen,
        [
            ("/1", LinkKind::Canonical, false),
            ("/2", LinkKind::Alternate, false),
            ("/3", LinkKind::Next, false),
            ("/4", LinkKind::Anchor, true),
            ("/5", LinkKind::Anchor, false),
            ("/6", LinkKind::Frame, false),
            ("/7", LinkKind::Refresh, false),
            ("/8", LinkKind::Anchor, false),
        ]
    );
}

#[test]
fn query_strings_take_the_encoding_the_page_declares() {
    let body = b"<meta charset=windows-1251><a href='/\xFF?\xFF'>x</a>";
    let url = Url::parse("https://example.com/").expect("valid address");
    let page = Page::parse(body, Some("text/html"), &url, &TextRules::default()).expect("quickly read");
    assert_eq!(page.encoding, "windows-1251");
    assert_eq!(page.links[0].url.as_str(), "https://example.com/%D1%8F?%FF");
    assert_eq!(page.text, "x");
}

#[test]
fn metadata_is_read() {
    let page = parse(
        "<html lang=' de-CH '><head><title> One\n two </title><title>Three</title>\
         <meta name=Robots content=noindex><meta name=recrawl content=nofollow>\
         <link rel=canonical href=mailto:x><link rel=canonical href=/canonical#x>",
    );
    assert_eq!(page.title.as_deref(), Some("One two"));
    assert_eq!(page.language.as_deref(), Some("de-CH"));
    assert_eq!(page.canonical.as_ref().map(Url::as_str), Some("https://example.com/canonical"));
    assert!(page.robots.noindex && page.robots.nofollow);
    assert_eq!(page.encoding, "UTF-8");
}

#[test]
fn missing_metadata_is_missing() {
    let page = parse("<html lang=''><svg><title>no</title></svg><meta name=robots content=all>");
    assert_eq!((page.title, page.language, page.canonical), (None, None, None));
    assert!(!page.robots.noindex && !page.robots.nofollow);
}

#[test]
fn text_is_what_a_person_reads_line_by_line() {
    for (html, expected) in [
        ("<p>One <b>b</b>old</p>\n<p>Two<br>Three</p>", "One bold\nTwo\nThree"),
        ("a<div>b</div>c<span>d</span>", "a\nb\ncd"),
        ("<table><tr><td>1<td> 2 <td>3<tr><th>4</table>", "1 2 3\n4"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul>", "a\nb\nc"),
        ("<select><option>a<option>b</select>", "a\nb"),
        ("<head><title>t</title><style>s</style></head><script>j</script><style>s</style>x", "x"),
        ("x<template>y</template><!-- z -->", "x"),
        ("<noscript>Please enable JavaScript<img src=pixel></noscript>", "Please enable JavaScript"),
        ("<svg><style>s</style><script>j</script><title>Logo</title></svg>Name", "Logo Name"),
        ("a&nbsp;&nbsp;b soft&shy;ly zero&#8203;width", "a b softly zerowidth"),
        ("<p>  </p><p>&nbsp;</p><div></div>", ""),
        ("<input type=hidden value=1><input value=2><img alt=3>", ""),
        ("<pre>a\n  b</pre>", "a b"),
    ] {
        assert_eq!(parse(html).text, expected, "{html}");
    }
}

#[test]
fn only_kept_attributes_count() {
    let html = "<html data-wf-page=' a1\n b2 '><body class=c data-x=2><p id=i DATA-X=1 title=t>text";
    assert_eq!(parse(html).text, "[data-wf-page=a1 b2]\ntext");
    let doubled = "<p data-wf-page=1 data-wf-page=2>text";
    assert_eq!(parse(doubled).text, "[data-wf-page=1]\ntext");
    let settings =
        TextSettings { keep_attributes: vec!["title".into(), "Data-X".into()], ..TextSettings::default() };
    assert_eq!(parse_with(html, &settings).text, "[data-x=2]\n[data-x=1]\n[title=t]\ntext");
    let settings = TextSettings { keep_attributes: vec![], ..TextSettings::default() };
    assert_eq!(parse_with(html, &settings).text, "text");
}

#[test]
fn form_tokens_do_not_count_even_if_their_values_are_kept() {
    let html = "<input type=Hidden value=1><input name=csrf_token value=2><input name=q value=3>";
    let mut settings = TextSettings { keep_attributes: vec!["value".into()], ..TextSettings::default() };
    assert_eq!(parse_with(html, &settings).text, "[value=3]");
    settings.noise_rules.remove(&NoiseRule::FormTokens);
    assert_eq!(parse_with(html, &settings).text, "[value=1]\n[value=2]\n[value=3]");
}

#[test]
fn selectors_silence_elements_but_keep_their_links() {
    let html = "<title>t</title><p>a<div class='x ad'><p>b<a href=/1>c</a></p></div><p id=keep>d\
                <template><p class=ad></template><ul><li>1<li>2<li>3</ul><a href=/2>e</a>";
    let page = parse_with(
        html,
        &TextSettings {
            ignore_selectors: vec!["div.ad > p, .none".into(), "li:nth-child(2)".into()],
            ..TextSettings::default()
        },
    );
    assert_eq!(page.text, "a\nd\n1\n3\ne");
    assert_eq!(page.links, parse(html).links);
    assert_eq!(page.title, parse(html).title);
}

#[test]
fn selectors_silence_what_elements_lead_to_and_show() {
    let page = parse_with(
        "<p>a<a href=/1>b</a><img src=/1.png></p><div class=x><a href=/2>c</a><img src=/2.png alt=d></div>",
        &TextSettings { ignore_selectors: vec![".x".into()], ..TextSettings::default() },
    );
    assert_eq!(page.text, "ab");
    assert_eq!(page.targets, ["https://example.com/1"]);
    assert_eq!(page.media, ["https://example.com/1.png"]);
    assert_eq!(page.links.len(), 2, "both are followed");
}

#[test]
fn a_page_can_be_limited_to_some_elements() {
    let settings = TextSettings {
        only_selectors: vec!["main".into(), ".also".into()],
        ignore_selectors: vec![".not".into()],
        ..TextSettings::default()
    };
    let html = "<title>t</title><nav data-wf-page=1>a<a href=/1>b</a><img src=/1.png></nav>before\
        <main data-wf-page=2>c <span>d</span><div class='also'>e</div><a href=/2>f</a><img src=/2.png>\
        <p class=not>g<a href=/3>h</a></p></main>after<b class=also>i</b><b class=also>j</b>end";
    let page = parse_with(html, &settings);
    assert_eq!(page.text, "[data-wf-page=2]\nc d\ne\nf\ni\nj");
    assert_eq!(page.targets, ["https://example.com/2"]);
    assert_eq!(page.media, ["https://example.com/2.png"]);
    assert_eq!(page.links.len(), 3, "all are followed");
    assert_eq!(page.title.as_deref(), Some("t"));
}

#[test]
fn a_page_without_such_elements_counts_as_a_whole() {
    let settings = TextSettings { only_selectors: vec!["main".into()], ..TextSettings::default() };
    let html = "<nav>a<a href=/1>b</a></nav><div>c<img src=/1.png></div>";
    assert_eq!(parse_with(html, &settings).text, parse(html).text);
    assert_eq!(parse_with(html, &settings).signatures, parse(html).signatures);
}

#[test]
fn where_a_page_leads_is_listed_as_it_counts() {
    for (html, expected) in [
        ("<a href=/b>x</a><a href=/a#x>y</a><a href=/b rel=nofollow>z</a>", vec!["/a", "/b"]),
        (
            "<map><area href=/1></map><iframe src=/2></iframe><svg><a xlink:href=/3>x</a></svg>",
            vec!["/1", "/2", "/3"],
        ),
        ("<head><link rel=canonical href=/1><link rel=next href=/2></head>", vec![]),
        ("<meta http-equiv=refresh content='5; url=/1'>", vec![]),
        ("<a href='javascript:x()'>x</a><a href='#'>y</a>", vec!["/dir/page"]),
        ("<a href='/c?b=1&amp;utm_source=x&amp;a=2'>x</a>", vec!["/c?b=1&a=2"]),
        ("<div class=ad-slot><a href=/1>x</a></div><a href=/2 class=ad-slot>y</a>", vec![]),
        ("<body class=ad-slot><a href=/1>x</a>", vec!["/1"]),
    ] {
        let expected: Vec<_> = expected.iter().map(|path| format!("https://example.com{path}")).collect();
        assert_eq!(parse(html).targets, expected, "{html}");
    }
    let page = parse(
        "<a href='tel:+1 503'>x</a><a href=mailto:a@b.c>y</a><a href=/cdn-cgi/l/email-protection#1>z</a>",
    );
    assert_eq!(
        page.targets,
        ["https://example.com/cdn-cgi/l/email-protection", "mailto:a@b.c", "tel:+1 503"]
    );
}

#[test]
fn what_a_page_shows_is_listed_as_it_counts() {
    for (html, expected) in [
        ("<img src=/b.png><img src=/a.png alt=' A  b '>", vec!["/a.png \"A b\"", "/b.png"]),
        ("<img src='data:image/gif;base64,R0' data-src=/1.png>", vec!["/1.png"]),
        ("<img data-lazy-src=/1.png srcset='/2.png 1x'>", vec!["/1.png"]),
        (
            "<img srcset='/1.png 1x, /2.png 2x'><img src='' data-srcset='/3.png 300w'>",
            vec!["/1.png", "/3.png"],
        ),
        ("<picture><source srcset='/1.webp'><source srcset='/2.webp'><img></picture>", vec!["/1.webp"]),
        ("<picture><source srcset='/1.webp'><img src=/2.png></picture>", vec!["/2.png"]),
        ("<picture><source srcset='/1.webp'></picture><picture><img alt=''></picture>", vec![]),
        (
            "<video src=/1 poster=/2><source src=/3></video><audio src=/4></audio>",
            vec!["/1", "/2", "/3", "/4"],
        ),
        ("<embed src=/1><object data=/2></object><svg><image xlink:href=/3 /></svg>", vec!["/1", "/2", "/3"]),
        ("<image src=/1 alt=x>", vec!["/1 \"x\""]),
        ("<link rel=icon href=/1><script src=/2></script><input type=image src=/3><img>", vec![]),
        ("<head><noscript><img src=/1.png></noscript></head>", vec!["/1.png"]),
        ("<div id=onetrust-banner-sdk><img src=/1.png></div>", vec![]),
        ("<img src=/logo.3f9a2bc1.png?v=7><img src=/logo.0c1d2e3f.png>", vec!["/logo.png"]),
    ] {
        let expected: Vec<_> = expected.iter().map(|path| format!("https://example.com{path}")).collect();
        assert_eq!(parse(html).media, expected, "{html}");
    }
    assert_eq!(parse("<img alt=x>").media, [" \"x\""]);
    let data = parse("<img src=' data:image/png;base64,AA'><img src='DATA:image/png;base64,AB'>").media;
    assert!(data.len() == 2 && data.iter().all(|address| address.starts_with("data:")), "{data:?}");
}

#[test]
fn the_pages_of_an_advertiser_count_on_its_own_site() {
    let url = Url::parse("https://www.outbrain.com/help").expect("valid address");
    let html =
        "<a href=/about>x</a><a href=https://www.outbrain.com/b>y</a><a href=https://b.taboola.com/c>z</a>";
    let page =
        Page::parse(html.as_bytes(), Some("text/html"), &url, &TextRules::default()).expect("quickly read");
    assert_eq!(page.targets, ["https://www.outbrain.com/about", "https://www.outbrain.com/b"]);
}

#[test]
fn signatures_are_of_sets() {
    let page = parse("<a href=/1>x</a><a href=/2>y</a><img src=/1.png><img src=/2.png>").signatures;
    let same =
        "<img src=/2.png><img src=/1.png><a href=/2#x>a</a><a href=/1>b</a><a href=/1>c</a><img src=/1.png>";
    assert_eq!(parse(same).signatures, page);
    for other in [
        "<a href=/1>x</a><img src=/1.png><img src=/2.png>",
        "<a href=/1>x</a><a href=/3>y</a><img src=/1.png><img src=/2.png>",
        "<a href=/1>x</a><a href=/2>y</a><img src=/1.png>",
    ] {
        assert_ne!(parse(other).signatures, page, "{other}");
    }
}

#[test]
fn pages_that_break_off_are_told() {
    assert!(parse("<html><body><p>x").breaks_off);
    assert!(parse("<!doctype html><html><head></head><body><p>x</p><a href=\"/lo").breaks_off);
    assert!(!parse("<!doctype html><html><head></head><body><p>x</p></body></html>").breaks_off);
}

#[test]
fn patterns_remove_text() {
    let settings = TextSettings {
        ignore_patterns: vec![r"^Visitors: \d+$".into(), r"\(ad\)".into()],
        ..TextSettings::default()
    };
    let page = parse_with("<p>Visitors: 17<p>a (ad) b<p>c", &settings);
    assert_eq!(page.text, "a b\nc");
}

#[test]
fn the_hash_tells_meaning_from_noise() {
    let hash = |html: &str| parse(html).semantic_hash;
    let page = hash("<head><title>1</title></head><p class=a>Road closed</p><p>Updated 5 minutes ago");
    for same in [
        "<head><title>2</title><script>x</script></head><p class=b>Road  closed</p><p>Updated 7 hours ago",
        "<!doctype html><p>Road <i>closed</i></p><!-- x --><p>Updated just now</p>",
        "<p>Road closed<form><input type=hidden name=form_build_id value=x></form><p>Updated 1 day ago",
    ] {
        assert_eq!(hash(same), page, "{same}");
    }
    for other in [
        "<p>Road open</p><p>Updated 5 minutes ago",
        "<p>Road closed</p><p>Updated 5 minutes ago</p><p>until May 3, 2025",
        "<p>Road closed</p>",
        "<html data-wf-page=1><p>Road closed</p><p>Updated 5 minutes ago",
    ] {
        assert_ne!(hash(other), page, "{other}");
    }
}

#[test]
fn rules_can_be_shared_by_threads() {
    fn assert_shared<T: Send + Sync>() {}
    assert_shared::<TextRules>();
    assert_shared::<Page>();
}

#[test]
fn a_frame_in_a_noscript_ends_with_it() {
    let tag_manager = "<noscript><iframe src=\"https://www.googletagmanager.com/ns.html?id=GTM-1\" height=\"0\" /></noscript>";
    for html in [
        format!("<head>{tag_manager}<title>T</title></head><body><a href=/1>x</a> y</body>"),
        format!("<head><title>T</title></head><body>{tag_manager}<a href=/1>x</a> y</body>"),
        format!(
            "<title>T</title><body>{}<a href=/1>x</a> y",
            tag_manager.replace("/></noscript>", "></NoScript >")
        ),
    ] {
        let page = parse(&html);
        assert_eq!(page.title.as_deref(), Some("T"), "{html}");
        assert!(page.links.iter().any(|link| link.url.path() == "/1"), "{html}");
        assert!(page.text.ends_with("x y"), "{html}: {}", page.text);
    }
}

#[test]
fn other_frames_end_where_they_always_did() {
    for (html, expected) in [
        ("<iframe src=/f><a href=/1></noscript>x</iframe>y", "<a href=/1></noscript>x\ny"),
        ("<noscript>a</noscript><iframe></noscript>x</iframe>y", "a\n</noscript>x\ny"),
        ("<noscript><iframe>x</iframe>y</noscript>z", "x\ny\nz"),
        ("<noscript><style></noscript>x</style>y</noscript>z", "y\nz"),
        ("<noscript><iframe>x</noscripts></noscript>z", "x</noscripts>\nz"),
        ("<svg><noscript><iframe>x</noscript></svg>z", "xz"),
    ] {
        assert_eq!(parse(&format!("<body>{html}")).text, expected, "{html}");
    }
}
