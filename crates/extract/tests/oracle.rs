//! Links, title and text of awkward documents, against html5ever's own tokenizer and scraper's tree.

#[path = "oracle/reference.rs"]
mod reference;

use proptest::prelude::*;
use recrawl_extract::page::Page;
use recrawl_extract::text::{TextRules, TextSettings};
use reference::Reference;
use url::Url;

const ADDRESS: &str = "https://example.com/dir/page?query";

#[track_caller]
fn assert_agrees(html: &str) {
    let settings = TextSettings { noise_rules: [].into(), ..TextSettings::default() };
    let rules = TextRules::new(&settings).expect("valid settings");
    let url = Url::parse(ADDRESS).expect("valid address");
    let page =
        Page::parse(html.as_bytes(), Some("text/html; charset=utf-8"), &url, &rules).expect("quickly read");
    let seen = Reference {
        links: page.links.iter().map(|link| link.url.to_string()).collect(),
        title: page.title,
        language: page.language,
        text: page.text,
    };
    assert_eq!(seen, Reference::read(html, &url), "{html}");
}

#[test]
fn hand_written_soup_is_read_like_the_reference_reads_it() {
    for html in [
        // Foster parenting.
        "<table>a<tr>b<td>c</td>d</tr>e</table>f",
        "<table><a href=1>x<tr><td><a href=2>y</table><a href=3>z",
        "<table><tr><td>1<td>2<tr><th>3</table>",
        "a<table> <!-- -->x<td>y",
        "<table><input type=hidden><input type=text><form><td>x</form>y",
        "<table><div><table><div>deep</table>er</table>",
        "<table><caption>c<col><colgroup><td>x<select><tr><option>o",
        // Adoption agency.
        "<a href=1>one<a href=2>two<div>three</a>four</div>five",
        "<b>1<p>2</b>3</p>4",
        "<a href=1><p><a href=2><p><a href=3></p></a></p>x",
        "<p><b><i><u>x</p>y</b>z</i>",
        "<font><p><font><p><font>x</font></p></font>y",
        "<b><b><b><b><b>x<p>y</b></b>z",
        "<nobr>a<nobr>b<div><nobr>c",
        // Nested forms, headings, lists, buttons.
        "<form>a<form>b</form>c</form>d",
        "<h1>a<h2>b</h3>c",
        "<ul><li>a<ul><li>b</ul><li>c</ul><dl><dt>d<dd>e<dt>f",
        "<button>a<button>b</button>c",
        "<p>a<div>b</p>c<p>d<table><p>e",
        "</p></br>x</div>",
        // Templates are inert.
        "<template><a href=1>x</a><base href=/b/></template><a href=2>y</a>",
        "<table><template><tr><td><a href=1>x</template><tr><td><a href=2>y",
        "<svg><template><a href=1>x</a></template></svg>",
        "<template><template><a href=1>x</template>y</template>z",
        "<head><template><title>t</title></template><title>u</title>",
        // Foreign content and its integration points.
        "<svg><a href=1 xlink:href=2>x</a><a xlink:href=3>y</a></svg>",
        "<svg><base href=/b/></svg><a href=1>x</a>",
        "<svg><title>not<b>this</b></title></svg><title>this</title>",
        "<svg><desc><a href=1>x</a></desc><foreignObject><a href=2>y<p>z</a></svg>",
        "<svg><font color=red>x</font><a href=1>y</a></svg>",
        "<svg><font>x</font><a href=1>y</a></svg>",
        "<math><font color=red>x</font><a href=1>y</a></math>",
        "<math><font face=serif>x</font><a href=1>y</a></math>",
        "<math><font size=1>x</font><a href=1>y</a></math>",
        "<math><font>x</font><a href=1>y</a></math>",
        "<svg><p>out<a href=1>x",
        "<svg><style>s</style><script>t</script><text>u</text></svg>",
        "<svg><script/>x</svg>y",
        "<svg><![CDATA[a<b>&amp;]]>c</svg><![CDATA[d]]>e",
        "<svg><![CDATA[a]]]]><![CDATA[>b\0c]]></svg>",
        "<math><a href=1>x</a><mi><a href=2>y</a></mi></math>",
        "<math><annotation-xml><a href=1>x</a></annotation-xml></math>",
        "<math><annotation-xml><svg><a href=1>x</a></svg></annotation-xml></math>",
        "<math><mtext><table><tr><td><mglyph>x",
        // Raw text, plain text, scripts.
        "<plaintext><a href=1>x</a></plaintext>",
        "<p>a<plaintext>b</p>\0c",
        "<textarea>\n<a href=1>x</a></textarea>y",
        "<title>a</TITLE ><p>b</p><title>c</title>",
        "<title>&amp;&lt;a&gt;\n  b</title>",
        "<script><!--<script></script><a href=1>x</a>--></script><a href=2>y</a>",
        "<script>a</scripty></script >b",
        "<style><a href=1></style><xmp><a href=2></xmp><noembed><a href=3></noembed>",
        "<iframe src=1><a href=2></iframe><noframes><a href=3></noframes>",
        // Without scripting, noscript is content.
        "<noscript><a href=1>x</a><img src=y></noscript>",
        "<head><noscript><link rel=canonical href=1><p>x</noscript>",
        "<noscript><p>a</noscript>b",
        // Select.
        "<select><option>a<option>b<optgroup><option>c</select>d",
        "<select><a href=1>x</a><table><tr><td>y</select>z",
        "<select><select><input>x",
        // Frames.
        "<frameset><frame src=1><noframes>x</noframes></frameset>y",
        "<html lang=en><html lang=de data-wf-page=1><body data-wf-page=2><body data-wf-page=3>",
        "<html><head></head>x<html lang=fr>",
        // Base, refresh, link.
        "<a href=1>x</a><base href=/b/><base href=/c/><a href=2>y</a>",
        "<base target=_top><base href=javascript:x><base href=/c/><a href=1>x</a>",
        "<base href=data:,x><a href=1>x</a>",
        "<meta http-equiv=Refresh content='0;url=a b'><meta name=refresh content='0;url=c'>",
        "<link rel='Alternate x' href=1><link rel=stylesheet href=2><link rel='alternate stylesheet' href=3>",
        "<map><area href=1><area href=2></map>",
        "<body><link rel=next href=1><meta http-equiv=refresh content='1;2'>",
        // Characters.
        "a&nbsp;b&shy;c&#8203;d&amp;e&notit;f&#0;&#x80;&bogus;",
        "<a href='?a=1&amp;b=2&copy=3&copy;=4&lt'>x</a>",
        "<a href=a\nhref=b HREF=c>x</a>",
        "<a href=\"a\r\nb\">x\r\ny\rz</a>",
        "a\0b<table>\0c</table>",
        "<pre>\n\nx</pre><pre><!-- -->\ny</pre><pre>\r\nz</pre>",
        "<a href='x'id=1 / rel='nofollow'/>y",
        "<a =href=1 href=2>x</a><a \0=1 href=3>y",
        "<!doctype html PUBLIC '-//W3C//DTD HTML 3.2//EN'><p>a<table>b",
        "<!DOCTYPE html><p>a<table>b",
        "<!-- a --!>b--><!>c<?d>e</ f>g<!x>h",
        "<!--><p>a<!---><p>b<!--x",
        "<p",
        "<a href=1",
        "<a href='1",
        "</",
        "<",
        "&",
        "&amp",
        "<!",
        "<!--",
        "",
        "\u{feff}x\u{feff}y",
        "<A HREF=1>X</A><DiV>y</dIv>",
    ] {
        assert_agrees(html);
    }
}

