//! What must hold whatever the site and the crawl: small sites, crawls that see a part, changes that arrive slowly.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use recrawl_testkit::site::Page;
use serde_json::Value;

use crate::harness::Harness;

/// A page with a menu, lines of its own, and a footer.
pub(crate) struct Sheet {
    number: usize,
    menu: &'static str,
    line: String,
    stamp: &'static str,
}

impl Sheet {
    pub(crate) fn of(number: usize) -> Self {
        Self { number, menu: "", line: format!("Office {} is open on all days.", word(number)), stamp: "" }
    }

    pub(crate) fn with_menu(mut self) -> Self {
        self.menu = "<li><a href=\"/p1\">Vacancies</a></li>";
        self
    }

    pub(crate) fn with_line(mut self, line: &str) -> Self {
        line.clone_into(&mut self.line);
        self
    }

    pub(crate) fn stamped(mut self, stamp: &'static str) -> Self {
        self.stamp = stamp;
        self
    }

    fn page(&self, pages: usize) -> Page {
        let Self { number, menu, line, stamp } = self;
        let others = if *number == 0 { 1..pages } else { 0..0 };
        let links: Vec<String> =
            others.map(|other| format!("<p><a href=\"/p{other}\">About {}</a></p>", word(other))).collect();
        let links = links.concat();
        let prose: String = ["street", "bridge", "garden", "school", "market", "tower"]
            .map(|thing| {
                format!("<p>The {thing} of {} is looked after by its neighbours.</p>", word(*number))
            })
            .concat();
        Page::html(format!(
            "<!doctype html><title>{0}</title><nav><ul><li><a href=\"/\">Home</a></li>{menu}</ul></nav>\
             <main><h1>{0}</h1>{links}{prose}<p>{line}</p></main>\
             <div class=\"stamp\">{stamp}</div><footer><p>The town of Lindenmere</p></footer>",
            word(*number)
        ))
    }
}

pub(crate) fn path(number: usize) -> String {
    if number == 0 { "/".to_owned() } else { format!("/p{number}") }
}

/// A word that only this number has.
pub(crate) fn word(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'K')).chain("linden".chars()).collect()
}

/// A site that was crawled once, with every page as it is.
pub(crate) fn known_site(pages: usize) -> Harness {
    let harness = Harness::new();
    plant(&harness, pages, Sheet::of);
    harness.crawl(&["--quiet"]);
    harness
}

pub(crate) fn plant(harness: &Harness, pages: usize, sheet: impl Fn(usize) -> Sheet) {
    for number in 0..pages {
        harness.site.page(&path(number), sheet(number).page(pages));
    }
}

/// Returns the rows in brief: kind, path or number of pages, what came.
fn brief(harness: &Harness, rows: &[Value]) -> Vec<String> {
    let told = |row: &Value| {
        let place = match row["pages"].as_u64() {
            Some(pages) => pages.to_string(),
            None => harness.path(row),
        };
        let came = row["came"].as_str().unwrap_or_default();
        format!("{} {place} {came}", row["kind"].as_str().unwrap())
    };
    rows.iter().map(told).collect()
}

pub(crate) fn told(harness: &Harness, flags: &[&str]) -> Vec<String> {
    brief(harness, &harness.changes(flags))
}

pub(crate) const EDITED: &str = "The office has moved to the old mill.";

#[test]
fn on_sites_of_five_to_thirty_pages_a_menu_is_one_row_beside_the_edit() {
    for pages in [5, 8, 30] {
        let harness = known_site(pages);
        let sheet = |number| {
            let sheet = Sheet::of(number).with_menu();
            if number == 3 { sheet.with_line(EDITED) } else { sheet }
        };
        plant(&harness, pages, sheet);
        harness.crawl(&["--quiet"]);
        let rows = [format!("changed /p3 {EDITED}"), format!("shared {pages} Vacancies")];
        assert_eq!(told(&harness, &[]), rows, "{pages} pages");
        let expanded = told(&harness, &["--expand"]);
        assert_eq!(expanded.len(), pages + 1, "{pages} pages: {expanded:?}");
        harness.crawl(&["--quiet"]);
        assert!(told(&harness, &["--tier", "3"]).is_empty(), "{pages} pages: nothing changed since");
    }
}

