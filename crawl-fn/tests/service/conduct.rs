//! Which pages are asked for, in which order, and how often.

use std::sync::Arc;

use crawl_fn::Config;
use jiff::Timestamp;
use recrawl_core::decide::traps::PageLimit;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::crawl::{Ending, Mode};
use recrawl_core::model::ids::CrawlId;
use recrawl_core::ports::{PullFrontier, StateKey, StateStore, Store};
use recrawl_engine::open_due;
use recrawl_settings::CrawlSettings;
use recrawl_testkit::site::{Logged, Page, Site};
use reqwest::StatusCode;

use crate::stage::{Stage, config, delivery, linked, site_id};

const PAGES: usize = 20;

async fn wide_site() -> Site {
    let site = Site::start().await;
    plant(&site, "first");
    site
}

fn plant(site: &Site, words: &str) {
    let link = |number| format!("<a href=/{number}>{number}</a>");
    let links: String = (1..PAGES).map(link).collect();
    site.page("/", Page::html(format!("<title>Root</title>{links}")));
    for number in 1..PAGES {
        site.page(&format!("/{number}"), Page::html(format!("<title>{number}</title><p>{words} {number}")));
    }
}

fn with(site: &Site, change: impl FnOnce(&mut CrawlSettings)) -> Config {
    let mut config = config(site);
    change(&mut config.site.crawl);
    config
}

/// Visits these pages, and returns a service that works the crawl off after a restart.
async fn restarted(site: &Site, config: impl Fn() -> Config, paths: &[String]) -> (Stage, CrawlId) {
    let before = Stage::with(config(), Arc::default()).await;
    before.pusher.seed(&site.url(), "weekly").await;
    let crawl = before.under_way().await.unwrap().id;
    for path in paths {
        assert_eq!(before.pusher.page(&linked(site, crawl, path)).await, StatusCode::NO_CONTENT);
    }
    let after = Stage::with(config(), Arc::new(before.store.reopened())).await;
    after.pusher.work_off(&after.store, crawl).await;
    (after, crawl)
}

/// Crawls the site once, to the end.
async fn first_week(site: &Site) -> Arc<MemoryStore> {
    let store: Arc<MemoryStore> = Arc::default();
    let stage = Stage::with(config(site), store.clone()).await;
    let crawl = stage.crawl(&site.url(), "week 1").await;
    stage.close(crawl.id).await;
    site.clear_log();
    store
}

/// Returns the requests for pages: not those for robots.txt and sitemaps, nor for a page that nobody has.
fn pages_asked_for(site: &Site) -> Vec<Logged> {
    let is_page = |logged: &Logged| logged.path[1..].chars().all(|letter| letter.is_ascii_digit());
    site.log().into_iter().filter(is_page).collect()
}

async fn ending(store: &MemoryStore) -> Ending {
    let crawls = store.crawls(&site_id()).await.unwrap();
    crawls.last().unwrap().closed.clone().expect("it is closed").ending
}

#[tokio::test]
async fn no_more_requests_are_made_than_are_allowed_and_the_crawl_is_partial() {
    let site = wide_site().await;
    let store = first_week(&site).await;
    let stage = Stage::with(with(&site, |conduct| conduct.budget = Some(7)), store.clone()).await;
    let crawl = stage.crawl(&site.url(), "week 2").await;
    let pages = pages_asked_for(&site).len();
    assert_eq!((pages, stage.records(crawl.id).await.len()), (7, 7), "{:?}", site.log());
    stage.close(crawl.id).await;
    let reason = "the budget of 7 requests was spent; 13 pages wait for the next crawl";
    assert_eq!(ending(&store).await, Ending::Partial(reason.to_owned()));
    assert_eq!(stage.records(crawl.id).await.len(), 7, "the audit queues nothing");
}

#[tokio::test]
async fn no_more_pages_are_asked_for_than_the_limit_and_the_crawl_is_partial() {
    let site = wide_site().await;
    let limited = || with(&site, |conduct| conduct.max_pages = PageLimit::Pages(7));
    let paths: Vec<String> = (1..=4).map(|number| format!("/{number}")).collect();
    let (after, crawl) = restarted(&site, limited, &paths).await;
    assert_eq!(after.records(crawl).await.len(), 7, "a restarted service knows how many were asked for");
    after.close(crawl).await;
    assert_eq!(ending(&after.store).await, Ending::Partial("the limit of 7 pages was reached".to_owned()));
}

#[tokio::test]
async fn a_restarted_service_knows_the_traps_that_were_found() {
    let site = Site::start().await;
    let links: Vec<String> = (0..30).map(|day| format!("<a href=/day/{day}>a day</a>")).collect();
    site.page("/", Page::html(links.concat()));
    for day in 0..30 {
        site.page(&format!("/day/{day}"), Page::html("<p>Nothing takes place on this day.</p>"));
    }
    let limited = || with(&site, |conduct| conduct.trap_limit = 5);
    let paths: Vec<String> = (0..6).map(|day| format!("/day/{day}")).collect();
    let (after, crawl) = restarted(&site, limited, &paths).await;
    let records = after.records(crawl).await;
    let left_out = records.iter().filter_map(|record| record.visit.reason.as_deref()).filter(|reason| {
        reason.starts_with("a trap: more than 5 addresses like ")
            && reason.ends_with("/day/* have the same text")
    });
    assert_eq!((records.len(), left_out.count()), (31, 24), "{records:?}");
    after.close(crawl).await;
    assert_eq!(ending(&after.store).await, Ending::Complete);
}

