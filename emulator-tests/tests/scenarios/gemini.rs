//! Two weeks of a Gemini capsule, and a certificate that changes.

use std::collections::BTreeMap;

use emulator_tests::cloud::{Cloud, Delivery, Wishes};
use recrawl_core::ports::{StateKey, StateStore};
use recrawl_testkit::capsule::{Capsule, weeks};
use recrawl_testkit::site::Site;

use crate::PATIENCE;

#[tokio::test(flavor = "multi_thread")]
async fn two_weeks_of_a_capsule_are_crawled_and_another_certificate_is_not_believed() {
    let capsule = Capsule::start();
    weeks::plant_first(&capsule);
    let root = capsule.at("/");
    let settings = vec![("RECRAWL_ROOT", root.to_string()), ("RECRAWL_ARCHIVE", "all".to_owned())];
    let wishes = Wishes { settings, ..Wishes::default() };
    let cloud = Cloud::deploy(Site::start().await, Delivery::Pushed, wishes).await.unwrap();

    cloud.messages.publish("crawl", root.as_str()).await.unwrap();
    let first = cloud.tick_until_closed(1, PATIENCE).await.unwrap();
    assert_eq!(verdicts(&cloud, &capsule, &first).await, weeks::first_verdicts());
    let asked = capsule.paths();
    assert!(!asked.iter().any(|path| weeks::NEVER.contains(&path.as_str())), "{asked:?}");

    weeks::plant_second(&capsule);
    capsule.clear_log();
    cloud.messages.publish("crawl", root.as_str()).await.unwrap();
    let second = cloud.tick_until_closed(2, PATIENCE).await.unwrap();
    assert_eq!(verdicts(&cloud, &capsule, &second).await, weeks::second_verdicts());
    assert_eq!(capsule.paths().iter().filter(|path| *path == "/gone").count(), 2);
    assert!(cloud.archive.captures().is_empty(), "the Wayback Machine keeps no capsules");

    capsule.change_certificate(2091).clear_log();
    cloud.messages.publish("crawl", root.as_str()).await.unwrap();
    let third = cloud.tick_until_closed(3, PATIENCE).await.unwrap();
    assert!(capsule.log().is_empty(), "nothing is asked of what may be another server");
    let pages = cloud.documents.collection(&third).await.unwrap();
    let home = pages.values().find(|page| page["url"] == root.as_str()).unwrap();
    assert_eq!(home["verdict"], "failed");
    assert!(home.to_string().contains("changed before it expires"), "{home}");
    let third = verdicts(&cloud, &capsule, &third).await;
    assert!(third.values().all(|verdict| verdict == "failed" || verdict == "excluded"), "{third:?}");

    let store = cloud.store().await.unwrap();
    store.delete_state(&StateKey::pinned_certificate(&root.host_key())).await.unwrap();
    cloud.messages.publish("crawl", root.as_str()).await.unwrap();
    let fourth = cloud.tick_until_closed(4, PATIENCE).await.unwrap();
    let fourth = verdicts(&cloud, &capsule, &fourth).await;
    let of = |path: &str| fourth[path].as_str();
    assert_eq!((of("/"), of("/text"), of("/new")), ("unchanged", "unchanged", "unchanged"), "{fourth:?}");
    assert_eq!(of("/gone"), "missing");
}

async fn verdicts(cloud: &Cloud, capsule: &Capsule, crawl: &str) -> BTreeMap<String, String> {
    let origin = capsule.at("/").to_string();
    let pages = cloud.documents.collection(crawl).await.unwrap();
    let text = |page: &serde_json::Value, field: &str| page[field].as_str().unwrap_or_default().to_owned();
    pages.values().map(|page| (text(page, "url").replacen(&origin, "/", 1), text(page, "verdict"))).collect()
}
