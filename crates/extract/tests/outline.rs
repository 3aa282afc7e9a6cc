//! What a page holds beside its text: where its lines, links and images stand, what its head says, which noise it had.

use std::fmt::Write as _;

use proptest::prelude::*;
use recrawl_core::model::outline::{Item, MetaKind, Outline};
use recrawl_core::model::region::{Mark, Region};
use recrawl_extract::page::Page;
use recrawl_extract::text::{TextRules, TextSettings};
use url::Url;

/// A sentence of 71 letters.
const SENTENCE: &str =
    "The bridge over the river is closed for repair until the end of the month, says the council.";

/// A sentence of more than 120 letters.
const LONG: &str = "The bridge over the river is closed for repair until the end of the month, says the council, and \
    whoever wants to cross it has to take the ferry or walk along the bank to the next village.";

fn read_by(html: &str, settings: &TextSettings) -> Page {
    let url = Url::parse("https://example.com/dir/page").expect("a valid address");
    let rules = TextRules::new(settings).expect("valid settings");
    Page::parse(html.as_bytes(), Some("text/html; charset=utf-8"), &url, &rules).expect("quickly read")
}

fn read(html: &str) -> Page {
    read_by(html, &TextSettings::default())
}

/// Returns the region of the first line that has this text.
#[track_caller]
fn region_in(page: &Page, text: &str) -> Region {
    mark_in(page, text).region
}

#[track_caller]
fn mark_in(page: &Page, text: &str) -> Mark {
    let mut lines = page.text.lines().zip(page.outline.marks());
    lines.find(|(line, _)| line.contains(text)).unwrap_or_else(|| panic!("no {text} in {:?}", page.text)).1
}

/// Reads a page with enough prose around `html`, and tells where the line with an X stands.
#[track_caller]
fn region(html: &str) -> Region {
    let prose = format!("<p>{LONG}</p>").repeat(4);
    region_in(&read(&format!("<body>{html}<div>{prose}</div></body>")), "X")
}

#[test]
fn what_stands_in_a_landmark_is_frame() {
    for (html, expected) in [
        ("<p>X</p>", Region::Content),
        ("<section>X</section>", Region::Content),
        ("<nav>X</nav>", Region::Nav),
        ("<div role=navigation>X</div>", Region::Nav),
        ("<header>X</header>", Region::Header),
        ("<div role='BANNER x'>X</div>", Region::Header),
        ("<article><header>X</header></article>", Region::Content),
        ("<footer>X</footer>", Region::Footer),
        ("<article><footer>X</footer></article>", Region::Footer),
        ("<div role=contentinfo>X</div>", Region::Footer),
        ("<aside><div><p>X</div></aside>", Region::Aside),
        ("<div role=complementary>X</div>", Region::Aside),
        ("<dialog open>X</dialog>", Region::Other),
        ("<div role=alertdialog>X</div>", Region::Other),
        ("<form role=search>X</form>", Region::Other),
        ("<search>X</search>", Region::Other),
        ("<footer><nav>X</nav></footer>", Region::Nav),
        ("<nav role=main>X</nav>", Region::Content),
        ("<svg><nav>X</nav></svg>", Region::Content),
    ] {
        assert_eq!(region(html), expected, "{html}");
    }
}

#[test]
fn a_landmark_with_more_than_half_of_the_prose_does_not_count() {
    for (own, others, expected) in [(1, 1, Region::Aside), (2, 1, Region::Content)] {
        let prose = |count| format!("<p>{SENTENCE}</p>").repeat(count);
        let page = read(&format!("<aside>{}<p>#1</aside>{}", prose(own), prose(others)));
        assert_eq!(region_in(&page, "#1"), expected, "{own} of {}", own + others);
    }
    // Links, buttons and options are no prose, however many there are.
    let links = format!("<p><a href=/>{SENTENCE}</a>").repeat(9);
    let options = format!("<option>{SENTENCE}").repeat(9);
    let page = read(&format!("<aside><p>X</p>{links}<select>{options}</select></aside><p>{SENTENCE}</p>"));
    assert_eq!(region_in(&page, "X"), Region::Aside);
}

