//! Stores that are damaged, cannot be written, or are in use.

#![expect(clippy::unwrap_used, reason = "a test that cannot set its stage stops")]

#[path = "read/fixture.rs"]
#[expect(dead_code, reason = "not every test needs every kind of answer")]
mod fixture;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use assert_cmd::cargo::cargo_bin_cmd;
use fixture::Answer::Html;
use fixture::{Fixture, recrawl};
use recrawl_core::model::crawl::Ending;
use recrawl_store_sqlite::SqliteStore;
use tempfile::TempDir;

const ROOT: &str = "https://example.org/";

/// Every command that reads, on a site of one root.
const READING: [&[&str]; 16] = [
    &["changes"],
    &["changes", "--format", "json"],
    &["crawls"],
    &["status"],
    &["stats"],
    &["pages"],
    &["plan"],
    &["history", ROOT],
    &["show", ROOT],
    &["diff", ROOT],
    &["explain", ROOT],
    &["report", "broken"],
    &["report", "duplicates"],
    &["sql", "SELECT count(*), max(title) FROM visits"],
    &["search", "bridge"],
    &["check"],
];

/// Returns a directory with a store of two crawls of 400 pages, closed and folded.
async fn stored() -> TempDir {
    let fixture = Fixture::new();
    fixture.add_site("example.org", ROOT).await;
    let addresses: Vec<String> = (0..400).map(|number| format!("{ROOT}{number}")).collect();
    for (crawl, body) in [("crawl-2026-11-02", "<p>one bridge"), ("crawl-2026-11-09", "<p>two bridges")] {
        let answers = addresses.iter().map(|address| (address.as_str(), Html(body)));
        let answers: Vec<_> = answers.chain([(ROOT, Html(body))]).collect();
        fixture.crawl("example.org", crawl, Some(Ending::Complete), &answers).await;
    }
    let directory = tempfile::tempdir().unwrap();
    let copied = fixture.recrawl(&["backup", directory.path().join("recrawl.db").to_str().unwrap()]);
    assert_eq!(copied.status, 0, "{}", copied.shown());
    directory
}

/// Changes a file as a bad disk does; the same for the same seed.
fn damage(path: &Path, seed: u64) {
    let mut bytes = fs::read(path).unwrap();
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    let pages = bytes.len() / 4096;
    match seed % 4 {
        0 => {
            for _ in 0..20 {
                let place = 100 + next(bytes.len() - 100);
                bytes[place] ^= 1 << next(8);
            }
        }
        1 => {
            for _ in 0..3 {
                let page = 1 + next(pages - 1);
                bytes[page * 4096..][..4096].fill(0);
            }
        }
        2 => {
            let (from, to) = (1 + next(pages - 1), 1 + next(pages - 1));
            bytes.copy_within(from * 4096..(from + 1) * 4096, to * 4096);
        }
        _ => bytes.truncate(4096 * (1 + next(pages - 1)) + next(4096)),
    }
    fs::write(path, bytes).unwrap();
}

#[tokio::test]
async fn a_damaged_store_hangs_no_command_and_each_ends_with_a_sentence() {
    let whole = stored().await;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("recrawl.db");
    let mut refused = 0;
    for seed in 0..24 {
        for side in ["recrawl.db-wal", "recrawl.db-shm"] {
            let _ = fs::remove_file(directory.path().join(side));
        }
        fs::copy(whole.path().join("recrawl.db"), &path).unwrap();
        damage(&path, seed);
        // Some of them for each damage: a process costs more than what it does here.
        for arguments in READING.iter().skip(usize::try_from(seed).unwrap() % 4).step_by(4) {
            let mut command = cargo_bin_cmd!("recrawl");
            let command = command.current_dir(directory.path()).env_remove("RECRAWL_STORE").args(*arguments);
            // Far longer than any of them takes, for machines that do other things, too.
            let output = command.timeout(Duration::from_mins(2)).output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            let code = output.status.code();
            assert!(matches!(code, Some(0..=3)), "seed {seed}, {arguments:?}: {:?} {stderr}", output.status);
            assert!(!stderr.contains("panicked"), "seed {seed}, {arguments:?}: {stderr}");
            assert!(!stderr.contains("Error code"), "seed {seed}, {arguments:?}: {stderr}");
            refused += u32::from(code != Some(0));
        }
    }
    assert!(refused >= 10, "only {refused} commands noticed anything");
}

