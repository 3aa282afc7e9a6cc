use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use axum::http::StatusCode;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::{Found, FoundPassages, Hit, Search, SearchedBy, StoreError};
use recrawl_core::search::Piece;
use scraper::Html;
use serde_json::{Value, json};

use super::pages::select;
use super::{app, extremes, get, history, router, town};

/// Finds one page, whatever one looks for.
struct OnePage(SearchedBy);

#[async_trait]
impl Search for OnePage {
    async fn search(&self, site: Option<&SiteId>, query: &str, limit: usize) -> Result<Found, StoreError> {
        assert!(limit > 0);
        let piece = |text: &str, is_match| Piece { text: text.to_owned(), is_match };
        let hit = Hit {
            site: site.cloned().unwrap_or_else(|| "example.org-town".parse().unwrap()),
            url: "https://example.org/town".parse().unwrap(),
            title: Some("<b>Town</b> trams".to_owned()),
            excerpt: vec![piece("about <i>", false), piece(query, true), piece("</i>", false)],
            crawl: "crawl-2026-11-09".parse().unwrap(),
            last_seen: "2026-11-09T03:04:05Z".parse().unwrap(),
        };
        Ok(Found { hits: vec![hit], by: self.0 })
    }

    async fn search_history(
        &self,
        _: Option<&SiteId>,
        _: &str,
        _: usize,
    ) -> Result<Option<FoundPassages>, StoreError> {
        Ok(None)
    }
}

#[tokio::test]
async fn what_was_found_is_shown_with_what_was_searched() {
    for (by, words) in [
        (SearchedBy::TextAndAddress { indexed: 7, waiting: 0 }, "text and address"),
        (SearchedBy::AddressPrefix, "the beginning of addresses only"),
    ] {
        let mut app = app(history::town().await);
        app.search = Some(Arc::new(OnePage(by)));
        let router = router(app);
        let body = get(&router, "/search?q=trams&site=park.example").await.body;
        assert!(body.contains(&format!("1 page found, by {words}.")), "{body}");
        assert!(body.contains("/sites/park.example/page?url=https%3A%2F%2Fexample.org%2Ftown"));
        assert!(body.contains(
            "/sites/park.example/version?url=https%3A%2F%2Fexample.org%2Ftown&amp;crawl=crawl-2026-11-09"
        ));
        assert!(body.contains("&lt;b&gt;Town&lt;/b&gt; <mark>trams</mark>"), "{body}");
        assert!(body.contains("about &lt;i&gt;<mark>trams</mark>&lt;/i&gt;"), "{body}");
        assert!(!body.contains("not in the index yet"));
        assert!(!get(&router, "/search").await.body.contains("found, by"), "nothing was asked for");
    }
}

#[tokio::test]
async fn what_is_not_in_the_index_yet_is_told() {
    let mut app = app(history::town().await);
    app.search = Some(Arc::new(OnePage(SearchedBy::TextAndAddress { indexed: 7, waiting: 1_200 })));
    let router = router(app);
    let body = get(&router, "/search?q=trams").await.body;
    assert!(body.contains("The text of 1,200 pages is not in the index yet"), "{body}");
    let answer: Value = serde_json::from_str(&get(&router, "/api/v1/search?q=trams").await.body).unwrap();
    assert_eq!(
        answer,
        json!({
            "query": "trams",
            "by": "text-and-address",
            "indexed": 7,
            "waiting": 1_200,
            "hits": [{
                "site": "example.org-town",
                "url": "https://example.org/town",
                "title": "<b>Town</b> trams",
                "marked_title": [
                    {"text": "<b>Town</b> ", "matches": false}, {"text": "trams", "matches": true},
                ],
                "excerpt": [
                    {"text": "about <i>", "matches": false},
                    {"text": "trams", "matches": true},
                    {"text": "</i>", "matches": false},
                ],
                "crawl": "crawl-2026-11-09",
                "last_seen": "2026-11-09T03:04:05Z",
            }],
        })
    );
}

#[tokio::test]
async fn pages_are_found_by_what_they_say() {
    let store = history::town().await;
    let mut app = app(store);
    app.search = Some(Arc::new(history::town().await));
    let router = router(app);
    let body = get(&router, "/search?q=bridge").await.body;
    assert!(body.contains("found, by text and address.") && body.contains("<mark>"), "{body}");
    let body = get(&router, "/search?q=zeppelin").await.body;
    assert!(body.contains("Nothing found, by text and address."), "{body}");
}

#[tokio::test]
async fn what_pages_said_before_is_found_with_its_dates() {
    let mut app = app(history::town().await);
    app.search = Some(Arc::new(history::town().await));
    let router = router(app);
    let now = get(&router, "/search?q=umbrella").await.body;
    let ever = get(&router, "/search?q=umbrella&when=ever").await.body;
    assert!(!now.contains("not any more") && ever.contains(", and not any more"), "{ever}");
    assert!(
        ever.contains("<mark>umbrella</mark>") && ever.contains("stored texts and in addresses."),
        "{ever}"
    );
    assert_eq!(select(&Html::parse_document(&ever), "option[selected]"), ["ever said, and when"]);
    let answer: Value =
        serde_json::from_str(&get(&router, "/api/v1/search/history?q=umbrella").await.body).unwrap();
    let passage = &answer["passages"][0];
    assert_eq!(passage["is_current"], json!(false), "{answer}");
    assert!(passage["first_seen"].as_str() <= passage["last_seen"].as_str(), "{answer}");
}

