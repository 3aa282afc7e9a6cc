use std::sync::LazyLock;

use proptest::prelude::*;

use super::super::reader::Reader;
use super::super::tree;
use super::read;
use crate::dom::Dom;
use crate::text::{TextRules, TextSettings};

/// Reads a page both ways; returns whether it was plain.
#[track_caller]
fn is_plain(html: &str) -> bool {
    static RULES: LazyLock<[TextRules; 2]> =
        LazyLock::new(|| [rules_that_keep(&["data-wf-page"]), rules_that_keep(&["class", "data-wf-page"])]);
    let [is_plain, _] = RULES.each_ref().map(|rules| {
        let filter = rules.attribute_filter();
        let Some(findings) = read(html, &filter, rules) else {
            return false;
        };
        let dom = Dom::parse(html, &filter);
        let budget = crate::budget::WorkBudget::for_page();
        let tree = tree::read(&dom, Reader::new(rules, html.len()), &budget).unwrap();
        assert_eq!(findings, tree, "{html}");
        true
    });
    is_plain
}

fn rules_that_keep(attributes: &[&str]) -> TextRules {
    let keep_attributes = attributes.iter().map(|&name| name.to_owned()).collect();
    TextRules::new(&TextSettings { keep_attributes, ..TextSettings::default() }).expect("valid settings")
}

fn page(body: &str) -> String {
    format!("<!DOCTYPE html>\n<html lang=en>\n<head><title>t</title></head>\n<body>{body}</body>\n</html>\n")
}

#[test]
fn well_formed_pages_are_plain() {
    for body in [
        "",
        "text & more &amp; <b>bold <i>both</i></b><br>after",
        "<ul><li>one<li></ul>",
        "<ul><li><a href=/a class='x y' rel=nofollow>one</a></li> <li><p>two</p></li></ul>",
        "<a href='?a=1&amp;b=2'><div><h2>x</h2><p>y</p></div></a><a href=c>z</a>",
        "<dl><dt>a</dt><dd>b</dd></dl><hr/><img src=x alt=y><div/>inside</div>",
        "<form action=/f><label>a <input type=hidden name=form_token value=1 data-wf-page=2></label></form>",
        "<pre>\n\n  x\n y</pre><textarea>\n <a href=no> &lt;</textarea>z",
        "<script>if (a < b) { x('</p>') }</script><style>a > b {}</style><iframe src=/f><a></iframe>",
        "<noscript><iframe src=/g></iframe></noscript><!-- <a href=no> --><x-menu><span>x</span></x-menu>",
        "<div data-wf-page=1 data-wf-page=2 title=\"a&b\">x</div><map><area href=/m></map>",
        "<div class=ad-slot id=x>x<a href=/ad>y</a><img src=/ad.png></div>z<div class='a&#32;ad-slot'>x</div>",
        "<div class=a class=ad-slot>x</div><div id=b id=cc-window>y</div><ins class='x adsbygoogle'>z</ins>",
        "<p class='[&>b]:m [&_p]:n'>x</p><div data-ad-slot=1><b>x</b></div><main class=ad-slot>stays</main>",
        "<img src='/a.png?x=1&y=2' alt='A &amp; b'><img data-src=/b.png src=data:,x><img srcset='/c.png 1x, /d 2x'>",
        "<picture><source srcset='/e.webp 1x'><img alt=e></picture><video src=/f poster=/g><source src=/h></video>",
        "<embed src=/i><audio src=/j></audio><a href='?a=1&b=2&copy=3'>x</a><a href=tel:1>y</a>",
        "<b><b><b><b>x</b></b></b></b>y<a><b>z</b></a>",
        "<title>second</title><link rel=next href=/n><meta http-equiv=refresh content='1;url=/r'>",
        "a\r\nb\rc\x0cd <fieldset><legend>x</legend>y</fieldset><button><b>z</b></button>",
    ] {
        let is_expected = !body.contains("<li></ul>");
        assert_eq!(is_plain(&page(body)), is_expected, "{body}");
    }
}

#[test]
fn the_head_is_read() {
    assert!(is_plain(
        "<!-- x --><!doctype html><!-- y --><html lang=' de ' data-wf-page=3><head data-wf-page=4>
        <meta charset=utf-8><meta name=robots content='noindex, nofollow'><base href=/b/><title> a &amp;
        b </title><link rel=canonical href=c><script src=x></script><style>p{}</style></head>
        <body data-wf-page=5>x</body><!-- z --></html><!-- z -->"
    ));
}

