//! Digests over several sites, on a schedule: each change once, whatever happens to the process.

use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use recrawl_core::memory::MemoryStore;
use recrawl_core::model::content::Content;
use recrawl_core::model::crawl::{Closed, Crawl, Ending, Site, Suspicion};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::kind::WordCount;
use recrawl_core::model::scope::ScopeSettings;
use recrawl_core::model::site_state::{Obstacle, SiteState};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::Store;
use recrawl_notify::{Fate, Occasion, Round, Which, is_anything_due, note, pending, timing};
use recrawl_testkit::contract::samples::{content, record_of};
use serde_json::Value;

use crate::receiver::{Fault, Receiver};
use crate::world::{read, word};

/// A Monday, an hour before the digest.
const MONDAY: &str = "2026-11-16T06:00:00Z";

struct World {
    store: MemoryStore,
    now: Arc<Mutex<Timestamp>>,
}

impl World {
    async fn new() -> Self {
        let world = Self { store: MemoryStore::default(), now: Arc::new(Mutex::new(time(MONDAY))) };
        for (site, host) in [("harbor", "harbor.example"), ("willow", "example.org")] {
            let root = format!("https://{host}/").parse().unwrap();
            let (scope, created_at) = (ScopeSettings::default(), time("2026-10-01T00:00:00Z"));
            world.store.save_site(&Site { id: id(site), root, scope, created_at }).await.unwrap();
            world
                .crawl(site, "crawl-2026-11-01", "2026-11-01T06:00:00Z", &[("/", Verdict::New, "Old")], ok())
                .await;
            let mut waiting = pending(&world.store).await.unwrap();
            assert!(waiting.pop().is_none());
        }
        world
    }

    /// Records a crawl with these pages; `team` is to be told unless it is the first.
    async fn crawl(&self, site: &str, crawl: &str, at: &str, pages: &[(&str, Verdict, &str)], end: Closed) {
        let (site, crawl): (SiteId, CrawlId) = (id(site), crawl.parse().unwrap());
        self.store.open_crawl(&Crawl::new(site.clone(), crawl, time(at))).await.unwrap();
        let mut statistics = Statistics::default();
        for (path, verdict, text) in pages {
            let content: Content = content(text);
            let mut record = record_of(site.as_str(), &crawl.to_string(), path, &content);
            record.visit.verdict = *verdict;
            record.visit.words = WordCount { changed: 4, of: 612 };
            statistics.add(&record);
            self.store.record(&record, Some(&content)).await.unwrap();
        }
        if !at.starts_with("2026-11-01") {
            self.note(&site, crawl, Occasion::Closed).await;
        }
        self.store.close_crawl(&site, crawl, &Closed { at: time(at), statistics, ..end }).await.unwrap();
    }

    async fn note(&self, site: &SiteId, crawl: CrawlId, occasion: Occasion) {
        let now = *self.now.lock().unwrap();
        note(&self.store, &["team".parse().unwrap()], (site, crawl), occasion, now).await.unwrap();
    }

    fn at(&self, now: &str) {
        *self.now.lock().unwrap() = time(now);
    }

    async fn round(&self, table: &str, which: Which) -> Vec<String> {
        let (targets, now) = (read(table, &[]).unwrap(), self.now.clone());
        let clock = move || *now.lock().unwrap();
        let (history, index) = (&self.store, &self.store);
        let round =
            Round { history, index, targets: &targets, unreachable: &[], which, site: None, clock: &clock };
        let reports = round.make().await.unwrap();
        let fate = |fate: &Fate| match fate {
            Fate::Tried(outcome) => word(outcome),
            other => format!("{other:?}"),
        };
        reports.iter().map(|report| format!("{} + {}", fate(&report.fate), report.more)).collect()
    }

    async fn previews(&self, table: &str) -> Vec<String> {
        let (targets, now) = (read(table, &[]).unwrap(), self.now.clone());
        let clock = move || *now.lock().unwrap();
        let (history, index) = (&self.store, &self.store);
        let round = Round {
            history,
            index,
            targets: &targets,
            unreachable: &[],
            which: Which::All,
            site: None,
            clock: &clock,
        };
        round.preview(None).await.unwrap().iter().map(ToString::to_string).collect()
    }

    async fn is_due(&self, table: &str) -> bool {
        let targets: std::collections::BTreeMap<String, recrawl_notify::TargetSettings> =
            toml::from_str(table).unwrap();
        let timings = targets
            .into_iter()
            .filter_map(|(name, settings)| Some((name.parse().ok()?, timing(&settings.timing).unwrap()?)))
            .collect();
        let now = *self.now.lock().unwrap();
        is_anything_due(&self.store, &self.store, &timings, now).await.unwrap()
    }
}

