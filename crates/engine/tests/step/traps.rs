//! Addresses without end: what is left out, and what never is.

use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{PullFrontier, Store};
use recrawl_engine::step::{Attempt, CrawlStep};

use crate::harness::Harness;

/// Returns how many pages were asked for, and why others were left out.
async fn outcome(harness: &Harness, crawl: &Crawl) -> (usize, Vec<(String, String)>) {
    let records = harness.store.records(&harness.site.id, crawl.id, &[], None, 10_000).await.unwrap();
    let is_excluded = |record: &&PageRecord| record.visit.verdict == Verdict::Excluded;
    let left_out = records.iter().filter(is_excluded).map(|record| {
        (record.url.path_and_query().to_owned(), record.visit.reason.clone().unwrap_or_default())
    });
    (records.iter().filter(|record| !is_excluded(record)).count(), left_out.collect())
}

#[tokio::test]
async fn a_chain_of_redirects_ends_after_20_hops() {
    let harness = Harness::with(&[("/", "home /r/0")]).await;
    for number in 0..60 {
        harness.web.redirect(&format!("/r/{number}"), &format!("/r/{}", number + 1));
    }
    let reason = "a trap: a chain of more than 20 redirects".to_owned();
    for _ in 0..2 {
        let crawl = harness.crawl().await;
        let (asked, left_out) = outcome(&harness, &crawl).await;
        assert_eq!(
            (asked, left_out),
            (22, vec![("/r/21".to_owned(), reason.clone())]),
            "root, /r/0 and 20 hops"
        );
    }
}

#[tokio::test]
async fn a_chain_of_redirects_ends_also_where_a_process_ended_in_the_middle() {
    let harness = Harness::with(&[("/", "home /r/0")]).await;
    for number in 0..60 {
        harness.web.redirect(&format!("/r/{number}"), &format!("/r/{}", number + 1));
    }
    let crawl = harness.open().await;
    let step = harness.step(&crawl);
    step.visit(&harness.root(&crawl), Attempt::default(), harness.now()).await.unwrap();
    for _ in 0..10 {
        visit_next(&harness, &step, &crawl).await;
    }
    let resumed = recalled(&harness, &crawl).await;
    harness.work_off(&resumed, &crawl).await;
    let (asked, left_out) = outcome(&harness, &crawl).await;
    assert_eq!((asked, left_out.len()), (22, 1), "{left_out:?}");
}

#[tokio::test]
async fn redirects_to_ever_new_addresses_do_not_multiply_from_crawl_to_crawl() {
    let harness = Harness::new().await;
    harness.settings.lock().unwrap().trap_limit = 10;
    harness.web.page("/", "home /r/0");
    let mut known = vec!["/r/0".to_owned()];
    let mut asked = Vec::new();
    for week in 1..=4 {
        // Every address that was ever given out begins a chain of its own.
        for (index, path) in known.iter().enumerate() {
            let begin = week * 1_000_000 + index * 30;
            harness.web.redirect(path, &format!("/r/{begin}"));
            for number in begin..begin + 29 {
                harness.web.redirect(&format!("/r/{number}"), &format!("/r/{}", number + 1));
            }
        }
        let crawl = harness.crawl().await;
        let records = harness.store.records(&harness.site.id, crawl.id, &[], None, 10_000).await.unwrap();
        let visited = records.iter().filter(|record| record.visit.verdict != Verdict::Excluded);
        known = visited.map(|record| record.url.path().to_owned()).filter(|path| path != "/").collect();
        asked.push(known.len());
    }
    assert!(asked.windows(2).all(|weeks| weeks[1] - weeks[0] < 60), "{asked:?}");
}

async fn visit_next(harness: &Harness, step: &CrawlStep, crawl: &Crawl) {
    let pages = harness.store.take(&harness.site.id, crawl.id, 1).await.unwrap();
    step.visit(&pages[0], Attempt::default(), harness.now()).await.unwrap();
}

/// Returns the step of a process that takes the crawl up.
async fn recalled(harness: &Harness, crawl: &Crawl) -> CrawlStep {
    let step = harness.step(crawl);
    for record in harness.store.records(&harness.site.id, crawl.id, &[], None, 10_000).await.unwrap() {
        step.resume(&record);
    }
    step
}

