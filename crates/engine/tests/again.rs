//! Pages that are asked for again at the end of a crawl, and crawls that end before that.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod world;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use jiff::Timestamp;
use recrawl_core::decide::back_off::PaceSettings;
use recrawl_core::model::crawl::{Closed, Ending};
use recrawl_core::model::policy::CrawlPolicy;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{Fetcher, Store};
use recrawl_engine::{BudgetedFetcher, Ended, Event, Observer, RequestBudget, Runner, StopHandle, StopMode};
use recrawl_store_sqlite::SqliteStore;
use recrawl_testkit::contract::samples::policy;
use recrawl_testkit::site::Page;

use self::world::{World, ports};

const PAGES: u32 = 20;
const BY_HAND: StopMode = StopMode::Close("it was stopped by hand");

/// When a run ends before its time, and how.
#[derive(Clone, Copy)]
enum Asks {
    Never,
    ForRequests(u64),
    AfterPages(u32, StopMode),
    WhenConfirming(StopMode),
    WhenRechecking(StopMode),
}

struct Person {
    asks: Asks,
    stop_handle: StopHandle,
    recorded: AtomicU32,
}

impl Observer for Person {
    fn on(&self, event: Event<'_>) {
        match (event, self.asks) {
            (Event::Recorded { .. }, Asks::AfterPages(pages, stop_mode)) => {
                if self.recorded.fetch_add(1, Ordering::Relaxed) + 1 == pages {
                    self.stop_handle.ask(stop_mode);
                }
            }
            (Event::Confirming(_), Asks::WhenConfirming(stop_mode))
            | (Event::Rechecking(_), Asks::WhenRechecking(stop_mode)) => self.stop_handle.ask(stop_mode),
            (_, _) => {}
        }
    }
}

/// Goes on with the open crawl, or opens the next, in a store that is opened anew as by another process.
async fn run(world: &World, asks: Asks) -> (Ended, Arc<SqliteStore>) {
    let (store, stop_handle) = (world.store(), StopHandle::default());
    let (polite, robots) = world.web(&store, PaceSettings::unlimited());
    let requests = match asks {
        Asks::ForRequests(requests) => Some(Arc::new(RequestBudget::new(requests))),
        _ => None,
    };
    let fetcher: Arc<dyn Fetcher> = match &requests {
        Some(requests) => Arc::new(BudgetedFetcher::new(polite, requests.clone())),
        None => polite,
    };
    let policy = CrawlPolicy { recheck_share: 0.01, ..policy() };
    let person = Person { asks, stop_handle: stop_handle.clone(), recorded: AtomicU32::new(0) };
    let runner = world.runner(&store, ports(&store, fetcher, robots), policy, Arc::new(person)).await;
    let mut runner = Runner { stop_handle, ..runner };
    runner.run.budget.requests = requests;
    (runner.run().await.unwrap(), store)
}

fn closed(ended: Ended) -> Closed {
    match ended {
        Ended::Closed(closed) => *closed,
        Ended::Stopped | Ended::Waiting(_) => panic!("{ended:?}"),
    }
}

const STORY: [&str; 6] =
    ["The council", "Meets weekly", "In the hall", "Bring papers", "Ring twice", "The end"];

fn story(line: &str) -> Page {
    let lines = STORY.iter().chain([&line]).map(|line| format!("<p>{line}</p>"));
    Page::html(format!("<main>{}</main>", lines.collect::<String>()))
}

/// A site that was crawled once; page `/3` tells a story.
async fn known_story(line: &str) -> World {
    let paths: Vec<String> = (0..PAGES).map(|page| format!("/{page}")).collect();
    let world = World::new(&paths, Timestamp::now).await;
    world.server.page("/3", story(line));
    closed(run(&world, Asks::Never).await.0);
    world.server.clear_log();
    world
}

/// Returns what the newest crawl says of `/3`, and how often it was asked for since the log was cleared.
async fn found(world: &World, store: &SqliteStore) -> (Verdict, u32, usize) {
    let crawls = store.crawls(&world.site.id).await.unwrap();
    let newest = crawls.iter().max_by_key(|crawl| crawl.opened_at).unwrap();
    let record = store.page(&world.site.id, newest.id, &world.server.at("/3")).await.unwrap().unwrap();
    (record.visit.verdict, record.visit.requests, world.server.requests_for("/3").len())
}

#[tokio::test]
async fn an_unchanged_crawl_asks_for_nothing_again() {
    let world = known_story("Seen by 5 people").await;
    closed(run(&world, Asks::Never).await.0);
    let pages = world.server.log().into_iter().filter(|logged| logged.path != "/robots.txt").count();
    assert_eq!(pages, PAGES as usize + 1);
}