#[test]
fn where_there_is_a_main_with_a_quarter_of_the_prose_only_that_is_content() {
    for (inside, outside, expected) in [(1, 3, Region::Other), (1, 4, Region::Content)] {
        let prose = |count| format!("<p>{SENTENCE}</p>").repeat(count);
        for main in ["main", "div role=main"] {
            let page = read(&format!("<{main}>{}</div></main>{}", prose(inside), prose(outside) + "<p>#1"));
            assert_eq!(region_in(&page, "The bridge"), Region::Content, "{inside} of {}", inside + outside);
            assert_eq!(region_in(&page, "#1"), expected, "{main}: {inside} of {}", inside + outside);
        }
    }
    let page = read(&format!("<p>X</p><main><header>Y</header><nav>Z</nav><p>{SENTENCE}</p></main>"));
    assert_eq!(region_in(&page, "X"), Region::Other);
    assert_eq!(region_in(&page, "Y"), Region::Content);
    assert_eq!(region_in(&page, "Z"), Region::Nav);
}

#[test]
fn what_stands_under_a_frame_word_is_frame() {
    for (html, expected) in [
        ("<div class=main-menu>X</div>", Region::Nav),
        ("<div id=siteMenu><p>X</div>", Region::Nav),
        ("<div class='box breadcrumbs'>X</div>", Region::Nav),
        ("<div class=topbar>X</div>", Region::Header),
        ("<div class=page_foot>X</div>", Region::Footer),
        ("<div class=copyright>X</div>", Region::Footer),
        ("<div class=sidebar2>X</div>", Region::Aside),
        ("<div class=related>X</div>", Region::Aside),
        ("<div class=cart>X</div>", Region::Other),
        ("<p><b class=share>X</b></p>", Region::Other),
        ("<p><b class=share>X</b> text</p>", Region::Content),
        ("<p>* <b class=share>X</b></p>", Region::Other),
        ("<p><b class=share-a>X</b> <b class=share-b>Y</b></p>", Region::Other),
        ("<div class=shared>X</div>", Region::Content),
        ("<div class=menuX>X</div>", Region::Nav),
        ("<div class=header>X</div>", Region::Content),
        ("<div class=footer><div class=menu>X</div></div>", Region::Nav),
        ("<footer><div class=share>X</div></footer>", Region::Footer),
    ] {
        assert_eq!(region(html), expected, "{html}");
    }
}

#[test]
fn the_words_of_a_body_are_about_its_layout() {
    let page = read(&format!("<body class='no-menu with-sidebar'><p>{SENTENCE}</p><div class=sidebar>X"));
    assert_eq!(region_in(&page, "The bridge"), Region::Content);
    assert_eq!(region_in(&page, "X"), Region::Aside);
}

#[test]
fn a_word_with_more_than_30_percent_of_the_prose_means_nothing() {
    for (own, others, expected) in [(3, 7, Region::Other), (4, 6, Region::Content)] {
        let prose = |count| format!("<p>{SENTENCE}</p>").repeat(count);
        let page = read(&format!("<div class=cart>{}</div>{}<p class=cart>#1", prose(own), prose(others)));
        assert_eq!(region_in(&page, "#1"), expected, "{own} of {}", own + others);
    }
}

#[test]
fn inside_a_main_words_count_against_links_alone() {
    let html = format!(
        "<main><p>{SENTENCE}</p><div class=related><p>X</p><p>Y <a href=/>mostly links</a></p></div>\
         <p><a href=/>Z is in no such place</a></p></main>"
    );
    let page = read(&html);
    assert_eq!(mark_in(&page, "X"), Mark::CONTENT);
    assert_eq!(mark_in(&page, "Y"), Mark { is_links: true, ..Mark::of(Region::Aside) });
    assert_eq!(mark_in(&page, "Z"), Mark { is_links: true, ..Mark::CONTENT });
    // Without a main they count against both.
    let page = read(&html.replace("main>", "div>"));
    assert_eq!(region_in(&page, "X"), Region::Aside);
}

