//! The contract of [`Search`] for stores that compare the text of pages.

use recrawl_core::model::content::Content;
use recrawl_core::model::ids::ContentHash;
use recrawl_core::model::outline::Outline;
use recrawl_core::model::record::Presence;
use recrawl_core::model::region::{Mark, Region};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Hit, Search, SearchedBy, Store};

use super::Subject;
use super::samples::{FIRST, SECOND, THIRD, content, open, record, record_of, suspect};
use super::samples::{crawl_id, site_id, time};
use super::search::paths;

fn titled(title: &str, text: &str) -> Content {
    let mut says = content(text);
    says.hash = ContentHash::of(format!("{title}\n{text}").as_bytes());
    says.extracted.title = Some(title.to_owned());
    says
}

async fn write(store: &impl Store, crawl: &str, path: &str, says: &Content) {
    store.record(&record_of("a", crawl, path, says), Some(says)).await.unwrap();
}

/// Writes an excerpt with brackets around what was found.
fn bracketed(hit: &Hit) -> String {
    let pieces = hit.excerpt.iter();
    pieces
        .map(|piece| if piece.is_match { format!("[{}]", piece.text) } else { piece.text.clone() })
        .collect()
}

pub async fn words_are_found_wherever_they_stand<S: Subject<Port: Search + Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    write(store, FIRST, "/1", &titled("Streets", "The new Bridge across the river is open.")).await;
    write(store, FIRST, "/2", &titled("Café hours", "Open daily.\nNo bridge here: the river is dry.")).await;
    write(store, FIRST, "/budget-2027", &titled("Money", "東京タワーの予算")).await;
    for (query, expected) in [
        ("bridge", vec!["/1", "/2"]),
        ("BRIDGE river", vec!["/1", "/2"]),
        ("\"new bridge\"", vec!["/1"]),
        ("\"bridge new\"", vec![]),
        ("bridge -dry", vec!["/1"]),
        ("bridge -\"no bridge\"", vec!["/1"]),
        ("-dry", vec![]),
        ("riv", vec!["/1", "/2"]),
        ("riv open", vec![]),
        ("riv* open", vec!["/1", "/2"]),
        ("\"riv\"", vec![]),
        ("cafe", vec!["/2"]),
        ("CAFÉ daily", vec!["/2"]),
        ("budget", vec!["/budget-2027"]),
        ("money budget", vec!["/budget-2027"]),
        ("-money budget", vec![]),
        ("タワー", vec!["/budget-2027"]),
        ("京東", vec![]),
        ("and or not near", vec![]),
        ("example", vec![]),
    ] {
        let mut found = paths(store, Some("a"), query).await;
        found.sort();
        let expected: Vec<String> = expected.iter().map(|path| format!("a {path}")).collect();
        assert_eq!(found, expected, "{query}");
    }
}

pub async fn part_of_an_address_finds_the_page<S: Subject<Port: Search + Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    write(store, FIRST, "/town/plan.pdf", &content("a plan")).await;
    write(store, FIRST, "/town/stra%C3%9Fe", &content("open 24/7")).await;
    write(store, FIRST, "/24/7", &content("a number")).await;
    for (query, expected) in [
        ("plan.pdf", vec!["/town/plan.pdf"]),
        ("own/plan", vec!["/town/plan.pdf"]),
        ("example.org/town/p", vec!["/town/plan.pdf"]),
        ("/straße", vec!["/town/stra%C3%9Fe"]),
        ("/STRA%C3%9Fe", vec!["/town/stra%C3%9Fe"]),
        // What is in the address comes first, then what is in the text.
        ("24/7", vec!["/24/7", "/town/stra%C3%9Fe"]),
    ] {
        let expected: Vec<String> = expected.iter().map(|path| format!("a {path}")).collect();
        assert_eq!(paths(store, None, query).await, expected, "{query}");
    }
}

pub async fn a_title_counts_for_more_than_a_text<S: Subject<Port: Search + Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    write(store, FIRST, "/1", &titled("Streets", "Nothing but a tram and other things.")).await;
    write(store, FIRST, "/2", &titled("The tram", "Nothing but streets and other things.")).await;
    write(store, FIRST, "/3", &titled("Nothing", "Trees and other things, but no more.")).await;
    assert_eq!(paths(store, None, "tram").await, ["a /2", "a /1"]);
    assert_eq!(paths(store, None, "streets").await, ["a /1", "a /2"]);
}

