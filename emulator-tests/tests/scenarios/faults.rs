//! Everything that fails at once, and the records of an undisturbed crawl. At the size of the first site that is watched,
//! with kills at other moments each time:
//! `RECRAWL_PAGES=3500 RECRAWL_SEED=7 cargo test --workspace --test scenarios faults -- --nocapture`

use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use emulator_tests::cloud::{Cloud, Delivery, Wishes};
use emulator_tests::driver::{Manner, bring_all};
use emulator_tests::messages::Pulled;
use emulator_tests::{Emulator, Kind, weeks};
use recrawl_testkit::site::{Page, Site};
use tokio::time::sleep;

use crate::{PATIENCE, pages_or};

const FURTHER: usize = 200;
const LISTED: usize = 30;

/// How many things go wrong; the third of them is an outage.
const FAULTS: usize = 5;

/// Returns what happens once how many requests were made, of so many: somewhere in each fifth of the crawl, as the dice
/// fall.
fn faults(requests: usize) -> [(usize, Fault); FAULTS] {
    let seed = std::env::var("RECRAWL_SEED").ok();
    let mut dice: u64 = seed.map_or(5, |text| text.parse().expect("RECRAWL_SEED is a number"));
    std::array::from_fn(|number| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let part = requests / FAULTS;
        let within = usize::try_from(dice >> 33).unwrap_or_default() % part.max(1);
        (number * part + within.max(5), if number == 2 { Fault::Outage } else { Fault::Kill })
    })
}

#[derive(Debug, Clone, Copy)]
enum Fault {
    /// The service is killed, and with it the messages that are on their way to it.
    Kill,
    /// Firestore does not answer for 30 s.
    Outage,
}

/// Brings every message twice, and every hundredth not at all; where none is left, a tick comes. It never ends.
async fn bring_for_ever(cloud: &Cloud, came: &AtomicUsize) {
    let drops = |_: &Pulled| came.fetch_add(1, Ordering::Relaxed) % 100 == 57;
    let manner = Manner { times: 2, ..Manner::default() };
    loop {
        bring_all(cloud, &manner, drops).await.unwrap();
        cloud.messages.publish("tick", "tick").await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kills_doubles_losses_and_an_outage_leave_the_records_of_an_undisturbed_crawl() {
    let firestore = Emulator::start(Kind::Firestore).unwrap();
    let further = pages_or(FURTHER);
    let site = Site::start().await;
    weeks::plant_first_week(&site, further);
    let mut entries = String::new();
    for number in 0..LISTED {
        let path = format!("/listed/{number}");
        site.page(&path, Page::html(format!("<title>Listed</title><p>No link leads to number {number}.")));
        let _ = write!(entries, "<url><loc>{}</loc></url>", site.at(&path));
    }
    site.page("/sitemap.xml", Page::xml(format!("<urlset>{entries}</urlset>")));
    let delay = if further > FURTHER { "0.01" } else { "0.05" };
    let settings = vec![("RECRAWL_DELAY", delay.to_owned())];
    let wishes = Wishes { settings, firestore: Some(&firestore) };
    let mut cloud = Cloud::deploy(site, Delivery::ByTest, wishes).await.unwrap();
    cloud.trigger().await.unwrap();
    let came = AtomicUsize::new(0);
    for (requests, fault) in faults(further + LISTED) {
        println!("{fault:?} after {requests} requests");
        let made = async {
            while cloud.site.log().len() < requests {
                sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::select! {
            () = made => {}
            () = bring_for_ever(&cloud, &came) => {}
        }
        match fault {
            Fault::Kill => {
                cloud.service.kill().unwrap();
                cloud.service.start().await.unwrap();
            }
            Fault::Outage => {
                firestore.freeze().unwrap();
                tokio::select! {
                    () = sleep(Duration::from_secs(30)) => {}
                    () = bring_for_ever(&cloud, &came) => {}
                }
                firestore.thaw().unwrap();
            }
        }
    }
    let crawl = tokio::select! {
        crawl = cloud.tick_until_closed(1, PATIENCE * 4) => crawl.unwrap(),
        () = bring_for_ever(&cloud, &came) => String::new(),
    };
    let mut expected = weeks::first_verdicts(further);
    expected.extend((0..LISTED).map(|number| (format!("/listed/{number}"), "new".to_owned())));
    assert_eq!(cloud.verdicts(&crawl).await.unwrap(), expected);
    let crawls = cloud.documents.collection("crawls").await.unwrap();
    assert_eq!(crawls[&crawl]["ending"], "complete", "{}", crawls[&crawl]);
}