#[test]
fn buttons_options_and_labels_are_frame_unless_they_are_sentences() {
    for (html, expected) in [
        ("<button>X</button>", Region::Other),
        ("<p><button>X</button> <button>Y</button></p>", Region::Other),
        ("<p>Press <button>X</button></p>", Region::Content),
        ("<select><option>X</select>", Region::Other),
        ("<label>X</label>", Region::Other),
        ("<label>X</label> *", Region::Other),
        ("<fieldset><legend>X</legend></fieldset>", Region::Other),
        ("<a role=button>X</a>", Region::Other),
        ("<label>I agree X that my data is kept for a year.</label>", Region::Content),
        ("<label>I agree X that my data is kept for a year</label>", Region::Other),
        ("<h3><button>X</button></h3>", Region::Content),
        ("<button><h3>X</h3></button>", Region::Content),
        ("<nav><button>X</button></nav>", Region::Nav),
    ] {
        assert_eq!(region(html), expected, "{html}");
    }
}

#[test]
fn hidden_text_is_frame_unless_much_of_the_page_is_hidden() {
    for (html, expected) in [
        ("<p hidden>X</p>", Region::Other),
        ("<p hidden=until-found>X</p>", Region::Other),
        ("<div aria-hidden=true><p>X</div>", Region::Other),
        ("<div aria-hidden=false><p>X</div>", Region::Content),
        ("<div style='color: red; display: none'><p>X</div>", Region::Other),
        ("<div style='display: block'><p>X</div>", Region::Content),
        ("<p>Read <span aria-hidden=true>X</span></p>", Region::Content),
    ] {
        assert_eq!(region(html), expected, "{html}");
    }
    let hidden = format!("<p hidden>{LONG} X</p>");
    assert_eq!(region(&hidden), Region::Other);
    let page =
        read(&format!("<div hidden>{}<p>X</div>{}", format!("<p>{LONG}</p>").repeat(4), LONG.repeat(6)));
    assert_eq!(region_in(&page, "X"), Region::Content);
}

#[test]
fn a_long_sentence_is_content_but_not_where_sites_advertise() {
    for (start, expected) in [
        ("<footer>", Region::Content),
        ("<aside>", Region::Content),
        ("<div class=sidebar>", Region::Content),
        ("<button>", Region::Content),
        ("<nav>", Region::Nav),
        ("<header>", Region::Header),
        ("<dialog>", Region::Other),
        ("<footer><nav>", Region::Nav),
        ("<nav><div role=contentinfo>", Region::Footer),
        ("<div class=banner>", Region::Other),
        ("<div class=promos>", Region::Other),
        ("<aside class=newsletter>", Region::Aside),
        ("<aside><a href=/>", Region::Aside),
    ] {
        assert_eq!(
            region(&format!("{start}X {LONG}</a></div></footer></nav></header></dialog></aside></button>")),
            expected,
            "{start}"
        );
    }
    assert_eq!(region(&format!("<footer>X {SENTENCE}</footer>")), Region::Footer);
    assert_eq!(
        region(&format!("<footer>X {}</footer>", "many words without an end ".repeat(9))),
        Region::Footer
    );
    // Outside a main that counts.
    let page = read(&format!("<main><p>{LONG}</p></main><p>X {LONG}</p><p>Y {SENTENCE}</p>"));
    assert_eq!(region_in(&page, "X"), Region::Content);
    assert_eq!(region_in(&page, "Y"), Region::Other);
}

#[test]
fn users_change_the_frame_words() {
    let settings =
        TextSettings { frame_words: vec!["+sponsor".into(), "-cart".into()], ..TextSettings::default() };
    let page = read_by(&format!("<p class=sponsor>X<p class=cart>Y<p class=menu>Z<p>{LONG}"), &settings);
    let regions = ["X", "Y", "Z"].map(|text| region_in(&page, text));
    assert_eq!(regions, [Region::Other, Region::Content, Region::Nav]);
    let rules = TextRules::new(&settings).expect("valid");
    let usual = TextRules::default();
    assert_eq!(rules.version(), usual.version());
    assert_ne!(rules.outline_version(), usual.outline_version());
    let wrong = TextSettings { frame_words: vec!["sponsor".into()], ..TextSettings::default() };
    let error = TextRules::new(&wrong).expect_err("no sign");
    assert!(error.to_string().contains("neither + nor -"), "{error}");
}

