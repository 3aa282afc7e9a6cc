//! What an unusual crawl leaves behind: once it is told, a site that is back is no surprise, and nothing is told twice.

use recrawl_testkit::site::Page;

use crate::harness::Harness;
use crate::holding::{EDITED, Sheet, known_site, path, plant, told, word};

const OUTAGE: &str = "Live data is being updated.";

/// Crawls, and returns the exit status.
fn crawl(harness: &Harness) -> i32 {
    let arguments = ["crawl", &harness.site.url(), "--rate", "unlimited", "--quiet"];
    harness.command(&arguments).output().unwrap().status.code().unwrap()
}

fn break_down(harness: &Harness, pages: usize) {
    for number in 0..pages {
        let html = format!("<!doctype html><title>{0}</title><main><p>{OUTAGE}</p></main>", word(number));
        harness.site.page(&path(number), Page::html(html));
    }
}

/// A site of 24 pages all of which show one line, which was told: confirmed by a second crawl, or accepted.
fn broken_down(is_accepted: bool) -> Harness {
    let harness = known_site(24);
    break_down(&harness, 24);
    assert_eq!(crawl(&harness), 4, "it waits for somebody");
    if is_accepted {
        harness.run(&["accept"]);
    } else {
        assert_eq!(crawl(&harness), 0, "it is confirmed");
    }
    assert_eq!(told(&harness, &[])[0], format!("shared 24 {OUTAGE}"));
    harness
}

#[test]
fn pages_that_are_back_after_an_outage_that_was_told_are_one_row_beside_the_edit() {
    for is_accepted in [false, true] {
        let harness = broken_down(is_accepted);
        plant(&harness, 24, |number| {
            if number == 7 { Sheet::of(number).with_line(EDITED) } else { Sheet::of(number) }
        });
        assert_eq!(crawl(&harness), 0, "nothing about it is unusual");
        let rows = harness.changes(&[]);
        assert_eq!(told(&harness, &[]), [format!("changed /p7 {EDITED}"), "shared 24 ".to_owned()]);
        assert_eq!((&rows[1]["by"], &rows[1]["went"]), (&"return".into(), &OUTAGE.into()), "{rows:#?}");
        assert!(harness.run(&["changes"]).contains("back to normal"));
        assert_eq!(crawl(&harness), 0);
        assert!(told(&harness, &[]).is_empty(), "nothing changed since");
    }
}

/// A week in which ten of 25 pages are gone, beside what `sheet` says of the others; somebody accepts it.
fn accepted_week(harness: &Harness, sheet: impl Fn(usize) -> Sheet) {
    plant(harness, 15, sheet);
    for number in 15..25 {
        harness.site.page(&path(number), Page::status(404));
    }
    assert_eq!(crawl(harness), 4, "it waits for somebody");
    harness.run(&["accept"]);
}

#[test]
fn a_shared_change_of_an_accepted_crawl_is_not_told_again_where_it_arrives_later() {
    let harness = known_site(25);
    let menu_on = |pages: usize| {
        move |number: usize| {
            if number < pages { Sheet::of(number).with_menu() } else { Sheet::of(number) }
        }
    };
    accepted_week(&harness, menu_on(5));
    assert!(told(&harness, &[]).contains(&"shared 5 Vacancies".to_owned()), "{:?}", told(&harness, &[]));
    plant(&harness, 15, menu_on(10));
    assert_eq!(crawl(&harness), 0);
    assert!(told(&harness, &[]).is_empty(), "{:?}", told(&harness, &[]));
}

#[test]
fn what_changes_by_itself_in_an_accepted_crawl_counts_as_evidence() {
    let stamps = ["Cabin has ticket 1207.", "Cabin has ticket 1266.", "Cabin has ticket 1301."];
    let stamped = |stamp: &'static str| move |number: usize| Sheet::of(number).stamped(stamp);
    let harness = Harness::new();
    plant(&harness, 25, stamped("Cabin has ticket 1181."));
    harness.crawl(&["--quiet"]);
    accepted_week(&harness, stamped(stamps[0]));
    for (stamp, is_told) in [(stamps[1], true), (stamps[2], false)] {
        plant(&harness, 15, stamped(stamp));
        assert_eq!(crawl(&harness), 0);
        assert_eq!(!told(&harness, &[]).is_empty(), is_told, "{stamp}: {:?}", told(&harness, &[]));
    }
}

#[test]
fn what_a_change_weighs_follows_the_settings() {
    let weight =
        |flags: &[&str]| {
            let harness = known_site(8);
            plant(&harness, 8, |number| {
                if number == 3 { Sheet::of(number).with_line(EDITED) } else { Sheet::of(number) }
            });
            harness.crawl(&[&["--quiet"], flags].concat());
            harness.changes(&[])[0]["weight"].as_u64().unwrap()
        };
    let usual = weight(&[]);
    assert_eq!(usual - weight(&["--weight-content", "0"]), 150);
    assert_eq!(weight(&["--weight-content", "1000"]), 1_000);
}
