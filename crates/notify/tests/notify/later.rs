//! What could not be told is told later, once.

use std::sync::{Arc, Mutex};

use jiff::{SignedDuration, Timestamp};
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::crawl::{Closed, Crawl, Ending, Site, Suspicion};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::scope::ScopeSettings;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::ports::{StateKey, StateStore, Store};
use recrawl_notify::{Fate, Occasion, Round, TargetName, Which, note, pending};

use crate::receiver::{Fault, Receiver};
use crate::world::{read, time, word};

/// A store with crawls of one site, and a clock that tests set.
struct Harness {
    store: MemoryStore,
    now: Arc<Mutex<Timestamp>>,
}

impl Harness {
    async fn new() -> Self {
        let harness = Self { store: MemoryStore::default(), now: Arc::new(Mutex::new(time())) };
        let (root, scope) = ("https://example.org/".parse().unwrap(), ScopeSettings::default());
        harness.store.save_site(&Site { id: site(), root, scope, created_at: time() }).await.unwrap();
        harness
    }

    /// Opens a crawl and notes who is to be told, as every crawl begins.
    async fn open(&self, crawl: CrawlId, targets: &[&str]) {
        self.store.open_crawl(&Crawl::new(site(), crawl, time())).await.unwrap();
        note(&self.store, &names(targets), (&site(), crawl), Occasion::Closed, time()).await.unwrap();
    }

    async fn close(&self, crawl: CrawlId, suspicion: Option<Suspicion>) {
        let statistics = Statistics::default();
        let closed = Closed { at: time(), ending: Ending::Complete, suspicion, state: None, statistics };
        self.store.close_crawl(&site(), crawl, &closed).await.unwrap();
    }

    async fn accept(&self, crawl: CrawlId, targets: &[&str]) {
        note(&self.store, &names(targets), (&site(), crawl), Occasion::Accepted, time()).await.unwrap();
        self.store.accept_crawl(&site(), crawl, time()).await.unwrap();
    }

    fn later(&self, by: SignedDuration) {
        *self.now.lock().unwrap() += by;
    }

    /// Makes a round, and returns what became of what in a word or two each.
    async fn round(&self, table: &str, which: Which) -> Vec<String> {
        let (targets, now) = (read(table, &[]).unwrap(), self.now.clone());
        let clock = move || *now.lock().unwrap();
        let (history, index) = (&self.store, &self.store);
        let round =
            Round { history, index, targets: &targets, unreachable: &[], which, site: None, clock: &clock };
        let reports = round.make().await.unwrap();
        let fate = |fate: &Fate| match fate {
            Fate::Tried(outcome) => word(outcome),
            Fate::GivenUp(_) => "given up".to_owned(),
            Fate::TargetRemoved => "removed".to_owned(),
            Fate::CrawlDeleted => "deleted".to_owned(),
        };
        reports.iter().map(|report| format!("{}: {}", report.target, fate(&report.fate))).collect()
    }

    async fn waiting(&self) -> usize {
        pending(&self.store).await.unwrap().len()
    }
}

fn site() -> SiteId {
    "example.org".parse().unwrap()
}

fn crawl(number: u32) -> CrawlId {
    format!("crawl-2026-11-{number:02}").parse().unwrap()
}

fn names(targets: &[&str]) -> Vec<TargetName> {
    targets.iter().map(|name| name.parse().unwrap()).collect()
}

fn hook(name: &str, receiver: &Receiver) -> String {
    format!("[{name}]\nkind = 'webhook'\nurl = '{}'\nquiet = true\n", receiver.url("/"))
}

fn doubt() -> Suspicion {
    Suspicion::new("half has gone".to_owned())
}

#[tokio::test]
async fn a_crawl_whose_process_died_after_closing_it_is_told_by_the_next_one_and_once() {
    let (harness, receiver) = (Harness::new().await, Receiver::start([]).await);
    let table = hook("a", &receiver);
    harness.open(crawl(1), &["a"]).await;
    assert_eq!(harness.round(&table, Which::Due).await, [""; 0], "it is still open");
    harness.close(crawl(1), None).await;
    assert_eq!(harness.round(&table, Which::Due).await, ["a: told 1"]);
    assert_eq!(harness.round(&table, Which::All).await, [""; 0]);
    assert_eq!((receiver.received().len(), harness.waiting().await), (1, 0));
}

