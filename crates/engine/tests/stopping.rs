//! Ending a run before its time: the crawl rests, or is closed as partial.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod world;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use jiff::Timestamp;
use recrawl_core::decide::back_off::PaceSettings;
use recrawl_core::model::archive::ArchivePolicy;
use recrawl_core::model::crawl::{Closed, Ending};
use recrawl_core::model::policy::CrawlPolicy;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{StateGroup, StateStore, Store};
use recrawl_engine::{Ended, Event, Observer, Runner, StopHandle, StopMode};
use recrawl_store_sqlite::SqliteStore;
use recrawl_testkit::contract::samples::policy;

use self::world::{World, ports};

const PAGES: u32 = 20;
const BY_HAND: StopMode = StopMode::Close("it was stopped by hand");

/// When somebody asks the run to end, and how.
#[derive(Clone, Copy)]
enum Asks {
    Never,
    AtOnce(StopMode),
    AfterPages(u32, StopMode),
    WhenConfirming(StopMode),
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
            (Event::Confirming(_), Asks::WhenConfirming(stop_mode)) => self.stop_handle.ask(stop_mode),
            (_, _) => {}
        }
    }
}

/// Returns a site of [`PAGES`] pages below its root.
async fn world() -> World {
    let paths: Vec<String> = (0..PAGES).map(|page| format!("/{page}")).collect();
    World::new(&paths, Timestamp::now).await
}

/// Goes on with the open crawl, or opens the next, in a store that is opened anew as by another process.
async fn run(world: &World, asks: Asks) -> (Ended, Arc<SqliteStore>) {
    let store = world.store();
    let stop_handle = StopHandle::default();
    if let Asks::AtOnce(stop_mode) = asks {
        stop_handle.ask(stop_mode);
    }
    let (fetcher, robots) = world.web(&store, PaceSettings::unlimited());
    let policy = CrawlPolicy { archive: ArchivePolicy::Never, ..policy() };
    let person = Person { asks, stop_handle: stop_handle.clone(), recorded: AtomicU32::new(0) };
    let runner = world.runner(&store, ports(&store, fetcher, robots), policy, Arc::new(person)).await;
    let runner = Runner { stop_handle, ..runner };
    (runner.run().await.unwrap(), store)
}

fn closed(ended: Ended) -> Closed {
    match ended {
        Ended::Closed(closed) => *closed,
        Ended::Stopped | Ended::Waiting(_) => panic!("{ended:?}"),
    }
}

#[tokio::test]
async fn a_run_that_is_closed_early_is_partial_and_makes_nothing_gone() {
    let world = world().await;
    closed(run(&world, Asks::Never).await.0);
    for page in 0..5 {
        world.server.remove(&format!("/{page}"));
    }
    let closed = closed(run(&world, Asks::AfterPages(8, BY_HAND)).await.0);
    assert_eq!(closed.ending, Ending::Partial("it was stopped by hand".to_owned()));
    assert_eq!((closed.statistics.total, closed.statistics.counts[Verdict::Gone]), (8, 0));
}

#[tokio::test]
async fn a_run_that_rests_goes_on_and_one_that_rested_can_be_closed_without_a_request() {
    let world = world().await;
    let (ended, store) = run(&world, Asks::AfterPages(8, StopMode::Pause)).await;
    assert!(matches!(ended, Ended::Stopped), "{ended:?}");
    assert!(store.crawl_under_way(&world.site.id).await.unwrap().is_some());
    drop(store);
    let before = world.server.log().len();
    let closed = closed(run(&world, Asks::AtOnce(BY_HAND)).await.0);
    assert_eq!(closed.ending, Ending::Partial("it was stopped by hand".to_owned()));
    assert_eq!((closed.statistics.total, world.server.log().len()), (8, before));
}

#[tokio::test]
async fn pages_that_are_being_confirmed_to_be_gone_are_confirmed_all() {
    let world = world().await;
    closed(run(&world, Asks::Never).await.0);
    for page in 0..5 {
        world.server.remove(&format!("/{page}"));
    }
    let closed = closed(run(&world, Asks::WhenConfirming(BY_HAND)).await.0);
    assert_eq!((closed.ending, closed.statistics.counts[Verdict::Gone]), (Ending::Complete, 5));
}

#[tokio::test]
async fn what_was_noted_about_pages_is_forgotten_when_the_crawl_is_closed() {
    let world = world().await;
    closed(run(&world, Asks::Never).await.0);
    for page in 0..5 {
        world.server.remove(&format!("/{page}"));
    }
    let absences = StateGroup::first_doubts(&world.site.id);
    let noted = async |store: &SqliteStore| store.states(&absences).await.unwrap().len();
    let (_, store) = run(&world, Asks::AfterPages(15, StopMode::Pause)).await;
    assert!(noted(&store).await > 0, "the crawl is open");
    drop(store);
    let (ended, store) = run(&world, Asks::Never).await;
    assert_eq!((closed(ended).statistics.counts[Verdict::Gone], noted(&store).await), (5, 0));
}
