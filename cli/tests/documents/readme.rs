//! What documents tell people to type is accepted, and README shows what they then see.

use crate::program::{arguments, recrawl, words};
use crate::{blocks, text};

/// The documents for people who use the program.
const DOCUMENTS: [&str; 6] =
    ["README.md", "docs/REFERENCE.md", "docs/SERVE.md", "docs/SQL.md", "docs/DEPLOY.md", "CONTRIBUTING.md"];

#[test]
fn every_command_that_a_document_shows_is_accepted() {
    let mut checked = 0;
    for document in DOCUMENTS {
        for block in blocks(&text(document), "sh") {
            let joined = block.replace("\\\n", " ");
            let lines = joined.lines().map(|line| line.replace("cargo run --release -- ", "recrawl "));
            for line in lines.filter(|line| line.starts_with("recrawl ")) {
                let typed = words(&line);
                // What a shell does with it is not ours.
                let typed = typed.iter().take_while(|word| !["|", ">", "&&"].contains(&word.as_str()));
                if let Err(error) = arguments().try_get_matches_from(typed) {
                    panic!("{document}: {line}\n{error}");
                }
                checked += 1;
            }
        }
    }
    assert!(checked >= 15, "only {checked} commands were found");
}

#[test]
fn the_queries_in_the_documents_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    assert!(recrawl(folder.path(), &["demo", "--store", "recrawl.db"]).status.success());
    let mut answered = 0;
    for document in DOCUMENTS {
        for block in blocks(&text(document), "sh") {
            for query in
                block.lines().filter_map(|line| line.strip_prefix("recrawl sql \"")?.strip_suffix('"'))
            {
                let output = recrawl(folder.path(), &["sql", query, "--format", "json"]);
                assert!(output.status.success(), "{query}: {}", String::from_utf8_lossy(&output.stderr));
                answered += 1;
            }
        }
    }
    assert!(answered >= 3, "only {answered} queries were found");
}

#[test]
fn the_settings_file_in_the_readme_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let file = &blocks(&text("README.md"), "toml")[0];
    std::fs::write(folder.path().join("recrawl.toml"), file).unwrap();
    let output = recrawl(folder.path(), &["config", "portland"]);
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && shown.contains(".view-footer"), "{shown}");
}

#[test]
fn every_settings_file_in_the_documents_is_accepted() {
    for document in DOCUMENTS {
        for file in blocks(&text(document), "toml") {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("recrawl.toml"), &file).unwrap();
            let output = recrawl(folder.path(), &["config"]);
            let complaint = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{document}:\n{file}\n{complaint}");
        }
    }
}

/// Ports, dates, times and sizes differ from run to run; nothing else may.
fn without_figures(line: &str) -> String {
    let mut plain = String::new();
    for letter in line.trim_end().chars() {
        let letter = if letter.is_ascii_digit() { '0' } else { letter };
        if !(plain.ends_with(letter) && (letter == '0' || letter == ' ')) {
            plain.push(letter);
        }
    }
    plain
}

#[test]
fn the_readme_shows_what_the_demo_prints() {
    let folder = tempfile::tempdir().unwrap();
    let output = recrawl(folder.path(), &["demo"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    let printed: Vec<String> = printed.lines().map(without_figures).collect();
    let shown = &blocks(&text("README.md"), "text")[0];
    let mut rest = printed.as_slice();
    // A line of dots stands for lines that README leaves out.
    let mut may_skip = false;
    for line in shown.lines().map(without_figures) {
        if line == "..." {
            may_skip = true;
            continue;
        }
        let at = rest.iter().position(|printed| *printed == line);
        let at = at.filter(|at| may_skip || *at == 0);
        let at = at.unwrap_or_else(|| panic!("README shows {line:?}; the demo goes on with {rest:#?}"));
        rest = &rest[at + 1..];
        may_skip = false;
    }
    assert!(rest.is_empty() || may_skip, "README ends before {rest:#?}");
}