#[tokio::test]
async fn a_process_that_died_between_telling_and_noting_it_tells_again_under_the_same_id() {
    let (harness, receiver) = (Harness::new().await, Receiver::start([]).await);
    let table = hook("a", &receiver);
    harness.open(crawl(1), &["a"]).await;
    harness.close(crawl(1), None).await;
    harness.round(&table, Which::Due).await;
    // Told and remembered, but not struck off the list: told no more.
    note(&harness.store, &names(&["a"]), (&site(), crawl(1)), Occasion::Closed, time()).await.unwrap();
    assert_eq!(harness.round(&table, Which::Due).await, ["a: already"]);
    assert_eq!((receiver.received().len(), harness.waiting().await), (1, 0));
    // Told, and not even remembered.
    let memo = recrawl_core::ports::StateEntry { saved_at: time(), value: String::new() };
    let key = StateKey::notified("a", &"example.org".parse().unwrap(), "crawl-2026-11-01".parse().unwrap());
    harness.store.save_state(&key, &memo).await.unwrap();
    note(&harness.store, &names(&["a"]), (&site(), crawl(1)), Occasion::Closed, time()).await.unwrap();
    assert_eq!(harness.round(&table, Which::Due).await, ["a: told 1"]);
    let [first, second] = &receiver.received()[..] else { panic!() };
    assert_eq!(first.header("idempotency-key"), second.header("idempotency-key"));
}

#[tokio::test]
async fn a_target_that_is_down_is_tried_after_a_while_and_told_once_whatever_others_are() {
    let faults = (0..3).map(|_| Fault::Status(503));
    let (harness, down, well) =
        (Harness::new().await, Receiver::start(faults).await, Receiver::start([]).await);
    let table = hook("down", &down) + &hook("well", &well);
    harness.open(crawl(1), &["down", "well"]).await;
    harness.close(crawl(1), None).await;
    let failed = "down: given up after 1 attempt: it answers 503";
    assert_eq!(harness.round(&table, Which::Due).await, [failed, "well: told 1"]);
    assert_eq!(harness.round(&table, Which::Due).await, [""; 0], "a minute is not over");
    for minutes in [1, 2] {
        harness.later(SignedDuration::from_mins(minutes));
        assert_eq!(harness.round(&table, Which::Due).await, [failed]);
    }
    harness.later(SignedDuration::from_mins(4));
    assert_eq!(harness.round(&table, Which::Due).await, ["down: told 1"]);
    harness.later(SignedDuration::from_hours(24 * 30));
    assert_eq!(harness.round(&table, Which::All).await, [""; 0]);
    assert_eq!((down.received().len(), well.received().len(), harness.waiting().await), (4, 1, 0));
}

#[tokio::test]
async fn crawls_that_wait_are_told_in_order_and_a_target_that_cannot_be_reached_is_tried_once_a_round() {
    let (harness, receiver) = (Harness::new().await, Receiver::start([Fault::Status(503)]).await);
    let table = hook("a", &receiver);
    for number in [1, 2, 3] {
        harness.open(crawl(number), &["a"]).await;
        harness.close(crawl(number), None).await;
    }
    assert_eq!(harness.round(&table, Which::Due).await.len(), 1);
    assert_eq!(receiver.received().len(), 1);
    assert_eq!(harness.round(&table, Which::Waiting).await, ["a: told 1"; 3]);
    let told: Vec<String> = receiver.received().iter().skip(1).map(|request| request.body.clone()).collect();
    for (body, number) in told.iter().zip(1..) {
        assert!(body.contains(&crawl(number).to_string()), "{number}: {body}");
    }
}

