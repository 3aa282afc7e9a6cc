//! A site in trouble: nothing is announced until somebody says that it is true.

use std::collections::BTreeMap;
use std::time::Duration;

use emulator_tests::cloud::{Cloud, Delivery, Wishes};
use emulator_tests::weeks;
use recrawl_testkit::site::{Page, Site};
use serde_json::Value;

use crate::PATIENCE;

const FURTHER: usize = 12;

#[tokio::test(flavor = "multi_thread")]
async fn a_suspect_week_is_told_of_and_announced_once_when_it_is_accepted() {
    let site = Site::start().await;
    weeks::plant_first_week(&site, FURTHER);
    let cloud = Cloud::deploy(site, Delivery::Pushed, Wishes::default()).await.unwrap();
    cloud.trigger().await.unwrap();
    cloud.tick_until_closed(1, PATIENCE).await.unwrap();
    told(&cloud, 1).await;

    // Most pages ask for a login, one says something else.
    for number in 0..FURTHER {
        cloud.site.page(&format!("/further/{number}"), Page::status(403));
    }
    cloud.site.page(
        "/text",
        Page::html("<!doctype html><title>Prices</title><main><h1>Prices</h1><p>Free.</main>"),
    );
    cloud.trigger().await.unwrap();
    let second = cloud.tick_until_closed(2, PATIENCE).await.unwrap();
    let verdicts = cloud.verdicts(&second).await.unwrap();
    assert_eq!((verdicts["/further/0"].as_str(), verdicts["/text"].as_str()), ("failed", "changed"));
    let summary = told(&cloud, 1).await;
    assert_eq!(summary.keys().collect::<Vec<_>>(), ["SUMMARY"], "nothing is announced");
    let figures: Value = serde_json::from_str(summary["SUMMARY"]["diff"].as_str().unwrap()).unwrap();
    assert!(
        figures["suspicion"].as_str().unwrap().contains("12 of 20 pages failed or were refused"),
        "{figures}"
    );
    let crawls = cloud.documents.collection("crawls").await.unwrap();
    assert!(crawls[&second]["suspicion"]["reason"].is_string() && crawls[&second]["closed_at"].is_string());
    assert!(cloud.service.log().contains("a crawl is unusual"));
    ticks(&cloud, 3).await;
    assert!(told(&cloud, 0).await.is_empty());

    let said = cloud.scheduler(&["accept"]).unwrap();
    assert!(said.contains(&format!("accepted {second} of default: 1 change announced")), "{said}");
    let announced = told(&cloud, 1).await;
    assert_eq!(announced.keys().collect::<Vec<_>>(), ["CHANGE"]);
    ticks(&cloud, 3).await;
    assert!(told(&cloud, 0).await.is_empty(), "once");
}

/// Returns what was told, by the kind of change; where none is expected, waits a little for it.
async fn told(cloud: &Cloud, enough: usize) -> BTreeMap<String, Value> {
    let patience = if enough == 0 { Duration::from_secs(2) } else { Duration::from_secs(20) };
    let pulled = cloud.messages.collect("changed-pages", enough.max(1), patience).await.unwrap();
    let told = pulled.iter().map(|message| message.json().unwrap());
    told.map(|one| (one["change"].as_str().unwrap().to_owned(), one)).collect()
}

async fn ticks(cloud: &Cloud, times: usize) {
    for _ in 0..times {
        cloud.messages.publish("tick", "tick").await.unwrap();
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}
