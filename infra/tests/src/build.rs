//! cloudbuild.yaml: steps, and the substitutions in them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use anyhow::Result;
use regex::{Captures, Regex};
use serde::Deserialize;

/// What Cloud Build fills in by itself, whether a trigger or a person started the build.
const GIVEN: [&str; 4] = ["PROJECT_ID", "PROJECT_NUMBER", "BUILD_ID", "LOCATION"];

static SUBSTITUTION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\$(?:\$|\{(\w+)\}|(\w+))").expect("a constant that tests compile"));

/// A build.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Build {
    /// What is done, in order.
    pub steps: Vec<BuildStep>,
    /// Defaults of the substitutions.
    pub substitutions: BTreeMap<String, String>,
    /// Under which name it runs.
    pub service_account: String,
    /// Where logs go, and the like.
    pub options: BTreeMap<String, String>,
    /// When it is given up.
    pub timeout: String,
}

/// One container that runs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildStep {
    /// What it is called in the log.
    pub id: String,
    /// Its image.
    pub name: String,
    /// Its environment.
    #[serde(default)]
    pub env: Vec<String>,
    /// In place of the program of the image.
    pub entrypoint: Option<String>,
    /// The arguments of the program.
    pub args: Vec<String>,
    /// Folders that it shares with other steps.
    #[serde(default)]
    pub volumes: Vec<Volume>,
}

/// A folder that several steps share.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Volume {
    /// What it is called in this build.
    pub name: String,
    /// Where a step has it.
    pub path: String,
}

impl Build {
    /// Reads a build; a field that Cloud Build does not have is an error.
    pub fn parse(text: &str) -> Result<Self> {
        Ok(yaml_serde::from_str(text)?)
    }

    /// Returns a step.
    pub fn step(&self, id: &str) -> &BuildStep {
        self.steps.iter().find(|step| step.id == id).unwrap_or_else(|| panic!("there is no step {id}"))
    }

    /// Checks that what is substituted is declared, and that what is declared is substituted: Cloud
    /// Build refuses both.
    pub fn check(&self) -> Vec<String> {
        let steps = self.steps.iter().flat_map(|step| {
            step.args.iter().chain(&step.env).chain([&step.name]).chain(step.entrypoint.as_ref())
        });
        let texts = steps.chain([&self.service_account]).chain(self.options.values());
        let used: BTreeSet<&str> = texts
            .flat_map(|text| SUBSTITUTION.captures_iter(text))
            .filter_map(|found| found.get(1).or(found.get(2)))
            .map(|name| name.as_str())
            .collect();
        let declared: BTreeSet<&str> = self.substitutions.keys().map(String::as_str).collect();
        let undeclared = used.difference(&declared).filter(|name| !GIVEN.contains(*name));
        let undeclared = undeclared.map(|name| format!("{name} is substituted, but not declared"));
        let unused = declared.difference(&used).map(|name| format!("{name} is declared, but not used"));
        undeclared.chain(unused).collect()
    }

    /// Fills in the defaults; what Cloud Build gives becomes its own name.
    pub fn fill_in(&self, text: &str) -> String {
        let value = |found: &Captures<'_>| match found.get(1).or(found.get(2)) {
            Some(name) => self.substitutions.get(name.as_str()).cloned().unwrap_or(name.as_str().to_owned()),
            None => "$".to_owned(),
        };
        SUBSTITUTION.replace_all(text, value).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(arguments: &str) -> Result<Build> {
        Build::parse(&format!(
            "steps:\n- {{id: a, name: b, args: [{arguments}]}}\nsubstitutions: {{_A: x}}\n\
             serviceAccount: s\noptions: {{}}\ntimeout: 1s\n"
        ))
    }

    #[test]
    fn substitutions_are_used_and_declared() {
        let table = [
            ("'${_A} $PROJECT_ID'", ""),
            ("'$_A'", ""),
            ("'$_A $$PATH'", ""),
            ("'$_A ${_B}'", "_B is substituted, but not declared"),
            ("'$_A $SHORT_SHA'", "SHORT_SHA is substituted, but not declared"),
            ("'$_A $PATH'", "PATH is substituted, but not declared"),
            ("'$$_A'", "_A is declared, but not used"),
        ];
        for (arguments, expected) in table {
            assert_eq!(build(arguments).unwrap().check().join("; "), expected, "{arguments}");
        }
    }

    #[test]
    fn a_field_that_is_not_there_is_refused() {
        assert!(Build::parse("steps: []\nstepz: []\n").is_err());
    }

    #[test]
    fn defaults_are_filled_in() {
        assert_eq!(build("'$_A'").unwrap().fill_in("${_A}-$PROJECT_ID-$$HOME"), "x-PROJECT_ID-$HOME");
    }
}