pub async fn an_excerpt_sets_apart_what_was_found<S: Subject<Port: Search + Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let filler = "word ".repeat(200);
    let text = format!("{filler}\n<b>The</b> Bridge\nis closed. {filler}");
    write(store, FIRST, "/1", &titled("<i>Streets</i>", &text)).await;
    let found = store.search(None, "\"bridge is\"", 10).await.unwrap();
    let shown = bracketed(&found.hits[0]);
    assert!(shown.contains("word <b>The</b> [Bridge is] closed. word"), "{shown}");
    assert!(shown.starts_with('…') && shown.ends_with('…') && shown.len() < 300, "{shown}");
    assert_eq!(found.hits[0].title.as_deref(), Some("<i>Streets</i>"));
    let found = store.search(None, "streets", 10).await.unwrap();
    let shown = bracketed(&found.hits[0]);
    assert!(shown.starts_with("word word") && !shown.contains('['), "only the title has it: {shown}");
}

pub async fn only_what_a_page_says_now_is_found<S: Subject<Port: Search + Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    write(store, FIRST, "/1", &content("the old tram")).await;
    write(store, FIRST, "/2", &content("the old tram")).await;
    assert_eq!(paths(store, None, "tram").await.len(), 2);
    write(store, SECOND, "/1", &content("the new bus")).await;
    assert_eq!(paths(store, None, "tram").await, ["a /2"]);
    assert_eq!(paths(store, None, "\"new bus\"").await, ["a /1"]);
    store.record(&record("a", SECOND, "/2"), None).await.unwrap();
    assert_eq!(paths(store, None, "tram").await, [""; 0], "nothing is known of its content any more");
    assert_eq!(paths(store, None, "2").await, ["a /2"], "its address is still known");
}

pub async fn an_answer_tells_how_many_pages_were_searched<S: Subject<Port: Search + Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    open(store, "b").await;
    write(store, FIRST, "/1", &content("the tram")).await;
    write(store, FIRST, "/2", &content("the tram")).await;
    let found = store.search(None, "bus", 10).await.unwrap();
    assert_eq!(found.by, SearchedBy::TextAndAddress { indexed: 2, waiting: 0 });
    let of_another = store.search(Some(&"b".parse().unwrap()), "bus", 10).await.unwrap();
    assert_eq!(of_another.by, SearchedBy::TextAndAddress { indexed: 0, waiting: 0 });
}

/// A content whose first line is a menu.
fn with_menu(menu: &str, text: &str) -> Content {
    let mut says = content(&format!("{menu}\n{text}"));
    let mut outline = Outline::default();
    outline.push_line(Mark::of(Region::Nav));
    outline.push_line(Mark::CONTENT);
    says.extracted.outline = Some(outline);
    says
}

pub async fn an_excerpt_is_of_the_content_where_that_says_it<S: Subject<Port: Search + Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    write(store, FIRST, "/bridge", &with_menu("Home Bridge", "The bridge is closed.")).await;
    write(store, FIRST, "/tram", &with_menu("Home Bridge", "The tram is late.")).await;
    for (query, path, expected) in [
        ("bridge closed", "/bridge", "The [bridge] is [closed]."),
        ("bridge tram", "/tram", "The [tram] is late."),
        ("\"home bridge\" late", "/tram", "The tram is [late]."),
        ("\"home bridge\" -closed", "/tram", "[Home Bridge] The tram is late."),
    ] {
        let found = store.search(None, query, 10).await.unwrap();
        assert_eq!(found.hits[0].url.path(), path, "{query}");
        assert_eq!(bracketed(&found.hits[0]), expected, "{query}");
    }
}

pub async fn a_path_is_looked_for_in_addresses_alone<S: Subject<Port: Search + Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    write(store, FIRST, "/news/bridge", &content("The bridge.")).await;
    write(store, FIRST, "/about", &content("All about the news, see example.org/news for more.")).await;
    for query in ["/news/", "/news", "news/", "example.org/news", "https://example.org/news/"] {
        assert_eq!(paths(store, None, query).await, ["a /news/bridge"], "{query}");
    }
    assert_eq!(paths(store, None, "news").await.len(), 2, "a word is looked for everywhere");
}

/// Returns the passages that a query finds: the path, the crawls that saw it first and last, and whether it still is so.
async fn passages(store: &impl Search, query: &str) -> Vec<String> {
    let found = store.search_history(None, query, 10).await.unwrap().unwrap();
    let shown = found.passages.iter().map(|passage| {
        let now = if passage.is_current { " now" } else { "" };
        format!("{} {} to {}{now}", passage.url.path(), passage.first.0, passage.last.0)
    });
    shown.collect()
}

