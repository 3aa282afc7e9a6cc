//! How variables become values.

use std::collections::HashMap;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use jiff::Timestamp;
use recrawl_archive::{Keys, SavePageNowSettings};
use recrawl_core::address::{AddressClass, literal};
use recrawl_core::content::KeepBodies;
use recrawl_core::scope::{Scope, ScopeSettings};
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_extract::text::{TextRules, TextSettings};
use tracing_subscriber::EnvFilter;

use super::{ArchiveWish, Config};
use crate::answer::chain;
use crate::logging::DEFAULT_FILTER;

/// Stands in the user agent until the person who crawls says where to reach them.
const CONTACT: &str = "https://recrawl.example/";

/// The longest that Pub/Sub waits for an answer, in seconds.
const LONGEST_DEADLINE: f64 = 600.0;

/// Variables, and what is wrong with them.
pub(super) struct Reading<'a> {
    variables: &'a HashMap<String, String>,
    pub(super) problems: Vec<String>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(variables: &'a HashMap<String, String>) -> Self {
        Self { variables, problems: Vec::new() }
    }

    /// Reads everything; what could not be read is told by the problems.
    pub(super) fn config(&mut self) -> Option<Config> {
        let root = self.required("RECRAWL_ROOT", "the URL where crawls begin", page);
        let project = self.required("GOOGLE_CLOUD_PROJECT", "the id of a project", parsed::<String>);
        let site = self.value("RECRAWL_SITE", "a short name of a-z, 0-9, '.', '_' and '-'", parsed);
        let contact = self.value("RECRAWL_CONTACT", "a URL, such as https://example.org/bot", contact);
        let archive = self.value("RECRAWL_ARCHIVE", "never, changes or all", archive_wish);
        let log = self.value("RECRAWL_LOG", "a level, or levels by module", filter);
        let scope_settings = ScopeSettings {
            include: self.lines("RECRAWL_INCLUDE"),
            exclude: self.lines("RECRAWL_EXCLUDE"),
            max_depth: self.value("RECRAWL_MAX_DEPTH", "a whole number", parsed),
            allow_private: self.value("RECRAWL_ALLOW_PRIVATE", "true or false", parsed).unwrap_or_default(),
            ..ScopeSettings::default()
        };
        if let Some(class @ AddressClass::Metadata) =
            root.as_ref().and_then(|root| literal(root.host())).map(AddressClass::of)
        {
            self.problem(format!("RECRAWL_ROOT is {class}, and is never visited"));
        }
        let scope = root.as_ref().and_then(|root| self.scope(root, &scope_settings));
        let text_rules = self.text_rules();
        let contact = contact.unwrap_or_else(|| CONTACT.to_owned());
        let config = Config {
            port: self.value("PORT", "a port", parsed).unwrap_or(8080),
            project: project.unwrap_or_default(),
            firestore_emulator: self.text("FIRESTORE_EMULATOR_HOST"),
            pubsub_emulator: self.text("PUBSUB_EMULATOR_HOST"),
            site: site.unwrap_or_else(|| "default".parse().expect("this is the name of a site")),
            scope_settings,
            delay: self.seconds("RECRAWL_DELAY", 0.0..=3_600.0).unwrap_or(Duration::from_secs(1)),
            user_agent: format!("recrawl/{} (+{contact})", env!("CARGO_PKG_VERSION")),
            archive: archive.unwrap_or(ArchiveWish::Changes),
            archive_keys: self.secret("RECRAWL_ARCHIVE_KEYS", "accesskey:secret", parsed::<Keys>),
            save_page_now: self.text("RECRAWL_SAVE_PAGE_NOW").unwrap_or(SavePageNowSettings::BASE.to_owned()),
            keep_crawls: self.value("RECRAWL_KEEP_CRAWLS", "a whole number, at least 2", at_least_two),
            push_audience: self.text("RECRAWL_PUSH_AUDIENCE"),
            push_email: self.text("RECRAWL_PUSH_EMAIL"),
            ack_deadline: self
                .seconds("RECRAWL_ACK_DEADLINE", 1.0..=LONGEST_DEADLINE)
                .unwrap_or(Duration::from_mins(10)),
            quiet: self.seconds("RECRAWL_QUIET", 0.0..=604_800.0).unwrap_or(Duration::from_mins(10)),
            bodies_bucket: self.text("RECRAWL_BODIES_BUCKET"),
            url_rules: UrlRules::default(),
            keep_bodies: self
                .value("RECRAWL_KEEP_BODIES", "all, changed or none", keep_bodies)
                .unwrap_or(KeepBodies::Changed),
            body_memory: self
                .value("RECRAWL_BODY_MEMORY", "a whole number of bytes", parsed)
                .unwrap_or(64 << 20),
            conduct: self.conduct(),
            log: log.unwrap_or_else(|| DEFAULT_FILTER.to_owned()),
            hold: Duration::from_secs(3),
            back_off: Duration::from_secs(3),
            time_out: Duration::from_secs(30),
            retries: 5,
            instance: instance(self.text("K_REVISION")),
            // Last, so that everything else is read before one of these ends it.
            root: root?,
            scope: scope?,
            text_rules: text_rules?,
        };
        Some(config)
    }

    fn text(&self, name: &str) -> Option<String> {
        let text = self.variables.get(name)?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Reads a list: one entry a line, as the other variables of this name are read.
    pub(super) fn lines(&self, name: &str) -> Vec<String> {
        let text = self.text(name).unwrap_or_default();
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    pub(super) fn value<T>(
        &mut self,
        name: &str,
        expected: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(name)?;
        let value = read(&text);
        if value.is_none() {
            self.problem(format!("{name} is {text:?} and should be {expected}"));
        }
        value
    }

    fn secret<T>(&mut self, name: &str, expected: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let text = self.text(name)?;
        let value = read(&text);
        if value.is_none() {
            self.problem(format!("{name} should be {expected}"));
        }
        value
    }

    fn required<T>(&mut self, name: &str, expected: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        if self.text(name).is_none() {
            self.problem(format!("{name} is not set and should be {expected}"));
            return None;
        }
        self.value(name, expected, read)
    }

    fn seconds(&mut self, name: &str, bounds: std::ops::RangeInclusive<f64>) -> Option<Duration> {
        let expected = format!("seconds, from {} to {}", bounds.start(), bounds.end());
        let read = |text: &str| text.parse().ok().filter(|seconds| bounds.contains(seconds));
        self.value(name, &expected, read).map(Duration::from_secs_f64)
    }

    fn scope(&mut self, root: &PageUrl, settings: &ScopeSettings) -> Option<Scope> {
        let scope = Scope::new(root, settings.clone());
        scope
            .map_err(|error| self.problem(format!("RECRAWL_INCLUDE or RECRAWL_EXCLUDE: {}", chain(&error))))
            .ok()
    }

    fn text_rules(&mut self) -> Option<TextRules> {
        let settings = TextSettings {
            ignore_selectors: self.lines("RECRAWL_IGNORE_SELECTOR"),
            only_selectors: self.lines("RECRAWL_ONLY_SELECTOR"),
            ignore_patterns: self.lines("RECRAWL_IGNORE_REGEX"),
            ..TextSettings::default()
        };
        let rules = TextRules::new(&settings);
        let names = "RECRAWL_IGNORE_SELECTOR, RECRAWL_ONLY_SELECTOR or RECRAWL_IGNORE_REGEX";
        rules.map_err(|error| self.problem(format!("{names}: {}", chain(&error)))).ok()
    }

    pub(super) fn problem(&mut self, problem: impl Display) {
        self.problems.push(problem.to_string());
    }
}

pub(super) fn parsed<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn page(text: &str) -> Option<PageUrl> {
    UrlRules::default().page(text, None).ok()
}

fn contact(text: &str) -> Option<String> {
    let plain = text.chars().all(|character| character.is_ascii_graphic() && !"()".contains(character));
    let reachable = ["https://", "http://", "mailto:"].iter().any(|scheme| text.starts_with(scheme));
    (plain && reachable).then(|| text.to_owned())
}

fn archive_wish(text: &str) -> Option<ArchiveWish> {
    match text {
        "never" => Some(ArchiveWish::Never),
        "changes" => Some(ArchiveWish::Changes),
        "all" => Some(ArchiveWish::All),
        _ => None,
    }
}

fn keep_bodies(text: &str) -> Option<KeepBodies> {
    match text {
        "all" => Some(KeepBodies::All),
        "changed" => Some(KeepBodies::Changed),
        "none" => Some(KeepBodies::None),
        _ => None,
    }
}

fn at_least_two(text: &str) -> Option<usize> {
    text.parse().ok().filter(|count| *count >= 2)
}

fn filter(text: &str) -> Option<String> {
    EnvFilter::try_new(text).ok().map(|_| text.to_owned())
}

/// Names this process: no two that count operations of one crawl share a name.
fn instance(revision: Option<String>) -> String {
    let revision = revision.unwrap_or_else(|| "local".to_owned());
    format!("{revision}-{}-{}", Timestamp::now().as_millisecond(), std::process::id())
}
