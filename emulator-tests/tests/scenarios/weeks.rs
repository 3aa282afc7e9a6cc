//! Two weeks from trigger to report: documents, messages, captures.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use emulator_tests::cloud::{Cloud, Delivery, Wishes};
use emulator_tests::weeks;
use recrawl_core::ports::Store;
use recrawl_testkit::site::Site;
use serde_json::{Value, json};

use crate::PATIENCE;
use crate::embedded::{Embedded, changes_of_cloud};
use crate::logs;

const FURTHER: usize = 12;

#[tokio::test(flavor = "multi_thread")]
async fn two_weeks_are_crawled_stored_announced_archived_and_read_as_on_one_machine() {
    let site = Site::start().await;
    weeks::plant_first_week(&site, FURTHER);
    let cloud = Cloud::deploy(site, Delivery::Pushed, Wishes::default()).await.unwrap();
    let embedded = Embedded::new(&cloud);

    cloud.trigger().await.unwrap();
    let first = cloud.tick_until_closed(1, PATIENCE).await.unwrap();
    assert_eq!(cloud.verdicts(&first).await.unwrap(), weeks::first_verdicts(FURTHER));
    let announced = announcements(&cloud, 1).await;
    assert!(announced.is_empty(), "what is new to a first crawl is a number in its summary: {announced:?}");
    assert!(cloud.archive.captures().is_empty(), "a first crawl is not archived by default");
    embedded.crawl();

    weeks::plant_second_week(&cloud.site, FURTHER);
    cloud.site.clear_log();
    cloud.trigger().await.unwrap();
    let second = cloud.tick_until_closed(2, PATIENCE).await.unwrap();
    assert_eq!(second, format!("{first}-2"));
    assert_eq!(cloud.verdicts(&second).await.unwrap(), weeks::second_verdicts(FURTHER));
    assert_eq!(cloud.site.requests_for("/gone").len(), 2, "a removed page is looked at twice");
    embedded.crawl();

    the_documents_are_those_that_were_promised(&cloud, &second).await;
    let expected: BTreeMap<String, String> = weeks::second_changes()
        .map(|(path, verdict)| (path.to_owned(), change_of(verdict).to_owned()))
        .into();
    assert_eq!(announcements(&cloud, 6).await, expected);
    the_changes_are_archived_once_each(&cloud, &second).await;
    let rows = changes_of_cloud(&cloud);
    assert_eq!(rows.len(), weeks::second_changes().len(), "{rows:?}");
    assert_eq!(rows, embedded.changes(), "both homes tell the same");
    embedded.copies_there_and_back(&cloud);
    logs::hold_nothing_secret(&cloud);
}

/// Returns what was announced, path to change, each under one id; summaries aside.
async fn announcements(cloud: &Cloud, enough: usize) -> BTreeMap<String, String> {
    let pulled = cloud.messages.collect("changed-pages", enough, Duration::from_secs(20)).await.unwrap();
    let told: Vec<Value> = pulled.iter().map(|message| message.json().unwrap()).collect();
    let ids: BTreeSet<&str> = told.iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), told.len(), "each under an id of its own");
    let summaries: Vec<&Value> = told.iter().filter(|one| one["change"] == "SUMMARY").collect();
    assert_eq!(summaries.len(), 1, "one summary a crawl");
    for one in &told {
        let names: Vec<&str> = one.as_object().unwrap().keys().map(String::as_str).collect();
        let expected = "aspects change crawl diff id link page pages site status target tier title weight";
        assert_eq!(names.join(" "), expected);
        assert!(
            !one.as_object().unwrap().values().any(|value| value.is_array() || value.is_object()),
            "flat"
        );
    }
    let text = told.iter().find(|one| cloud.path_of(&json!({ "url": one["page"] })) == "/text");
    if let Some(text) = text {
        assert_eq!(text["change"], "CHANGE");
        assert_eq!(text["aspects"], "text");
        assert_eq!(
            (&text["title"], &text["status"], &text["tier"]),
            (&json!("Prices"), &json!(200), &json!(1))
        );
        assert!(text["weight"].as_u64().unwrap() > 0);
        let diff = text["diff"].as_str().unwrap();
        assert!(diff.contains("-A permit costs 40 dollars.") && diff.contains("+A permit costs 45 dollars."));
    }
    if let Some(moved) = told.iter().find(|one| one["change"] == "MOVE") {
        assert_eq!(moved["target"], format!("{}/same", cloud.site.url()));
    }
    let changes = told.iter().filter(|one| one["change"] != "SUMMARY");
    let path = |one: &Value| cloud.path_of(&json!({ "url": one["page"] }));
    changes.map(|one| (path(one), one["change"].as_str().unwrap().to_owned())).collect()
}

