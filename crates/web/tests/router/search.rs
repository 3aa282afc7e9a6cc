use std::sync::Arc;

use async_trait::async_trait;
use recrawl_core::ids::SiteId;
use recrawl_core::ports::StoreError;
use recrawl_web::search::{Found, Hit, Search, SearchedBy};

use super::{app, get, history, router, town};

/// Finds one page, whatever one looks for.
struct OnePage(SearchedBy);

#[async_trait]
impl Search for OnePage {
    async fn search(&self, site: Option<&SiteId>, query: &str, limit: usize) -> Result<Found, StoreError> {
        assert!(limit > 0);
        let hit = Hit {
            site: site.cloned().unwrap_or_else(|| "example.org-town".parse().unwrap()),
            url: "https://example.org/town".parse().unwrap(),
            title: Some("<b>Town</b>".to_owned()),
            excerpt: Some(format!("about <i>{query}</i>")),
        };
        Ok(Found { hits: vec![hit], by: self.0 })
    }
}

#[tokio::test]
async fn what_was_found_is_shown_with_what_was_searched() {
    for (by, words) in
        [(SearchedBy::TextAndAddress, "text and address"), (SearchedBy::AddressPrefix, "address prefix only")]
    {
        let mut app = app(history::town().await);
        app.search = Some(Arc::new(OnePage(by)));
        let router = router(app);
        let answer = get(&router, "/search?q=trams&site=park.example").await;
        assert!(answer.body.contains(&format!("1 page found, by {words}.")), "{}", answer.body);
        assert!(answer.body.contains("/sites/park.example/page?url=https%3A%2F%2Fexample.org%2Ftown"));
        assert!(answer.body.contains("&lt;b&gt;Town") && answer.body.contains("about &lt;i&gt;trams"));
        assert!(!get(&router, "/search").await.body.contains("found, by"), "nothing was asked for");
    }
}

#[tokio::test]
async fn a_store_that_cannot_be_searched_says_so() {
    assert!(get(&town().await, "/search?q=bridge").await.body.contains("cannot be searched"));
}
