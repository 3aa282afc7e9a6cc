//! Changes that somebody has seen, starred or noted, over several sites and crawls, with the real command.

#![expect(clippy::unwrap_used, reason = "a test that cannot set its stage stops")]

#[path = "read/fixture.rs"]
#[expect(dead_code, reason = "not every test needs every kind of answer")]
mod fixture;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use fixture::Answer::{Html, NotFound};
use fixture::{Fixture, Outcome};
use recrawl_core::model::crawl::Ending;
use serde_json::Value;

const FIRST: &str = "crawl-2026-11-02";
const SECOND: &str = "crawl-2026-11-09";
const THIRD: &str = "crawl-2026-11-16";

/// Two sites over three weeks; the last crawl of the town stopped after its first page.
async fn town_and_harbor() -> Fixture {
    let fixture = Fixture::new();
    let town = |path: &str| -> &'static str { format!("https://town.example{path}").leak() };
    let harbor = |path: &str| -> &'static str { format!("https://harbor.example{path}").leak() };
    let page = |text: &str| Html(format!("<title>{text}</title><p>It says {text}.</p>").leak());
    for (name, root) in [("town", town("/")), ("harbor", harbor("/"))] {
        fixture.add_site(name, root).await;
    }
    let first = [(town("/"), page("home")), (town("/budget"), page("95,000")), (town("/aid"), page("aid"))];
    fixture.crawl("town", FIRST, Some(Ending::Complete), &first).await;
    let second = [(town("/"), page("home")), (town("/budget"), page("195,000")), (town("/aid"), NotFound)];
    fixture.crawl("town", SECOND, Some(Ending::Complete), &second).await;
    let stopped = Ending::Partial("stopped".to_owned());
    fixture.crawl("town", THIRD, Some(stopped), &[(town("/"), page("home"))]).await;
    fixture.crawl("harbor", FIRST, Some(Ending::Complete), &[(harbor("/"), page("4.10"))]).await;
    let later = [(harbor("/"), page("4.60")), (harbor("/tender"), page("cranes"))];
    fixture.crawl("harbor", THIRD, Some(Ending::Complete), &later).await;
    fixture
}

fn done(outcome: Outcome) -> Outcome {
    assert_eq!(outcome.status, 0, "{}", outcome.shown());
    outcome
}

/// Returns site, path and what people did of each change since the second week.
fn changes(fixture: &Fixture, flags: &[&str]) -> Vec<(String, String, bool, bool, Option<String>)> {
    let window = ["changes", "--since", SECOND, "--format", "json"];
    let answer = done(fixture.recrawl(&[&window[..], flags].concat()));
    let rows: Vec<Value> = serde_json::from_str(&answer.stdout).unwrap();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let path = |row: &Value| format!("/{}", row["url"].as_str().unwrap().splitn(4, '/').last().unwrap());
    let mut found: Vec<_> = rows
        .iter()
        .map(|row| {
            let marks = (row["seen"].as_bool().unwrap(), row["starred"].as_bool().unwrap());
            (text(&row["site"]).unwrap(), path(row), marks.0, marks.1, text(&row["note"]))
        })
        .collect();
    found.sort();
    found
}