#[tokio::test]
async fn a_week_of_failures_is_given_up_loudly_and_a_person_may_have_it_tried_again() {
    let faults = (0..3).map(|_| Fault::Status(404));
    let (harness, receiver) = (Harness::new().await, Receiver::start(faults).await);
    let table = hook("a", &receiver);
    harness.open(crawl(1), &["a"]).await;
    harness.close(crawl(1), None).await;
    assert_eq!(harness.round(&table, Which::Due).await, ["a: refused: it answers 404"]);
    harness.later(SignedDuration::from_hours(6 * 24));
    assert_eq!(harness.round(&table, Which::Due).await, ["a: refused: it answers 404"]);
    harness.later(SignedDuration::from_hours(24));
    assert_eq!(harness.round(&table, Which::Due).await, ["a: given up"]);
    harness.later(SignedDuration::from_hours(24));
    assert_eq!(harness.round(&table, Which::Waiting).await, [""; 0]);
    let kept = pending(&harness.store).await.unwrap();
    assert!(kept[0].is_given_up() && kept[0].to_string().contains("it answers 404"), "{}", kept[0]);
    assert_eq!(harness.round(&table, Which::All).await, ["a: told 1"]);
    assert_eq!(harness.waiting().await, 0);
}

#[tokio::test]
async fn targets_that_were_removed_are_dropped_and_new_ones_are_not_told_the_past() {
    let (harness, receiver) = (Harness::new().await, Receiver::start([]).await);
    harness.open(crawl(1), &["old", "both"]).await;
    harness.close(crawl(1), None).await;
    assert_eq!(harness.round("", Which::All).await, [""; 0], "nobody is named here: somebody else tells");
    let table = hook("both", &receiver) + &hook("new", &receiver);
    assert_eq!(harness.round(&table, Which::Due).await, ["old: removed", "both: told 1"]);
    assert_eq!((receiver.received().len(), harness.waiting().await), (1, 0));
}

#[tokio::test]
async fn a_warning_that_was_not_told_gives_way_to_findings_that_were_accepted() {
    let (harness, receiver) = (Harness::new().await, Receiver::start([Fault::Status(503)]).await);
    let table = hook("a", &receiver);
    harness.open(crawl(1), &["a"]).await;
    harness.close(crawl(1), Some(doubt())).await;
    assert_eq!(harness.round(&table, Which::Due).await.len(), 1);
    harness.accept(crawl(1), &["a"]).await;
    assert_eq!(harness.waiting().await, 2);
    assert_eq!(harness.round(&table, Which::Waiting).await, ["a: told 1"]);
    let last = receiver.received().pop().unwrap();
    assert!(last.body.contains(r#""stage":"findings""#), "{}", last.body);
    assert_eq!(harness.waiting().await, 0);
}

#[tokio::test]
async fn what_is_noted_before_a_crawl_is_accepted_waits_until_it_is() {
    let (harness, receiver) = (Harness::new().await, Receiver::start([]).await);
    let table = hook("a", &receiver);
    harness.open(crawl(1), &["a"]).await;
    harness.close(crawl(1), Some(doubt())).await;
    assert_eq!(harness.round(&table, Which::Due).await, ["a: told 1"]);
    note(&harness.store, &names(&["a"]), (&site(), crawl(1)), Occasion::Accepted, time()).await.unwrap();
    assert_eq!(harness.round(&table, Which::Due).await, [""; 0]);
    harness.accept(crawl(1), &["a"]).await;
    assert_eq!(harness.round(&table, Which::Due).await, ["a: told 1"]);
    let stages = ["warning", "findings"].map(|stage| format!("\"stage\":\"{stage}\""));
    for (request, stage) in receiver.received().iter().zip(&stages) {
        assert!(request.body.contains(stage), "{}", request.body);
    }
    // A process that died before it accepted another one.
    harness.open(crawl(2), &[]).await;
    harness.close(crawl(2), Some(doubt())).await;
    note(&harness.store, &names(&["a"]), (&site(), crawl(2)), Occasion::Accepted, time()).await.unwrap();
    harness.later(SignedDuration::from_hours(8 * 24));
    assert_eq!(harness.round(&table, Which::Due).await, [""; 0]);
    assert_eq!(harness.waiting().await, 0);
}

#[tokio::test]
async fn a_crawl_that_was_deleted_is_not_told() {
    let (harness, receiver) = (Harness::new().await, Receiver::start([]).await);
    note(&harness.store, &names(&["a"]), (&site(), crawl(1)), Occasion::Closed, time()).await.unwrap();
    assert_eq!(harness.round(&hook("a", &receiver), Which::Due).await, ["a: deleted"]);
    assert_eq!(harness.waiting().await, 0);
}
