//! Planted changes: both homes tell what a person would write down, and Firestore is asked for it.

use std::collections::BTreeSet;

use emulator_tests::cloud::{Cloud, Delivery, Wishes};
use recrawl_testkit::planted::{PlantedSite, Truth};
use recrawl_testkit::site::Site;
use serde_json::Value;

use crate::PATIENCE;
use crate::embedded::{Embedded, changes_of_cloud};

#[tokio::test(flavor = "multi_thread")]
async fn planted_changes_of_a_small_site_are_told_as_on_one_machine() {
    told_in_both_homes(PlantedSite::of(12)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn planted_changes_of_a_large_site_are_told_as_on_one_machine() {
    told_in_both_homes(PlantedSite::of(1_200)).await;
}

async fn told_in_both_homes(planted: PlantedSite) {
    let site = Site::start().await;
    planted.plant(&site, 0);
    let settings = vec![("RECRAWL_DELAY", "0.002".to_owned())];
    let wishes = Wishes { settings, ..Wishes::default() };
    let cloud = Cloud::deploy(site, Delivery::Pushed, wishes).await.unwrap();
    let embedded = Embedded::new(&cloud);
    for week in 0..=PlantedSite::LAST_WEEK {
        planted.plant(&cloud.site, week);
        cloud.trigger().await.unwrap();
        let crawl = cloud.tick_until_closed(week + 1, PATIENCE).await.unwrap();
        embedded.crawl();
        if week == 0 {
            continue;
        }
        let (rows, truth) = (changes_of_cloud(&cloud), planted.truth(week));
        let on_one_machine = embedded.changes();
        assert_eq!(rows.len(), on_one_machine.len(), "week {week}: both homes tell the same");
        for (row, other) in rows.iter().zip(&on_one_machine) {
            assert_eq!(comparable(row), comparable(other), "week {week}: both homes tell the same");
        }
        the_rows_are_those_of_a_person(&cloud, &rows, &truth, week);
        the_documents_are_asked(&cloud, &crawl, &truth, week).await;
    }
}

/// Returns a row without what the order of visits decides: from where a new page was found first, and how deep.
fn comparable(row: &Value) -> Value {
    let mut row = row.clone();
    if row["kind"] == "new" {
        row["referrer"].take();
        row["weight"].take();
    }
    row
}

fn the_rows_are_those_of_a_person(cloud: &Cloud, rows: &[Value], truth: &Truth, week: usize) {
    let of_kind = |kind: &'static str| rows.iter().filter(move |row| row["kind"] == kind);
    let paths = |kind| of_kind(kind).map(|row| cloud.path_of(row)).collect::<Vec<_>>();
    let changed: Vec<String> = truth.changed.iter().map(|edit| edit.path.clone()).collect();
    assert_eq!(paths("changed"), changed, "week {week}: {rows:#?}");
    assert_eq!((paths("new"), paths("gone")), (truth.new.clone(), truth.gone.clone()), "week {week}");
    let shared: Vec<u64> = of_kind("shared").filter_map(|row| row["pages"].as_u64()).collect();
    let expected: Vec<u64> = truth.shared.iter().map(|share| share.pages as u64).collect();
    assert_eq!(shared, expected, "week {week}: {rows:#?}");
}

/// Two equalities are enough to find the pages whose content changed.
async fn the_documents_are_asked(cloud: &Cloud, crawl: &str, truth: &Truth, week: usize) {
    let documents =
        cloud.documents.matching(crawl, &[("changed", true.into()), ("tier", 1.into())]).await.unwrap();
    let found: BTreeSet<String> = documents.iter().map(|document| cloud.path_of(document)).collect();
    let expected: BTreeSet<String> = truth.changed.iter().map(|edit| edit.path.clone()).collect();
    assert_eq!(found, expected, "week {week}");
}
