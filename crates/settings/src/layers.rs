//! Which value of a setting is in force, and who set it.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::Environment;
use crate::file::SettingsFile;
use crate::preset::Preset;
use crate::read::Bad;
use crate::setting::{DefaultValue, Setting};
use crate::table::{CRAWL, CrawlSettings, PROCESS};

/// What was said about a setting, and who said it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Said {
    values: Vec<String>,
    origin: String,
}

/// What was said on the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags(BTreeMap<&'static str, Said>);

impl Flags {
    /// Adds what was said about a setting; `origin` is how people are told of it.
    pub fn say(&mut self, setting: &'static str, values: Vec<String>, origin: impl Into<String>) {
        self.0.insert(setting, Said { values, origin: origin.into() });
    }
}

/// Everything that can say something about a setting.
#[derive(Debug, Clone, Copy)]
pub struct Sources<'a> {
    /// The command line.
    pub flags: &'a Flags,
    /// The environment.
    pub environment: &'a Environment,
    /// The settings file, and the name of the site in it whose table counts.
    pub file: Option<(&'a SettingsFile, Option<&'a str>)>,
}

/// What was said about the settings: by flags, else by the environment, else by the file, else by a preset.
#[derive(Debug)]
pub struct Layers(HashMap<&'static str, Said>);

/// What is written about a site of a deployment: values by the name of their setting.
pub type SiteSettings = BTreeMap<String, Vec<String>>;

/// One value in force, for people to read.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct InForce {
    /// The name of the setting.
    pub setting: &'static str,
    /// Its value in words.
    pub value: String,
    /// Who set it.
    pub origin: String,
}

impl Layers {
    /// Gathers what was said about every setting.
    pub fn new(sources: Sources<'_>) -> Self {
        let find = |setting: &'static Setting| Some((setting.name, sources.find(setting)?));
        let mut layers = Self(CRAWL.iter().chain(PROCESS).filter_map(find).collect());
        if let Some(preset) = layers.value("preset").and_then(Preset::named) {
            layers.add(preset);
        }
        layers
    }

    /// Gathers what was said about a site of a deployment: what is written about it, else what the environment says of all
    /// sites, or of this one where the environment `names_it`.
    pub fn of_site(settings: &SiteSettings, environment: &Environment, names_it: bool) -> Self {
        let sources = Sources { flags: &Flags::default(), environment, file: None };
        let of_all = |setting: &Setting| names_it || !setting.is_of_one_site();
        let find = |setting: &'static Setting| {
            let written = settings
                .get(setting.name)
                .map(|values| Said { values: values.clone(), origin: "the site".to_owned() });
            let same = says_the_same(setting.name).is_some_and(|name| settings.contains_key(name));
            let inherited = || sources.find(setting).filter(|_| of_all(setting) && !same);
            Some((setting.name, written.or_else(inherited)?))
        };
        let mut layers = Self(CRAWL.iter().chain(PROCESS).filter_map(find).collect());
        if let Some(preset) = layers.value("preset").and_then(Preset::named) {
            layers.add(preset);
        }
        layers
    }

    fn add(&mut self, preset: Preset) {
        for setting in CRAWL {
            let same = says_the_same(setting.name).is_some_and(|name| self.is_set(name));
            if let Some(value) = setting.by_preset(preset).filter(|_| !same) {
                let origin = format!("preset {}", preset.name());
                self.0.entry(setting.name).or_insert(Said { values: vec![value.to_owned()], origin });
            }
        }
    }

    /// Tells whether somebody said something about the setting of this name.
    pub fn is_set(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.values.first().map(String::as_str)
    }

    /// Reads one value, or notes what is wrong with it and who set it.
    pub(crate) fn one<T: Default>(
        &self,
        setting: &Setting,
        read: impl Fn(&str) -> Result<T, Bad>,
        problems: &mut Vec<String>,
    ) -> T {
        let checked = |values: &[String]| match values {
            [value] => read(value),
            several => Err(Bad(format!("one value and not {}", several.len()))),
        };
        self.many(setting, checked, problems)
    }

    /// Reads one value or `none`, which takes back what a file or a preset says.
    pub(crate) fn some<T>(
        &self,
        setting: &Setting,
        read: impl Fn(&str) -> Result<T, Bad>,
        problems: &mut Vec<String>,
    ) -> Option<T> {
        let or_none = |text: &str| match text {
            "none" => Ok(None),
            text => read(text).map(Some).map_err(|Bad(expected)| Bad(format!("{expected}, or none"))),
        };
        self.one(setting, or_none, problems)
    }

    /// Reads all values together, or notes what is wrong with them and who set them.
    pub(crate) fn many<T: Default>(
        &self,
        setting: &Setting,
        read: impl Fn(&[String]) -> Result<T, Bad>,
        problems: &mut Vec<String>,
    ) -> T {
        if let Some(Said { values, origin }) = self.0.get(setting.name) {
            match read(values) {
                Ok(value) => return value,
                Err(Bad(expected)) => {
                    let (name, values) = (setting.name, values.join(", "));
                    problems.push(format!("{name} must be {expected}, not {values:?} (from {origin})"));
                }
            }
        }
        match setting.default {
            DefaultValue::Value(text) => {
                read(&[text.to_owned()]).expect("a test reads every default of the table")
            }
            DefaultValue::Unset(_) => T::default(),
        }
    }

    /// Returns what is in force about a crawl, and who set it; `derived` are values that follow from others.
    pub fn in_force(&self, settings: &CrawlSettings, derived: &[(&str, String)]) -> Vec<InForce> {
        let by_others = [
            ("delay", settings.time_between_requests().as_secs_f64().to_string()),
            ("parallel", settings.requests_at_a_time().to_string()),
            ("user-agent", settings.user_agent()),
        ];
        let shown = |row: &Setting| {
            if let Some(Said { values, origin }) = self.0.get(row.name) {
                return InForce { setting: row.name, value: values.join(", "), origin: origin.clone() };
            }
            let derived = derived.iter().chain(&by_others).find(|(name, _)| *name == row.name);
            let value = derived.map_or_else(|| row.default_words().to_owned(), |(_, value)| value.clone());
            InForce { setting: row.name, value, origin: "default".to_owned() }
        };
        CRAWL.iter().map(shown).collect()
    }
}

impl Sources<'_> {
    fn find(&self, setting: &Setting) -> Option<Said> {
        if let Some(said) = self.flags.0.get(setting.name) {
            return Some(said.clone());
        }
        let variable = setting.variable();
        if let Some(values) = self.environment.get(&variable).and_then(|text| in_variable(setting, text)) {
            return Some(Said { values, origin: format!("environment {variable}") });
        }
        let (file, site) = self.file?;
        let (values, origin) = file.find(setting.name, site)?;
        Some(Said { values: values.to_vec(), origin })
    }
}

/// Returns the values in a variable: a list has one a line. A blank variable is not set.
fn in_variable(setting: &Setting, text: &str) -> Option<Vec<String>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned);
    let values: Vec<String> = if setting.takes_many { lines.collect() } else { vec![text.trim().to_owned()] };
    values.iter().any(|value| !value.is_empty()).then_some(values)
}

/// Returns the setting that says the same thing in other words.
fn says_the_same(name: &str) -> Option<&'static str> {
    match name {
        "rate" => Some("delay"),
        "delay" => Some("rate"),
        _ => None,
    }
}
