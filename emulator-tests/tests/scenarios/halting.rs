//! A crawl that somebody stops, pauses and resumes by the commands.

use std::time::Duration;

use emulator_tests::cloud::{Cloud, Delivery, Wishes};
use recrawl_testkit::site::{Page, Site};
use tokio::time::{Instant, sleep};

use crate::PATIENCE;
use crate::embedded::recrawl;

const PAGES: usize = 60;

/// How long after a command a page may still be asked for.
const AT_ONCE: Duration = Duration::from_secs(5);

/// A home at 4 requests a second, whose crawl is under way.
async fn under_way() -> Cloud {
    let site = Site::start().await;
    let links: Vec<String> = (0..PAGES).map(|number| format!("<a href=/{number}>{number}</a>")).collect();
    site.page("/", Page::html(links.concat()));
    for number in 0..PAGES {
        site.page(&format!("/{number}"), Page::html(format!("<p>Page {number}")));
    }
    let wishes = Wishes { settings: vec![("RECRAWL_DELAY", "0.25".to_owned())], ..Wishes::default() };
    let cloud = Cloud::deploy(site, Delivery::Pushed, wishes).await.unwrap();
    cloud.trigger().await.unwrap();
    wait_for_requests(&cloud, 8).await;
    cloud
}

async fn wait_for_requests(cloud: &Cloud, enough: usize) {
    let deadline = Instant::now() + PATIENCE;
    while cloud.site.log().len() < enough {
        assert!(Instant::now() < deadline, "{}", cloud.service.log());
        sleep(Duration::from_millis(50)).await;
    }
}

/// Gives a command to the open crawl as somebody does who has nothing but `recrawl`; returns what it says.
fn told(cloud: &Cloud, command: &str) -> String {
    let store = format!("firestore:{}", cloud.project);
    let output = recrawl(&[command, "--store", &store], Some(cloud));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_that_is_stopped_asks_for_nothing_after_five_seconds_and_the_next_trigger_works_as_ever() {
    let cloud = under_way().await;
    let said = cloud.scheduler(&["stop"]).unwrap();
    assert!(said.contains("of default is being stopped"), "{said}");
    let latest = std::time::Instant::now() + AT_ONCE;
    let stopped = cloud.tick_until_closed(1, PATIENCE).await.unwrap();
    let crawls = cloud.documents.collection("crawls").await.unwrap();
    assert!(crawls[&stopped].to_string().contains("it was stopped by hand"), "{}", crawls[&stopped]);
    assert!(cloud.verdicts(&stopped).await.unwrap().len() < PAGES, "most were not asked for");
    assert!(told(&cloud, "stop").contains("no crawl of default is open; nothing to do."));
    // Pages that waited inside the service would have been asked for by then.
    tokio::time::sleep_until((latest + AT_ONCE).into()).await;
    assert!(cloud.site.log().iter().all(|request| request.arrival < latest));
    cloud.trigger().await.unwrap();
    let next = cloud.tick_until_closed(2, PATIENCE).await.unwrap();
    assert_eq!(cloud.verdicts(&next).await.unwrap().len(), PAGES + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_that_is_paused_rests_until_it_is_resumed_and_misses_nothing() {
    let cloud = under_way().await;
    assert!(told(&cloud, "pause").contains("of default is paused: within seconds"));
    sleep(AT_ONCE).await;
    let asked = cloud.site.log().len();
    cloud.messages.publish("tick", "tick").await.unwrap();
    assert!(told(&cloud, "pause").contains("is paused already."));
    assert_eq!(cloud.site.log().len(), asked);
    assert!(told(&cloud, "resume").contains("goes on"));
    let crawl = cloud.tick_until_closed(1, PATIENCE).await.unwrap();
    assert_eq!(cloud.verdicts(&crawl).await.unwrap().len(), PAGES + 1);
}
