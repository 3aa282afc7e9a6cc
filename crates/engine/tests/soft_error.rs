//! How hosts answer for pages that they do not have, asked of a real server.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use recrawl_core::decide::back_off::PaceSettings;
use recrawl_core::memory::MemoryStore;
use recrawl_core::ports::{NotFoundAnswer, SoftErrorProbe};
use recrawl_core::url::UrlRules;
use recrawl_engine::{RobotsCache, RobotsPolicy, SoftErrorCache};
use recrawl_extract::HtmlExtractor;
use recrawl_extract::text::TextRules;
use recrawl_fetch::{AddressGuard, HttpFetcher, HttpSettings, Polite};
use recrawl_testkit::site::{Page, Site};

/// Asks `site`, whose root is at `root`, as a new process does.
async fn absence(
    site: &Site,
    root: &str,
    state_store: &Arc<MemoryStore>,
    clock: fn() -> Timestamp,
) -> NotFoundAnswer {
    let guard = AddressGuard::for_root(&site.at("/"));
    let http = HttpFetcher::new(HttpSettings::new("recrawl/0 (+http://test.example/)"), guard).unwrap();
    let pace = PaceSettings { back_off: Duration::from_millis(1), ..PaceSettings::unlimited() };
    let fetcher = Arc::new(Polite::new(http, pace));
    let token = "recrawl".to_owned();
    let (store, pace) = (state_store.clone(), fetcher.clone());
    let robots = RobotsCache::new(fetcher.clone(), store, pace, token, RobotsPolicy::Obey, clock);
    let extractor = Arc::new(HtmlExtractor::new(TextRules::default(), UrlRules::default(), true));
    let probe =
        SoftErrorCache::new(fetcher, state_store.clone(), Arc::new(robots), extractor, site.at(root), clock);
    let (a, b) = (site.at("/a"), site.at("/b"));
    let (one, other) = tokio::join!(probe.absence(&a), probe.absence(&b));
    assert_eq!(one, other, "a host answers once");
    one
}

/// Returns the addresses that nobody gave out and that were asked for.
fn probes(site: &Site) -> Vec<String> {
    let paths = site.log().into_iter().map(|request| request.path);
    paths.filter(|path| path.contains("/recrawl-")).collect()
}

#[tokio::test]
async fn an_honest_host_is_asked_once_a_day_below_the_root() {
    let (site, state_store) = (Site::start().await, Arc::default());
    for root in ["/news", "/news/", "/news/index.html"] {
        assert_eq!(absence(&site, root, &state_store, Timestamp::now).await, NotFoundAnswer::Honest);
    }
    let asked = probes(&site);
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!(
        asked[0].starts_with("/news/recrawl-") && asked[0].len() == "/news/recrawl-".len() + 16,
        "{asked:?}"
    );
    let tomorrow = || Timestamp::now() + SignedDuration::from_hours(25);
    absence(&site, "/news/index.html", &state_store, tomorrow).await;
    let asked = probes(&site);
    assert!(asked.len() == 2 && asked[0] != asked[1] && asked[1].starts_with("/news/recrawl-"), "{asked:?}");
}

#[tokio::test]
async fn a_host_that_has_every_page_is_recognised_by_what_it_says() {
    let (site, state_store) = (Site::start().await, Arc::default());
    site.fallback(Page::html("<h1>Oops</h1><p>There is nothing here."));
    for _ in 0..2 {
        let NotFoundAnswer::Page { asked, text } = absence(&site, "/", &state_store, Timestamp::now).await
        else {
            panic!("the host answers with a page")
        };
        assert!(asked.path().starts_with("/recrawl-"), "{asked}");
        assert!(text.contains("There is nothing here."), "{text}");
    }
    assert_eq!(probes(&site).len(), 1);
}

#[tokio::test]
async fn a_host_that_redirects_absent_pages_is_recognised_by_the_target() {
    let (site, state_store) = (Site::start().await, Arc::default());
    site.fallback(Page::status(302).with_header("Location", "/?error=404"));
    let found = absence(&site, "/", &state_store, Timestamp::now).await;
    assert_eq!(found, NotFoundAnswer::Redirect(site.at("/?error=404")));
}

#[tokio::test]
async fn what_tells_nothing_counts_as_honest() {
    for (answer, requests) in
        [(Page::status(403), 1), (Page::text("nothing here"), 1), (Page::status(503), 2), (Page::closed(), 2)]
    {
        let (site, state_store) = (Site::start().await, Arc::default());
        site.page("/robots.txt", Page::text("")).fallback(answer.clone());
        for _ in 0..2 {
            assert_eq!(
                absence(&site, "/", &state_store, Timestamp::now).await,
                NotFoundAnswer::Honest,
                "{answer:?}"
            );
        }
        assert_eq!(probes(&site).len(), requests, "trouble is not remembered: {answer:?}");
    }
}

#[tokio::test]
async fn a_host_is_not_asked_for_what_robots_txt_forbids() {
    let (site, state_store) = (Site::start().await, Arc::default());
    site.page("/robots.txt", Page::text("User-agent: *\nDisallow: /news/recrawl-\n"));
    assert_eq!(absence(&site, "/news", &state_store, Timestamp::now).await, NotFoundAnswer::Honest);
    assert!(probes(&site).is_empty());
}
