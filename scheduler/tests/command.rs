//! The command itself: what it refuses, and how it ends.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use assert_cmd::Command;

fn scheduler(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("scheduler").unwrap();
    command.args(arguments).env_clear();
    command
}

/// Runs the command, which must refuse its arguments; returns what it says.
fn refusal(mut command: Command) -> String {
    let output = command.assert().code(2).get_output().clone();
    assert_eq!(output.stdout, b"", "nothing was done");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_seed_that_is_no_web_page_is_refused_before_anything_is_published() {
    for (url, reason) in [
        ("ftp://example.org/", "ftp"),
        ("file:///etc/passwd", "file"),
        ("not a url", "not a url"),
        ("//example.org", "//example.org"),
    ] {
        let mut command = scheduler(&["--project", "demo", "seed", "https://example.org/", url]);
        // A publication would fail at once, with another exit status.
        command.env("PUBSUB_EMULATOR_HOST", "127.0.0.1:1");
        let said = refusal(command);
        assert!(said.starts_with("scheduler: ") && said.contains(reason), "{url}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn every_bad_value_is_told_at_once() {
    let mut command = scheduler(&["run", "--cron", "0 25 * * *", "--root", "gopher://example.org/"]);
    command.env("PUBSUB_EMULATOR_HOST", "http://127.0.0.1:1").env("FIRESTORE_EMULATOR_HOST", "localhost");
    let said = refusal(command);
    for expected in [
        "5 settings cannot be used",
        "GOOGLE_CLOUD_PROJECT",
        "PUBSUB_EMULATOR_HOST",
        "FIRESTORE_EMULATOR_HOST",
        "\"0 25 * * *\" is not a cron expression",
        "RECRAWL_ROOT",
    ] {
        assert!(said.contains(expected), "{expected} is missing in {said}");
    }
    let mut command = scheduler(&["tick", "--project", "demo"]);
    command.env("RECRAWL_QUIET", "-1").env("RECRAWL_KEEP_CRAWLS", "0");
    let said = refusal(command);
    assert!(said.contains("RECRAWL_QUIET") && said.contains("RECRAWL_KEEP_CRAWLS"), "{said}");
}

#[test]
fn what_cannot_be_due_or_accepted_is_refused() {
    for (arguments, setting) in [
        (&["due", "--budget", "0"][..], "--budget"),
        (&["due", "--budget", "many"], "--budget"),
        (&["due", "--site", "A B"], "--site"),
        (&["accept", "--crawl", "last"], "--crawl"),
        (&["accept", "--site", ""], "--site"),
        (&["tick", "--budget", "0"], "RECRAWL_BUDGET"),
    ] {
        let mut command = scheduler(arguments);
        command.env("GOOGLE_CLOUD_PROJECT", "demo");
        let said = refusal(command);
        assert!(said.contains(setting), "{arguments:?}: {said}");
    }
}

#[test]
fn wrong_arguments_are_told_with_the_usage() {
    for arguments in [&["seed"][..], &[], &["tock"]] {
        assert!(refusal(scheduler(arguments)).contains("Usage"), "{arguments:?}");
    }
}

#[test]
fn settings_are_read_as_by_the_service_and_unknown_variables_are_refused() {
    for (name, value, expected) in [
        ("RECRAWL_QIET", "5", "did you mean RECRAWL_QUIET?"),
        ("RECRAWL_MAX_PAGES", "few", "max-pages must be"),
        ("RECRAWL_KEEP_CRAWLS", "1", "at least 2"),
    ] {
        let mut command = scheduler(&["tick", "--quiet", "10m"]);
        command.env("GOOGLE_CLOUD_PROJECT", "demo").env(name, value);
        let said = refusal(command);
        assert!(said.contains(expected) && !said.contains("quiet must be"), "{name}: {said}");
    }
}
