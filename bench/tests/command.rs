//! The program itself; `./test` runs the short form of its torture on what these tests were built with.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_recrawl-bench")).args(arguments).output().unwrap()
}

#[test]
fn everything_that_is_tortured_has_a_name() {
    let output = run(&["torture", "--list"]);
    assert!(output.status.success());
    let names = String::from_utf8(output.stdout).unwrap();
    assert!(names.lines().count() > 100, "{names}");
    for name in ["kill-crawl", "disk-full", "damage-cut", "clock-wrong", "addresses", "messages", "gzip-bomb"]
    {
        assert!(names.lines().any(|line| line == name), "{name} is not in\n{names}");
    }
}

#[test]
fn an_unknown_name_is_an_error_and_not_a_pass() {
    let program = env!("CARGO_BIN_EXE_recrawl-bench");
    let output = run(&["torture", "--only", "no-such-thing", "--recrawl", program]);
    assert!(!output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("nothing is called no-such-thing"), "{said}");
}