#[tokio::test]
async fn a_store_that_cannot_look_back_says_what_it_can() {
    let mut app = app(history::town().await);
    app.search = Some(Arc::new(OnePage(SearchedBy::AddressPrefix)));
    let router = router(app);
    let body = get(&router, "/search?q=bridge&when=ever").await.body;
    assert!(body.contains("compares the beginning of addresses and nothing else"), "{body}");
    let answer: Value = serde_json::from_str(&get(&router, "/api/v1/search/history?q=x").await.body).unwrap();
    assert_eq!(answer["compared"], Value::Null);
}

#[tokio::test]
async fn a_search_for_nothing_says_what_to_give() {
    let mut app = app(history::town().await);
    app.search = Some(Arc::new(history::town().await));
    let router = router(app);
    for query in ["-closed", "*"] {
        let body = get(&router, &format!("/search?q={query}")).await.body;
        assert!(body.contains("There is nothing to look for"), "{query}: {body}");
    }
    for address in ["search", "search/history"] {
        let answer = get(&router, &format!("/api/v1/{address}?q=-closed")).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        for query in ["", "?q=", "?q=%20"] {
            assert_eq!(get(&router, &format!("/api/v1/{address}{query}")).await.status, 400, "{query}");
        }
    }
}

#[tokio::test]
async fn a_store_that_cannot_be_searched_says_so() {
    assert!(get(&town().await, "/search?q=bridge").await.body.contains("cannot be searched"));
}

#[tokio::test]
async fn every_page_offers_to_search_where_the_store_can() {
    let mut app = app(history::town().await);
    app.search = Some(Arc::new(OnePage(SearchedBy::AddressPrefix)));
    let able = router(app);
    let unable = town().await;
    let field = "header form[action='/search'] label";
    for page in ["/", "/sites", "/sites/example.org-town", "/sites/example.org-town/crawls/crawl-2026-11-16"]
    {
        let html = Html::parse_document(&get(&able, page).await.body);
        assert_eq!(select(&html, field), ["Search pages"], "{page}");
        let html = Html::parse_document(&get(&unable, page).await.body);
        assert!(select(&html, field).is_empty(), "{page}");
    }
    let html = Html::parse_document(&get(&able, "/search").await.body);
    assert_eq!(select(&html, "input[type=search]").len(), 1, "one field is enough");
}

#[tokio::test]
async fn how_to_ask_is_said_before_and_where_nothing_was_found() {
    let mut app = app(extremes::beside(MemoryStore::default()).await);
    app.search = Some(Arc::new(extremes::beside(MemoryStore::default()).await));
    let router = router(app);
    for (query, is_said) in [("", true), ("zeppelin", true), ("title", false)] {
        let body = get(&router, &format!("/search?q={query}")).await.body;
        assert_eq!(body.contains("for words that follow each other"), is_said, "{query}");
        let titles = select(&Html::parse_document(&body), ".change .title");
        assert!(titles.iter().all(|title| title.chars().count() <= 141), "{titles:?}");
        assert_eq!(titles.is_empty(), is_said, "{query}");
    }
}

/// Looks through old texts until somebody else was answered.
struct Slow(Mutex<Receiver<()>>);

#[async_trait]
impl Search for Slow {
    async fn search(&self, _: Option<&SiteId>, _: &str, _: usize) -> Result<Found, StoreError> {
        Ok(Found { hits: Vec::new(), by: SearchedBy::AddressPrefix })
    }

    async fn search_history(
        &self,
        _: Option<&SiteId>,
        _: &str,
        _: usize,
    ) -> Result<Option<FoundPassages>, StoreError> {
        let answered = self.0.lock().unwrap().recv_timeout(Duration::from_secs(20));
        answered.map_err(|error| StoreError::Unavailable(error.into()))?;
        Ok(Some(FoundPassages { passages: Vec::new(), compared: 7, left_out: 0 }))
    }
}

#[tokio::test]
async fn who_looks_through_old_texts_holds_nobody_else_up() {
    for address in ["/search?q=trams&when=ever", "/api/v1/search/history?q=trams"] {
        let (others_are_answered, answered) = channel();
        let mut app = app(history::town().await);
        app.search = Some(Arc::new(Slow(Mutex::new(answered))));
        let router = router(app);
        // There is one thread: whoever blocks it is never told that somebody else was answered.
        let other = async {
            assert_eq!(get(&router, "/sites").await.status, StatusCode::OK);
            others_are_answered.send(()).unwrap();
        };
        let (found, ()) = tokio::join!(get(&router, address), other);
        assert_eq!(found.status, StatusCode::OK, "{address}: {}", found.body);
    }
}