fn paths(fixture: &Fixture, flags: &[&str]) -> Vec<String> {
    changes(fixture, flags).into_iter().map(|(site, path, ..)| format!("{site}{path}")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_tells_what_nobody_has_seen_and_what_is_starred() {
    let fixture = town_and_harbor().await;
    // That the last crawl of the town stopped makes no quiet week.
    assert_eq!(paths(&fixture, &[]), ["harbor/", "harbor/tender", "town/aid", "town/budget"]);
    assert_eq!(paths(&fixture, &["--until", SECOND]), ["town/aid", "town/budget"]);
    assert_eq!(paths(&fixture, &["--until", "2026-11-10"]), ["town/aid", "town/budget"]);
    assert_eq!(paths(&fixture, &["--site", "harbor", "--path", "/tender"]), ["harbor/tender"]);

    done(fixture.recrawl(&["mark", "https://town.example/budget"]));
    let noted = fixture.recrawl(&["mark", "https://harbor.example/tender", "--star", "--note", " Ask Kim "]);
    assert!(done(noted).stderr.contains("/tender, crawl-2026-11-16: starred, noted."));
    assert_eq!(paths(&fixture, &["--unseen"]), ["harbor/", "harbor/tender", "town/aid"]);
    assert_eq!(
        changes(&fixture, &["--starred"]),
        [("harbor".to_owned(), "/tender".to_owned(), false, true, Some("Ask Kim".to_owned()))]
    );
    let told = done(fixture.recrawl(&["changes", "--since", SECOND, "--unseen"])).stdout;
    assert!(told.contains("3 of 4 changes are unseen"), "{told}");
    done(fixture.recrawl(&["mark", "https://town.example/budget", "--unseen"]));
    done(fixture.recrawl(&["mark", "https://harbor.example/tender", "--unstar", "--note", ""]));
    assert!(
        changes(&fixture, &[]).iter().all(|(.., seen, starred, note)| !seen && !starred && note.is_none())
    );

    let all = ["mark", "--all", "--since", SECOND];
    assert!(
        done(fixture.recrawl(&[&all[..], &["--path", "/aid"]].concat())).stderr.contains("Seen: 1 change.")
    );
    assert_eq!(paths(&fixture, &["--unseen"]), ["harbor/", "harbor/tender", "town/budget"]);
    assert!(
        done(fixture.recrawl(&[&all[..], &["--site", "town"]].concat())).stderr.contains("Seen: 1 change.")
    );
    assert!(done(fixture.recrawl(&all)).stderr.contains("Seen: 2 changes."));
    assert_eq!(paths(&fixture, &["--unseen"]), [] as [&str; 0]);
    let sites = done(fixture.recrawl(&["sites"])).stdout;
    assert!(sites.contains("seen") && !sites.contains("unseen"), "{sites}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_to_be_marked_survives_a_kill_and_a_copy() {
    let fixture = town_and_harbor().await;
    let mut command = Command::new(env!("CARGO_BIN_EXE_recrawl"));
    command.current_dir(fixture.directory()).env_remove("RECRAWL_STORE").stderr(Stdio::piped());
    let pages = ["https://town.example/budget", "https://town.example/aid", "https://harbor.example/"];
    let mut child = command.arg("mark").args(pages).args(["--seen", "--star"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.contains("/budget"), "{line}");
    assert!(paths(&fixture, &["--starred"]).contains(&"town/budget".to_owned()));

    done(fixture.recrawl(&["copy", "--from", "recrawl.db", "--to", "copy.db"]));
    let starred = ["changes", "--since", FIRST, "--starred", "--format", "json", "--store", "copy.db"];
    assert!(done(fixture.recrawl(&starred)).stdout.contains("/budget"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_marked_is_said() {
    let fixture = town_and_harbor().await;
    for (arguments, expected) in [
        (&["mark"][..], "required"),
        (&["mark", "--all", "https://town.example/aid"], "cannot be used"),
        (&["mark", "--all", "--star"], "cannot be used"),
        (&["mark", "https://town.example/aid", "--since", "7d"], "cannot be used"),
        (&["mark", "https://town.example/aid", "--seen", "--unseen"], "cannot be used"),
        (&["mark", "https://town.example/aid", "--crawl", THIRD], "did not visit"),
        (
            &["mark", "0123456789abcdef", "--site", "town", "--crawl", "crawl-2026-11-03"],
            "has no crawl-2026-11-03",
        ),
        (&["changes", "--until", SECOND], "--since"),
        (&["changes", "--since", "soon"], "last-look"),
    ] {
        let refused = fixture.recrawl(arguments);
        assert_eq!(refused.status, 2, "{arguments:?}: {}", refused.shown());
        assert!(refused.stderr.contains(expected), "{arguments:?}: {}", refused.stderr);
    }
    let long = "x".repeat(1_001);
    let refused = fixture.recrawl(&["mark", "https://town.example/aid", "--note", &long]);
    assert!(
        refused.status == 2 && refused.stderr.contains("at most 1,000 characters"),
        "{}",
        refused.shown()
    );
}