#[tokio::test]
async fn a_restarted_service_knows_how_many_requests_were_made() {
    let site = wide_site().await;
    let limited = || with(&site, |conduct| conduct.budget = Some(7));
    let paths: Vec<String> = (1..=4).map(|number| format!("/{number}")).collect();
    let (after, crawl) = restarted(&site, limited, &paths).await;
    assert_eq!(after.records(crawl).await.len(), 7);
}

#[tokio::test]
async fn a_sample_is_queued_first_and_much_change_makes_the_crawl_a_full_one() {
    let smart = |site: &Site| with(site, |conduct| (conduct.mode, conduct.smart_sample) = (Mode::Smart, 5));
    for (changes, conditional) in [(false, true), (true, false)] {
        let site = wide_site().await;
        let store = first_week(&site).await;
        if changes {
            plant(&site, "second");
        }
        let stage = Stage::with(smart(&site), store.clone()).await;
        stage.pusher.seed(&site.url(), "week 2").await;
        let crawl = stage.under_way().await.unwrap();
        assert_eq!(crawl.mode, Mode::Smart);
        // The root is one of the five, and visited already.
        let first = store.take(&site_id(), crawl.id, 4).await.unwrap();
        assert!(first.iter().all(|page| page.priority.0 == i64::MAX), "{first:?}");
        for page in &first {
            assert_eq!(stage.pusher.page(page).await, StatusCode::NO_CONTENT);
        }
        // Another process draws the same sample, and finds it decided.
        let restarted = Stage::with(smart(&site), store.clone()).await;
        site.clear_log();
        restarted.pusher.work_off(&store, crawl.id).await;
        assert_eq!(pages_asked_for(&site).len(), PAGES - 5);
        for logged in pages_asked_for(&site) {
            assert_eq!(logged.header("if-none-match").is_some(), conditional, "{}", logged.path);
        }
    }
}

#[tokio::test]
async fn a_crawl_of_due_pages_follows_no_links_and_a_seed_waits_for_its_end() {
    let site = wide_site().await;
    let store = first_week(&site).await;
    site.remove("/3");
    let crawled = store.site(&site_id()).await.unwrap().unwrap();
    let due = open_due(&*store, &*store, &crawled, Some(4), Timestamp::now()).await.unwrap().unwrap();
    assert_eq!(due.pages, 4);
    let stage = Stage::with(config(&site), store.clone()).await;
    stage.pusher.work_off(&store, due.crawl).await;
    for path in ["/", "/3"] {
        // A message that is delivered twice is no second look.
        for _ in 0..2 {
            assert_eq!(stage.pusher.page(&linked(&site, due.crawl, path)).await, StatusCode::NO_CONTENT);
        }
    }
    assert_eq!(site.requests_for("/3").len(), 1);
    assert!(stage.records(due.crawl).await.len() <= 5, "no link of the root is queued");
    let seed = stage.pusher.push(&delivery(&site.url(), "week 2")).await;
    assert_eq!(seed, StatusCode::SERVICE_UNAVAILABLE);
    stage.close(due.crawl).await;
    assert_eq!(ending(&store).await, Ending::Partial("only pages that were due".to_owned()));
    assert_eq!(store.page(&site_id(), due.crawl, &site.at("/3")).await.unwrap(), None, "nothing is gone");
    stage.pusher.seed(&site.url(), "week 2").await;
    assert_eq!(stage.under_way().await.unwrap().opened_by.as_deref(), Some("week 2"));
}

#[tokio::test]
async fn what_a_sitemap_proved_to_be_worth_is_remembered() {
    let site = wide_site().await;
    let entry = |number| {
        let page = site.at(&format!("/{number}"));
        format!("<url><loc>{page}</loc><lastmod>2020-01-01</lastmod></url>")
    };
    let entries: String = (1..PAGES).map(entry).collect();
    site.page("/sitemap.xml", Page::xml(format!("<urlset>{entries}</urlset>")));
    let store = first_week(&site).await;
    let stage = Stage::with(config(&site), store.clone()).await;
    let crawl = stage.crawl(&site.url(), "week 2").await;
    stage.close(crawl.id).await;
    let host = site.at("/").host_key();
    let memo = store.state(&StateKey::sitemap_reliability(&host)).await.unwrap();
    let reliability: recrawl_core::plan::visit_planner::Reliability =
        serde_json::from_str(&memo.unwrap().value).unwrap();
    assert_eq!((reliability.same_and_unchanged, reliability.same_but_changed), (19, 0), "{reliability:?}");
}
