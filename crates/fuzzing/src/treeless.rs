//! Pages read without their trees say the same as with them.

use ::url::Url;
use recrawl_extract::page::Page;
use recrawl_extract::text::{TextRules, TextSettings};

const HTML: Option<&str> = Some("text/html; charset=utf-8");

/// What stands for a byte of an input that is not written out: fuzzers find markup by the letter only slowly.
const PIECES: [&str; 96] = [
    "<a href=1>",
    "</a>",
    "<b>",
    "</b>",
    "<b class=menu>",
    "<i>",
    "</i>",
    "<nobr>",
    "</nobr>",
    "<font color=red>",
    "</font>",
    "<span>",
    "</span>",
    "<span class=klaro>",
    "<p>",
    "</p>",
    "<p hidden>",
    "<div>",
    "</div>",
    "<div id=klaro>",
    "<div role=navigation>",
    "<nav>",
    "</nav>",
    "<main>",
    "</main>",
    "<h1>",
    "</h1>",
    "<h2>",
    "<ul>",
    "</ul>",
    "<li>",
    "</li>",
    "<dl>",
    "<dt>",
    "<dd>",
    "</dl>",
    "<table>",
    "</table>",
    "<caption>",
    "<colgroup>",
    "<col>",
    "<tbody>",
    "</tbody>",
    "<tr>",
    "</tr>",
    "<td>",
    "</td>",
    "<th class=klaro>",
    "<form>",
    "</form>",
    "<form class=klaro>",
    "<button>",
    "</button>",
    "<select>",
    "</select>",
    "<option>",
    "</option>",
    "<optgroup>",
    "<input>",
    "<input type=hidden>",
    "<textarea>\n",
    "</textarea>",
    "<template>",
    "</template>",
    "<object data=2>",
    "</object>",
    "<marquee>",
    "</marquee>",
    "<svg>",
    "</svg>",
    "<svg/>",
    "<foreignObject>",
    "</foreignObject>",
    "<title>",
    "</title>",
    "<math>",
    "<mi>",
    "</mi>",
    "<annotation-xml encoding=text/html>",
    "</math>",
    "<script>",
    "</script>",
    "<!--",
    "-->",
    "<noscript>",
    "</noscript>",
    "<iframe src=3>",
    "</iframe>",
    "<ruby><rt>",
    "<img src=4 alt=x>",
    "</br>",
    "<head>",
    "</head>",
    "<body>",
    "</body>",
    "<pre>\n",
];

/// Reads a page with and without its tree, with noise rules and without, and with attributes that count.
pub fn read_without_tree(data: &[u8]) {
    let page = match data.split_first() {
        Some((b'#', choices)) => choices.iter().map(|choice| piece(*choice)).collect::<String>().into_bytes(),
        _ => data.to_vec(),
    };
    let attributes = ["data-wf-page", "title", "href"].map(str::to_owned).to_vec();
    let plain =
        TextSettings { noise_rules: [].into(), keep_attributes: attributes, ..TextSettings::default() };
    for settings in [TextSettings::default(), plain] {
        let rules = TextRules::new(&settings).expect("no selector can be wrong");
        let quick = Page::parse(&page, HTML, &address(), &rules);
        let by_tree = Page::parse_by_tree(&page, HTML, &address(), &rules);
        assert_eq!(quick, by_tree, "{}", String::from_utf8_lossy(&page));
        // A selector that chooses nothing needs the tree, and every attribute.
        let idle = TextSettings { ignore_selectors: vec!["no-such-element".to_owned()], ..settings };
        let idle = TextRules::new(&idle).expect("the selector is one");
        assert_eq!(quick, Page::parse(&page, HTML, &address(), &idle), "with a selector");
    }
}

fn piece(choice: u8) -> &'static str {
    match PIECES.get(usize::from(choice)) {
        Some(piece) => piece,
        None => ["x", " ", "* ", "word 12"][usize::from(choice) % 4],
    }
}

fn address() -> Url {
    Url::parse("https://example.com/dir/page?query").expect("it is a URL")
}
