//! The contract of [`Search`] for stores that compare the text of pages.

use recrawl_core::model::content::Content;
use recrawl_core::model::ids::ContentHash;
use recrawl_core::ports::{Hit, Search, SearchedBy, Store};

use super::Subject;
use super::samples::{FIRST, SECOND, content, open, record, record_of};
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
        }
    };
}