#[tokio::test]
async fn a_listing_that_would_begin_anew_is_an_error_and_not_endless() {
    let directory = stored().await;
    let path = directory.path().join("recrawl.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    // Two visits of one page: where a listing goes on after the later one, it finds the earlier one.
    let sql = "DROP INDEX visit_of_page;
        UPDATE visit SET page = (SELECT page FROM visit ORDER BY id LIMIT 1)
        WHERE id = (SELECT max(id) FROM visit WHERE crawl = (SELECT min(number) FROM crawl));";
    connection.execute_batch(sql).unwrap();
    drop(connection);
    let mut command = cargo_bin_cmd!("recrawl");
    let listing = ["changes", "--crawl", "crawl-2026-11-02", "--kind", "new"];
    let command = command.current_dir(directory.path()).env_remove("RECRAWL_STORE").args(listing);
    let output = command.timeout(Duration::from_mins(2)).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("recrawl.db is damaged") && stderr.contains("recrawl check"), "{stderr}");
}

#[tokio::test]
async fn a_check_tells_a_whole_store_from_one_that_is_not() {
    let directory = stored().await;
    let before = fs::read(directory.path().join("recrawl.db")).unwrap();
    let whole = recrawl(directory.path(), &["check"]);
    assert_eq!(whole.status, 0, "{}", whole.shown());
    assert!(whole.stdout.lines().count() == 11 && !whole.stdout.contains("wrong"), "{}", whole.stdout);
    assert_eq!(fs::read(directory.path().join("recrawl.db")).unwrap(), before, "nothing is written");

    let path = directory.path().join("recrawl.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection
        .execute_batch("PRAGMA foreign_keys = OFF; DELETE FROM content; DELETE FROM url WHERE id = 3;")
        .unwrap();
    drop(connection);
    let faulty = recrawl(directory.path(), &["check"]);
    assert_eq!(faulty.status, 1, "{}", faulty.shown());
    for expected in ["visits name contents that are not there", "What to do:", "ok     integrity"] {
        assert!(faulty.stdout.contains(expected), "{expected}: {}", faulty.stdout);
    }
    let json = recrawl(directory.path(), &["check", "--format", "json"]);
    let findings: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((findings[0]["what"].as_str(), findings[0]["ok"].as_bool()), (Some("format"), Some(true)));
}

#[tokio::test]
async fn a_store_is_copied_while_it_is_written_and_nothing_is_replaced_unasked() {
    let fixture = Fixture::new();
    fixture.add_site("example.org", ROOT).await;
    fixture.crawl("example.org", "crawl-2026-11-02", Some(Ending::Complete), &[(ROOT, Html("<p>one"))]).await;
    // What is written is in the log, and the store stays open.
    let copied = fixture.recrawl(&["backup", "copy.db"]);
    assert_eq!(copied.status, 0, "{}", copied.shown());
    assert!(copied.stderr.contains("copy.db is a whole copy of recrawl.db"), "{}", copied.shown());
    fixture.crawl("example.org", "crawl-2026-11-09", Some(Ending::Complete), &[(ROOT, Html("<p>two"))]).await;
    let status = |store: &str| fixture.recrawl(&["status", "--store", store]).stdout;
    assert!(status("copy.db").contains("crawl-2026-11-02 (1 crawl so far)"), "{}", status("copy.db"));
    let refused = fixture.recrawl(&["backup", "copy.db"]);
    assert_eq!(refused.status, 2, "{}", refused.shown());
    assert!(refused.stderr.contains("--force"), "{}", refused.shown());
    assert_eq!(fixture.recrawl(&["backup", "copy.db", "--force"]).status, 0);
    assert!(status("copy.db").contains("crawl-2026-11-09 (2 crawls so far)"), "{}", status("copy.db"));
    assert_eq!(fixture.recrawl(&["backup", "recrawl.db", "--force"]).status, 2, "not onto itself");
    let left: Vec<_> =
        fs::read_dir(fixture.directory()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("partial")), "{left:?}");
    assert_eq!(fixture.recrawl(&["check", "--store", "copy.db"]).status, 0);
}

/// Runs the command as somebody who may write nothing here: permissions do not stop the superuser.
fn as_nobody(directory: &Path, arguments: &[&str]) -> Output {
    let program = assert_cmd::cargo::cargo_bin!("recrawl");
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let mut command = if is_root {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
        command
    } else {
        Command::new(program)
    };
    command.current_dir(directory).env_remove("RECRAWL_STORE").args(arguments).output().unwrap()
}

#[tokio::test]
async fn a_store_in_a_folder_that_cannot_be_written_is_read() {
    let directory = stored().await;
    let path = directory.path().join("recrawl.db");
    // As a crawl leaves it: with a log, folded in and removed.
    drop(SqliteStore::open(&path, &recrawl_store_sqlite::Options::default()).unwrap());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o555)).unwrap();
    for arguments in READING {
        let output = as_nobody(directory.path(), arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
    }
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();

    // A log that was not folded in, without the file that its readers share.
    let log = directory.path().join("recrawl.db-wal");
    fs::write(&log, b"not empty").unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let output = as_nobody(directory.path(), &["status"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(
        output.status.code() == Some(0) || stderr.contains("Copy both files into a folder"),
        "{:?} {stderr}",
        output.status
    );
}
