//! What the environment says.

mod conduct;
mod reading;

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use recrawl_archive::Keys;
pub use recrawl_core::archive::ArchiveWish;
use recrawl_core::content::KeepBodies;
use recrawl_core::ids::SiteId;
use recrawl_core::scope::{Scope, ScopeSettings};
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_extract::robots::product_token;
use recrawl_extract::text::TextRules;
use tracing_subscriber::EnvFilter;

pub use self::conduct::Conduct;
use self::reading::Reading;

/// Everything that can be set about the service, checked.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its variable")]
pub struct Config {
    pub port: u16,
    pub project: String,
    pub firestore_emulator: Option<String>,
    pub pubsub_emulator: Option<String>,
    pub site: SiteId,
    pub root: PageUrl,
    pub scope_settings: ScopeSettings,
    pub scope: Scope,
    pub delay: Duration,
    pub user_agent: String,
    pub archive: ArchiveWish,
    pub archive_keys: Option<Keys>,
    pub save_page_now: String,
    pub keep_crawls: Option<usize>,
    pub push_audience: Option<String>,
    pub push_email: Option<String>,
    pub ack_deadline: Duration,
    pub quiet: Duration,
    pub bodies_bucket: Option<String>,
    pub text_rules: TextRules,
    pub url_rules: UrlRules,
    pub keep_bodies: KeepBodies,
    pub body_memory: u64,
    pub conduct: Conduct,
    pub log: String,
    /// How long a push that cannot be done now is held before it is told so.
    pub hold: Duration,
    /// The first pause of a host in trouble.
    pub back_off: Duration,
    /// How long a request to a server may take.
    pub time_out: Duration,
    /// How often a page is asked for again when a server is in trouble.
    pub retries: u32,
    /// The name of this process among those that count operations.
    pub instance: String,
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
        Self::read(&std::env::vars().collect())
    }

    /// Reads variables; every bad one is named at once.
    pub fn read(variables: &HashMap<String, String>) -> Result<Self, BadConfig> {
        let mut reading = Reading::new(variables);
        let config = reading.config();
        match (config, reading.problems) {
            (Some(config), problems) if problems.is_empty() => Ok(config),
            (_, problems) => Err(BadConfig(problems)),
        }
    }

    /// Returns our name in robots.txt.
    pub fn product_token(&self) -> &str {
        product_token(&self.user_agent)
    }

    /// Returns what is logged.
    pub fn log_filter(&self) -> EnvFilter {
        EnvFilter::try_new(&self.log).unwrap_or_else(|_| EnvFilter::new("info"))
    }
}

#[cfg(test)]
mod tests {
    use recrawl_core::crawl::Mode;

    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Config, BadConfig> {
        let required = [("GOOGLE_CLOUD_PROJECT", "demo"), ("RECRAWL_ROOT", "https://example.org/news")];
        let all = required.iter().chain(variables);
        Config::read(&all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn project_and_root_are_enough() {
        let config = read(&[]).unwrap();
        assert_eq!((config.port, config.site.as_str()), (8080, "default"));
        assert_eq!((config.delay, config.ack_deadline), (Duration::from_secs(1), Duration::from_mins(10)));
        assert_eq!((config.archive, config.keep_crawls), (ArchiveWish::Changes, None));
        assert_eq!((config.conduct.mode, config.keep_bodies), (Mode::Incremental, KeepBodies::Changed));
        assert_eq!(config.save_page_now, "https://web.archive.org");
        assert!(config.user_agent.starts_with("recrawl/"), "{}", config.user_agent);
        assert_eq!(config.product_token(), "recrawl");
    }

    #[test]
    fn every_variable_is_read() {
        let config = read(&[
            ("PORT", "9"),
            ("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1"),
            ("PUBSUB_EMULATOR_HOST", "127.0.0.1:2"),
            ("RECRAWL_SITE", "news"),
            ("RECRAWL_DELAY", "0.25"),
            ("RECRAWL_CONTACT", "mailto:me@example.org"),
            ("RECRAWL_ARCHIVE", "all"),
            ("RECRAWL_ARCHIVE_KEYS", "access:secret"),
            ("RECRAWL_SAVE_PAGE_NOW", "http://127.0.0.1:3"),
            ("RECRAWL_KEEP_CRAWLS", "26"),
            ("RECRAWL_PUSH_AUDIENCE", "https://a"),
            ("RECRAWL_PUSH_EMAIL", "a@b"),
            ("RECRAWL_ACK_DEADLINE", "60"),
            ("RECRAWL_QUIET", "5"),
            ("RECRAWL_BODIES_BUCKET", "bodies"),
            ("RECRAWL_INCLUDE", "*/a/*\n*/b/*"),
            ("RECRAWL_EXCLUDE", "*.pdf"),
            ("RECRAWL_MAX_DEPTH", "4"),
            ("RECRAWL_ALLOW_PRIVATE", "true"),
            ("RECRAWL_IGNORE_SELECTOR", ".ad\n.date"),
            ("RECRAWL_IGNORE_REGEX", "[0-9]+ views"),
            ("RECRAWL_ONLY_SELECTOR", "main"),
            ("RECRAWL_KEEP_BODIES", "none"),
            ("RECRAWL_BODY_MEMORY", "1000"),
            ("RECRAWL_MODE", "full"),
            ("RECRAWL_LOG", "debug"),
        ])
        .unwrap();
        assert_eq!((config.port, config.site.as_str()), (9, "news"));
        assert_eq!(config.firestore_emulator.as_deref(), Some("127.0.0.1:1"));
        assert_eq!(config.pubsub_emulator.as_deref(), Some("127.0.0.1:2"));
        assert_eq!(config.delay, Duration::from_millis(250));
        assert!(config.user_agent.ends_with("(+mailto:me@example.org)"), "{}", config.user_agent);
        assert_eq!((config.archive, config.keep_crawls), (ArchiveWish::All, Some(26)));
        assert_eq!(config.save_page_now, "http://127.0.0.1:3");
        assert_eq!(
            (config.push_audience.as_deref(), config.push_email.as_deref()),
            (Some("https://a"), Some("a@b"))
        );
        assert_eq!((config.ack_deadline, config.quiet), (Duration::from_mins(1), Duration::from_secs(5)));
        assert_eq!(config.bodies_bucket.as_deref(), Some("bodies"));
        assert_eq!(config.scope_settings.include, ["*/a/*", "*/b/*"]);
        assert_eq!((config.scope_settings.exclude.len(), config.scope_settings.max_depth), (1, Some(4)));
        assert!(config.scope_settings.allow_private && !read(&[]).unwrap().scope_settings.allow_private);
        assert_ne!(config.text_rules.version(), read(&[]).unwrap().text_rules.version());
        assert_eq!((config.conduct.mode, config.keep_bodies), (Mode::Full, KeepBodies::None));
        assert_eq!((config.body_memory, read(&[]).unwrap().body_memory), (1_000, 64 << 20));
        assert_eq!(config.log, "debug");
        assert!(!format!("{config:?}").contains("secret"));
    }

    #[test]
    fn empty_variables_are_not_set() {
        let config = read(&[("RECRAWL_ARCHIVE_KEYS", ""), ("RECRAWL_PUSH_EMAIL", ""), ("PORT", "")]).unwrap();
        assert_eq!((config.archive_keys, config.push_email, config.port), (None, None, 8080));
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
        assert!(text.contains("RECRAWL_INCLUDE or RECRAWL_EXCLUDE"), "{text}");
    }
}