fn change_of(verdict: &str) -> &'static str {
    match verdict {
        "new" => "ADD",
        "changed" => "CHANGE",
        "gone" => "DEL",
        "moved" => "MOVE",
        other => panic!("{other} is not announced"),
    }
}

async fn the_documents_are_those_that_were_promised(cloud: &Cloud, crawl: &str) {
    let paths = |documents: Vec<Value>| -> BTreeSet<String> {
        documents.iter().map(|document| cloud.path_of(document)).collect()
    };
    let new = paths(cloud.documents.where_true(crawl, "new").await.unwrap());
    assert_eq!(new, BTreeSet::from(["/new".to_owned()]));
    let changed = paths(cloud.documents.where_true(crawl, "changed").await.unwrap());
    for path in ["/", "/text"] {
        assert!(changed.contains(path), "{changed:?}");
    }
    for path in ["/same", "/noise", "/new", "/further/0"] {
        assert!(!changed.contains(path), "{changed:?}");
    }
    let contents = cloud.documents.collection("content").await.unwrap();
    let pages = cloud.documents.collection(crawl).await.unwrap();
    for (id, page) in &pages {
        assert_eq!(id.len(), 64, "a document is named by the hash of its address");
        let path = cloud.path_of(page);
        if let Some(reference) = page["content"]["reference"].as_str() {
            let content = &contents[reference.strip_prefix("content/").unwrap()];
            assert!(content["outbound_links"].is_array(), "{path}");
            if path == "/text" {
                assert!(content["text"].as_str().unwrap().contains("45 dollars"), "{content}");
                assert_eq!(content["title"], "Prices");
            }
        } else {
            assert!(["/secret", "/broken"].contains(&path.as_str()), "{path} has content");
        }
    }
    let text = pages.values().find(|page| cloud.path_of(page) == "/text").unwrap();
    assert_eq!((&text["status"], &text["new"], &text["changed"]), (&json!(200), &json!(false), &json!(true)));
    assert!(text["headers"]["etag"].is_string() && text["headers"]["last-modified"].is_string());
    let url = text["url"].as_str().unwrap().parse().unwrap();
    let store = cloud.store().await.unwrap();
    let record =
        store.page(&"default".parse().unwrap(), crawl.parse().unwrap(), &url).await.unwrap().unwrap();
    assert_eq!(record.known.headers.content_type.as_deref(), Some("text/html; charset=utf-8"));
    assert_eq!(record.known.changes_detected, 1);
    let moved = pages.values().find(|page| cloud.path_of(page) == "/moved").unwrap();
    assert_eq!((&moved["status"], &moved["headers"]["location"]), (&json!(301), &json!("/same")));
    let crawls = cloud.documents.collection("crawls").await.unwrap();
    let statistics = &crawls[crawl]["statistics"];
    assert_eq!((&statistics["new"], &statistics["changed"]), (&json!(1), &json!(2)), "{statistics}");
}

async fn the_changes_are_archived_once_each(cloud: &Cloud, crawl: &str) {
    let expected: BTreeMap<String, usize> =
        ["/", "/moved", "/new", "/text"].map(|path| (format!("{}{path}", cloud.site.url()), 1)).into();
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        let pages = cloud.documents.collection(crawl).await.unwrap();
        let wished: Vec<&Value> = pages.values().filter(|page| !page["archive"].is_null()).collect();
        assert_eq!(wished.len(), 4);
        if wished.iter().all(|page| page["archive"]["state"] == "captured") {
            let has_address = |page: &&Value| page["archive"]["wayback_url"].is_string();
            assert!(wished.iter().all(has_address), "{wished:?}");
            break;
        }
        assert!(tokio::time::Instant::now() < deadline, "not archived: {wished:?}");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    assert_eq!(cloud.archive.captures(), expected);
}
