//! What people do with changes: seen, starred, a note, everything of a list.

use axum::http::StatusCode;
use scraper::{Html, Selector};

use super::forms::Browser;
use super::pages::select;

const CRAWL: &str = "/sites/example.org-town/crawls/crawl-2026-11-16";

/// Returns what the first button of this kind on a page sends, and whether it is pressed.
fn button(body: &str, kind: &str) -> (String, bool) {
    let html = Html::parse_document(body);
    let buttons = Selector::parse(&format!(".row button.{kind}")).unwrap();
    let first = html.select(&buttons).next().unwrap();
    (first.attr("value").unwrap().to_owned(), first.attr("aria-pressed") == Some("true"))
}

#[tokio::test]
async fn a_row_is_seen_and_starred_by_one_form_and_says_afterwards_what_would_be_next() {
    for page in ["/", CRAWL, "/?since=30d&kind=changed"] {
        let browser = Browser::open().await;
        for (kind, first, then) in [("seen", "seen", "unseen"), ("star", "star", "unstar")] {
            for (wanted, is_pressed) in [(first, false), (then, true)] {
                let before = button(&browser.get(page).await.body, kind);
                assert_eq!((before.0.split(' ').next(), before.1), (Some(wanted), is_pressed), "{page}");
                let answer = browser.fill(page, "/marks", &[("mark", &before.0)]).await;
                assert_eq!((answer.status, answer.header("location")), (StatusCode::SEE_OTHER, page));
            }
        }
        let seen = button(&browser.get(page).await.body, "seen").0;
        let answer = browser.fill(page, "/marks", &[("mark", &seen), ("in-place", "1")]).await;
        assert_eq!(answer.status, StatusCode::NO_CONTENT, "a script stays where it is");
        assert!(button(&browser.get(page).await.body, "seen").1);
    }
}

#[tokio::test]
async fn what_is_seen_or_starred_is_counted_and_listed_by_itself() {
    let browser = Browser::open().await;
    let seen = button(&browser.get(CRAWL).await.body, "seen").0;
    browser.fill(CRAWL, "/marks", &[("mark", &seen)]).await;
    let star = button(&browser.get(CRAWL).await.body, "star").0;
    browser.fill(CRAWL, "/marks", &[("mark", &star)]).await;
    let html = Html::parse_document(&browser.get(CRAWL).await.body);
    assert_eq!(select(&html, ".chips a")[4..], ["Unseen 6", "Starred 1"]);
    for (query, rows) in [("unseen=true", 6), ("starred=true", 1), ("unseen=true&starred=true", 0)] {
        let html = Html::parse_document(&browser.get(&format!("{CRAWL}?{query}")).await.body);
        assert_eq!(select(&html, ".row").len(), rows, "{query}");
    }
}

#[tokio::test]
async fn selected_rows_are_marked_together_and_a_note_is_shown() {
    let browser = Browser::open().await;
    let body = browser.get(CRAWL).await.body;
    let html = Html::parse_document(&body);
    let boxes = Selector::parse(".row input[name=change]").unwrap();
    let names: Vec<&str> = html.select(&boxes).take(3).map(|found| found.attr("value").unwrap()).collect();
    let fields: Vec<(&str, &str)> =
        names.iter().map(|name| ("change", *name)).chain([("all", "seen")]).collect();
    browser.fill(CRAWL, "/marks", &fields).await;
    let html = Html::parse_document(&browser.get(CRAWL).await.body);
    assert_eq!(select(&html, ".row.fresh").len(), 4);
    let note = "called <b>both</b> numbers";
    browser.fill(CRAWL, "/marks", &[("note-of", names[0]), ("note", note)]).await;
    let html = Html::parse_document(&browser.get(CRAWL).await.body);
    assert_eq!(select(&html, ".row .note"), [format!("Note: {note}")]);
    let long = "x".repeat(1_001);
    let refused = browser.fill(CRAWL, "/marks", &[("note-of", names[0]), ("note", &long)]).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn everything_of_a_list_is_marked_after_a_question_with_its_count() {
    let browser = Browser::open().await;
    for (list, count) in [("/?since=30d&site=example.org-town&kind=new", 2), (CRAWL, 5)] {
        let ask = format!("/marks/all?list={}", list.replace('?', "%3F").replace('&', "%26"));
        let html = Html::parse_document(&browser.get(&ask).await.body);
        let question = select(&html, "h1").remove(0);
        assert!(question.starts_with("Mark ") && question.ends_with(" as seen?"), "{question}");
        let answer = browser.fill(&ask, "/marks/all", &[]).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER);
        let after = Html::parse_document(&browser.get(answer.header("location")).await.body);
        assert_eq!(select(&after, ".row.fresh").len(), 0, "{list}");
        assert_eq!(select(&after, ".notice.done"), ["All changes of this list are marked as seen."]);
        let left: Vec<String> = select(&html, "button.main");
        assert_eq!(left, [format!("Mark {count} changes as seen")], "{list}");
    }
    let html = Html::parse_document(&browser.get(&format!("/marks/all?list={CRAWL}")).await.body);
    assert_eq!(select(&html, "h1"), ["Everything of this list is seen"]);
}

