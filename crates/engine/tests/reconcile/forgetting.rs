//! Crawls past the retention setting are deleted within what a day allows.

use recrawl_core::model::crawl::Ending;
use recrawl_core::ports::Store;

use crate::harness::{CRAWL, Harness, id, minute, page};
use recrawl_testkit::faulty_store::Failure;

/// Makes closed crawls of three pages with three contents each, one a week, the last on 2026-11-09.
async fn weeks(keep: usize, deletes_a_day: u64) -> Harness {
    let mut harness = Harness::new().await;
    harness.maintenance.settings.keep_crawls = Some(keep);
    harness.maintenance.settings.deletes_a_day = deletes_a_day;
    for day in ["10-19", "10-26", "11-02", "11-09"] {
        let crawl = format!("crawl-2026-{day}");
        harness.open(&crawl).await;
        for path in ["/", "/a", "/b"] {
            harness.visit(&crawl, path, minute(-20_000), &[]).await;
        }
        harness.close(&crawl, Ending::Complete).await;
    }
    harness
}

#[tokio::test]
async fn the_newest_crawls_are_kept_and_the_others_deleted() {
    let harness = weeks(2, 1_000).await;
    assert_eq!(harness.tick(minute(0)).await.deleted, 12);
    assert_eq!(harness.crawls().await, ["crawl-2026-11-02", "crawl-2026-11-09"]);
    harness.store.calls();
    assert_eq!(harness.tick(minute(10)).await.deleted, 0);
    assert!(!harness.store.calls().contains(&"crawls"), "settled for today");
}

#[tokio::test]
async fn partial_crawls_that_the_next_one_is_compared_with_are_kept() {
    let mut harness = Harness::new().await;
    harness.maintenance.settings.keep_crawls = Some(2);
    let seen = [("10-12", "/first"), ("10-19", "/a"), ("10-26", "/b"), ("11-02", "/c"), ("11-09", "/d")];
    for (day, path) in seen {
        let crawl = format!("crawl-2026-{day}");
        harness.open(&crawl).await;
        harness.visit(&crawl, path, minute(-20_000), &[]).await;
        let budget = || Ending::Partial("the budget was used up".to_owned());
        harness.close(&crawl, if day == "10-19" { Ending::Complete } else { budget() }).await;
    }
    harness.tick(minute(0)).await;
    assert_eq!(harness.crawls().await.len(), 4, "what came before the whole crawl goes");
    harness.open(CRAWL).await;
    for (_, path) in &seen[1..] {
        let known = harness.store.inner.latest_before(&harness.site, id(CRAWL), &page(path)).await.unwrap();
        assert!(known.is_some(), "{path} would come back as new");
    }
}

#[tokio::test]
async fn where_every_crawl_is_partial_all_are_kept() {
    let mut harness = Harness::new().await;
    harness.maintenance.settings.keep_crawls = Some(2);
    for day in ["10-19", "10-26", "11-02", "11-09"] {
        let crawl = format!("crawl-2026-{day}");
        harness.open(&crawl).await;
        harness.visit(&crawl, &format!("/{day}"), minute(-20_000), &[]).await;
        harness.close(&crawl, Ending::Partial("the budget was used up".to_owned())).await;
    }
    assert_eq!(harness.tick(minute(0)).await.deleted, 0);
    assert_eq!(harness.crawls().await.len(), 4);
}

#[tokio::test]
async fn nothing_is_deleted_where_no_retention_is_set_or_a_crawl_is_open() {
    let mut harness = weeks(2, 1_000).await;
    harness.maintenance.settings.keep_crawls = None;
    assert_eq!(harness.tick(minute(0)).await.deleted, 0);
    harness.maintenance.settings.keep_crawls = Some(2);
    harness.open(CRAWL).await;
    assert_eq!(harness.tick(minute(1)).await.deleted, 0);
    assert_eq!(harness.crawls().await.len(), 5);
}

#[tokio::test]
async fn a_closing_makes_room_at_once_also_on_a_day_that_is_settled() {
    let harness = weeks(4, 1_000).await;
    assert_eq!(harness.tick(minute(0)).await.deleted, 0);
    harness.open(CRAWL).await;
    for path in ["/", "/a", "/b"] {
        harness.visit(CRAWL, path, minute(5), &[]).await;
    }
    let report = harness.tick(minute(15)).await;
    assert_eq!((report.closed.len(), report.deleted), (1, 6));
    assert_eq!(harness.crawls().await[0], "crawl-2026-10-26");
}

#[tokio::test]
async fn a_day_deletes_so_much_and_no_more_and_begins_at_midnight_pacific_time() {
    let harness = weeks(1, 8).await;
    let mut deleted = Vec::new();
    // 18 documents. Midnight Pacific time is 08:00 UTC, 300 minutes after 03:00.
    for (now, expected) in [(0, 8), (10, 0), (290, 0), (300, 8), (310, 0), (1_730, 0), (1_740, 2), (1_750, 0)]
    {
        let report = harness.tick(minute(now)).await;
        deleted.push((now, report.deleted));
        assert_eq!(report.deleted, expected, "{deleted:?}");
    }
    assert_eq!(harness.crawls().await, ["crawl-2026-11-09"]);
}

#[tokio::test]
async fn sites_share_what_a_day_allows() {
    let mut harness = weeks(1, 8).await;
    harness.add_site("other").await;
    harness.site = "other".parse().unwrap();
    for crawl in ["crawl-2026-11-01", "crawl-2026-11-08"] {
        harness.open(crawl).await;
        harness.visit(crawl, "/other", minute(-20_000), &[]).await;
        harness.close(crawl, Ending::Complete).await;
    }
    assert_eq!(harness.tick(minute(0)).await.deleted, 8);
    assert_eq!(harness.tick(minute(10)).await.deleted, 0);
}

#[tokio::test]
async fn what_was_deleted_by_a_tick_that_died_counts() {
    let undisturbed = weeks(1, 8).await;
    undisturbed.tick(minute(0)).await;
    let number = undisturbed.store.calls().iter().position(|call| *call == "delete_crawl").unwrap();
    let harness = weeks(1, 8).await;
    harness.store.fail_at(number, Failure::After);
    harness.try_tick(minute(0)).await.unwrap_err();
    assert!(harness.store.heal());
    assert_eq!(harness.tick(minute(10)).await.deleted, 0, "it may have spent the day's quota");
    assert!(harness.tick(minute(300)).await.deleted > 0);
}
