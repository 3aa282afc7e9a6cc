//! Many sites in one deployment, and histories that move between stores.

use std::collections::BTreeMap;
use std::time::Duration;

use emulator_tests::cloud::{Cloud, Delivery, Wishes};
use emulator_tests::messages::Subscribing;
use emulator_tests::weeks;
use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::ids::SiteId;
use recrawl_core::ports::{StateEntry, StateKey, StateStore, Store};
use recrawl_testkit::site::{Page, Site};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::PATIENCE;
use crate::embedded::{Embedded, recrawl};

/// A site whose root leads to this many pages, and to some that others leave out.
async fn planted(pages: usize) -> Site {
    let site = Site::start().await;
    let links: Vec<String> = (0..pages).map(|number| format!("<a href=/{number}>{number}</a>")).collect();
    site.page("/", Page::html(format!("{}<a href=/tag/x>x</a>", links.concat())));
    site.page("/tag/x", Page::html("<p>A tag"));
    for number in 0..pages {
        site.page(&format!("/{number}"), Page::html(format!("<p>Page {number}")));
    }
    site
}

/// Somebody who is told by webhooks.
async fn told() -> Site {
    let site = Site::start().await;
    site.page("/hook", Page::text("thank you"));
    site
}

fn calls(receiver: &Site) -> usize {
    receiver.requests_for("/hook").len()
}

/// Runs `recrawl sites` as somebody does who has nothing else; returns what it says.
fn sites(cloud: &Cloud, arguments: &[&str], succeeds: bool) -> String {
    let store = format!("firestore:{}", cloud.project);
    let all: Vec<&str> = ["sites"].iter().chain(arguments).copied().chain(["--store", &store]).collect();
    let output = recrawl(&all, Some(cloud));
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.success(), succeeds, "{arguments:?}: {said}");
    said
}

async fn crawls(cloud: &Cloud, site: &str) -> Vec<Crawl> {
    cloud.store().await.unwrap().crawls(&id(site)).await.unwrap()
}

fn id(site: &str) -> SiteId {
    site.parse().unwrap()
}

/// Ticks until a site has this many closed crawls; returns the last.
async fn until_closed(cloud: &Cloud, site: &str, count: usize) -> Crawl {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let mut closed = crawls(cloud, site).await;
        closed.retain(|crawl| crawl.closed.is_some());
        if closed.len() >= count {
            return closed.pop().unwrap();
        }
        assert!(Instant::now() < deadline, "{site} has {}: {}", closed.len(), cloud.service.log());
        cloud.messages.publish("tick", "tick").await.unwrap();
        sleep(Duration::from_millis(500)).await;
    }
}

/// Returns what a crawl of a site recorded: path to verdict.
async fn verdicts(cloud: &Cloud, site: &str, crawl: &Crawl) -> BTreeMap<String, String> {
    let store = cloud.store().await.unwrap();
    let records = store.records(&id(site), crawl.id, &[], None, 10_000).await.unwrap();
    records.iter().map(|record| (record.url.path().to_owned(), record.visit.verdict.to_string())).collect()
}

/// Ticks until each was called so often, and a little longer: nobody is called more.
async fn until_told(cloud: &Cloud, (one, often): (&Site, usize), (other, less): (&Site, usize)) {
    let deadline = Instant::now() + PATIENCE;
    while calls(one) < often || calls(other) < less {
        assert!(Instant::now() < deadline, "{} {}: {}", calls(one), calls(other), cloud.service.log());
        cloud.messages.publish("tick", "tick").await.unwrap();
        sleep(Duration::from_millis(500)).await;
    }
    let ticks = || cloud.service.log().matches("\"outcome\":\"ticked\"").count();
    let before = ticks();
    while ticks() < before + 2 {
        assert!(Instant::now() < deadline + PATIENCE, "{}", cloud.service.log());
        cloud.messages.publish("tick", "tick").await.unwrap();
        sleep(Duration::from_millis(500)).await;
    }
    assert_eq!((calls(one), calls(other)), (often, less));
}

