//! Which value of a setting is in force, and who set it.

use std::collections::HashMap;
use std::time::Duration;

use recrawl_core::archive::ArchiveWish;
use recrawl_core::ids::SiteId;
use recrawl_core::scope::ScopeSettings;
use recrawl_core::traps::PageLimit;
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_extract::text::{TextRules, TextSettings, UnknownNoiseRule};

use super::file::{SettingsFile, SiteSection};
use super::keys::{KEYS, Key, SettingsArguments};
use super::preset::Preset;
use super::values::{self, Bad};
use super::{Ignored, InForce, Settings};

/// The values that were set, by name, with who set them; what was not set has its default.
pub(super) struct Layers {
    set: HashMap<&'static str, (Vec<String>, String)>,
    owns_the_site: bool,
    name_of_site: Option<String>,
}

impl Layers {
    pub(super) fn new(
        arguments: &SettingsArguments,
        environment: &HashMap<String, String>,
        file: &SettingsFile,
        site: Option<(&str, &SiteSection)>,
    ) -> Self {
        let mut set = HashMap::new();
        for key in KEYS {
            if let Some(value) = Self::find(key, arguments, environment, file, site) {
                set.insert(key.name, value);
            }
        }
        if let Some((named, _)) = set.get("preset")
            && let Some(preset) = named.first().and_then(|name| Preset::named(name))
        {
            for (name, value) in preset.values() {
                let says_the_same = *name == "delay" && set.contains_key("rate");
                if !says_the_same {
                    let own = || (vec![(*value).to_owned()], format!("preset {}", preset.name()));
                    set.entry(name).or_insert_with(own);
                }
            }
        }
        let name_of_site = site.map(|(name, _)| name.to_owned());
        Self { set, owns_the_site: arguments.owns_the_site(), name_of_site }
    }

    /// Returns the preset in force, if there is one.
    fn preset(&self) -> Option<Preset> {
        self.set.get("preset")?.0.first().and_then(|name| Preset::named(name))
    }

    fn find(
        key: &Key,
        arguments: &SettingsArguments,
        environment: &HashMap<String, String>,
        file: &SettingsFile,
        site: Option<(&str, &SiteSection)>,
    ) -> Option<(Vec<String>, String)> {
        let flags = arguments.values(key.name);
        if !flags.is_empty() {
            return Some((flags, "flag".to_owned()));
        }
        let variable = format!("RECRAWL_{}", key.name.replace('-', "_").to_uppercase());
        if let Some(text) = environment.get(&variable) {
            let values =
                if key.many { text.lines().map(str::to_owned).collect() } else { vec![text.clone()] };
            return Some((values, format!("environment {variable}")));
        }
        let path = file.path.display();
        if let Some((name, values)) = site.and_then(|(name, site)| Some((name, site.values.get(key.name)?))) {
            return Some((values.clone(), format!("{path} [site.{name}]")));
        }
        let values = file.everywhere.get(key.name)?;
        Some((values.clone(), path.to_string()))
    }

    pub(super) fn many(&self, name: &str) -> Vec<String> {
        self.set.get(name).map(|(values, _)| values.clone()).unwrap_or_default()
    }

    /// Reads one value, or notes what is wrong with it and who set it.
    pub(super) fn one<T>(
        &self,
        name: &'static str,
        default: T,
        read: impl Fn(&str) -> Result<T, Bad>,
        problems: &mut Vec<String>,
    ) -> T {
        let Some((values, origin)) = self.set.get(name) else {
            return default;
        };
        let [value] = values.as_slice() else {
            problems.push(format!("{name} takes one value, not {} (from {origin})", values.len()));
            return default;
        };
        read(value).unwrap_or_else(|Bad(expected)| {
            problems.push(format!("{name} must be {expected}, not {value:?} (from {origin})"));
            default
        })
    }

    /// Reads all values together, or notes what is wrong with them and who set them.
    pub(super) fn all<T>(
        &self,
        name: &'static str,
        default: T,
        read: impl Fn(&[String]) -> Result<T, Bad>,
        problems: &mut Vec<String>,
    ) -> T {
        let Some((values, origin)) = self.set.get(name) else {
            return default;
        };
        read(values).unwrap_or_else(|Bad(expected)| {
            problems.push(format!("{name} must be {expected}, not {:?} (from {origin})", values.join(", ")));
            default
        })
    }

