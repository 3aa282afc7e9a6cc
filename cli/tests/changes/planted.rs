//! A town's site over four weeks: a menu entry and a year on every page, build lines that no rule knows, real edits.

use recrawl_testkit::planted::{PlantedEdit, PlantedShare, PlantedSite, Truth};
use serde_json::Value;

use crate::harness::{Harness, Server};

#[test]
fn a_large_site_is_told_as_a_person_would_write_it_down() {
    told_week_by_week(PlantedSite::of(1_200));
}

#[test]
fn a_small_site_is_told_as_a_person_would_write_it_down() {
    told_week_by_week(PlantedSite::of(12));
}

fn told_week_by_week(planted: PlantedSite) {
    let harness = Harness::new();
    planted.plant(&harness.site, 0);
    harness.crawl(&["--quiet"]);
    let server = harness.serve();
    for week in 1..=PlantedSite::LAST_WEEK {
        planted.plant(&harness.site, week);
        harness.crawl(&["--quiet"]);
        let truth = planted.truth(week);
        let rows = harness.changes(&[]);
        the_rows_are_those_of_a_person(&harness, &rows, &truth, week);
        noise_is_counted(&harness, &truth, week);
        the_interface_says_the_same(&server, &rows, week);
        the_feed_says_the_same(&server, &rows, week);
        the_digest_says_the_same(&harness, &rows, &truth, week);
    }
}

fn text(row: &Value, field: &str) -> Option<String> {
    row[field].as_str().map(str::to_owned)
}

fn of_kind<'a>(rows: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    rows.iter().filter(move |row| row["kind"] == kind)
}

fn the_rows_are_those_of_a_person(harness: &Harness, rows: &[Value], truth: &Truth, week: usize) {
    let paths = |kind| of_kind(rows, kind).map(|row| harness.path(row)).collect::<Vec<_>>();
    let edit =
        |row| PlantedEdit { path: harness.path(row), went: text(row, "went"), came: text(row, "came") };
    let changed: Vec<PlantedEdit> = of_kind(rows, "changed").map(edit).collect();
    assert_eq!(changed, truth.changed, "week {week}");
    assert_eq!((paths("new"), paths("gone")), (truth.new.clone(), truth.gone.clone()), "week {week}");
    let shared: Vec<&Value> = of_kind(rows, "shared").collect();
    assert_eq!(shared.len(), truth.shared.len(), "week {week}: {shared:#?}");
    for (row, PlantedShare { came, region, pages }) in shared.iter().zip(&truth.shared) {
        assert!(row["came"].as_str().unwrap().starts_with(came), "week {week}: {row:#}");
        let said = (row["region"].as_str().unwrap(), row["pages"].as_u64().unwrap(), &row["noise"]);
        assert_eq!(said, (*region, *pages as u64, &Value::Bool(false)), "week {week}: {row:#}");
        assert_eq!(row["tier"], 2, "week {week}: {row:#}");
    }
    let of_pages = truth.changed.len() + truth.new.len() + truth.gone.len();
    assert_eq!(rows.len(), of_pages + truth.shared.len(), "week {week}: {rows:#?}");
    for part in [&rows[..of_pages], &rows[of_pages..]] {
        let weights: Vec<u64> = part.iter().map(|row| row["weight"].as_u64().unwrap()).collect();
        assert!(weights.is_sorted_by(|one, two| one >= two), "week {week}: {weights:?}");
    }
    assert!(rows[..of_pages].iter().all(|row| row["tier"] == 1), "week {week}: {rows:#?}");
}

/// Nothing is hidden without a count that says so.
fn noise_is_counted(harness: &Harness, truth: &Truth, week: usize) {
    let told = harness.run(&["changes"]);
    let (around, noise) = (truth.around, truth.only_noise);
    let pages = |count| if count == 1 { "1 page".to_owned() } else { format!("{} pages", thousands(count)) };
    for (count, before, after) in [
        (around, "Also ", " around their content"),
        (noise, "Also ", " with only noise"),
        (truth.years, "copyright year on ", "."),
    ] {
        let is_said = told.contains(&format!("{before}{}{after}", pages(count)));
        assert_eq!(is_said, count > 0, "week {week}, {count}{after}:\n{told}");
    }
    let all = harness.changes(&["--tier", "3"]);
    let built = of_kind(&all, "shared").find(|row| {
        row["noise"] == true && row["came"].as_str().is_some_and(|came| came.starts_with("Composed by unit"))
    });
    let pages = built.map_or(0, |row| row["pages"].as_u64().unwrap());
    assert_eq!(pages, truth.built_in_silence as u64, "week {week}: {built:?}");
}

fn thousands(count: usize) -> String {
    if count < 1_000 { count.to_string() } else { format!("{},{:03}", count / 1_000, count % 1_000) }
}

fn the_interface_says_the_same(server: &Server, rows: &[Value], week: usize) {
    let (site, crawl) = (rows[0]["site"].as_str().unwrap(), rows[0]["crawl"].as_str().unwrap());
    let answer = server.get(&format!("/api/v1/sites/{site}/crawls/{crawl}/changes"));
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["changes"].as_array().unwrap(), rows, "week {week}");
}

/// The newest crawl comes first, and in it what matters most.
fn the_feed_says_the_same(server: &Server, rows: &[Value], week: usize) {
    let feed = server.get(&format!("/feeds/{}.atom", rows[0]["site"].as_str().unwrap()));
    let crawl = rows[0]["crawl"].as_str().unwrap();
    let entries: Vec<&str> = feed.split("<entry>").skip(1).collect();
    for row in rows {
        let url = row["url"].as_str().unwrap();
        assert!(entries.iter().any(|entry| entry.contains(url)), "week {week}: {row:#}\n{feed}");
    }
    let of_crawl = entries.iter().filter(|entry| entry.contains(&format!("/crawls/{crawl}")));
    assert!(of_crawl.count() <= rows.len(), "week {week}: {feed}");
}

fn the_digest_says_the_same(harness: &Harness, rows: &[Value], truth: &Truth, week: usize) {
    let digest = harness.digest();
    let told = digest.lines().filter(|line| line.starts_with("- **")).count();
    assert_eq!(told, rows.len(), "week {week}:\n{digest}");
    for edit in &truth.changed {
        for (sign, line) in [('-', &edit.went), ('+', &edit.came)] {
            let is_told = line.as_ref().is_none_or(|line| digest.contains(&format!("  {sign}{line}\n")));
            assert!(is_told, "week {week}, {edit:?}:\n{digest}");
        }
    }
    for shared in ["  +Jobs", "  +Composed by unit"] {
        let wanted = truth.shared.iter().filter(|share| shared.contains(&share.came[..4])).count();
        assert_eq!(digest.matches(shared).count(), wanted, "week {week}, {shared}:\n{digest}");
    }
}
