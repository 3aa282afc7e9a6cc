use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use futures_util::StreamExt;
use recrawl_web::App;
use recrawl_web::crawl_control::Activity;
use scraper::{Html, Selector};
use serde_json::Value;
use tower::ServiceExt;

use super::forms::Browser;
use super::harness::Harness;
use super::{app, get, history, router, town};

const TOWN: &str = "example.org-town";

/// Returns the name and the data of each event of a stream.
fn read(body: &str) -> Vec<(String, Value)> {
    let event = |text: &str| {
        let (name, data) = text.strip_prefix("event: ")?.split_once("\ndata: ")?;
        Some((name.to_owned(), serde_json::from_str(data).unwrap()))
    };
    body.split("\n\n").filter_map(event).collect()
}

/// Returns the first events of a stream.
async fn first(router: Router, address: &str, count: usize) -> Vec<(String, Value)> {
    let request = Request::get(address).body(Body::empty()).unwrap();
    let response = router.oneshot(request).await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let parts: Vec<_> = response.into_body().into_data_stream().take(count).collect().await;
    let text = parts.into_iter().map(|part| String::from_utf8(part.unwrap().to_vec()).unwrap());
    read(&text.collect::<String>())
}

/// Returns the activity that a page was made for, if it listens.
fn shown(body: &str) -> Option<String> {
    let place = Selector::parse("[data-events]").unwrap();
    let html = Html::parse_document(body);
    let place = html.select(&place).next()?;
    Some(place.attr("data-activity").unwrap().to_owned())
}

#[tokio::test]
async fn the_progress_of_an_open_crawl_is_told_at_once() {
    let events = first(town().await, "/events/park.example", 2).await;
    assert_eq!((&*events[0].0, &events[0].1["activity"]), ("activity", &"crawled-elsewhere".into()));
    let (name, told) = &events[1];
    assert_eq!((&**name, &told["activity"]), ("progress", &"crawled-elsewhere".into()));
    assert_eq!(told["crawl"], "crawl-2026-11-16");
    assert_eq!(told["last_visit"], "2026-11-16T03:00:01Z");
}

#[tokio::test]
async fn of_a_site_without_an_open_crawl_it_is_said_that_it_rests() {
    let told = get(&town().await, &format!("/events/{TOWN}")).await.body;
    let idle = "{\"activity\":\"idle\"}";
    assert_eq!(told, format!("event: activity\ndata: {idle}\n\nevent: rest\ndata: {idle}\n\n"));
}

#[tokio::test]
async fn events_call_what_goes_on_as_the_page_does_so_that_it_is_not_loaded_again() {
    let browser = Browser::open().await;
    for activity in [
        Activity::Waiting,
        Activity::TriedLater,
        Activity::Crawling,
        Activity::Ending,
        Activity::CrawledElsewhere,
    ] {
        for page in ["/", "/sites", &format!("/sites/{TOWN}"), "/sites/park.example/crawls/crawl-2026-11-16"]
        {
            browser.be(activity);
            let shown = shown(&browser.get(page).await.body).unwrap();
            let told = read(&browser.get(&format!("/events/{TOWN}")).await.body);
            assert_eq!(told[0].1["activity"], *shown, "{page} {activity:?}");
        }
    }
    for page in ["/", "/sites", "/sites/park.example", "/sites/park.example/crawls/crawl-2026-11-16"] {
        let shown = shown(&get(&town().await, page).await.body);
        assert_eq!(shown.as_deref(), Some("crawled-elsewhere"), "{page}, where nobody does anything");
    }
}

#[tokio::test]
async fn a_page_hears_that_a_crawl_began_or_was_over_before_it_listened() {
    let browser = Browser::open().await;
    let address = format!("/sites/{TOWN}");
    browser.be(Activity::Waiting);
    assert_eq!(shown(&browser.get(&address).await.body).as_deref(), Some("waiting"));
    browser.be(Activity::Crawling);
    let told = read(&browser.get(&format!("/events/{TOWN}")).await.body);
    assert_eq!((&*told[0].0, &told[0].1["activity"]), ("activity", &"crawling".into()));
    assert_eq!((&*told[1].0, &told[1].1["activity"]), ("progress", &"crawling".into()));
    let [.., closed, rest] = &*told else { panic!("{told:?}") };
    assert_eq!((&*closed.0, &closed.1["activity"]), ("closed", &"idle".into()));
    assert_eq!((&*rest.0, &rest.1["activity"]), ("rest", &"idle".into()));

    browser.be(Activity::Ending);
    assert_eq!(shown(&browser.get(&address).await.body).as_deref(), Some("ending"));
    browser.be(Activity::Idle);
    let told = read(&browser.get(&format!("/events/{TOWN}")).await.body);
    assert_eq!(told.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["activity", "rest"]);
    assert!(told.iter().all(|(_, told)| told["activity"] == "idle"), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn while_a_crawl_says_nothing_it_is_told_that_it_goes_on() {
    let harness = Harness::new(Duration::from_mins(1));
    harness.notes.lock().unwrap().activity = Activity::Crawling;
    let router = router(App { crawl_control: Some(Arc::new(harness)), ..app(history::town().await) });
    let told = first(router, &format!("/events/{TOWN}"), 3).await;
    assert_eq!(
        told.iter().map(|(name, _)| &**name).collect::<Vec<_>>(),
        ["activity", "progress", "activity"]
    );
}