#[tokio::test]
async fn noise_of_a_page_that_is_hardly_known_is_no_change_and_is_known_from_then_on() {
    let world = known_story("Seen by 5 people").await;
    world.server.page("/3", story("Seen by 7 people").after(1, story("Seen by 6 people")));
    let (ended, store) = run(&world, Asks::Never).await;
    let closed_then = closed(ended);
    assert_eq!((closed_then.ending, closed_then.statistics.counts[Verdict::Changed]), (Ending::Complete, 0));
    assert_eq!(found(&world, &store).await, (Verdict::Touched, 2, 2));
    assert_eq!(closed_then.statistics.requests, u64::from(PAGES) + 2, "every request is counted");
    let asked = world.server.requests_for("/3");
    let conditions: Vec<bool> = asked.iter().map(|asked| asked.header("if-none-match").is_some()).collect();
    assert_eq!(conditions, [true, false], "the second request has no conditions");
    drop(store);
    world.server.clear_log();
    world.server.page("/3", story("Seen by 8 people"));
    let (ended, store) = run(&world, Asks::Never).await;
    assert_eq!(closed(ended).statistics.counts[Verdict::Changed], 0);
    assert_eq!(found(&world, &store).await, (Verdict::Touched, 1, 1));
}

#[tokio::test]
async fn a_crawl_that_ends_before_the_second_request_records_what_was_seen_first() {
    let world = known_story("Seen by 5 people").await;
    world.server.page("/3", story("Seen by 7 people").after(1, story("Seen by 6 people")));
    let (ended, store) = run(&world, Asks::WhenRechecking(BY_HAND)).await;
    assert_eq!(closed(ended).ending, Ending::Complete, "every page is recorded");
    assert_eq!(found(&world, &store).await, (Verdict::Changed, 1, 1));
    drop(store);
    // As many requests as there are pages.
    world.server.clear_log();
    world.server.page("/3", story("Seen by 9 people").after(1, story("Seen by 8 people")));
    let (_, store) = run(&world, Asks::ForRequests(u64::from(PAGES) + 1)).await;
    assert_eq!(found(&world, &store).await, (Verdict::Changed, 1, 1));
}

#[tokio::test]
async fn a_crawl_that_rests_before_the_second_request_makes_it_when_it_goes_on() {
    let world = known_story("Seen by 5 people").await;
    world.server.page("/3", story("Seen by 7 people").after(1, story("Seen by 6 people")));
    let (ended, store) = run(&world, Asks::WhenRechecking(StopMode::Pause)).await;
    assert!(matches!(ended, Ended::Stopped), "{ended:?}");
    assert_eq!(found(&world, &store).await, (Verdict::Changed, 1, 1));
    drop(store);
    let (ended, store) = run(&world, Asks::Never).await;
    assert_eq!(closed(ended).statistics.counts[Verdict::Touched], 1);
    assert_eq!(found(&world, &store).await, (Verdict::Touched, 2, 2));
}

#[tokio::test]
async fn lost_content_is_believed_if_it_is_lost_at_the_end_of_the_crawl_too() {
    let busy = || Page::html("<main><p>We are busy</p></main>");
    for (second, expected) in [(busy(), Verdict::Changed), (story("Open"), Verdict::Unchanged)] {
        let world = known_story("Open").await;
        world.server.page("/3", second.after(1, busy()));
        let (ended, store) = run(&world, Asks::WhenConfirming(BY_HAND)).await;
        assert_eq!(closed(ended).ending, Ending::Complete);
        let (verdict, _, requests) = found(&world, &store).await;
        assert_eq!((verdict, requests), (expected, 2));
    }
}

#[tokio::test]
async fn lost_content_is_a_failure_where_the_crawl_is_stopped_and_asked_for_again_where_it_rests() {
    let busy = || Page::html("<main><p>We are busy</p></main>");
    for (stop_mode, expected) in [(BY_HAND, Verdict::Failed), (StopMode::Pause, Verdict::Changed)] {
        let world = known_story("Open").await;
        world.server.page("/3", busy());
        let (mut ended, mut store) = run(&world, Asks::AfterPages(18, stop_mode)).await;
        assert_eq!(world.server.requests_for("/3").len(), 1, "{ended:?}");
        if stop_mode == StopMode::Pause {
            drop(store);
            (ended, store) = run(&world, Asks::Never).await;
        }
        closed(ended);
        assert_eq!(found(&world, &store).await.0, expected);
    }
}
