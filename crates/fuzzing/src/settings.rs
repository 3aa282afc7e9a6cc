//! Settings: a file and an environment are refused or taken, and an edited file says what was written.

use std::path::{Path, PathBuf};

use recrawl_settings::{Environment, SettingsFile, variables};
use recrawl_supervisor::notify::target_settings;
use recrawl_supervisor::settings::{self, CommandLine, Edit};
use recrawl_supervisor::usage;

const FILE: &str = "recrawl.toml";

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

/// Works out the settings for `target` by the text of a file and an environment; returns names and values.
fn read(target: &str, file: &str, environment: &[(String, String)]) -> Result<Vec<(String, String)>, String> {
    let read = || -> anyhow::Result<Vec<(String, String)>> {
        let file = SettingsFile::parse(file, Path::new(FILE)).map_err(usage)?;
        target_settings(&file)?;
        let environment: Environment = environment.iter().cloned().collect();
        let unknown = variables::unknown(environment.keys().map(String::as_str), || file.named_variables());
        anyhow::ensure!(unknown.is_empty(), unknown.join("\n"));
        let resolved = settings::resolve_in(&environment, target, &CommandLine::default(), &file)?;
        settings::scope(&resolved.settings)?;
        Ok(resolved.in_force.into_iter().map(|value| (value.setting.to_owned(), value.value)).collect())
    };
    read().map_err(|error| format!("{error:#}"))
}

/// Writes what is excluded from the site `name` into the text of a file; returns what is read of it then.
fn edit_settings(file: &str, name: &str, excluded: &[String]) -> Result<Vec<String>, String> {
    let edit = || -> anyhow::Result<Vec<String>> {
        let read = SettingsFile::parse(file, Path::new(FILE)).map_err(usage)?;
        let is_site = read.names().any(|site| site == name);
        anyhow::ensure!(is_site, "there is no table of this site");
        let mut edit = Edit::of(file, PathBuf::from(FILE))?;
        edit.set_list(name, "exclude", excluded);
        edit.set_text(name, "schedule", None);
        Ok(edit.check(name)?.scope.exclude)
    };
    edit().map_err(|error| format!("{error:#}"))
}
