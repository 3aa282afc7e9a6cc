//! What a crawl costs in Firestore, counted on the real crawl step with the real store.
//!
//! The user's site has 3,500 pages; what each of them costs does not depend on their number, so 300 are
//! counted, and beside what a page may cost a few operations for the crawl as a whole.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "budget/cost.rs"]
mod cost;
#[path = "budget/world.rs"]
mod world;

use recrawl_core::model::crawl::Operations;
use recrawl_core::model::verdict::Verdict;
use world::World;

/// How many pages the site has.
const PAGES: usize = 300;

/// Returns what was counted between two moments.
fn between(before: Operations, after: Operations) -> Operations {
    after.since(before)
}

/// Fails if `used` is more than `hundredths` of an operation a page.
fn at_most(used: u64, hundredths: u64, what: &str) {
    let allowed = PAGES as u64 * hundredths / 100;
    assert!(used <= allowed, "{what}: {used} for {PAGES} pages, {allowed} are allowed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_stays_within_its_budget() {
    let world = World::new(PAGES).await;
    let start = world.counted();
    let first = world.crawl("crawl-2026-11-09").await;
    let crawled = world.counted();
    let used = between(start, crawled);
    at_most(used.writes, 210, "writes of a first crawl");
    at_most(used.reads, 110, "reads of a first crawl");
    at_most(used.messages, 105, "pages queued in a first crawl");
    let statistics = world.close(&first).await;
    assert_eq!(statistics.counts[Verdict::New], PAGES as u64);
    let used = between(crawled, world.counted());
    at_most(used.reads, 210, "reads of the first closing audit");

    let start = world.counted();
    let second = world.crawl("crawl-2026-11-16").await;
    let crawled = world.counted();
    let used = between(start, crawled);
    at_most(used.writes, 105, "writes of an unchanged crawl");
    at_most(used.reads, 210, "reads of an unchanged crawl");
    at_most(used.messages, 105, "pages queued in an unchanged crawl");
    let statistics = world.close(&second).await;
    assert_eq!(
        (statistics.counts[Verdict::Unchanged], statistics.not_modified),
        (PAGES as u64, PAGES as u64)
    );
    let used = between(crawled, world.counted());
    at_most(used.reads, 210, "reads of the closing audit");
    assert!(used.writes <= 5, "{} writes to close a crawl", used.writes);
    assert_eq!(used.deletes, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_was_not_there_closes_a_crawl_from_the_roll_of_the_one_before() {
    let world = World::new(40).await;
    let first = world.crawl("crawl-2026-11-09").await;
    world.close(&first).await;
    world.site.remove("/17");
    let second = world.crawl("crawl-2026-11-16").await;
    let restarted = world.restarted().await;
    let before = restarted.counted();
    let statistics = restarted.close(&second).await;
    assert_eq!((statistics.total, statistics.counts[Verdict::Gone]), (40, 1));
    let mut used = between(before, restarted.counted());
    used.reads -= restarted.due_to_haste();
    // The page that is absent is looked at once more before it is gone; the audit after that goes on from the first.
    assert!(used.reads <= 2 * 40 + 30, "{} reads", used.reads);
    assert!(used.writes <= 10, "{} writes", used.writes);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_page_costs_a_handful_of_reads_and_not_a_second_audit() {
    let world = World::new(PAGES).await;
    let first = world.crawl("crawl-2026-11-09").await;
    world.close(&first).await;
    world.site.remove("/17");
    let start = world.counted();
    let second = world.crawl("crawl-2026-11-16").await;
    let statistics = world.close(&second).await;
    assert_eq!((statistics.total, statistics.counts[Verdict::Gone]), (PAGES as u64, 1));
    let mut used = between(start, world.counted());
    used.reads -= world.due_to_haste();
    at_most(used.reads, 410, "reads of a crawl with a removed page, audits and closing included");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_known_of_all_pages_costs_a_handful_of_reads() {
    let world = World::new(PAGES).await;
    let first = world.crawl("crawl-2026-11-09").await;
    world.close(&first).await;
    let restarted = world.restarted().await;
    let before = restarted.counted();
    let page_summaries = restarted.page_summaries().await;
    assert_eq!(page_summaries.len(), PAGES);
    let used = between(before, restarted.counted());
    assert!(used.reads <= 3, "{} reads", used.reads);
}