#[test]
fn deep_nesting_below_the_limit_is_read_like_the_reference_reads_it() {
    for tag in ["div", "span", "b", "table><tr><td", "svg", "a href=x"] {
        let html = format!("{}x<a href=1>y</a>", format!("<{tag}>").repeat(100));
        assert_agrees(&html);
    }
}

const TAGS: &str = "a b i nobr font p div h1 ul li dd table tbody tr td th caption col colgroup select \
    option optgroup template form input button svg math mi mtext annotation-xml foreignObject desc title \
    script style textarea noscript iframe frameset frame head body html base link meta br hr pre plaintext \
    xmp object marquee area span ruby rt img x-y";

const ATTRIBUTES: [&str; 17] = [
    "",
    " href=1",
    " href='/two?a=b&amp;c'",
    " href=\"#x\"",
    " xlink:href=3",
    " src=4",
    " rel=next",
    " rel='nofollow x'",
    " type=hidden",
    " color=red",
    " lang=de",
    " class=c",
    " class='klaro x'",
    " poster=6",
    " data-wf-page=' p  q '",
    " http-equiv=refresh content='0;url=5'",
    " name=robots",
];

const WORDS: [&str; 19] = [
    "x",
    " y ",
    "\n",
    "&nbsp;",
    "&amp;",
    "&lt",
    "<!-- c -->",
    "<![CDATA[d]]>",
    "\0",
    "<",
    ">",
    "<!doctype html>",
    "</p>",
    "</br>",
    "\u{e9}",
    "\u{200b}",
    "\r\n",
    "</svg>",
    "</table>",
];

fn piece() -> impl Strategy<Value = String> {
    let tags: Vec<&str> = TAGS.split_whitespace().collect();
    let attribute = || prop::sample::select(ATTRIBUTES.to_vec());
    prop_oneof![
        4 => (prop::sample::select(tags.clone()), attribute(), attribute(), any::<bool>()).prop_map(
            |(tag, one, two, is_closed)| {
                format!("<{tag}{one}{two}{}>", if is_closed { "/" } else { "" })
            }
        ),
        2 => prop::sample::select(tags).prop_map(|tag| format!("</{tag}>")),
        3 => prop::sample::select(WORDS.to_vec()).prop_map(str::to_owned),
    ]
}

