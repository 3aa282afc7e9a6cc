//! The variables of the product, and those that nobody reads.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use crate::Environment;
use crate::file::SettingsFile;
use crate::setting::{Home, Setting};
use crate::table::{CRAWL, PROCESS};

/// What all our variables begin with.
const PREFIX: &str = "RECRAWL_";

/// Variables that are read elsewhere than through the table, and what they mean.
pub const OTHERS: &[(&str, &str)] = &[(
    "RECRAWL_ADMIN_TOKEN",
    "The token that `recrawl serve` asks for on another address than this machine's.",
)];

/// Returns the environment of this process, without what is no text.
pub fn of_this_process() -> Environment {
    let text =
        |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
    std::env::vars_os().filter_map(text).collect()
}

/// Says which of these variables are ours by name and read by nobody; `named` returns those that a file names, and is
/// asked only where there is doubt.
///
/// Variables of tests are known in debug builds, which alone read them.
pub fn unknown<'a>(
    variables: impl IntoIterator<Item = &'a str>,
    named: impl FnOnce() -> BTreeSet<String>,
) -> Vec<String> {
    let rows = CRAWL.iter().chain(PROCESS).map(Setting::variable);
    let known: Vec<String> = rows.chain(OTHERS.iter().map(|(name, _)| (*name).to_owned())).collect();
    let is_of_tests = |name: &str| cfg!(debug_assertions) && name.starts_with("RECRAWL_TEST_");
    let is_unknown = |name: &&str| {
        name.starts_with(PREFIX) && !known.iter().any(|known| known == name) && !is_of_tests(name)
    };
    let mut unknown: BTreeSet<&str> = variables.into_iter().filter(is_unknown).collect();
    if !unknown.is_empty() {
        let named = named();
        unknown.retain(|name| !named.contains(*name));
    }
    let say = |name: &str| match nearest(name, known.iter().map(String::as_str)) {
        Some(nearest) => format!("there is no variable {name}; did you mean {nearest}?"),
        None => format!("there is no variable {name}; docs/REFERENCE.md lists those that there are"),
    };
    unknown.into_iter().map(say).collect()
}

/// Says which of these variables are settings of the command alone: a service would ignore them.
pub fn of_the_command<'a>(variables: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let is_of_the_command = |name: &str| {
        let mut rows = CRAWL.iter().chain(PROCESS).filter(|row| row.home == Home::Embedded);
        rows.any(|row| row.variable() == name)
    };
    let names: BTreeSet<&str> = variables.into_iter().filter(|name| is_of_the_command(name)).collect();
    names
        .into_iter()
        .map(|name| format!("{name} is a setting of the command and means nothing here"))
        .collect()
}

/// Says what is wrong with the names of settings that are written about a site of a deployment.
pub fn not_of_a_site<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let rows = || CRAWL.iter().chain(PROCESS);
    let say = |name: &str| match rows().find(|row| row.name == name) {
        Some(row) if row.is_for_each_site() => None,
        Some(row) if row.home == Home::Embedded => {
            Some(format!("{name} is a setting of the command and means nothing to the service"))
        }
        Some(row) => Some(format!(
            "{name} is a setting of the service and not of one site: set {} there",
            row.variable()
        )),
        None => {
            let known = rows().filter(|row| row.is_for_each_site()).map(|row| row.name);
            let meant = nearest(name, known).map_or_else(
                || "docs/REFERENCE.md lists those that there are".to_owned(),
                |nearest| format!("did you mean {nearest}?"),
            );
            Some(format!("there is no setting {name:?}; {meant}"))
        }
    };
    names.into_iter().filter_map(say).collect()
}

/// Returns the variables that the settings file at `path` names, as in `url-env = "NAME"`.
///
/// A file that cannot be read names none: whoever needs it says what is wrong with it.
pub fn named_in(path: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    SettingsFile::parse(&text, path).map(|file| file.named_variables()).unwrap_or_default()
}

/// Returns the name that somebody who wrote `wrong` most likely meant, if one is near.
pub(crate) fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.trim_start_matches(PREFIX);
    let likeness = |name: &str| strsim::jaro_winkler(wrong, name.trim_start_matches(PREFIX));
    let nearest = names.into_iter().max_by(|one, other| likeness(one).total_cmp(&likeness(other)))?;
    (likeness(nearest) > 0.85).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(variables: &[&str]) -> Vec<String> {
        unknown(variables.iter().copied(), || BTreeSet::from(["RECRAWL_TEAM_HOOK".to_owned()]))
    }

    #[test]
    fn variables_of_the_product_and_of_others_are_known() {
        let known = [
            "RECRAWL_DELAY",
            "RECRAWL_SOFT_404",
            "RECRAWL_QUIET",
            "RECRAWL_ADMIN_TOKEN",
            "RECRAWL_TEAM_HOOK",
        ];
        assert_eq!(problems(&known), Vec::<String>::new());
        assert_eq!(problems(&["HOME", "CRAWL_DELAY", "XRECRAWL_DELAI"]), Vec::<String>::new());
        assert_eq!(problems(&["RECRAWL_TEST_PANIC_AT"]), Vec::<String>::new(), "in a debug build");
    }

    #[test]
    fn an_unknown_variable_is_told_with_the_name_that_was_meant() {
        for (name, expected) in [
            ("RECRAWL_DEALY", "did you mean RECRAWL_DELAY?"),
            ("RECRAWL_TIMEOUT", "did you mean RECRAWL_TIME_OUT?"),
            ("RECRAWL_EXCLUDES", "did you mean RECRAWL_EXCLUDE?"),
            ("RECRAWL_ROOTS", "did you mean RECRAWL_ROOT?"),
            ("RECRAWL_COLOUR_OF_PAGES", "docs/REFERENCE.md lists"),
            ("RECRAWL_", "there is no variable RECRAWL_;"),
        ] {
            let problems = problems(&[name, "RECRAWL_DELAY"]);
            assert!(problems.len() == 1 && problems[0].contains(expected), "{name}: {problems:?}");
        }
        assert_eq!(problems(&["RECRAWL_B", "RECRAWL_A", "RECRAWL_B"]).len(), 2);
    }

    #[test]
    fn a_service_is_told_what_only_the_command_understands() {
        let problems = of_the_command(["RECRAWL_MAX_TIME", "RECRAWL_DELAY", "RECRAWL_QUIET", "STORE"]);
        assert_eq!(problems, ["RECRAWL_MAX_TIME is a setting of the command and means nothing here"]);
    }
}