fn id(site: &str) -> SiteId {
    site.parse().unwrap()
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn ok() -> Closed {
    let (ending, statistics) = (Ending::Complete, Statistics::default());
    Closed { at: time(MONDAY), ending, suspicion: None, state: None, statistics }
}

fn weekly(receiver: &Receiver) -> String {
    format!("[team]\nkind = 'webhook'\nurl = '{}'\nschedule = '0 7 * * 1'\n", receiver.url("/"))
}

/// Two crawls of one site and one of another in the week before Monday.
async fn a_week(world: &World) {
    let changed = |text: &'static str| [("/budget", Verdict::Changed, text)];
    world.crawl("willow", "crawl-2026-11-10", "2026-11-10T06:00:00Z", &changed("Fee 11"), ok()).await;
    let twice = [("/budget", Verdict::Changed, "Fee 12"), ("/new", Verdict::New, "Hearing")];
    world.crawl("willow", "crawl-2026-11-14", "2026-11-14T06:00:00Z", &twice, ok()).await;
    world.crawl("harbor", "crawl-2026-11-13", "2026-11-13T06:00:00Z", &changed("Berth 3"), ok()).await;
}

fn messages(receiver: &Receiver) -> Vec<Value> {
    receiver.received().iter().map(|request| serde_json::from_str(&request.body).unwrap()).collect()
}

#[tokio::test]
async fn what_several_sites_found_is_one_digest_at_its_time_and_each_change_is_in_it_once() {
    let (world, receiver) = (World::new().await, Receiver::start([]).await);
    let table = weekly(&receiver);
    a_week(&world).await;
    for which in [Which::Due, Which::Waiting] {
        assert_eq!(world.round(&table, which).await, [""; 0], "it is not seven yet");
    }
    assert!(!world.is_due(&table).await);
    world.at("2026-11-16T07:00:00Z");
    assert!(world.is_due(&table).await);
    assert_eq!(world.round(&table, Which::Due).await, ["told 1 + 2"]);
    assert_eq!(world.round(&table, Which::All).await, [""; 0]);
    let [message] = &messages(&receiver)[..] else { panic!() };
    assert_eq!(message["stage"], "digest");
    assert_eq!(message["headline"], "3 changes on 2 sites this week");
    assert_eq!(message["count"], 3);
    let told: Vec<(&str, &str, usize)> = message["sites"]
        .as_array()
        .unwrap()
        .iter()
        .map(|site| {
            let text = |name: &str| site[name].as_str().unwrap();
            (text("site"), text("crawl"), site["changes"].as_array().unwrap().len())
        })
        .collect();
    assert_eq!(told, [("harbor", "crawl-2026-11-13", 1), ("willow", "crawl-2026-11-14", 2)]);
    // The next one has only what came since.
    world
        .crawl("harbor", "crawl-2026-11-18", "2026-11-18T06:00:00Z", &[("/x", Verdict::New, "X")], ok())
        .await;
    world.at("2026-11-20T00:00:00Z");
    assert_eq!(world.round(&table, Which::Due).await, [""; 0]);
    world.at("2026-11-23T07:00:01Z");
    assert_eq!(world.round(&table, Which::Due).await, ["told 1 + 0"]);
    assert_eq!(messages(&receiver)[1]["headline"], "harbor: New: A title (PDF, 12 pages)");
}

#[tokio::test]
async fn what_waits_while_nothing_runs_is_told_at_the_next_start_and_by_hand_at_once() {
    let (world, receiver) = (World::new().await, Receiver::start([]).await);
    let table = weekly(&receiver);
    a_week(&world).await;
    world.at("2026-12-02T12:00:00Z");
    assert_eq!(world.round(&table, Which::Waiting).await, ["told 1 + 2"]);
    assert_eq!(messages(&receiver)[0]["headline"], "3 changes on 2 sites since 10 November");
    world
        .crawl("harbor", "crawl-2026-12-03", "2026-12-03T06:00:00Z", &[("/x", Verdict::New, "X")], ok())
        .await;
    world.at("2026-12-03T12:00:00Z");
    assert_eq!(world.round(&table, Which::Due).await, [""; 0]);
    assert_eq!(world.round(&table, Which::All).await, ["told 1 + 0"]);
    assert!(pending(&world.store).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_digest_that_fails_is_sent_again_as_it_was_and_what_came_meanwhile_waits_for_the_next() {
    let (world, receiver) = (World::new().await, Receiver::start([Fault::Status(503)]).await);
    let table = weekly(&receiver);
    a_week(&world).await;
    world.at("2026-11-16T07:00:00Z");
    assert_eq!(world.round(&table, Which::Due).await, ["given up after 1 attempt: it answers 503 + 2"]);
    world
        .crawl("harbor", "crawl-2026-11-16", "2026-11-16T07:00:30Z", &[("/x", Verdict::New, "X")], ok())
        .await;
    assert_eq!(world.round(&table, Which::Due).await, [""; 0], "a minute is not over");
    world.at("2026-11-16T07:01:00Z");
    assert!(world.is_due(&table).await);
    assert_eq!(world.round(&table, Which::Due).await, ["told 1 + 2"]);
    let [first, second] = &receiver.received()[..] else { panic!() };
    assert_eq!(
        (&first.body, first.header("idempotency-key")),
        (&second.body, second.header("idempotency-key"))
    );
    assert_eq!(pending(&world.store).await.unwrap().len(), 1);
    world.at("2026-11-23T07:00:00Z");
    assert_eq!(world.round(&table, Which::Due).await, ["told 1 + 0"]);
}

#[tokio::test]
async fn a_process_that_dies_before_it_notes_a_digest_sends_the_same_one_again() {
    let (world, receiver) = (World::new().await, Receiver::start([Fault::Hang]).await);
    let table = weekly(&receiver);
    a_week(&world).await;
    world.at("2026-11-16T07:00:00Z");
    // The round is dropped while the receiver has the digest and has not answered.
    let dying = tokio::time::timeout(std::time::Duration::from_millis(500), world.round(&table, Which::Due));
    assert!(dying.await.is_err());
    assert_eq!(receiver.received().len(), 1);
    world
        .crawl("harbor", "crawl-2026-11-16", "2026-11-16T07:00:30Z", &[("/x", Verdict::New, "X")], ok())
        .await;
    world.at("2026-11-16T07:05:00Z");
    assert_eq!(world.round(&table, Which::Due).await, ["told 1 + 2"]);
    let [first, second] = &receiver.received()[..] else { panic!() };
    assert_eq!(
        (&first.body, first.header("idempotency-key")),
        (&second.body, second.header("idempotency-key"))
    );
}

#[tokio::test]
async fn sites_that_need_a_look_lead_and_an_unusual_crawl_is_told_once_it_is_accepted() {
    let (world, receiver) = (World::new().await, Receiver::start([]).await);
    let table = weekly(&receiver);
    let password = SiteState { obstacle: Obstacle::NeedsPassword { status: 401 }, read: 0 };
    let failed = Closed { ending: Ending::Partial(password.sentence()), state: Some(password), ..ok() };
    world
        .crawl("harbor", "crawl-2026-11-13", "2026-11-13T06:00:00Z", &[("/", Verdict::Failed, "")], failed)
        .await;
    let doubt =
        Closed { suspicion: Some(Suspicion::new("151 of 412 pages lost their text".to_owned())), ..ok() };
    let changed = [("/budget", Verdict::Changed, "Fee 11")];
    world.crawl("willow", "crawl-2026-11-14", "2026-11-14T06:00:00Z", &changed, doubt).await;
    world.at("2026-11-16T07:00:00Z");
    let [shown] = &world.previews(&table).await[..] else { panic!() };
    insta::assert_snapshot!("digest_of_trouble", shown);
    assert_eq!(receiver.received().len(), 0, "a preview sends nothing");
    assert_eq!(world.round(&table, Which::Due).await, ["told 1 + 1"]);
    let looks = &messages(&receiver)[0]["needs_a_look"];
    assert_eq!((&looks[0]["site"], &looks[1]["mark"]), (&"harbor".into(), &"unusual".into()));
    assert!(!receiver.received()[0].body.contains("Fee 11"));
    let crawl: CrawlId = "crawl-2026-11-14".parse().unwrap();
    world.note(&id("willow"), crawl, Occasion::Accepted).await;
    world.store.accept_crawl(&id("willow"), crawl, time("2026-11-17T08:00:00Z")).await.unwrap();
    world.at("2026-11-23T07:00:00Z");
    assert_eq!(world.round(&table, Which::Due).await, ["told 1 + 0"]);
    let last = &messages(&receiver)[1];
    assert_eq!(last["sites"][0]["changes"][0]["title"], "A title");
    assert_eq!(last["needs_a_look"].as_array().unwrap().len(), 1, "harbor still needs a look");
}

#[tokio::test]
async fn a_quiet_week_is_no_digest_unless_that_is_wanted() {
    let (world, receiver) = (World::new().await, Receiver::start([]).await);
    let same = [("/", Verdict::Unchanged, "Old")];
    world.crawl("harbor", "crawl-2026-11-13", "2026-11-13T06:00:00Z", &same, ok()).await;
    world.at("2026-11-16T07:00:00Z");
    assert_eq!(world.round(&weekly(&receiver), Which::Due).await, ["silent + 0"]);
    world.crawl("harbor", "crawl-2026-11-17", "2026-11-17T06:00:00Z", &same, ok()).await;
    world.at("2026-11-23T07:00:00Z");
    let table = weekly(&receiver) + "quiet = true\n";
    assert_eq!(world.round(&table, Which::Due).await, ["told 1 + 0"]);
    assert_eq!(messages(&receiver)[0]["headline"], "nothing changed this week");
    world.at("2026-11-30T07:00:00Z");
    assert_eq!(world.round(&table, Which::Due).await, [""; 0], "without a crawl there is nothing to say");
}

#[test]
fn a_schedule_that_never_comes_or_a_zone_alone_is_refused() {
    for (settings, expected) in [
        ("schedule = '0 7 * *'", "is not a cron expression"),
        ("schedule = '0 7 31 2 *'", "never comes"),
        ("schedule = '0 7 * * 1'\ntime-zone = 'Mars/Base'", "is not a time zone"),
        ("time-zone = 'UTC'", "without a schedule"),
    ] {
        let error = read(&format!("[a]\nkind = 'markdown'\npath = 'x.md'\n{settings}"), &[]).unwrap_err();
        assert!(error.contains(expected), "{settings}: {error}");
    }
}