pub async fn what_pages_said_before_is_found_with_its_time<S: Subject<Port: Search + Store>>(subject: S) {
    let store = subject.port();
    open(store, "a").await;
    let (old, new) = (content("The fee is 5 coins."), content("The fee is 7 coins."));
    for (crawl, fees) in [(FIRST, &old), (SECOND, &old), (THIRD, &new)] {
        write(store, crawl, "/fees", fees).await;
        write(store, crawl, "/bridge", &content("The bridge is closed.")).await;
    }
    assert_eq!(passages(store, "\"5 coins\"").await, [format!("/fees {FIRST} to {SECOND}")]);
    assert_eq!(passages(store, "\"7 coins\"").await, [format!("/fees {THIRD} to {THIRD} now")]);
    assert_eq!(passages(store, "fee").await, [format!("/fees {FIRST} to {THIRD} now")]);
    assert_eq!(passages(store, "/bridge").await, [format!("/bridge {FIRST} to {THIRD} now")]);
    assert_eq!(passages(store, "fee -7").await, [format!("/fees {FIRST} to {SECOND}")]);
    for nothing in ["zeppelin", "", "-fee", "\"5 7\""] {
        assert_eq!(passages(store, nothing).await, [""; 0], "{nothing}");
    }
    let found = store.search_history(Some(&site_id("a")), "\"5 coins\"", 10).await.unwrap().unwrap();
    assert_eq!((found.compared, found.left_out), (3, 0));
    let [passage] = found.passages.as_slice() else { panic!("it was said once: {found:?}") };
    assert_eq!((passage.first, passage.last), ((crawl_id(FIRST), time(2)), (crawl_id(SECOND), time(2))));
    let excerpt: String = passage.excerpt.iter().map(|piece| piece.text.as_str()).collect();
    assert_eq!(excerpt, "The fee is 5 coins.");
    assert_eq!(passage.title.as_deref(), Some("A title"));
    let other = store.search_history(Some(&site_id("b")), "fee", 10).await.unwrap().unwrap();
    assert!(other.passages.is_empty(), "only the named site is searched");
    let first = store.search_history(None, "the", 1).await.unwrap().unwrap();
    assert_eq!(first.passages.len(), 1, "no more than asked for");
}

pub async fn a_failure_ends_no_passage_and_a_page_that_has_gone_does<S: Subject<Port: Search + Store>>(
    subject: S,
) {
    let store = subject.port();
    open(store, "a").await;
    let says = content("The tram is late.");
    for path in ["/fails", "/gone"] {
        write(store, FIRST, path, &says).await;
        write(store, THIRD, path, &says).await;
        let mut between = record_of("a", SECOND, path, &says);
        if path == "/gone" {
            (between.visit.verdict, between.known.presence) = (Verdict::Gone, Presence::Gone);
        } else {
            between.visit.verdict = Verdict::Failed;
        }
        store.record(&between, None).await.unwrap();
    }
    let mut found = passages(store, "tram").await;
    found.sort();
    assert_eq!(
        found,
        [
            format!("/fails {FIRST} to {THIRD} now"),
            format!("/gone {FIRST} to {FIRST}"),
            format!("/gone {THIRD} to {THIRD} now"),
        ]
    );
}

pub async fn passages_of_a_suspect_crawl_and_texts_that_are_not_kept_are_left_out<
    S: Subject<Port: Search + Store>,
>(
    subject: S,
) {
    let store = subject.port();
    open(store, "a").await;
    write(store, FIRST, "/1", &content("The tram is late.")).await;
    let unknown = record_of("a", SECOND, "/2", &content("Nobody stored this."));
    store.record(&unknown, None).await.unwrap();
    write(store, THIRD, "/1", &content("An outage.")).await;
    store.close_crawl(&site_id("a"), crawl_id(THIRD), &suspect()).await.unwrap();
    let found = store.search_history(None, "outage", 10).await.unwrap().unwrap();
    assert_eq!((found.passages.len(), found.compared, found.left_out), (0, 1, 1), "{found:?}");
    assert_eq!(passages(store, "tram").await, [format!("/1 {FIRST} to {FIRST} now")]);
}

/// Adds the tests of [`Search`] by text on the subject that the expression makes.
#[macro_export]
macro_rules! text_search_conformance {
    ($fresh:expr) => {
        $crate::contract_cases! { text_search, $fresh;
            words_are_found_wherever_they_stand
            part_of_an_address_finds_the_page
            a_title_counts_for_more_than_a_text
            an_excerpt_sets_apart_what_was_found
            only_what_a_page_says_now_is_found
            an_answer_tells_how_many_pages_were_searched
            an_excerpt_is_of_the_content_where_that_says_it
            a_path_is_looked_for_in_addresses_alone
            what_pages_said_before_is_found_with_its_time
            a_failure_ends_no_passage_and_a_page_that_has_gone_does
            passages_of_a_suspect_crawl_and_texts_that_are_not_kept_are_left_out
        }
    };
}
