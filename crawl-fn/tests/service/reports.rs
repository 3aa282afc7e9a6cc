//! What a tick leaves for those who look from elsewhere: that the service works, and the figures of a site.

use std::sync::Arc;

use recrawl_core::memory::MemoryStore;
use recrawl_core::model::service_report::{LoggedError, ServiceReport};
use recrawl_core::ports::{StateEntry, StateKey, StateStore};
use recrawl_testkit::site::{Page, Site};
use reqwest::StatusCode;

use crate::stage::{Stage, config, site_id};

async fn report(store: &MemoryStore) -> Option<ServiceReport> {
    let entry = store.state(&StateKey::service_report()).await.unwrap()?;
    Some(serde_json::from_str(&entry.value).unwrap())
}

#[tokio::test]
async fn each_tick_says_that_the_service_works_and_what_went_wrong_before_it() {
    let site = Site::start().await;
    let store: Arc<MemoryStore> = Arc::default();
    let stage = Stage::with(config(&site), store.clone()).await;
    assert_eq!(report(&store).await, None, "nobody has ticked");
    assert_eq!(stage.pusher.post("/pubsub/tick", "").await.status(), StatusCode::NO_CONTENT);
    let first = report(&store).await.unwrap();
    assert!(first.started_at <= first.at && first.version == env!("CARGO_PKG_VERSION"), "{first:?}");
    assert!(first.user_agent.starts_with("recrawl/"), "{first:?}");
    assert_eq!((first.revision.as_deref(), first.between_captures_ms), (None, None));

    // A process before this one logged an error.
    let error = LoggedError { at: first.at, what: "no topic".to_owned() };
    let before = ServiceReport { last_error: Some(error.clone()), ..first.clone() };
    let value = serde_json::to_string(&before).unwrap();
    let entry = StateEntry { saved_at: first.at, value };
    store.save_state(&StateKey::service_report(), &entry).await.unwrap();
    assert_eq!(stage.pusher.post("/pubsub/tick", "").await.status(), StatusCode::NO_CONTENT);
    let second = report(&store).await.unwrap();
    assert!(second.at > first.at);
    assert_eq!(second.last_error, Some(error));
}

#[tokio::test]
async fn the_figures_of_a_site_are_there_when_its_crawl_is_closed() {
    let site = Site::start().await;
    site.page("/", Page::html("<h1>Town</h1><a href=/broken>broken</a>"));
    let stage = Stage::start(&site).await;
    let crawl = stage.crawl(&site.url(), "weekly").await;
    stage.close(crawl.id).await;
    // The version is that of the stored form, which may become another one.
    let versions = (1..20).map(|version| StateKey::site_report(version, &site_id(), crawl.id));
    let mut found = Vec::new();
    for key in versions {
        found.extend(stage.store.state(&key).await.unwrap());
    }
    let [figures] = &found[..] else { panic!("{found:?}") };
    assert!(figures.value.contains("/broken"), "{}", figures.value);
}
