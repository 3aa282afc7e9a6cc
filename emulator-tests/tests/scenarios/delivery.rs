//! Messages that come twice, late, in disorder or never, and a service that dies: the same final state.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use emulator_tests::cloud::{Cloud, Delivery, Wishes};
use emulator_tests::driver::{Manner, bring_all};
use emulator_tests::{Emulator, Kind, weeks};
use recrawl_testkit::site::Site;

use crate::PATIENCE;

const FURTHER: usize = 40;

/// Returns how often each path was asked for; robots.txt and sitemaps aside.
fn requests(site: &Site) -> BTreeMap<String, usize> {
    let mut requests = BTreeMap::new();
    let pages =
        site.log().into_iter().filter(|one| !one.path.contains("robots") && !one.path.contains("sitemap"));
    for request in pages {
        *requests.entry(request.path).or_default() += 1;
    }
    requests
}

#[tokio::test(flavor = "multi_thread")]
async fn three_deliveries_out_of_order_end_in_the_same_state() {
    let site = Site::start().await;
    weeks::plant_first_week(&site, FURTHER);
    let cloud = Cloud::deploy(site, Delivery::ByTest, Wishes::default()).await.unwrap();
    let manner = Manner { times: 3, ..Manner::default() };
    cloud.trigger().await.unwrap();
    bring_all(&cloud, &manner, |_| false).await.unwrap();
    let first = cloud.tick_until_closed(1, PATIENCE).await.unwrap();
    assert_eq!(cloud.verdicts(&first).await.unwrap(), weeks::first_verdicts(FURTHER));
    weeks::plant_second_week(&cloud.site, FURTHER);
    cloud.site.clear_log();
    cloud.trigger().await.unwrap();
    bring_all(&cloud, &manner, |_| false).await.unwrap();
    // The audit may have queued pages that nothing leads to any more.
    let closing = cloud.tick_until_closed(2, PATIENCE);
    let bringing = bring_all(&cloud, &manner, |_| false);
    let (second, brought) = tokio::join!(closing, bringing);
    brought.unwrap();
    let second = second.unwrap();
    assert_eq!(cloud.verdicts(&second).await.unwrap(), weeks::second_verdicts(FURTHER));
    let mut requests = requests(&cloud.site);
    for (path, why) in [("/gone", "a removed page"), ("/", "a small change"), ("/text", "a small change")] {
        assert_eq!(requests.remove(path), Some(2), "{why} is looked at twice, and no oftener: {path}");
    }
    assert!(requests.values().all(|times| *times == 1), "{requests:?}");
    assert_eq!(cloud.closed_crawls().await.unwrap().len(), 2, "a repeated trigger opens nothing new");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_killed_in_mid_crawl_ends_in_the_same_state() {
    let site = Site::start().await;
    weeks::plant_first_week(&site, FURTHER);
    let settings = vec![("RECRAWL_DELAY", "0.1".to_owned())];
    let wishes = Wishes { settings, ..Wishes::default() };
    let mut cloud = Cloud::deploy(site, Delivery::Pushed, wishes).await.unwrap();
    cloud.trigger().await.unwrap();
    for pages in [10, 25, 40] {
        while cloud.site.log().len() < pages {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        cloud.service.kill().unwrap();
        cloud.service.start().await.unwrap();
    }
    let crawl = cloud.tick_until_closed(1, PATIENCE).await.unwrap();
    assert_eq!(cloud.verdicts(&crawl).await.unwrap(), weeks::first_verdicts(FURTHER));
    let again: usize = requests(&cloud.site).values().map(|times| times - 1).sum();
    assert!(again <= 6, "only what was under way at a kill is fetched again: {:?}", requests(&cloud.site));
    assert!(cloud.service.terminate().await.unwrap(), "asked to end, it ends well");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_message_costs_a_delay_and_no_page() {
    let site = Site::start().await;
    weeks::plant_first_week(&site, FURTHER);
    let cloud = Cloud::deploy(site, Delivery::ByTest, Wishes::default()).await.unwrap();
    let lost = AtomicBool::new(false);
    cloud.trigger().await.unwrap();
    let loses = |message: &emulator_tests::messages::Pulled| {
        message.data.contains("/deep") && !lost.swap(true, Ordering::SeqCst)
    };
    bring_all(&cloud, &Manner::default(), loses).await.unwrap();
    assert!(lost.load(Ordering::SeqCst), "the message was on its way");
    let before = cloud.documents.collection("crawls").await.unwrap();
    let open = before.keys().next().unwrap();
    assert!(!cloud.verdicts(open).await.unwrap().contains_key("/deep"));
    let manner = Manner::default();
    let ticking = cloud.tick_until_closed(1, PATIENCE);
    let bringing = async {
        // Until the audit has found it, nothing comes.
        while cloud.closed_crawls().await.unwrap().is_empty() {
            bring_all(&cloud, &manner, |_| false).await.unwrap();
        }
    };
    let (crawl, ()) = tokio::join!(ticking, bringing);
    assert_eq!(cloud.verdicts(&crawl.unwrap()).await.unwrap(), weeks::first_verdicts(FURTHER));
}

#[tokio::test(flavor = "multi_thread")]
async fn firestore_out_of_reach_for_20_seconds_loses_nothing() {
    let firestore = Emulator::start(Kind::Firestore).unwrap();
    let site = Site::start().await;
    weeks::plant_first_week(&site, FURTHER);
    let settings = vec![("RECRAWL_DELAY", "0.1".to_owned())];
    let wishes = Wishes { settings, firestore: Some(&firestore) };
    let cloud = Cloud::deploy(site, Delivery::Pushed, wishes).await.unwrap();
    cloud.trigger().await.unwrap();
    while cloud.site.log().len() < 12 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    firestore.freeze().unwrap();
    tokio::time::sleep(Duration::from_secs(20)).await;
    firestore.thaw().unwrap();
    let crawl = cloud.tick_until_closed(1, PATIENCE).await.unwrap();
    assert_eq!(cloud.verdicts(&crawl).await.unwrap(), weeks::first_verdicts(FURTHER));
}