/// A selector that matches nothing leaves a page as it is.
#[track_caller]
fn assert_selectors_change_nothing(html: &str) {
    let url = Url::parse(ADDRESS).expect("valid address");
    let read = |settings: &TextSettings| {
        let rules = TextRules::new(settings).expect("valid settings");
        Page::parse(html.as_bytes(), Some("text/html; charset=utf-8"), &url, &rules).expect("quickly read")
    };
    let selective = TextSettings { ignore_selectors: vec!["x-never".into()], ..TextSettings::default() };
    assert_eq!(read(&selective), read(&TextSettings::default()), "{html}");
}

#[test]
fn attributes_are_read_alike_with_and_without_a_selector() {
    let many = (0..1000).map(|number| format!(" a{number}=1")).collect::<Vec<_>>().concat();
    let elements = "a area base link image iframe frame img video audio source embed object meta input html font \
        picture svg><a svg><image annotation-xml div x-y";
    let attributes = "href=/1 rel=nofollow rel=canonical src=/2 srcset=/3 data-src=/4 data-lazy-src=/5 data-srcset=/6 \
        alt=7 poster=/8 data=/9 xlink:href=/10 content=0;/11 http-equiv=refresh name=robots content=nofollow lang=de \
        type=hidden color=red data-ad-slot=1 class=klaro id=adsbygoogle data-wf-page=12";
    for element in elements.split_whitespace() {
        for attribute in attributes.split_whitespace() {
            assert_selectors_change_nothing(&format!("<{element} {attribute}>x<p>y"));
            assert_selectors_change_nothing(&format!("<{element} href=/1 src=/2 {attribute}>x<p>y"));
            assert_selectors_change_nothing(&format!(
                "<{element} {attribute} http-equiv=refresh content=0;/3>x<p>y"
            ));
        }
        assert_selectors_change_nothing(&format!("<{element}{many} href=/1 src=/2 class=klaro>x<p>y"));
    }
    assert_selectors_change_nothing("<meta http-equiv=\"refresh\"content=\"0;L\"rel=nofollow>");
}

#[test]
fn selectors_match_like_those_of_the_reference() {
    let html = "<html lang=de><body class='a b'><div id=x><p class=a>1</p> <p>2<b title='T u'>3</b></p><i></i>4</div>\
        <template><p class=a>5</p></template><table><tr><td class=b>6<td>7</table>\
        <svg viewBox=1><linearGradient id=x class=a>8</linearGradient></svg><ul><li>9<li class='b a'>10<li>11</ul>";
    let url = Url::parse(ADDRESS).expect("valid address");
    for selector in [
        "p",
        ".a",
        "P.a",
        ".A",
        "#x",
        "#x .a",
        "div > p",
        "p ~ i",
        "p + p",
        "p:first-child",
        "p:last-child",
        "b:only-child",
        "li:nth-child(2n+1)",
        "li:nth-last-child(1)",
        "li:nth-of-type(2)",
        "p:not(.a)",
        ":is(p, td)",
        "td:where(.b)",
        "p:has(b)",
        "p:has(+ i)",
        "div:has(> i:empty)",
        "[title]",
        "[title~=u]",
        "[title='t u' i]",
        "[TITLE]",
        "[class*=' ']",
        "i:empty",
        ":root .b",
        "template .a",
        "linearGradient",
        "lineargradient",
        "svg *",
        "[viewBox]",
        "[viewbox]",
        "ul li.b.a",
        "body.a.b li",
        "* + *",
        "td:first-of-type, li:last-of-type",
        "html > head ~ body ul > :nth-child(2)",
    ] {
        let settings = TextSettings { ignore_selectors: vec![selector.into()], ..TextSettings::default() };
        let rules = TextRules::new(&settings).expect("valid settings");
        let page = Page::parse(html.as_bytes(), Some("text/html"), &url, &rules).expect("quickly read");
        assert_eq!(page.text.replace('\n', " "), reference::text_without(html, selector), "{selector}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_soup_is_read_like_the_reference_reads_it(
        pieces in prop::collection::vec(piece(), 0..40),
    ) {
        assert_selectors_change_nothing(&pieces.concat());
        // Of a frame in a `noscript` the reference reads more than we do, on purpose.
        let has_noscript = pieces.iter().any(|piece| piece.starts_with("</noscript"));
        let agreed = |piece: &&String| !(has_noscript && piece.starts_with("<iframe"));
        assert_agrees(&pieces.iter().filter(agreed).map(String::as_str).collect::<String>());
    }

    #[test]
    fn random_bytes_never_fail(body in prop::collection::vec(any::<u8>(), 0..400)) {
        let url = Url::parse(ADDRESS).expect("valid address");
        let page = Page::parse(&body, None, &url, &TextRules::default()).expect("quickly read");
        prop_assert!(!page.text.ends_with('\n'));
    }
}
