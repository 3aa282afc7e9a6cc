//! Pages that are due between two crawls of the whole site.

use emulator_tests::cloud::{Cloud, Delivery, Wishes};
use emulator_tests::weeks;
use recrawl_testkit::site::Site;

use crate::PATIENCE;

#[tokio::test(flavor = "multi_thread")]
async fn the_scheduler_opens_a_crawl_of_due_pages_and_no_others() {
    let site = Site::start().await;
    weeks::plant_first_week(&site, 5);
    let cloud = Cloud::deploy(site, Delivery::Pushed, Wishes::default()).await.unwrap();
    cloud.trigger().await.unwrap();
    cloud.tick_until_closed(1, PATIENCE).await.unwrap();
    let said = cloud.scheduler(&["due", "--budget", "3"]).unwrap();
    assert!(said.contains("3 pages are due"), "{said}");
    let crawl = cloud.tick_until_closed(2, PATIENCE).await.unwrap();
    assert_eq!(cloud.verdicts(&crawl).await.unwrap().len(), 3);
    let crawls = cloud.documents.collection("crawls").await.unwrap();
    assert_eq!(crawls[&crawl]["ending"], "partial");
    assert_eq!(crawls[&crawl]["ending_reason"], "only pages that were due");
}
