//! How pages are chosen, asked for and compared.

use std::time::Duration;

use recrawl_core::aspect::Aspects;
use recrawl_core::crawl::Mode;
use recrawl_core::priority::Weights;

use super::layers::Layers;
use super::preset::Preset;
use super::values::{self, Bad};

/// How pages are chosen, asked for and compared.
#[derive(Debug, Clone)]
pub(crate) struct Conduct {
    pub(crate) mode: Mode,
    pub(crate) smart_sample: usize,
    pub(crate) smart_threshold: f64,
    pub(crate) head_first: bool,
    pub(crate) trust_freshness: bool,
    pub(crate) skip_if_visited_days: u32,
    pub(crate) checked_share: f64,
    pub(crate) soft_404: bool,
    pub(crate) sitemap_cache: Duration,
    pub(crate) budget: Option<u64>,
    pub(crate) weights: Weights,
    pub(crate) compare: Aspects,
    pub(crate) full_history: Vec<String>,
}

impl Layers {
    /// Reads how pages are chosen, asked for and compared.
    pub(super) fn conduct(&self, problems: &mut Vec<String>) -> Conduct {
        let preset = |name: &str| match Preset::named(name) {
            Some(_) => Ok(()),
            None => Err(Bad("conservative, balanced or aggressive".to_owned())),
        };
        self.one("preset", (), preset, problems);
        let media_types = |types: &[String]| {
            types.iter().map(|text| values::media_type(text)).collect::<Result<Vec<_>, _>>()
        };
        Conduct {
            mode: self.one("mode", Mode::default(), values::mode, problems),
            smart_sample: self.one("smart-sample", 50, values::number, problems),
            smart_threshold: self.one("smart-threshold", 0.2, values::share, problems),
            head_first: self.one("head", false, values::truth, problems),
            trust_freshness: self.one("trust-freshness", false, values::truth, problems),
            skip_if_visited_days: self.one("skip-if-visited-days", 0, values::number, problems),
            checked_share: self.one("check-share", 0.01, values::share, problems),
            soft_404: self.one("soft-404", true, values::truth, problems),
            sitemap_cache: self.one("sitemap-cache", Duration::from_hours(24), values::hours, problems),
            budget: self.one("budget", None, values::budget, problems),
            weights: self.weights(problems),
            compare: self.all("compare", Aspects::ALL, values::aspects, problems),
            full_history: self.all("full-history", Vec::new(), media_types, problems),
        }
    }

    fn weights(&self, problems: &mut Vec<String>) -> Weights {
        let usual = Weights::default();
        let mut weight = |name, default| self.one(name, default, values::weight, problems);
        Weights {
            age: weight("priority-age", usual.age),
            frequency: weight("priority-frequency", usual.frequency),
            depth: weight("priority-depth", usual.depth),
            unvisited: weight("priority-unvisited", usual.unvisited),
            sitemap_newer: weight("priority-sitemap", usual.sitemap_newer),
            sitemap_due: weight("priority-sitemap-due", usual.sitemap_due),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::settings::{SettingsArguments, SettingsFile};

    /// Reads the conduct from environment variables, and what is wrong with it.
    fn read(variables: &[(&str, &str)]) -> (Conduct, Vec<String>) {
        let named = |(name, value): &(&str, &str)| (format!("RECRAWL_{name}"), (*value).to_owned());
        let environment: HashMap<String, String> = variables.iter().map(named).collect();
        let (arguments, file) = (SettingsArguments::default(), SettingsFile::default());
        let mut problems = Vec::new();
        let conduct = Layers::new(&arguments, &environment, &file, None).conduct(&mut problems);
        (conduct, problems)
    }

    #[test]
    fn a_preset_says_what_nobody_else_says() {
        for (preset, set, mode, head_first) in [
            (None, None, Mode::Incremental, false),
            (Some("conservative"), None, Mode::Incremental, true),
            (Some("aggressive"), None, Mode::Smart, false),
            (Some("aggressive"), Some(("MODE", "full")), Mode::Full, false),
            (Some("conservative"), Some(("HEAD", "false")), Mode::Incremental, false),
        ] {
            let preset = preset.map(|name| ("PRESET", name));
            let variables: Vec<(&str, &str)> = preset.into_iter().chain(set).collect();
            let (conduct, problems) = read(&variables);
            assert_eq!((conduct.mode, conduct.head_first), (mode, head_first), "{variables:?}");
            assert_eq!(problems, Vec::<String>::new());
        }
    }

    #[test]
    fn every_bad_value_is_named_with_what_it_must_be() {
        for (name, value, expected) in [
            ("PRESET", "wild", "conservative, balanced or aggressive"),
            ("MODE", "clever", "full, incremental or smart"),
            ("SMART_SAMPLE", "-1", "whole number"),
            ("SMART_THRESHOLD", "20", "from 0 to 1"),
            ("CHECK_SHARE", "often", "from 0 to 1"),
            ("HEAD", "maybe", "true or false"),
            ("BUDGET", "0", "at least 1"),
            ("SITEMAP_CACHE", "-1", "hours"),
            ("COMPARE", "title", "text, links and media"),
            ("FULL_HISTORY", "gemini", "media type"),
            ("PRIORITY_AGE", "x", "number"),
        ] {
            let (_, problems) = read(&[(name, value)]);
            assert!(problems.len() == 1 && problems[0].contains(expected), "{name}: {problems:?}");
        }
    }
}
