//! The rules by which pages of a site are read: as a crawl of it would, here and now.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, FromArgMatches};
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::crawl::Site;
use recrawl_extract::HtmlExtractor;

use crate::settings::{self, SettingsArguments};

/// The options of `recrawl crawl` that say how pages are compared.
#[derive(Debug, Default, Args)]
pub(crate) struct RulesArguments {
    /// Settings file with the rules of the site [default: recrawl.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// As for `recrawl crawl`: ignore what this CSS selector matches
    #[arg(long, value_name = "CSS")]
    ignore_selector: Vec<String>,

    /// As for `recrawl crawl`: ignore text that matches this regular expression
    #[arg(long, value_name = "REGEX")]
    ignore_regex: Vec<String>,

    /// As for `recrawl crawl`: compare only what this CSS selector matches
    #[arg(long, value_name = "CSS")]
    only_selector: Vec<String>,

    /// As for `recrawl crawl`: count this attribute as text
    #[arg(long, value_name = "NAME")]
    keep_attribute: Vec<String>,

    /// As for `recrawl crawl`: remove this kind of noise, or `none`
    #[arg(long, value_name = "NAME")]
    noise_rule: Vec<String>,

    /// As for `recrawl crawl`: what counts as a change
    #[arg(long, value_name = "text,links,media")]
    compare: Vec<String>,
}

/// The rules in force for a site.
pub(crate) struct Rules {
    /// What reads its pages.
    pub(crate) extractor: HtmlExtractor,
    /// The sides from which they can change.
    pub(crate) compare: Aspects,
}

impl RulesArguments {
    /// Returns the rules in force for `site`, by flags, environment and settings file as a crawl takes them.
    pub(crate) fn in_force(&self, site: &Site) -> anyhow::Result<Rules> {
        rules(site, self.config.as_deref(), &self.settings()?)
    }

    fn settings(&self) -> anyhow::Result<SettingsArguments> {
        let mut words: Vec<String> = Vec::new();
        for (name, values) in [
            ("ignore-selector", &self.ignore_selector),
            ("ignore-regex", &self.ignore_regex),
            ("only-selector", &self.only_selector),
            ("keep-attribute", &self.keep_attribute),
            ("noise-rule", &self.noise_rule),
            ("compare", &self.compare),
        ] {
            words.extend(values.iter().map(|value| format!("--{name}={value}")));
        }
        let command = SettingsArguments::augment_args(clap::Command::new("rules").no_binary_name(true));
        let matches = command.try_get_matches_from(words).context("the rules cannot be read")?;
        SettingsArguments::from_arg_matches(&matches).context("the rules cannot be read")
    }
}

/// Returns what reads pages of `site`, by environment and settings file.
pub(super) fn default_extractor(site: &Site) -> anyhow::Result<HtmlExtractor> {
    Ok(rules(site, None, &SettingsArguments::default())?.extractor)
}

fn rules(site: &Site, config: Option<&Path>, arguments: &SettingsArguments) -> anyhow::Result<Rules> {
    let file = settings::read_file(config)?;
    let settings = settings::resolve(site.root.as_str(), arguments.command_line(), &file)?.settings;
    Ok(Rules { extractor: settings.extractor(), compare: settings.crawl.compare })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use recrawl_core::model::content::Extractor;
    use recrawl_core::model::scope::ScopeSettings;

    use super::*;

    #[test]
    fn flags_are_rules_as_in_a_crawl() {
        let site = Site {
            id: "example".parse().unwrap(),
            root: "https://example.org/".parse().unwrap(),
            scope: ScopeSettings::default(),
            created_at: Timestamp::UNIX_EPOCH,
        };
        let plain = RulesArguments::default().in_force(&site).unwrap();
        let flags = RulesArguments {
            ignore_selector: vec![".clock".to_owned(), "--odd[".to_owned()],
            noise_rule: vec!["none".to_owned()],
            ..RulesArguments::default()
        };
        assert!(flags.in_force(&site).is_err(), "--odd[ is no selector");
        let flags = RulesArguments {
            ignore_selector: vec![".clock".to_owned()],
            compare: vec!["text".to_owned()],
            ..flags
        };
        let rules = flags.in_force(&site).unwrap();
        assert_ne!(rules.extractor.rules(), plain.extractor.rules());
        assert_eq!((plain.compare, rules.compare), (Aspects::ALL, Aspects::TEXT));
    }
}
