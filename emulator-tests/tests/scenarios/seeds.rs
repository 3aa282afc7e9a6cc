//! What people and programs publish: bare addresses, nonsense, and what nobody takes.

use std::process::Command;
use std::time::Duration;

use emulator_tests::cloud::{Cloud, Delivery, Wishes};
use emulator_tests::messages::Subscribing;
use emulator_tests::weeks;
use recrawl_testkit::site::{Page, Site};

use crate::PATIENCE;

#[tokio::test(flavor = "multi_thread")]
async fn a_bare_address_published_by_gcloud_opens_a_crawl() {
    let site = Site::start().await;
    weeks::plant_first_week(&site, 0);
    let cloud = Cloud::deploy(site, Delivery::Pushed, Wishes::default()).await.unwrap();
    let message = format!("--message={}/", cloud.site.url());
    let output = Command::new("gcloud")
        .args(["pubsub", "topics", "publish", "crawl", &message])
        .env("CLOUDSDK_AUTH_DISABLE_CREDENTIALS", "true")
        .env("CLOUDSDK_API_ENDPOINT_OVERRIDES_PUBSUB", format!("http://{}/", cloud.pubsub))
        .env("CLOUDSDK_CORE_PROJECT", &cloud.project)
        .env("CLOUDSDK_CONFIG", cloud.directory().join("gcloud"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let crawl = cloud.tick_until_closed(1, PATIENCE).await.unwrap();
    assert_eq!(cloud.verdicts(&crawl).await.unwrap(), weeks::first_verdicts(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_scheduler_command_opens_a_crawl_and_closes_it() {
    let site = Site::start().await;
    weeks::plant_first_week(&site, 0);
    let cloud = Cloud::deploy(site, Delivery::Pushed, Wishes::default()).await.unwrap();
    cloud.scheduler(&["seed", &format!("{}/", cloud.site.url())]).unwrap();
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while cloud.closed_crawls().await.unwrap().is_empty() {
        assert!(tokio::time::Instant::now() < deadline, "{}", cloud.service.log());
        tokio::time::sleep(Duration::from_millis(500)).await;
        cloud.scheduler(&["tick"]).unwrap();
    }
    let crawls = cloud.closed_crawls().await.unwrap();
    assert_eq!(cloud.verdicts(&crawls[0]).await.unwrap(), weeks::first_verdicts(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn poison_is_taken_logged_once_and_fetches_nothing() {
    let site = Site::start().await;
    site.page("/", Page::html("<title>Home</title>"));
    let elsewhere = Site::start().await;
    let cloud = Cloud::deploy(site, Delivery::Pushed, Wishes::default()).await.unwrap();
    let foreign = format!("{}/", elsewhere.url());
    let poison = [
        "not a url",
        "file:///etc/passwd",
        "gopher://example.org/",
        "{\"url\": 17}",
        "{\"url\": \"http://",
        "\u{0}\u{1}",
        foreign.as_str(),
        "http://169.254.169.254/computeMetadata/v1/",
    ];
    for text in poison {
        cloud.messages.publish("crawl", text).await.unwrap();
    }
    let too_large = "x".repeat(2 << 20);
    cloud.messages.publish("crawl", &too_large).await.unwrap();
    let refused = || {
        let is_refusal = |line: &&str| {
            line.contains("\"severity\":\"ERROR\"") || line.contains("\"severity\":\"WARNING\"")
        };
        cloud.service.log().lines().filter(is_refusal).count()
    };
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while refused() <= poison.len() {
        assert!(tokio::time::Instant::now() < deadline, "{}", cloud.service.log());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    cloud.trigger().await.unwrap();
    let crawl = cloud.tick_until_closed(1, PATIENCE).await.unwrap();
    assert_eq!(cloud.verdicts(&crawl).await.unwrap().len(), 1);
    assert!(elsewhere.log().is_empty(), "nothing foreign is fetched");
    let log = cloud.service.log();
    assert_eq!(refused(), poison.len() + 1, "one line a message:\n{log}");
    assert!(log.lines().all(|line| line.len() < 10_000), "nothing large is logged");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_nobody_takes_becomes_a_dead_letter() {
    let site = Site::start().await;
    let mut cloud = Cloud::deploy(site, Delivery::ByTest, Wishes::default()).await.unwrap();
    let push = Some(cloud.service.at("/pubsub/crawl"));
    let to = Subscribing { push, dead_after: Some(5) };
    cloud.messages.subscribe("crawl-limited", "crawl", &to).await.unwrap();
    cloud.messages.subscribe("crawl-dead", "crawl-dead", &Subscribing::default()).await.unwrap();
    cloud.service.kill().unwrap();
    let url = format!("{}/lost", cloud.site.url());
    cloud.messages.publish("crawl", &url).await.unwrap();
    let dead = cloud.messages.collect("crawl-dead", 1, PATIENCE).await.unwrap();
    assert_eq!(dead.iter().map(|message| message.data.as_str()).collect::<Vec<_>>(), [url]);
}