#[test]
fn what_the_tree_builder_would_rearrange_is_left_to_it() {
    for body in [
        "<p>a<div>b</div></p>",
        "<p>a<p>b</p></p>",
        "<b>1<p>2</b>3</p>",
        "<a href=1>x<span><a href=2>y</a></span></a>",
        "<li>x</li>",
        "<ul><li><li>x</li></li></ul>",
        "<div><dt>x</dt></div>",
        "<h1>a<h2>b</h2></h1>",
        "<button><i><button>x</button></i></button>",
        "<form><div><form>x</form></div></form>",
        "<table><tr><td>x</td></tr></table>",
        "<svg><a href=1>x</a></svg>",
        "<template>x</template>",
        "<select><option>x</option></select>",
        "<p>x",
        "x</div>",
        "<p></p></p>",
        "</br>",
        "<DIV>x</DIV>",
        "<div CLASS=x>x</div>",
        "<div a\"b=c>x</div>",
        "<div / id=x>x</div>",
        "<a href=>x</a>",
        "<a href='a",
        "<!-->x<!-- -->",
        "<!--->x<!-- -->",
        "<!-- --!> x -->",
        "<!-- x",
        "<!x>",
        "<?x>",
        "a < b",
        "a <> b",
        "</ p>",
        "&notit;",
        "a\0b",
        "<script><!-- </script>",
        "<script>x</scripty></script>",
        "<div></div id=x>",
        "<p><hr></p>",
        "<body>",
        "</body>x<body>",
        "<head></head>",
        "<nobr>x</nobr><ruby>x<rt>y</rt></ruby>",
    ] {
        assert!(!is_plain(&page(body)), "{body}");
    }
    for html in [
        "",
        "x",
        "<html><head></head><body></body></html>",
        "<!doctype html SYSTEM 'about:legacy-compat'><html><head></head><body></body></html>",
        "<!doctype html><html><head></head>x<body></body></html>",
        "<!doctype html><html><head><p></p></head><body></body></html>",
        "<!doctype html><html><head><noscript></noscript></head><body></body></html>",
        "<!doctype html><html><head><title>x</head><body></body></html>",
        "<!doctype html><html><body></body></html>",
        "<!doctype html><html><head></head><body></body>x</html>",
        "<!doctype html><html><head></head><body></body></html>x",
        "<!doctype html><html><head></head><body>",
    ] {
        assert!(!is_plain(html), "{html}");
    }
    let deep = format!("{}x{}", "<div>".repeat(300), "</div>".repeat(300));
    assert!(!is_plain(&page(&deep)));
}

/// Elements of every kind, closed as they were opened or not, with a few things amiss.
fn markup() -> impl Strategy<Value = String> {
    let names = "a b i em span div p ul ol li dl dt dd h1 h2 section nav pre form button label font code \
        table tr td select option svg script style textarea title noscript object fieldset legend x-y \
        details summary main ruby rt nobr center small img picture video audio iframe ins body article";
    let names: Vec<&'static str> = names.split_whitespace().collect();
    let name = proptest::sample::select(names);
    let leaf = prop_oneof![
        "[a-z .\\n&;<>/=\"'-]{0,6}",
        proptest::sample::select(vec![
            "text",
            " ",
            "\n",
            "&amp;",
            "&nbsp;",
            "&#39;",
            "&copy",
            "<br>",
            "<hr>",
            "<img src=x>",
            "<img alt='a  b' data-src=y>",
            "<source srcset='a 1x, b 2x'>",
            "<source src=c>",
            "<!-- c -->",
            "<input type=hidden name=x data-wf-page=1>",
            "<link rel=next href=/n>",
            "\r\n",
            "\u{a0}\u{e9}",
            "<script>a<b</script>",
            "<base href=/b/>",
            "<meta name=robots content=noindex>",
            "</p>",
            "<p>",
        ])
        .prop_map(str::to_owned),
    ];
    let attributes = proptest::sample::select(vec![
        "",
        "",
        " href=/x",
        " href='y?a=1&amp;b=2' rel='nofollow x'",
        " data-wf-page=\"a  b\"",
        " hidden",
        " id=a id=b",
        " src=/z /",
        " href = \"c\" href=d",
        " x='<p>'",
        " class=ad-slot",
        " class='a\nklaro' id=x",
        " class=a class=ad-slot",
        " id='x&#32;cc-window'",
        " class='[&>p]' id='a&b'",
        " data-ad-slot",
        " src='/z?a=1&b=2' alt=t poster=/p data=/o",
        " srcset=', /s 1x' src=data:x",
    ]);
    leaf.prop_recursive(5, 60, 5, move |inner| {
        let element = (name.clone(), attributes.clone(), proptest::collection::vec(inner, 0..4), 0..20u8);
        element.prop_map(|(name, attributes, inside, amiss)| {
            let inside = inside.concat();
            match amiss {
                0 => format!("<{name}{attributes}>{inside}"),
                1 => format!("{inside}</{name}>"),
                _ => format!("<{name}{attributes}>{inside}</{name}>"),
            }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn what_is_plain_is_read_as_the_tree_builder_reads_it(parts in proptest::collection::vec(markup(), 0..4)) {
        is_plain(&page(&parts.concat()));
    }
}