#[test]
fn headings_and_lines_of_links_are_marked() {
    let page = read("<h2>A <i>title</i></h2><div role=heading>B</div><p>C<p><a href=/>D</a> e<p><a>F</a>");
    let marks: Vec<(bool, bool)> =
        page.outline.marks().take(5).map(|mark| (mark.is_heading, mark.is_links)).collect();
    assert_eq!(marks, [(true, false), (true, false), (false, false), (false, false), (false, false)]);
    let page = read("<h2><a href=/>A title</a></h2><p>So <a href=/>more than half</a>");
    assert!(page.outline.marks().take(2).all(|mark| mark.is_links));
}

fn items(items: &[Item]) -> Vec<(&str, &str, &str)> {
    items.iter().map(|item| (item.mark.region.word(), &*item.address, &*item.words)).collect()
}

#[test]
fn links_are_listed_in_order_with_their_places_and_the_words_of_documents() {
    let page = read(&format!(
        "<nav><a href=/a>A</a><a href='/b?utm_source=x'>B</a><a href=/only>O</a></nav><p>{LONG}<p>{SENTENCE}\
         <a href=mailto:x@example.org>mail</a> <a href=/b>B</a> <a href='/plan.PDF?v=2'>the <b>plan</b>\n(PDF)</a></p>\
         <footer><a href=/a>A</a><a href=mailto:x@example.org>mail</a><a href=/c/list.csv><img src=/i.png></a>\
         <p>{LONG} <a href=/in-a-sentence>more</a></footer><a href=javascript:x>no</a><a href=''>self</a>"
    ));
    assert_eq!(
        items(&page.outline.links),
        [
            ("nav", "https://example.com/a", ""),
            ("content", "https://example.com/b", ""),
            ("nav", "https://example.com/only", ""),
            ("content", "mailto:x@example.org", ""),
            ("content", "https://example.com/plan.PDF?v=2", "the plan (PDF)"),
            ("footer", "https://example.com/c/list.csv", ""),
            ("content", "https://example.com/in-a-sentence", ""),
            ("content", "https://example.com/dir/page", ""),
        ]
    );
    let mut listed: Vec<&str> = page.outline.links.iter().map(|item| item.address.as_str()).collect();
    listed.sort_unstable();
    assert_eq!(listed, page.targets);
}

#[test]
fn images_are_listed_in_order_with_their_places() {
    let page = read(&format!(
        "<header><img src='/logo.png?v=1' alt=Logo></header><p>{SENTENCE}<img src=/b.png></p>\
         <footer><img src=/b.png><img src=/c.png></footer>"
    ));
    assert_eq!(
        items(&page.outline.media),
        [
            ("header", "https://example.com/logo.png \"Logo\"", ""),
            ("content", "https://example.com/b.png", ""),
            ("footer", "https://example.com/c.png", ""),
        ]
    );
}

#[test]
fn the_head_is_compared_without_noise() {
    let html = "<head><title> A\n title </title><meta name=Description content='  Says \n what it is '>\
        <meta name=description content=later><link rel=canonical href=/a><meta name=robots content=none></head>x";
    let page = read(html);
    let said: Vec<(MetaKind, &str)> =
        page.outline.meta.iter().map(|(kind, text)| (*kind, text.as_str())).collect();
    assert_eq!(
        said,
        [
            (MetaKind::Title, "A title"),
            (MetaKind::Description, "Says what it is"),
            (MetaKind::Canonical, "https://example.com/a"),
            (MetaKind::Robots, "noindex, nofollow"),
        ]
    );
    let signature = |html: &str| read(html).signatures.meta.expect("made");
    assert_ne!(signature(html), signature(&html.replace("what it is", "something else")));
    let updated = |minutes: u8| {
        signature(&html.replace("what it is", &format!("it all. Updated {minutes} minutes ago")))
    };
    assert_eq!(updated(3), updated(5));
    assert_eq!(signature(html), signature(&html.replace(">x", ">another text")));
}

#[test]
fn noise_is_counted_by_rule_with_a_fingerprint() {
    let traces = |minutes: u8| {
        let html = format!("<p>Updated {minutes} minutes ago<p>Text<div class=klaro>We use cookies</div>");
        read(&html).outline.noise
    };
    let (first, second) = (traces(3), traces(5));
    let counts: Vec<(&str, u32)> = first.iter().map(|trace| (&*trace.rule, trace.count)).collect();
    assert_eq!(counts, [("cookie-banners", 1), ("relative-times", 1)]);
    assert_eq!(first[0], second[0]);
    assert_ne!(first[1].fingerprint, second[1].fingerprint);
}