/// Asks for a page that no site admits; returns why it was kept as a dead letter.
async fn kept_as_a_dead_letter(cloud: &Cloud, page: &str) -> String {
    cloud.messages.subscribe("stray", "crawl-dead", &Subscribing::default()).await.unwrap();
    cloud.messages.publish("crawl", page).await.unwrap();
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(kept) = cloud.messages.pull("stray", 10).await.unwrap().pop() {
            assert_eq!(kept.data, page);
            return kept.message["attributes"]["reason"].as_str().unwrap_or_default().to_owned();
        }
        assert!(Instant::now() < deadline, "{}", cloud.service.log());
        sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sites_of_one_deployment_have_settings_schedules_and_targets_of_their_own() {
    let (town, port, fair) = (planted(60).await, planted(8).await, planted(8).await);
    let (of_all, of_port) = (told().await, told().await);
    let notify =
        format!(r#"{{"all": {{"kind": "webhook", "url": "{}", "quiet": true}}}}"#, of_all.at("/hook"));
    let settings = vec![
        ("RECRAWL_DELAY", "0.1".to_owned()),
        ("RECRAWL_NOTIFY", notify),
        ("PORT_HOOK", of_port.at("/hook").to_string()),
        ("RECRAWL_PUBLIC_URL", "https://watch.example.org/".to_owned()),
    ];
    let cloud =
        Cloud::deploy(town, Delivery::Pushed, Wishes { settings, ..Wishes::default() }).await.unwrap();
    let tables = cloud.directory().join("notify.toml");
    std::fs::write(&tables, "[notify.team]\nkind = \"webhook\"\nurl-env = \"PORT_HOOK\"\nquiet = true\n")
        .unwrap();

    // Another site, with what its own people want.
    let said = sites(&cloud, &["add", &port.url(), "--name", "port", "dealy=1"], false);
    assert!(said.contains("did you mean delay?"), "{said}");
    let tables = tables.display().to_string();
    let schedule = "schedule=0 4 * * 2";
    let add = [
        "add",
        &port.url(),
        "--name",
        "port",
        "delay=0.01",
        "exclude=*/tag/*",
        schedule,
        "--notify",
        &tables,
    ];
    assert!(sites(&cloud, &add, true).contains("port is watched from now on"));
    assert!(sites(&cloud, &add, false).contains("port is watched already"));
    let listed: Value = serde_json::from_str(&sites(&cloud, &["list", "--format", "json"], true)).unwrap();
    let port_listed = listed.as_array().unwrap().iter().find(|site| site["site"] == "port").unwrap();
    assert_eq!(
        (&port_listed["settings"]["schedule"][0], &port_listed["notify"][0]),
        (&"0 4 * * 2".into(), &"team".into())
    );

    // The week goes by: its time has come, while the site of the deployment is crawled.
    cloud.trigger().await.unwrap();
    let honoured = StateEntry { saved_at: "2026-01-01T00:00:00Z".parse().unwrap(), value: String::new() };
    let store = cloud.store().await.unwrap();
    store.save_state(&StateKey::schedule_settled(&id("port")), &honoured).await.unwrap();
    cloud.site.asked_for("/0", 1).await;
    let of_the_port = until_closed(&cloud, "port", 1).await;
    assert!(
        of_the_port.opened_by.as_deref().is_some_and(|by| by.starts_with("schedule ")),
        "{of_the_port:?}"
    );
    let found = verdicts(&cloud, "port", &of_the_port).await;
    assert_eq!(found.len(), 9, "{found:?}");
    assert!(found.values().all(|verdict| verdict == "new") && !found.contains_key("/tag/x"), "{found:?}");

    // A third; somebody asks for it at once. That no site waits for another is a test of crawl-fn: the emulator pushes two
    // messages at a time, so that here they all wait.
    assert!(
        sites(&cloud, &["add", &fair.url(), "--name", "fair", "delay=0.01"], true)
            .contains("fair is watched")
    );
    cloud.messages.publish("crawl", &format!("{}/", fair.url())).await.unwrap();
    let of_the_fair = until_closed(&cloud, "fair", 1).await;
    assert_eq!(verdicts(&cloud, "fair", &of_the_fair).await.len(), 10);
    let of_the_town = until_closed(&cloud, "default", 1).await;
    assert_eq!(verdicts(&cloud, "default", &of_the_town).await.len(), 62);

    // The schema of the first is as it was, the others are below their names.
    let crawl = of_the_town.id.to_string();
    assert_eq!(cloud.documents.collection(&crawl).await.unwrap().len(), 62);
    let below = cloud.documents.collection(&format!("sites/port/{}", of_the_port.id)).await.unwrap();
    assert_eq!(below.len(), 9);

    // Each was told once; those of the port heard of the port.
    until_told(&cloud, (&of_all, 3), (&of_port, 1)).await;
    let stray = "https://nobody.example/a";
    assert_eq!(kept_as_a_dead_letter(&cloud, stray).await, format!("no site admits {stray}"));

    // Who is not wanted any more.
    assert!(sites(&cloud, &["set", "fair", "--unwatch"], true).contains("its history stays"));
    cloud.messages.publish("tick", "tick").await.unwrap();
    assert_eq!(crawls(&cloud, "fair").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_local_history_that_is_copied_up_goes_on_without_a_page_that_counts_as_new() {
    let site = Site::start().await;
    weeks::plant_first_week(&site, 5);
    // The service is there, and has not crawled anything.
    let cloud = Cloud::deploy(site, Delivery::Pushed, Wishes::default()).await.unwrap();
    let local = Embedded::new(&cloud);
    local.crawl();
    let file = format!("sqlite:{}", cloud.directory().join("embedded.db").display());
    let store = format!("firestore:{}", cloud.project);
    let copy = |from: &str, to: &str| {
        let output = recrawl(&["copy", "--from", from, "--to", to], Some(&cloud));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        said
    };
    let said = copy(&file, &store);
    assert!(said.contains(" is default there."), "recognised by its root: {said}");
    let total = weeks::first_verdicts(5).len();
    assert!(
        said.contains(&format!("copied {total} visits of 1 crawl; 0 visits were there already")),
        "{said}"
    );
    let again = copy(&file, &store);
    let expected =
        format!("copied 0 visits of 1 crawl; {total} visits were there already, 1 crawl as a whole");
    assert!(again.contains(&expected), "{again}");

    weeks::plant_second_week(&cloud.site, 5);
    cloud.trigger().await.unwrap();
    let crawl = cloud.tick_until_closed(2, PATIENCE).await.unwrap();
    assert_eq!(cloud.verdicts(&crawl).await.unwrap(), weeks::second_verdicts(5));

    // And back: what was found above is added to what is here.
    let back = copy(&store, &file);
    assert!(back.contains("default is 127.0.0.1-") && back.contains(" there."), "{back}");
    local.crawl();
    let changed = local.changes();
    assert!(changed.is_empty(), "nothing happened since: {changed:?}");
}
