//! `recrawl search` on the same small history.

use insta::assert_snapshot;

use super::fixture::Answer::Html;
use super::{Fixture, three_weeks};

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_found_by_what_they_say_now() {
    let fixture = three_weeks().await;
    let answer = fixture.recrawl(&["search", "open", "week"]);
    assert_snapshot!("search_table", answer.shown());
    assert!(!answer.stdout.contains('\u{1b}'), "what was found stands out on a terminal only");
    assert_snapshot!("search_json", fixture.recrawl(&["search", "call", "us", "--format", "json"]).shown());
    assert_snapshot!("search_csv", fixture.recrawl(&["search", "news", "--format", "csv"]).shown());
    assert_snapshot!(
        "search_markdown",
        fixture.recrawl(&["search", "a road", "--format", "markdown"]).shown()
    );
    // It was said in the second crawl, and is not any more.
    assert_snapshot!("search_nothing", fixture.recrawl(&["search", "bridge"]).shown());
    let excluding = fixture.recrawl(&["search", "\"call us\" -today"]);
    assert!(
        excluding.stdout.is_empty() && excluding.stderr.starts_with("Nothing found"),
        "{}",
        excluding.shown()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_found_by_their_address() {
    let fixture = three_weeks().await;
    for query in ["plan.pdf", "/plan", "https://example.org/plan.pdf"] {
        let answer = fixture.recrawl(&["search", query]);
        assert_eq!(answer.stdout, "\nhttps://example.org/plan.pdf\n", "{query}");
    }
    let gone = fixture.recrawl(&["search", "/old"]);
    assert!(gone.stderr.starts_with("Nothing found"), "{}", gone.shown());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_pages_said_before_is_found_with_its_dates() {
    let fixture = three_weeks().await;
    assert_snapshot!("search_history_table", fixture.recrawl(&["search", "bridge", "--history"]).shown());
    let history = |format| fixture.recrawl(&["search", "bridge", "--history", "--format", format]).shown();
    assert_snapshot!("search_history_json", history("json"));
    assert_snapshot!("search_history_markdown", history("markdown"));
    let gone = fixture.recrawl(&["search", "/old", "--history"]);
    assert!(gone.stdout.contains("/old") && gone.stdout.contains("not any more"), "{}", gone.shown());
    let nothing = fixture.recrawl(&["search", "zeppelin", "--history"]);
    assert!(nothing.stdout.is_empty() && nothing.stderr.starts_with("Nothing found"), "{}", nothing.shown());
    let harmless = fixture.recrawl(&["search", "hello", "--history"]);
    assert!(harmless.stdout.contains("/evil") && !harmless.stdout.contains('\u{1b}'), "{}", harmless.shown());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_for_nothing_is_an_error_that_says_what_to_give() {
    let fixture = three_weeks().await;
    for (query, expected) in
        [("", "a path such as /news"), ("\"\"", "a path such as /news"), ("*", "give a word")]
    {
        for more in [&[][..], &["--history"]] {
            let answer = fixture.recrawl(&[&["search", query], more].concat());
            assert_eq!(answer.status, 2, "{query:?}: {}", answer.shown());
            assert!(answer.stderr.contains(expected), "{query:?}: {}", answer.shown());
        }
    }
    let excluding = fixture.recrawl(&["search", "--", "-today"]);
    assert_eq!(excluding.status, 2, "{}", excluding.shown());
    assert!(excluding.stderr.contains("beside those that must not"), "{}", excluding.shown());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_pages_say_is_harmless() {
    let fixture = three_weeks().await;
    let found = fixture.recrawl(&["search", "hello"]);
    assert!(found.stdout.contains("/evil") && found.stdout.contains("\\u{1b}"), "{}", found.shown());
    for format in ["table", "json", "markdown"] {
        let found = fixture.recrawl(&["search", "hello", "--format", format]);
        assert!(!found.stdout.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{format}: {:?}", found.stdout);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_site_of_several_is_searched() {
    let fixture = three_weeks().await;
    fixture.add_site("other.example", "https://other.example/").await;
    let pages = [("https://other.example/", Html("<title>News of others</title><p>Nothing today."))];
    fixture.crawl("other.example", "crawl-2026-11-16", None, &pages).await;
    let all = fixture.recrawl(&["search", "nothing today", "--format", "csv"]);
    assert_eq!(all.stdout.lines().count(), 3, "{}", all.shown());
    let one = fixture.recrawl(&["search", "nothing today", "--site", "other.example", "--format", "csv"]);
    assert_eq!(one.stdout.lines().count(), 2, "{}", one.shown());
    assert!(one.stdout.contains("https://other.example/"));
    let first = fixture.recrawl(&["search", "nothing today", "--limit", "1", "--format", "csv"]);
    assert_eq!(first.stdout.lines().count(), 2, "{}", first.shown());
    assert_snapshot!("search_unknown_site", fixture.recrawl(&["search", "x", "--site", "nowhere"]).shown());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_wants_words_and_a_store() {
    let fixture = Fixture::new();
    assert_eq!(fixture.recrawl(&["search"]).status, 2);
    assert_snapshot!("search_empty_store", fixture.recrawl(&["search", "x"]).shown());
    assert_snapshot!(
        "search_no_store",
        fixture.recrawl(&["search", "x", "--store", "sqlite:other.db"]).shown()
    );
    assert!(!fixture.directory().join("other.db").exists());
}