#[tokio::test]
async fn what_came_after_a_list_was_drawn_stays_unseen() {
    let unseen = async |browser: &Browser, list: &str| {
        select(&Html::parse_document(&browser.get(list).await.body), ".row.fresh").len()
    };
    let browser = Browser::open().await;
    for (list, drawn_at) in
        [("/?since=60d", "2026-01-01T00:00:00Z"), (CRAWL, "2026-11-15T00:00:00Z"), ("/?since=60d", "")]
    {
        let ask =
            format!("/marks/all?list={}&drawn-at={drawn_at}", list.replace('?', "%3F").replace('=', "%3D"));
        let html = Html::parse_document(&browser.get(&ask).await.body);
        let is_all = select(&html, "h1") == ["Everything of this list is seen"];
        assert_eq!(is_all, !drawn_at.is_empty(), "{ask}");
    }
    // The last crawl ended after that.
    let (all, last) = (unseen(&browser, "/?since=60d").await, unseen(&browser, CRAWL).await);
    let ask = "/marks/all?list=%2F%3Fsince%3D60d&drawn-at=2026-11-10T00:00:00Z";
    browser.fill(ask, "/marks/all", &[]).await;
    assert!(unseen(&browser, "/?since=60d").await < all, "something was there");
    assert_eq!(unseen(&browser, CRAWL).await, last);
    let browser = Browser::open().await;
    let html = Html::parse_document(&browser.get("/").await.body);
    let link = Selector::parse("a[data-key='Shift+e']").unwrap();
    let link = html.select(&link).next().unwrap().attr("href").unwrap();
    assert_eq!(link, "/marks/all?list=%2F%3Fsince%3D7d&drawn-at=2026-11-16T04%3A00%3A00Z");
    assert_eq!(browser.get("/marks/all?list=%2F&drawn-at=soon").await.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn marks_that_are_not_ours_are_refused_and_lead_nowhere_else() {
    let browser = Browser::open().await;
    let (seen, _) = button(&browser.get(CRAWL).await.body, "seen");
    let body = format!("mark={}", seen.replace(' ', "+"));
    let answer = browser.send("/marks", &body, "http://recrawl.test").await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN, "no token");
    let answer = browser.send("/marks/all", &format!("list={CRAWL}"), "http://recrawl.test").await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN, "no token");
    for (fields, what) in [
        (&[("mark", "seen nobody")][..], "no change"),
        (&[("mark", "forget example.org-town crawl-2026-11-16/00")], "no such act"),
        (&[("all", "seen"), ("change", "x")], "no change"),
    ] {
        let answer = browser.fill(CRAWL, "/marks", fields).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{what}");
    }
    let html = Html::parse_document(&browser.get(CRAWL).await.body);
    let token = Selector::parse("form#marks input[name=form_token]").unwrap();
    let token = html.select(&token).next().unwrap().attr("value").unwrap();
    for back in ["//evil.example", "https://evil.example", "/\\evil.example"] {
        let body = format!("form_token={token}&{body}&back={back}");
        let answer = browser.send("/marks", &body, "http://recrawl.test").await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{back}");
    }
}

#[tokio::test]
async fn every_change_carries_its_list_and_windows_are_links() {
    let browser = Browser::open().await;
    let body = browser.get("/?since=30d&kind=changed").await.body;
    let html = Html::parse_document(&body);
    let links = Selector::parse(".row a.title").unwrap();
    for link in html.select(&links).filter_map(|link| link.attr("href")) {
        assert!(link.contains("&list=%2F%3Fsince%3D30d%26kind%3Dchanged"), "{link}");
    }
    let chosen = select(&html, ".segments a[aria-current]");
    assert!(chosen.len() == 1 && chosen[0].starts_with("30 days "), "{chosen:?}");
    let range = browser.get("/?since=2026-11-16&until=2026-11-16").await.body;
    assert!(range.contains("from 16 November to 16 November"), "{range}");
    for query in ["since=soon", "until=never", "site=NO%20SITE", "sort=colour", "kind=nes"] {
        assert_eq!(browser.get(&format!("/?{query}")).await.status, StatusCode::BAD_REQUEST, "{query}");
    }
}
