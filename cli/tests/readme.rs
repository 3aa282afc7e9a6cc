//! What README tells people to type is run.

use std::process::{Command, Output};

const README: &str = include_str!("../../README.md");

fn recrawl(folder: &std::path::Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recrawl"));
    command.args(arguments).current_dir(folder).output().expect("the command starts")
}

#[test]
fn the_queries_in_the_readme_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    assert!(recrawl(folder.path(), &["demo", "--store", "recrawl.db"]).status.success());
    let queries: Vec<&str> = README
        .lines()
        .filter_map(|line| line.strip_prefix("recrawl sql \"")?.strip_suffix('"'))
        .filter(|query| !query.contains("..."))
        .collect();
    assert_eq!(queries.len(), 3);
    for query in queries {
        let output = recrawl(folder.path(), &["sql", query, "--format", "json"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{query}: {said}");
    }
}

#[test]
fn every_command_has_a_row_in_the_readme() {
    let folder = tempfile::tempdir().unwrap();
    let help = recrawl(folder.path(), &["--help"]);
    let help = String::from_utf8(help.stdout).unwrap();
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let commands = commands.lines().take_while(|line| !line.is_empty());
    let names: Vec<&str> = commands
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(names.len() > 10, "{names:?}");
    let (_, table) = README.split_once("| command | what it does |").unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    for name in names {
        let mentioned = table.contains(&format!("recrawl {name}")) || table.contains(&format!("`{name}`"));
        assert!(mentioned, "README has no row for {name}");
    }
}

#[test]
fn the_settings_file_in_the_readme_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let (_, file) = README.split_once("```toml\n").unwrap();
    let (file, _) = file.split_once("```").unwrap();
    std::fs::write(folder.path().join("recrawl.toml"), file).unwrap();
    let output = recrawl(folder.path(), &["config", "portland"]);
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && shown.contains(".view-footer"), "{shown}");
}
