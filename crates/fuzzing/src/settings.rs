//! Settings: a file and an environment are refused or taken, and an edited file says what was written.

use recrawl::fuzzing::{edit_settings, read_settings as read};

/// What divides the environment from the file.
const DIVIDER: &str = "\n---\n";

/// Reads the first line as what is to be crawled, the lines up to `---` as variables, and the rest as a file.
pub fn read_settings(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (head, file) = text.split_once(DIVIDER).unwrap_or((&text, ""));
    let (target, variables) = head.split_once('\n').unwrap_or((head, ""));
    let environment: Vec<(String, String)> = variables
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    match read(target, file, &environment) {
        Ok(in_force) => {
            assert_eq!(read(target, file, &environment).as_ref(), Ok(&in_force), "read twice");
            assert!(in_force.iter().any(|(name, _)| name == "store"), "every setting is told");
        }
        Err(what) => assert!(!what.is_empty()),
    }
    // What is in the way of an edit is said; where nothing is, the file says afterwards what was written.
    let excluded: Vec<String> = variables.lines().map(str::to_owned).collect();
    match edit_settings(file, target, &excluded) {
        Ok(read_back) => assert_eq!(read_back, excluded),
        Err(what) => assert!(!what.is_empty()),
    }
}