    /// Checks everything; where `problems` stays empty there are settings.
    pub(super) fn typed(
        &self,
        root: PageUrl,
        named: Option<SiteId>,
        problems: &mut Vec<String>,
    ) -> Option<Settings> {
        let by_name = self.name_of_site.as_ref().and_then(|name| name.parse().ok());
        let own = named.or(by_name).unwrap_or_else(|| SiteId::from_root(&root));
        let site = self.one("site-name", own, values::site, problems);
        if self.set.contains_key("rate") && self.set.contains_key("delay") {
            problems.push("rate and delay say the same thing: set one of them".to_owned());
        }
        let default_delay = values::SECOND;
        let by_rate = self.one("rate", default_delay, values::rate, problems);
        let delay = self.one("delay", by_rate, values::seconds, problems);
        let parallel = if delay.is_zero() { values::MOST_PARALLEL } else { 1 };
        let obey_robots = self.one("robots", true, values::truth, problems);
        if !obey_robots && !self.owns_the_site {
            problems.push("robots.txt is ignored only with the flag --i-own-this-site".to_owned());
        }
        let contact = self.one("contact", values::CONTACT.to_owned(), values::contact, problems);
        let scope = ScopeSettings {
            include: self.many("include"),
            exclude: self.many("exclude"),
            subdomains: self.one("subdomains", false, values::truth, problems),
            extra_hosts: self.many("extra-host"),
            max_depth: self.one("max-depth", None, values::some_number, problems),
            allow_private: self.one("allow-private", false, values::truth, problems),
        };
        let text_rules = self.text_rules().map_err(|problem| problems.push(problem));
        let dropped = self.set.get("drop-parameter").map(|(names, _)| UrlRules::new(names.clone()));
        let store = self.one("store", "sqlite:recrawl.db".to_owned(), values::text, problems);
        Some(Settings {
            store,
            site,
            root,
            delay,
            slowed_delay: self.preset().map_or(Duration::ZERO, Preset::slowed_delay),
            min_delay: self.one("min-delay", Duration::ZERO, values::seconds, problems),
            max_delay: self.one("max-delay", 60 * values::SECOND, values::seconds, problems),
            parallel: self.one("parallel", parallel, values::parallel, problems),
            max_pages: self.one("max-pages", PageLimit::Usual, values::page_limit, problems),
            max_time: self.one("max-time", None, values::some_time, problems),
            trap_limit: self.one("trap-limit", 100, values::number, problems),
            scope,
            ignored: Ignored { selectors: self.many("ignore-selector"), patterns: self.many("ignore-regex") },
            text_rules: text_rules.ok()?,
            url_rules: dropped.unwrap_or_default(),
            user_agent: self.one(
                "user-agent",
                values::user_agent_with(&contact),
                values::user_agent,
                problems,
            ),
            conduct: self.conduct(problems),
            keep_bodies: self.one(
                "keep-bodies",
                recrawl_core::content::KeepBodies::default(),
                values::keep_bodies,
                problems,
            ),
            obey_robots,
            obey_nofollow: self.one("nofollow", true, values::truth, problems),
            sitemaps: self.one("sitemaps", true, values::truth, problems),
            archive: self.one("archive", ArchiveWish::default(), values::archiving, problems),
            timetable: self.timetable(problems),
            retries: self.one("retries", 5, values::number, problems),
            back_off: self.one("back-off", 3 * values::SECOND, values::seconds, problems),
            time_out: self.one("time-out", 30 * values::SECOND, values::positive_seconds, problems),
            body_limit: self.one("body-limit", 10 * 1024 * 1024, values::bytes, problems),
            body_memory: self.one("body-memory", 64 * 1024 * 1024, values::bytes, problems),
        })
    }

    fn text_rules(&self) -> Result<TextRules, String> {
        let mut settings = TextSettings {
            ignore_selectors: self.many("ignore-selector"),
            only_selectors: self.many("only-selector"),
            ignore_patterns: self.many("ignore-regex"),
            ..TextSettings::default()
        };
        if let Some((names, _)) = self.set.get("keep-attribute") {
            settings.keep_attributes.clone_from(names);
        }
        if let Some((names, origin)) = self.set.get("noise-rule") {
            let rules = names.iter().filter(|name| *name != "none").map(|name| name.parse());
            let rules: Result<_, _> = rules.collect();
            settings.noise_rules =
                rules.map_err(|error: UnknownNoiseRule| format!("noise-rule: {error} (from {origin})"))?;
        }
        TextRules::new(&settings).map_err(|error| format!("{:#}", anyhow::Error::new(error)))
    }

    /// Returns what is in force, and who set it.
    pub(super) fn in_force(&self, settings: &Settings) -> Vec<InForce> {
        let shown = |key: &Key| {
            if let Some((values, origin)) = self.set.get(key.name) {
                return InForce { setting: key.name, value: values.join(", "), origin: origin.clone() };
            }
            let value = match key.name {
                "site-name" => settings.site.to_string(),
                "delay" => settings.delay.as_secs_f64().to_string(),
                "parallel" => settings.parallel.to_string(),
                "user-agent" => settings.user_agent.clone(),
                _ => key.default().into_owned(),
            };
            InForce { setting: key.name, value, origin: "default".to_owned() }
        };
        let root =
            InForce { setting: "root", value: settings.root.to_string(), origin: "command line".to_owned() };
        std::iter::once(root).chain(KEYS.iter().map(shown)).collect()
    }
}
