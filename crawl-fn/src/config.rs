//! What the environment says. The table of settings is in `recrawl-settings`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use jiff::Timestamp;
use recrawl_archive::Keys;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::scope::Scope;
use recrawl_settings::{CrawlSettings, Environment, Flags, Layers, ProcessSettings, Sources, variables};
pub use recrawl_sites::SiteConfig;
use recrawl_sites::WantedSite;
use tracing_subscriber::EnvFilter;

use crate::answer::chain;
use crate::logging::DEFAULT_FILTER;
use crate::token::GOOGLE;

/// Everything that can be set about the service, checked.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its variable")]
pub struct Config {
    pub port: u16,
    pub project: String,
    pub firestore_emulator: Option<String>,
    pub pubsub_emulator: Option<String>,
    pub archive_keys: Option<Keys>,
    /// The site that the environment names.
    pub site: SiteConfig,
    /// Further sites that the environment names.
    pub wanted: Vec<WantedSite>,
    /// Who is told of crawls of any site, by name.
    pub notify: BTreeMap<String, String>,
    /// The whole environment.
    pub variables: Variables,
    /// What only a service needs to know.
    pub process: ProcessSettings,
    /// How long a push that cannot be done now is held before it is told so.
    pub hold: Duration,
    /// Where the keys are by which the signature of a push's token is checked.
    pub certificates: String,
    /// The name of this process among those that count operations.
    pub instance: String,
    /// The revision of Cloud Run that this is.
    pub revision: Option<String>,
}

/// The whole environment, for what is written about sites: they are read by it, and their targets name variables of it.
#[derive(Clone)]
pub struct Variables(Environment);

impl Variables {
    /// Returns all of them.
    pub(crate) fn all(&self) -> &Environment {
        &self.0
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Some of them are secrets.
        write!(formatter, "{} variables", self.0.len())
    }
}

/// What is wrong with the environment, all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadConfig(pub Vec<String>);

impl std::error::Error for BadConfig {}

impl fmt::Display for BadConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the environment is not as it should be:\n  {}", self.0.join("\n  "))
    }
}

impl Config {
    /// Reads the environment of this process.
    pub fn from_environment() -> Result<Self, BadConfig> {
        Self::read(&variables::of_this_process())
    }

    /// Reads variables; every bad one is named at once.
    pub fn read(environment: &Environment) -> Result<Self, BadConfig> {
        let mut problems = Vec::new();
        let config = read(environment, &mut problems);
        config.filter(|_| problems.is_empty()).ok_or(BadConfig(problems))
    }

    /// Returns what is logged.
    pub fn log_filter(&self) -> EnvFilter {
        let filter = self.process.log.as_deref().unwrap_or(DEFAULT_FILTER);
        EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"))
    }
}

fn read(environment: &Environment, problems: &mut Vec<String>) -> Option<Config> {
    let names = || environment.keys().map(String::as_str);
    problems.extend(variables::unknown(names(), BTreeSet::new));
    problems.extend(variables::of_the_command(names()));
    let layers = Layers::new(Sources { flags: &Flags::default(), environment, file: None });
    let crawl = CrawlSettings::read(&layers, problems);
    let process = ProcessSettings::read(&layers, problems);
    let text = |name: &str| environment.get(name).map(|text| text.trim()).filter(|text| !text.is_empty());
    let mut note = |problem: String| problems.push(problem);

    let port = text("PORT").map_or(Some(8080), parsed);
    if port.is_none() {
        note("PORT must be the number of a port".to_owned());
    }
    if text("GOOGLE_CLOUD_PROJECT").is_none() {
        note("GOOGLE_CLOUD_PROJECT is not set and must be the id of a project".to_owned());
    }
    if !layers.is_set("root") {
        note("RECRAWL_ROOT is not set and must be the URL where crawls begin".to_owned());
    }
    let archive_keys = process.archive_keys.as_ref().map(|keys| parsed::<Keys>(keys.expose()));
    if archive_keys == Some(None) {
        // What stands there may be half of a secret.
        note("RECRAWL_ARCHIVE_KEYS must be accesskey:secret".to_owned());
    }
    if let Some(Err(error)) = process.log.as_ref().map(EnvFilter::try_new) {
        note(format!("RECRAWL_LOG must be a level, or levels by module: {error}"));
    }
    if process.push_signature && (process.push_audience.is_none() || process.push_email.is_none()) {
        // Google signs tokens for everybody.
        note("RECRAWL_PUSH_SIGNATURE needs RECRAWL_PUSH_AUDIENCE and RECRAWL_PUSH_EMAIL".to_owned());
    }
    let scope = process.root.as_ref().map(|root| Scope::new(root, crawl.scope())).transpose();
    let scope = scope
        .map_err(|error| {
            note(format!("RECRAWL_INCLUDE, RECRAWL_EXCLUDE or RECRAWL_EXTRA_HOST: {}", chain(&error)));
        })
        .ok();
    let text_rules = recrawl_engine::text_rules(&crawl).map_err(|problem| {
        let names =
            "RECRAWL_IGNORE_SELECTOR, RECRAWL_ONLY_SELECTOR, RECRAWL_IGNORE_REGEX or RECRAWL_NOISE_RULE";
        note(format!("{names}: {problem}"));
    });
    let id: SiteId = process.site.clone().or_else(|| parsed("default"))?;
    let mut said = |name: &str, why: Vec<String>| {
        note(format!("{name}: {}", why.join("; ")));
    };
    let wanted = process.sites.as_deref().map(|json| WantedSite::read_all(json, &id, environment));
    let wanted = wanted.transpose().map_err(|why| said("RECRAWL_SITES", why));
    let notify = process.notify.as_deref().map(WantedSite::tables);
    let notify = notify.transpose().map_err(|why| said("RECRAWL_NOTIFY", why));
    let site = SiteConfig {
        id,
        root: process.root.clone()?,
        scope: scope??,
        text_rules: text_rules.ok()?,
        crawl,
        process: process.clone(),
    };
    Some(Config {
        port: port?,
        project: text("GOOGLE_CLOUD_PROJECT")?.to_owned(),
        firestore_emulator: text("FIRESTORE_EMULATOR_HOST").map(str::to_owned),
        pubsub_emulator: text("PUBSUB_EMULATOR_HOST").map(str::to_owned),
        archive_keys: archive_keys.flatten(),
        site,
        wanted: wanted.ok()?.unwrap_or_default(),
        notify: notify.ok()?.unwrap_or_default(),
        variables: Variables(environment.clone()),
        process,
        hold: Duration::from_secs(3),
        certificates: GOOGLE.to_owned(),
        instance: instance(text("K_REVISION")),
        revision: text("K_REVISION").map(str::to_owned),
    })
}