#[tokio::test]
async fn a_path_that_goes_round_in_circles_is_left_out() {
    let harness = Harness::with(&[("/", "home /a")]).await;
    let mut path = "/a".to_owned();
    for number in 0..40 {
        let next = format!("{path}/{}", if number % 2 == 0 { "b" } else { "a" });
        harness.web.page(&path, &format!("page {number} {next}"));
        path = next;
    }
    let crawl = harness.crawl().await;
    let (asked, left_out) = outcome(&harness, &crawl).await;
    let reason = "a trap: a part of the path is repeated more than 3 times (\"a\")".to_owned();
    assert_eq!((asked, left_out), (7, vec![("/a/b/a/b/a/b/a".to_owned(), reason)]));
}

/// Plants days of a calendar that say the same, linked from the root, beside items that do not.
fn plant_days(harness: &Harness, days: usize) {
    let links = |kind: &str| {
        let links: Vec<String> = (0..days).map(|number| format!("/{kind}/{number}")).collect();
        links.join(" ")
    };
    harness.web.page("/", &format!("home {} {}", links("day"), links("item")));
    for number in 0..days {
        harness.web.page(&format!("/day/{number}"), &format!("nothing ~{number}"));
        harness.web.page(&format!("/item/{number}"), &format!("item {number}"));
    }
}

#[tokio::test]
async fn addresses_of_one_shape_with_the_same_text_are_left_out_beyond_the_limit() {
    let harness = Harness::new().await;
    harness.settings.lock().unwrap().trap_limit = 10;
    plant_days(&harness, 40);
    let crawl = harness.crawl().await;
    let (asked, left_out) = outcome(&harness, &crawl).await;
    let reason = "a trap: more than 10 addresses like https://example.org/day/* have the same text";
    assert_eq!((asked, left_out.len()), (1 + 11 + 40, 29), "the root, 11 days and all items");
    assert!(left_out.iter().all(|(path, why)| path.starts_with("/day/") && why == reason), "{left_out:?}");
}

#[tokio::test]
async fn pages_that_were_known_before_are_never_left_out() {
    let harness = Harness::new().await;
    harness.settings.lock().unwrap().trap_limit = 0;
    plant_days(&harness, 30);
    harness.crawl().await;
    harness.settings.lock().unwrap().trap_limit = 10;
    plant_days(&harness, 40);
    let crawl = harness.crawl().await;
    let (asked, left_out) = outcome(&harness, &crawl).await;
    assert_eq!(asked + left_out.len(), 81);
    let new = |path: &str| path["/day/".len()..].parse::<u32>().is_ok_and(|day| day >= 30);
    assert!(left_out.iter().all(|(path, _)| new(path)), "{left_out:?}");
}

#[tokio::test]
async fn a_process_that_takes_the_crawl_up_knows_the_traps_that_were_found() {
    let harness = Harness::new().await;
    harness.settings.lock().unwrap().trap_limit = 10;
    plant_days(&harness, 40);
    let crawl = harness.open().await;
    let step = harness.step(&crawl);
    step.visit(&harness.root(&crawl), Attempt::default(), harness.now()).await.unwrap();
    for _ in 0..25 {
        visit_next(&harness, &step, &crawl).await;
    }
    let resumed = recalled(&harness, &crawl).await;
    harness.work_off(&resumed, &crawl).await;
    assert_eq!(outcome(&harness, &crawl).await.0, 52);
}

#[tokio::test]
async fn an_audit_names_no_more_missing_pages_than_fit_into_memory() {
    let harness = Harness::new().await;
    let links: Vec<String> = (0..50_100).map(|number| format!("/{number}")).collect();
    harness.web.page("/", &format!("home {}", links.join(" ")));
    let crawl = harness.open().await;
    let step = harness.step(&crawl);
    step.visit(&harness.root(&crawl), Attempt::default(), harness.now()).await.unwrap();
    assert_eq!(harness.audit(&step, &crawl).await.missing.len(), 50_000);
}
