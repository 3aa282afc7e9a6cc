//! Pages that are hard to read: our own, random ones, and those of html5lib.

use std::path::Path;

use proptest::prelude::*;

/// Pieces that change what comes after them.
const PIECES: [&str; 40] = [
    "<a href=1>",
    "</a>",
    "<b class=menu>",
    "<b>",
    "</b>",
    "<i>",
    "</i>",
    "<p>",
    "</p>",
    "<div class=klaro>",
    "<div>",
    "</div>",
    "<nav>",
    "</nav>",
    "<form id=klaro>",
    "<form>",
    "</form>",
    "<table>",
    "<tr>",
    "<td>",
    "</table>",
    "<li>",
    "</li>",
    "<button>",
    "<select>",
    "<option>",
    "<template>",
    "</template>",
    "<object>",
    "</object>",
    "<svg>",
    "</svg>",
    "<math><mi>",
    "<foreignObject>",
    "<h2>",
    "</h3>",
    "<title>t</title>",
    "</body>",
    "<pre>\n",
    "<span id=navigation>",
];

/// Returns every pair of pieces with text between them and around them, and after an open paragraph.
pub(crate) fn all() -> Vec<String> {
    let pairs = PIECES.iter().flat_map(|one| PIECES.iter().map(move |two| (one, two)));
    pairs.map(|(one, two)| format!("*{one}x{two} y<p>z{one}* {two}<i>1</p>2<a href=3>4{one}5")).collect()
}

const NAMES: &str = "a b i nobr font p div h1 ul li dd table tbody tr td th caption col colgroup select option optgroup \
    template form input button svg math mi mtext annotation-xml foreignObject desc title script style textarea noscript \
    iframe frameset head body html base link meta br hr pre xmp object marquee area span ruby rt rtc img image x-y nav \
    header footer aside main article label";

const ATTRIBUTES: [&str; 22] = [
    "",
    "",
    "",
    " href=1",
    " HREF='/two?a=b&amp;c'",
    " xlink:href=3",
    " src=4",
    " rel='nofollow x'",
    " type=hidden",
    " color=red",
    " class='klaro x'",
    " class=sidebar",
    " id=menu",
    " role=navigation",
    " hidden",
    " style='display:none'",
    " title='a&lt;b'",
    " data-wf-page=' p  q '",
    " encoding=text/html",
    " alt=7",
    " data-ad-slot=1",
    " class=a class=klaro",
];

const TEXTS: [&str; 22] = [
    "x",
    " y ",
    "*",
    "\n",
    "&nbsp;",
    "a&amp;b",
    "&lt",
    "<!-- c -->",
    "<![CDATA[d]]>",
    "<",
    "</>",
    "<!doctype html>",
    "</p>",
    "</br>",
    "5 minutes ago",
    "\r\n",
    "</svg>",
    "</table>",
    "</foreignObject>",
    "Long sentences are content, wherever they stand, unless a menu holds them. ",
    "<script><!--<script></script>--></script>",
    "<textarea>\n\nx</textarea>",
];

/// Returns a random piece of a page.
pub(crate) fn piece() -> impl Strategy<Value = String> {
    let names: Vec<&str> = NAMES.split_whitespace().collect();
    let attribute = || prop::sample::select(ATTRIBUTES.to_vec());
    let start = (prop::sample::select(names.clone()), attribute(), attribute(), 0..9_u8).prop_map(
        |(name, one, two, closed)| format!("<{name}{one}{two}{}>", if closed == 0 { "/" } else { "" }),
    );
    let end = prop::sample::select(names).prop_map(|name| format!("</{name}>"));
    let few = prop::sample::select(PIECES.to_vec()).prop_map(str::to_owned);
    let text = prop::sample::select(TEXTS.to_vec()).prop_map(str::to_owned);
    prop_oneof![3 => start, 3 => end, 4 => few, 4 => text]
}

/// Returns the pages of html5lib's cases: of tree construction, and of tokenization.
pub(crate) fn of_html5lib(folder: &Path) -> Vec<String> {
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            cases.extend(of_html5lib(&path));
        } else if ending == "dat" {
            let text = std::fs::read(&path).expect("a file");
            cases.extend(of_tree_construction(&String::from_utf8_lossy(&text)));
        } else if ending == "test" {
            let text = std::fs::read_to_string(&path).expect("a file");
            cases.extend(of_tokenization(&serde_json::from_str(&text).expect("JSON")));
        }
    }
    cases
}

/// Cases are divided by empty lines; a page stands between `#data` and `#errors`.
fn of_tree_construction(text: &str) -> Vec<String> {
    let pages = text.split("#data\n").skip(1);
    pages.filter_map(|case| case.split_once("\n#errors").map(|(page, _)| page.to_owned())).collect()
}

fn of_tokenization(file: &serde_json::Value) -> Vec<String> {
    let tests = file["tests"].as_array().into_iter().flatten();
    tests.filter_map(|test| test["input"].as_str().map(str::to_owned)).collect()
}