#[test]
fn a_menu_that_arrives_over_five_crawls_is_told_once() {
    let harness = known_site(25);
    for week in 1..=5 {
        let has_menu = |number: usize| number < week * 5;
        plant(
            &harness,
            25,
            |number| {
                if has_menu(number) { Sheet::of(number).with_menu() } else { Sheet::of(number) }
            },
        );
        harness.crawl(&["--quiet"]);
        let expected: &[&str] = if week == 1 { &["shared 5 Vacancies"] } else { &[] };
        assert_eq!(told(&harness, &[]), expected, "week {week}");
        let verdicts = harness.changes(&["--kind", "shared,changed,new", "--tier", "2", "--expand"]);
        let pages = verdicts.iter().filter(|row| row["pages"].is_null());
        assert!(pages.clone().all(|row| row["kind"] == "shared"), "week {week}: {verdicts:#?}");
        assert_eq!(pages.count(), 5, "week {week}: {verdicts:#?}");
    }
    let window = told(&harness, &["--since", "1d"]);
    assert_eq!(window, ["shared 25 Vacancies"], "a window shows it once, with all its pages");
}

#[test]
fn a_number_corrected_on_six_pages_is_one_row_and_six_changed_pages() {
    let harness = known_site(40);
    let line = |number: &str| format!("Telephone of the counter: {number}");
    let six = |number: usize| (10..16).contains(&number);
    let with = |telephone: &'static str| {
        move |number: usize| {
            if six(number) { Sheet::of(number).with_line(&line(telephone)) } else { Sheet::of(number) }
        }
    };
    plant(&harness, 40, with("503-555-0134"));
    harness.crawl(&["--quiet"]);
    plant(&harness, 40, with("503-555-0199"));
    harness.crawl(&["--quiet"]);
    let rows = harness.changes(&[]);
    assert_eq!(brief(&harness, &rows), ["shared 6 Telephone of the counter: 503-555-0199"]);
    assert_eq!((&rows[0]["tier"], &rows[0]["template"]), (&Value::from(1), &Value::Bool(false)));
    assert_eq!(rows[0]["urls"].as_array().unwrap().len(), 6);
    let pages = harness.changes(&["--expand", "--kind", "changed"]);
    let mut paths: Vec<String> = pages.iter().map(|row| harness.path(row)).collect();
    paths.sort();
    assert_eq!(paths, ["/p10", "/p11", "/p12", "/p13", "/p14", "/p15"]);
    assert!(pages.iter().all(|row| row["tier"] == 1), "{pages:#?}");
}

#[test]
fn crawls_that_end_by_their_budget_tell_a_menu_and_an_edit_once() {
    let harness = known_site(20);
    plant(&harness, 20, |number| {
        let sheet = Sheet::of(number).with_menu();
        if number == 9 { sheet.with_line(EDITED) } else { sheet }
    });
    let mut rows = Vec::new();
    for _ in 0..3 {
        harness.crawl(&["--quiet", "--budget", "9"]);
        rows.extend(told(&harness, &[]));
    }
    harness.crawl(&["--quiet"]);
    rows.extend(told(&harness, &[]));
    let menus = rows.iter().filter(|row| row.ends_with("Vacancies")).count();
    let edits = rows.iter().filter(|row| **row == format!("changed /p9 {EDITED}")).count();
    assert_eq!((menus, edits, rows.len()), (1, 1, 2), "{rows:?}");
}

#[test]
fn a_crawl_of_due_pages_and_the_whole_one_after_it_tell_everything_once() {
    let harness = known_site(12);
    // A page that changes at every visit is due.
    for week in ["Monday", "Tuesday"] {
        let news = format!("The mayor receives visitors on {week} from now on.");
        plant(
            &harness,
            12,
            |number| {
                if number == 4 { Sheet::of(number).with_line(&news) } else { Sheet::of(number) }
            },
        );
        harness.crawl(&["--quiet"]);
        harness.wait_days(7);
    }
    let news = "The mayor has resigned, and nobody receives visitors.";
    plant(&harness, 12, |number| {
        let sheet = Sheet::of(number).with_menu();
        if number == 4 { sheet.with_line(news) } else { sheet }
    });
    harness.crawl(&["--quiet", "--due"]);
    let due = told(&harness, &[]);
    harness.crawl(&["--quiet"]);
    let rows: Vec<String> = due.into_iter().chain(told(&harness, &[])).collect();
    let (menus, edits): (Vec<&String>, Vec<&String>) =
        rows.iter().partition(|row| row.ends_with("Vacancies"));
    assert_eq!(edits, [&format!("changed /p4 {news}")], "{rows:?}");
    assert_eq!(menus.len(), 1, "{rows:?}");
}

