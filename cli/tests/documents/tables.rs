//! The tables of ARCHITECTURE and CONTRIBUTING name files and functions that exist, and links lead somewhere.

use std::collections::BTreeSet;

use regex::Regex;

use crate::{root, text};

/// Returns the rows of the table under a heading, as cells.
fn rows(document: &str, heading: &str) -> Vec<Vec<String>> {
    let (_, part) =
        document.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    let lines = part.lines().skip_while(|line| !line.starts_with('|'));
    let rows = lines.take_while(|line| line.starts_with('|')).skip(2);
    rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// Says what is wrong with a place: `file`, `folder/`, or `file: name` of what the file defines.
fn problem(place: &str) -> Option<String> {
    let (path, name) = place.split_once(": ").map_or((place, None), |(path, name)| (path, Some(name)));
    let found = root().join(path);
    let Some(name) = name else { return (!found.exists()).then(|| format!("{path} does not exist")) };
    let Ok(file) = std::fs::read_to_string(&found) else { return Some(format!("{path} cannot be read")) };
    let kinds = "fn|struct|enum|trait|const|static|type|mod|macro_rules!|variable";
    let name = name.rsplit("::").next().unwrap_or(name);
    let definition = Regex::new(&format!(r#"\b({kinds}) "?{}\b"#, regex::escape(name))).unwrap();
    (!definition.is_match(&file)).then(|| format!("{path} does not define {name}"))
}

fn check(document: &str, heading: &str, at_least: usize) {
    let places = Regex::new(r"`([^`]*/[^`]*)`").unwrap();
    let rows = rows(&text(document), heading);
    assert!(rows.len() >= at_least, "{document} has {} rows under {heading}", rows.len());
    let mut problems = Vec::new();
    for row in rows {
        let named: Vec<&str> = row[1..]
            .iter()
            .flat_map(|cell| places.captures_iter(cell))
            .map(|found| found.get(1).unwrap().as_str())
            .collect();
        if named.is_empty() {
            problems.push(format!("{}: no file is named", row[0]));
        }
        let wrong = named.into_iter().filter(|place| !place.contains("NAME")).filter_map(problem);
        problems.extend(wrong.map(|problem| format!("{}: {problem}", row[0])));
    }
    assert!(problems.is_empty(), "{document}, {heading}:\n{}", problems.join("\n"));
}

#[test]
fn every_decision_in_the_architecture_is_where_it_says() {
    check("ARCHITECTURE.md", "Where is it decided?", 20);
}

#[test]
fn every_file_to_edit_is_there() {
    check("CONTRIBUTING.md", "To do X, edit Y", 7);
}

#[test]
fn a_place_that_is_not_there_is_found() {
    assert_eq!(
        problem("cli/tests/documents/tables.rs: fn_that_nobody_wrote").as_deref(),
        Some("cli/tests/documents/tables.rs does not define fn_that_nobody_wrote")
    );
    assert_eq!(problem("cli/no_such_file.rs").as_deref(), Some("cli/no_such_file.rs does not exist"));
    assert_eq!(problem("cli/tests/documents/tables.rs: problem"), None);
}

#[test]
fn the_files_of_the_walk_are_there() {
    let architecture = text("ARCHITECTURE.md");
    let (_, walk) =
        architecture.split_once("\n## One URL, from command to row\n").expect("the walk is there");
    let (walk, _) = walk.split_once("\n## ").expect("something follows the walk");
    let file = Regex::new(r"`([a-z][a-z0-9_/-]*\.(?:rs|sql))(?:: [^`]*)?`").unwrap();
    // Each half says how many files it names.
    let counted = Regex::new(r"(?m)^\*\*(\d+) files").unwrap();
    let halves = walk.split_once("\nIn the cloud").expect("the walk goes through both homes");
    for half in [halves.0, halves.1] {
        let said: usize = counted.captures(half).expect("the number of files is said")[1].parse().unwrap();
        let named: BTreeSet<&str> =
            file.captures_iter(half).map(|found| found.get(1).unwrap().as_str()).collect();
        assert_eq!(said, named.len(), "{named:#?}");
    }
    let places: Vec<String> =
        file.find_iter(walk).map(|found| found.as_str().trim_matches('`').to_owned()).collect();
    assert!(places.len() >= 20, "{places:?}");
    let problems: Vec<String> = places.iter().filter_map(|place| problem(place)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn links_between_documents_lead_somewhere() {
    let link = Regex::new(r"\]\(([^)#:]+)(?:#[^)]*)?\)").unwrap();
    let documents = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "docs/SERVE.md",
        "docs/REFERENCE.md",
        "docs/DEPLOY.md",
        "docs/adr/README.md",
        "browser-tests/README.md",
        "bench/README.md",
    ];
    for document in documents {
        let folder = root().join(document).parent().expect("a document is in a folder").to_path_buf();
        for found in link.captures_iter(&text(document)) {
            assert!(folder.join(&found[1]).exists(), "{document} links to {}", &found[1]);
        }
    }
}