fn parsed<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

/// Names this process: no two that count operations of one crawl share a name.
fn instance(revision: Option<&str>) -> String {
    let revision = revision.unwrap_or("local");
    format!("{revision}-{}-{}", Timestamp::now().as_millisecond(), std::process::id())
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::archive::ArchivePolicy;
    use recrawl_core::model::content::KeepBodies;
    use recrawl_core::model::crawl::Mode;
    use recrawl_settings::table::CRAWL;

    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Config, BadConfig> {
        let required = [("GOOGLE_CLOUD_PROJECT", "demo"), ("RECRAWL_ROOT", "https://example.org/news")];
        let all = required.iter().chain(variables);
        Config::read(&all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn project_and_root_are_enough() {
        let config = read(&[]).unwrap();
        assert_eq!((config.port, config.site.id.as_str()), (8080, "default"));
        assert_eq!(config.process.ack_deadline, Duration::from_mins(10));
        assert_eq!((config.process.keep_crawls, config.process.save_page_now.as_deref()), (None, None));
        assert_eq!(
            (config.site.crawl.archive, config.site.crawl.keep_bodies),
            (ArchivePolicy::Changes, KeepBodies::Changed)
        );
        assert_eq!(
            (config.site.crawl.mode, config.site.crawl.pace().delay),
            (Mode::Incremental, Duration::from_secs(1))
        );
        assert!(config.site.crawl.user_agent().starts_with("recrawl/"), "{}", config.site.crawl.user_agent());
        assert_eq!(config.site.product_token(), "recrawl");
    }

    #[test]
    fn every_variable_is_read() {
        let config = read(&[
            ("PORT", "9"),
            ("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1"),
            ("PUBSUB_EMULATOR_HOST", "127.0.0.1:2"),
            ("RECRAWL_SITE", "news"),
            ("RECRAWL_ARCHIVE_KEYS", "access:secret"),
            ("RECRAWL_SAVE_PAGE_NOW", "http://127.0.0.1:3"),
            ("RECRAWL_KEEP_CRAWLS", "26"),
            ("RECRAWL_ACK_DEADLINE", "1m"),
            ("RECRAWL_EXCLUDE", "*/tag/*"),
            ("RECRAWL_IGNORE_SELECTOR", ".ad\n.date"),
            ("RECRAWL_LOG", "debug"),
        ])
        .unwrap();
        assert_eq!((config.port, config.site.id.as_str()), (9, "news"));
        assert_eq!(config.firestore_emulator.as_deref(), Some("127.0.0.1:1"));
        assert_eq!(config.pubsub_emulator.as_deref(), Some("127.0.0.1:2"));
        assert_eq!(config.process.save_page_now.as_deref(), Some("http://127.0.0.1:3"));
        assert_eq!(config.process.ack_deadline, Duration::from_mins(1));
        assert!(config.site.scope.admits(&"https://example.org/news/tag/a".parse().unwrap()).is_err());
        assert_ne!(config.site.text_rules.version(), read(&[]).unwrap().site.text_rules.version());
        assert_eq!(config.log_filter().to_string(), "debug");
        assert!(config.archive_keys.is_some() && !format!("{config:?}").contains("secret"));
    }

    #[test]
    fn values_are_read_as_in_the_command() {
        let config = read(&[
            ("RECRAWL_HEAD", "yes"),
            ("RECRAWL_SOFT_404", "off"),
            ("RECRAWL_DELAY", "500ms"),
            ("RECRAWL_QUIET", "15m"),
            ("RECRAWL_ARCHIVE", "no"),
            ("RECRAWL_MAX_DEPTH", "none"),
            ("RECRAWL_PRESET", "conservative"),
            ("RECRAWL_SUBDOMAINS", "1"),
        ])
        .unwrap();
        assert!(config.site.crawl.head && !config.site.crawl.soft_404 && config.site.crawl.subdomains);
        assert_eq!((config.site.crawl.archive, config.site.crawl.max_depth), (ArchivePolicy::Never, None));
        assert_eq!(config.site.crawl.pace().delay, Duration::from_millis(500));
        assert_eq!(config.process.quiet, Duration::from_mins(15));
    }

    #[test]
    fn empty_variables_are_not_set() {
        let config = read(&[("RECRAWL_ARCHIVE_KEYS", ""), ("RECRAWL_PUSH_EMAIL", ""), ("PORT", "")]).unwrap();
        assert_eq!((config.archive_keys, config.process.push_email, config.port), (None, None, 8080));
    }

    #[test]
    fn a_signature_says_nothing_where_anybody_may_sign() {
        let both = [("RECRAWL_PUSH_AUDIENCE", "https://a.example"), ("RECRAWL_PUSH_EMAIL", "push@p")];
        for named in [&both[..1], &both[1..], &[]] {
            let text =
                read(&[named, &[("RECRAWL_PUSH_SIGNATURE", "true")]].concat()).unwrap_err().to_string();
            assert!(text.contains("RECRAWL_PUSH_SIGNATURE needs RECRAWL_PUSH_AUDIENCE"), "{text}");
        }
        let config = read(&[&both[..], &[("RECRAWL_PUSH_SIGNATURE", "true")]].concat()).unwrap();
        assert_eq!((config.process.push_signature, config.certificates.as_str()), (true, GOOGLE));
        assert!(!read(&[]).unwrap().process.push_signature);
    }

    #[test]
    fn every_bad_value_is_named_at_once_and_secrets_are_not_repeated() {
        let bad = [
            ("GOOGLE_CLOUD_PROJECT", ""),
            ("RECRAWL_ROOT", "ftp://example.org/"),
            ("PORT", "many"),
            ("RECRAWL_SITE", "A B"),
            ("RECRAWL_DELAY", "-1"),
            ("RECRAWL_CONTACT", "me"),
            ("RECRAWL_ARCHIVE", "some"),
            ("RECRAWL_ARCHIVE_KEYS", "verysecret"),
            ("RECRAWL_KEEP_CRAWLS", "1"),
            ("RECRAWL_ACK_DEADLINE", "700"),
            ("RECRAWL_QUIET", "soon"),
            ("RECRAWL_MAX_DEPTH", "-1"),
            ("RECRAWL_ALLOW_PRIVATE", "sometimes"),
            ("RECRAWL_IGNORE_SELECTOR", "p["),
            ("RECRAWL_KEEP_BODIES", "some"),
            ("RECRAWL_BODY_MEMORY", "much"),
            ("RECRAWL_MODE", "quick"),
            ("RECRAWL_LOG", "crawl_fn=loud"),
        ];
        let text = read(&bad).unwrap_err().to_string();
        for (name, _) in bad {
            assert!(text.contains(name), "{name} in {text}");
        }
        assert!(!text.contains("verysecret"));
        for root in ["http://169.254.169.254/", "http://[::ffff:168.63.129.16]/"] {
            let text = read(&[("RECRAWL_ROOT", root)]).unwrap_err().to_string();
            assert!(text.contains("RECRAWL_ROOT") && text.contains("never visited"), "{root}: {text}");
        }
        let text = read(&[("RECRAWL_EXCLUDE", "a[")]).unwrap_err().to_string();
        assert!(text.contains("RECRAWL_INCLUDE, RECRAWL_EXCLUDE or RECRAWL_EXTRA_HOST"), "{text}");
    }

    #[test]
    fn variables_that_nobody_reads_are_refused() {
        for (name, expected) in [
            ("RECRAWL_DEALY", "did you mean RECRAWL_DELAY?"),
            ("RECRAWL_TIMEOUT", "did you mean RECRAWL_TIME_OUT?"),
            ("RECRAWL_STORE", "RECRAWL_STORE is a setting of the command"),
        ] {
            let text = read(&[(name, "1")]).unwrap_err().to_string();
            assert!(text.contains(expected), "{name}: {text}");
        }
        assert!(read(&[("RECRAWL_ADMIN_TOKEN", "long enough"), ("HOME", "/")]).is_ok());
    }

    #[test]
    fn only_what_needs_a_person_or_a_laptop_is_left_to_the_command() {
        let left: Vec<&str> = CRAWL.iter().filter(|row| !row.is_for_cloud()).map(|row| row.name).collect();
        assert_eq!(left, ["store", "site-name", "max-time", "robots"]);
    }
}
