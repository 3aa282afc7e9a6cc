//! A site that is back after an outage that was told is nothing unusual, and what an accepted crawl told is not told again.

use jiff::Timestamp;
use recrawl_core::model::shared_change::SharedBy;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::Store;
use recrawl_testkit::site::Page;

use crate::stage::site_id;
use crate::town::{EDITED, Sheet, Town, path};

const OUTAGE: &str = "Live data is being updated.";

#[tokio::test]
async fn a_site_that_is_back_after_an_outage_that_was_told_is_nothing_unusual() {
    let town = Town::known(24).await;
    town.break_down(24, OUTAGE);
    assert!(!town.week("week 2", &[]).await.closed.is_trusted(), "it waits for somebody");
    let told = town.week("week 3", &[]).await;
    assert_eq!(
        (told.closed.suspicion, told.shared[0].by),
        (None, SharedBy::Loss),
        "it is confirmed and told"
    );

    town.plant(|number| if number == 7 { Sheet::of(number).with_line(EDITED) } else { Sheet::of(number) });
    let back = town.week("week 4", &[]).await;
    assert_eq!(back.closed.suspicion, None);
    let rows: Vec<_> =
        back.shared.iter().map(|change| (change.by, change.pages, change.went.as_str())).collect();
    assert_eq!(rows, [(SharedBy::Return, 24, OUTAGE)]);
    assert_eq!(back.rows, ["changed /p7", "shared 24 "], "one page was edited meanwhile");
    let record = town.store.page(&site_id(), back.crawl, &town.site.at("/p7")).await.unwrap().unwrap();
    assert_eq!(record.visit.verdict, Verdict::Changed);
}

#[tokio::test]
async fn what_an_accepted_crawl_told_is_not_told_again_where_it_arrives_later() {
    let town = Town::known(24).await;
    let menu_on = |pages: std::ops::Range<usize>| {
        pages.for_each(|number| town.page(number, &Sheet::of(number).with_menu()));
    };
    menu_on(0..5);
    for number in 15..24 {
        town.site.page(&path(number), Page::status(404));
    }
    let unusual = town.week("week 2", &[]).await;
    assert!(!unusual.closed.is_trusted());
    assert_eq!(unusual.rows, ["shared 5 Vacancies"]);
    town.store.accept_crawl(&site_id(), unusual.crawl, Timestamp::now()).await.unwrap();
    let stage = town.service(&[]).await;
    assert!(stage.pusher.post("/pubsub/tick", "").await.status().is_success());

    menu_on(5..10);
    let later = town.week("week 3", &[]).await;
    assert!(later.closed.is_trusted() && later.rows.is_empty(), "{:?}", later.rows);
    let known: Vec<_> = later.shared.iter().map(|change| (change.pages, change.since)).collect();
    assert_eq!(known, [(5, Some(unusual.crawl))]);
}
