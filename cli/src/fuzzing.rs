//! A way in for fuzzers: settings are private to the command, and a process for each reading would be slow.
//!
//! No part of the interface, and no feature either: one that a member of the workspace asks for is on for all.

use std::path::{Path, PathBuf};

use recrawl_settings::{Environment, variables};

use crate::exit::usage;
use crate::settings::{self, Edit, SettingsArguments, SettingsFile};

const FILE: &str = "recrawl.toml";

/// Works out the settings for `target` by the text of a file and an environment; returns names and values.
pub fn read_settings(
    target: &str,
    file: &str,
    environment: &[(String, String)],
) -> Result<Vec<(String, String)>, String> {
    let read = || -> anyhow::Result<Vec<(String, String)>> {
        let file = SettingsFile::parse(file, Path::new(FILE)).map_err(usage)?;
        settings::notify(&file)?;
        let arguments = SettingsArguments::default();
        let environment: Environment = environment.iter().cloned().collect();
        let unknown = variables::unknown(environment.keys().map(String::as_str), || file.named_variables());
        anyhow::ensure!(unknown.is_empty(), unknown.join("\n"));
        let resolved = settings::resolve_in(&environment, target, &arguments, &file)?;
        settings::scope(&resolved.settings)?;
        Ok(resolved.in_force.into_iter().map(|value| (value.setting.to_owned(), value.value)).collect())
    };
    read().map_err(|error| format!("{error:#}"))
}

/// Writes what is excluded from the site `name` into the text of a file; returns what is read of it then.
pub fn edit_settings(file: &str, name: &str, excluded: &[String]) -> Result<Vec<String>, String> {
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