#[test]
fn a_crawl_that_was_stopped_and_resumed_tells_what_one_crawl_tells() {
    let harness = known_site(10);
    plant(&harness, 10, |number| {
        let sheet = Sheet::of(number).with_menu();
        if number == 2 { sheet.with_line(EDITED) } else { sheet }
    });
    harness.site.clear_log();
    let mut child = harness
        .command(&["crawl", &harness.site.url(), "--delay", "0.1", "--quiet"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while harness.site.log().len() < 6 {
        sleep(Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    child.wait().unwrap();
    let asked = (0..10).filter(|number| !harness.site.requests_for(&path(*number)).is_empty()).count();
    assert!((1..10).contains(&asked), "{asked} pages before it was stopped");
    harness.crawl(&["--quiet"]);
    let rows = [format!("changed /p2 {EDITED}"), "shared 10 Vacancies".to_owned()];
    assert_eq!(told(&harness, &[]), rows);
}

#[test]
fn rules_that_changed_between_crawls_are_no_change() {
    let harness = Harness::new();
    let stamped = |number| Sheet::of(number).stamped("Our offices are closed at Easter, says the porter.");
    plant(&harness, 12, stamped);
    harness.crawl(&["--quiet"]);
    plant(&harness, 12, |number| {
        let sheet = stamped(number);
        if number == 7 { sheet.with_line(EDITED) } else { sheet }
    });
    harness.crawl(&["--quiet", "--ignore-selector", ".stamp"]);
    assert_eq!(told(&harness, &["--tier", "3"]), [format!("changed /p7 {EDITED}")]);
    harness.crawl(&["--quiet", "--ignore-selector", ".stamp"]);
    assert!(told(&harness, &["--tier", "3"]).is_empty());
}

/// The rules of reading changed, and so do the bytes of every page: nothing that people did is told as a change of theirs.
#[test]
fn rules_that_change_between_crawls_are_no_change_of_the_site() {
    let harness = known_site(8);
    let ignoring = ["--quiet", "--ignore-regex", "is open on .*", "--frame-words", "+stamp"];
    // Other bytes, and a page of which nothing else differs.
    let again = |stamp: &'static str| plant(&harness, 8, |number| Sheet::of(number).stamped(stamp));
    again(" ");
    harness.crawl(&ignoring);
    assert!(told(&harness, &["--tier", "3"]).is_empty(), "rules that came");
    again("  ");
    harness.crawl(&["--quiet"]);
    assert!(told(&harness, &["--tier", "3"]).is_empty(), "rules that went");
    // And what people did in the same week is told.
    plant(&harness, 8, |number| {
        let sheet = Sheet::of(number).stamped("   ");
        if number == 5 { sheet.with_line(EDITED) } else { sheet }
    });
    harness.crawl(&["--quiet", "--frame-words", "+stamp", "--noise-rule", "ids"]);
    assert_eq!(told(&harness, &[]), [format!("changed /p5 {EDITED}")], "an edit beside other rules");
}

/// Nobody accepts anything: an outage is told the week after, whatever it shows then.
#[test]
fn where_nobody_accepts_there_are_no_two_silent_weeks() {
    let harness = known_site(24);
    let outage = |line: &'static str| {
        for number in 0..12 {
            let html = format!("<!doctype html><title>{0}</title><main><p>{line}</p></main>", word(number));
            harness.site.page(&path(number), Page::html(html));
        }
    };
    let crawl = || {
        let arguments = ["crawl", &harness.site.url(), "--rate", "unlimited", "--quiet"];
        harness.command(&arguments).output().unwrap().status.code().unwrap()
    };
    outage("Live data is being updated.");
    assert_eq!(crawl(), 4, "it waits for somebody");
    // Another line: it confirms nothing.
    outage("Our new site opens soon.");
    crawl();
    let sites = harness.run(&["crawls"]);
    assert!(sites.contains("told all the same"), "{sites}");
    let rows = told(&harness, &[]);
    assert_eq!(rows[0], "shared 12 Our new site opens soon.", "and is told as one row: {rows:?}");
    assert!(rows[1..].iter().all(|row| row == "shared 12 "), "beside the frame that went: {rows:?}");
}
