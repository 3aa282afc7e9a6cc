//! What `recrawl check` says of a deployment that works, and of one that does not.

use std::collections::BTreeMap;
use std::time::Duration;

use emulator_tests::cloud::{Cloud, Delivery, Wishes};
use emulator_tests::weeks;
use recrawl_testkit::site::{Page, Site};
use serde_json::Value;

use crate::PATIENCE;
use crate::embedded::recrawl;

/// Runs the command; returns what it found, by what it looked at, and whether all of it was well.
fn check(cloud: &Cloud) -> (BTreeMap<String, Value>, bool) {
    let store = format!("firestore:{}", cloud.project);
    let output = recrawl(&["check", "--store", &store, "--format", "json"], Some(cloud));
    let said = String::from_utf8_lossy(&output.stderr);
    let found: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
    let by_name = found.into_iter().map(|one| (one["what"].as_str().unwrap().to_owned(), one));
    (by_name.collect(), output.status.success())
}

fn text<'a>(found: &'a BTreeMap<String, Value>, what: &str) -> &'a str {
    found.get(what).unwrap_or_else(|| panic!("{what}: {found:#?}"))["found"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deployment_is_checked_before_during_and_after_a_crawl() {
    let site = Site::start().await;
    weeks::plant_first_week(&site, 5);
    site.page(
        "/sitemap.xml",
        Page::xml(format!("<urlset><url><loc>{}</loc></url></urlset>", site.at("/same"))),
    );
    let settings = vec![("RECRAWL_CONTACT", "https://example.org/of-the-service".to_owned())];
    let wishes = Wishes { settings, ..Wishes::default() };
    let cloud = Cloud::deploy(site, Delivery::Pushed, wishes).await.unwrap();

    let (found, is_well) = check(&cloud);
    assert!(!is_well, "no tick has come yet");
    assert_eq!(text(&found, "ticks"), "the service has not handled a single tick yet");
    assert!(found["ticks"]["advice"].as_str().unwrap().contains("image_built = true"), "{found:#?}");

    cloud.trigger().await.unwrap();
    while cloud.site.requests_for("/deep").is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let asked = cloud.site.log().len();
    let (found, _) = check(&cloud);
    assert!(text(&found, "crawl of default").contains(" is open since "), "{found:#?}");
    assert!(text(&found, "root of default").contains("the service crawls the site now"), "{found:#?}");
    let requests = cloud.site.log().into_iter().skip(asked);
    assert!(requests.map(|one| one.path).all(|path| path != "/"), "one pace is kept, by the service");

    let crawl = cloud.tick_until_closed(1, PATIENCE).await.unwrap();
    cloud.site.clear_log();
    let (found, is_well) = check(&cloud);
    assert!(is_well, "{found:#?}");
    assert!(text(&found, "ticks").starts_with("they arrive, the last one "), "{found:#?}");
    assert!(text(&found, "service").contains("of-the-service"), "{found:#?}");
    assert_eq!(text(&found, "last error"), "the service has logged none");
    assert_eq!(text(&found, "clock"), "this machine and the database agree");
    assert_eq!(text(&found, "subscriptions"), "crawl, archive, tick call the service");
    assert_eq!(text(&found, "crawl of default"), format!("{crawl} was the last of 1 crawl"));
    assert!(text(&found, "robots.txt of default").starts_with("allows the root; "), "{found:#?}");
    assert!(text(&found, "root of default").contains("/: status 200, 12 links"), "{found:#?}");
    assert!(text(&found, "sitemap of default").contains("lists 1 pages"), "{found:#?}");
    let log = cloud.site.log();
    let agents = log.iter().map(|request| request.header("user-agent").unwrap_or_default());
    assert!(!log.is_empty() && agents.clone().all(|agent| agent.contains("of-the-service")), "{log:?}");

    cloud.site.redirect("/", "https://elsewhere.example/", 301);
    let (found, is_well) = check(&cloud);
    assert!(!is_well && text(&found, "root of default").contains("redirects to https://elsewhere.example/"));
    assert_eq!(found["root of default"]["advice"], "this answers: https://elsewhere.example/");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_does_not_answer_is_told_with_what_to_do() {
    let site = Site::start().await;
    let mut cloud = Cloud::deploy(site, Delivery::ByTest, Wishes::default()).await.unwrap();
    // Nobody listens there.
    cloud.firestore = "127.0.0.1:1".to_owned();
    let (found, is_well) = check(&cloud);
    assert!(!is_well && found["database"]["ok"] == false, "{found:#?}");
    assert!(found["database"]["advice"].as_str().unwrap().contains("gcloud auth"), "{found:#?}");
}