#[test]
fn the_outline_of_a_page_full_of_links_is_cut() {
    let mut html = String::new();
    for number in 0..20_000 {
        let _ = write!(html, "<a href=/{number}>x</a>");
    }
    let page = read(&html);
    assert!(page.outline.is_cut && page.targets.len() == 20_000);
    assert_eq!(page.outline.links[0].address, "https://example.com/0");
    let kept = Outline::decode(&page.outline.encode()).expect("an outline");
    assert!(kept.is_cut && kept.links.len() <= page.outline.links.len());
}

const PIECES: [&str; 30] = [
    "<p>",
    "</p>",
    "<br>",
    "<nav>",
    "</nav>",
    "<main>",
    "</main>",
    "<aside class=menu>",
    "</aside>",
    "<div class=share>",
    "<div hidden>",
    "</div>",
    "<span class=search>",
    "</span>",
    "<h2>",
    "<button>",
    "<table><tr><td>",
    "</table>",
    "<a href=/b>",
    "</a>",
    "<div class=klaro>",
    "<i data-wf-page=1>",
    "Updated 5 minutes ago",
    "1,234 views",
    " | ",
    "* ",
    "one secret",
    "two\n",
    "\u{200b}",
    "The bridge is closed for repair.",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_line_has_a_mark_whatever_was_removed(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..30),
        patterns in prop::sample::select(vec![&[] as &[&str], &["secret"], &["(?s)secret.*two", "one"], &["\\s"], &["."]]),
    ) {
        let settings = TextSettings {
            ignore_patterns: patterns.iter().map(|&pattern| pattern.into()).collect(),
            ..TextSettings::default()
        };
        let page = read_by(&pieces.concat(), &settings);
        let marks: usize = page.outline.lines.iter().map(|(_, count)| *count as usize).sum();
        prop_assert_eq!(marks, page.text.lines().count(), "{:?}", page.text);
    }

    #[test]
    fn a_line_that_is_removed_takes_its_mark_along(
        lines in prop::collection::vec((0..5_usize, any::<bool>()), 0..20),
    ) {
        // Each line stands in a place by which it can be recognised, and some are noise to the end.
        const PLACES: [(&str, &str, &str); 5] = [
            ("p", "plain", "content"),
            ("nav", "menu", "nav"),
            ("footer", "foot", "footer"),
            ("h2", "title", "content"),
            ("aside", "beside", "aside"),
        ];
        let mut html = format!("<div>{LONG}</div>");
        for (place, is_noise) in &lines {
            let (tag, word, _) = PLACES[*place];
            let text = if *is_noise { "1,234 views" } else { word };
            let _ = write!(html, "<{tag}>{text}</{tag}>");
        }
        let page = read(&html);
        let seen: Vec<(&str, &str, bool)> = page.text.lines().zip(page.outline.marks()).skip(1)
            .map(|(line, mark)| (line, mark.region.word(), mark.is_heading)).collect();
        let expected: Vec<(&str, &str, bool)> = lines.iter().filter(|(_, is_noise)| !is_noise)
            .map(|(place, _)| (PLACES[*place].1, PLACES[*place].2, PLACES[*place].0 == "h2")).collect();
        prop_assert_eq!(seen, expected);
    }
}

#[test]
fn an_image_says_where_it_is_fetched_and_a_film_does_not() {
    let page = read(
        "<img src=/a.png alt='A bridge'><img src='/b.png?itok=aB3dE5fG'><img src='data:image/gif;base64,R0lGOD'>\
         <img src=c.png><video src=/film.mp4 poster=/poster.png></video>",
    );
    let sources: Vec<&str> = page.outline.media.iter().filter_map(Item::image_source).collect();
    let expected = ["/a.png", "/b.png?itok=aB3dE5fG", "/dir/c.png", "/poster.png"];
    assert_eq!(sources, expected.map(|path| format!("https://example.com{path}")));
}
