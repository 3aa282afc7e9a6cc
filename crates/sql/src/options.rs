//! Options: the names that people know from other crawlers in SQL, beside every setting by its own name.

use recrawl_core::model::ids::SiteId;
use recrawl_core::url::PageUrl;
use recrawl_settings::table::CRAWL;
use recrawl_settings::{Flags, SettingsFile};
use recrawl_supervisor::settings::{self, CommandLine, Settings};
use recrawl_supervisor::usage;

use crate::statement::{Said, Value};

/// Options that are settings under another name.
const ALIASES: [(&str, &str); 9] = [
    ("default_crawl_delay", "delay"),
    ("default_delay", "delay"),
    ("min_crawl_delay", "min-delay"),
    ("max_crawl_delay", "max-delay"),
    ("timeout_seconds", "time-out"),
    ("respect_robots_txt", "robots"),
    ("sitemap_cache_hours", "sitemap-cache"),
    ("max_parallel_per_domain", "parallel"),
    ("max_retry_backoff_seconds", "max-retry-backoff"),
];

/// Settings that a statement says otherwise, or that mean nothing to it.
const NOT_HERE: [&str; 5] = ["store", "site-name", "schedule", "time-zone", "archive"];

/// How many requests a host gets at a time where its robots.txt names no delay; the delay between their starts holds.
const PARALLEL: u32 = 8;

/// What is said about a crawl.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Options {
    said: Vec<Said>,
}

/// What options say beside settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choices {
    /// Pages that robots.txt forbids have rows.
    pub log_skipped: bool,
    /// Only pages whose address is like this are crawled.
    pub url_filter: Option<String>,
    /// Rows that a sitemap calls stale are crawled again.
    pub update_stale: bool,
}

impl Options {
    /// Adds what is said; it wins over what was said before.
    pub(crate) fn say(&mut self, said: Said) -> anyhow::Result<()> {
        check(&said)?;
        self.said.retain(|before| setting_of(&before.name) != setting_of(&said.name));
        self.said.push(said);
        Ok(())
    }

    /// Returns these options with others, which win.
    pub(crate) fn with(&self, others: &[Said]) -> anyhow::Result<Self> {
        let mut options = self.clone();
        let mut named: Vec<String> = Vec::new();
        for said in others {
            let setting = setting_of(&said.name);
            if named.contains(&setting) && !takes_many(&setting) {
                return Err(usage(format!("{} is said twice", said.name)));
            }
            if named.contains(&setting) {
                options.said.push(said.clone());
            } else {
                options.say(said.clone())?;
            }
            named.push(setting);
        }
        Ok(options)
    }

    /// Returns what is said beside settings.
    pub(crate) fn choices(&self) -> Choices {
        let truth = |name: &str, default| match self.value(name) {
            Some(Value::Truth(truth)) => *truth,
            Some(Value::Text(_) | Value::Number(_)) | None => default,
        };
        Choices {
            log_skipped: truth("log_skipped", true),
            url_filter: self.value("url_filter").map(Value::words),
            update_stale: truth("update_stale", false),
        }
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.said.iter().find(|said| said.name == name).map(|said| &said.value)
    }

    fn owns_the_site(&self) -> bool {
        self.value("i_own_this_site") == Some(&Value::Truth(true))
    }

    fn command_line(&self) -> anyhow::Result<CommandLine> {
        let mut flags = Flags::default();
        for setting in CRAWL {
            let said: Vec<&Said> =
                self.said.iter().filter(|said| setting_of(&said.name) == setting.name).collect();
            let Some(last) = said.last() else { continue };
            let values: Vec<String> = said.iter().map(|said| said.value.words()).collect();
            flags.say(setting.name, values, format!("option {}", last.name));
        }
        let ignores = self
            .said
            .iter()
            .any(|said| setting_of(&said.name) == "robots" && said.value == Value::Truth(false));
        if ignores && !self.owns_the_site() {
            return Err(usage(
                "respect_robots_txt false needs i_own_this_site true: robots.txt is ignored only on a site of your own",
            ));
        }
        Ok(CommandLine { flags, owns_the_site: self.owns_the_site() })
    }

    /// Works out the settings of a list of this name. `named` are pages that the person wrote into the statement.
    pub(crate) fn of_list(
        &self,
        name: &SiteId,
        named: &[PageUrl],
        file: &SettingsFile,
    ) -> anyhow::Result<Settings> {
        let settings = settings::of_list(name, named, &self.command_line()?, file)?;
        Ok(self.finished(settings))
    }

    /// Works out the settings of a whole site.
    pub(crate) fn of_site(&self, root: &PageUrl, file: &SettingsFile) -> anyhow::Result<Settings> {
        let settings = settings::resolve(root.as_str(), &self.command_line()?, file)?.settings;
        settings::scope(&settings)?;
        Ok(self.finished(settings))
    }

    fn finished(&self, mut settings: Settings) -> Settings {
        settings.crawl.parallel.get_or_insert(PARALLEL);
        if settings.scope.list && !self.said.iter().any(|said| setting_of(&said.name) == "recheck-share") {
            // Each page once: nobody waits to learn what is noise.
            settings.crawl.recheck_share = 0.0;
        }
        settings
    }
}

/// Checks that an option is there and has a value of its kind.
fn check(said: &Said) -> anyhow::Result<()> {
    let Said { name, value } = said;
    let setting = setting_of(name);
    let is_truth = ["i_own_this_site", "log_skipped", "update_stale", "robots"].contains(&setting.as_str());
    if is_truth {
        return match value {
            Value::Truth(_) => Ok(()),
            Value::Text(_) | Value::Number(_) => {
                Err(usage(format!("{name} must be true or false, not {}", quoted(value))))
            }
        };
    }
    if setting == "url_filter" {
        return match value {
            Value::Text(_) => Ok(()),
            Value::Number(_) | Value::Truth(_) => {
                Err(usage(format!("{name} must be a pattern such as '%/product/%', not {}", quoted(value))))
            }
        };
    }
    let is_number = ALIASES.iter().any(|(alias, setting)| alias == name && *setting != "robots");
    if is_number && !matches!(value, Value::Number(_)) {
        return Err(usage(format!("{name} must be a number, not {}", quoted(value))));
    }
    if NOT_HERE.contains(&setting.as_str()) {
        return Err(usage(format!("{name} cannot be set in a statement")));
    }
    if CRAWL.iter().any(|row| row.name == setting) {
        return Ok(());
    }
    Err(usage(match nearest(name) {
        Some(near) => format!("there is no option {name}: did you mean {near}?"),
        None => format!("there is no option {name}: docs/SQL.md lists them"),
    }))
}

fn quoted(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("'{text}'"),
        Value::Number(_) | Value::Truth(_) => value.words(),
    }
}

/// Returns the setting that an option names, or the option where it is none.
fn setting_of(name: &str) -> String {
    if let Some((_, setting)) = ALIASES.iter().find(|(alias, _)| *alias == name) {
        return (*setting).to_owned();
    }
    let with_dashes = name.replace('_', "-");
    if CRAWL.iter().any(|row| row.name == with_dashes) { with_dashes } else { name.to_owned() }
}

fn takes_many(setting: &str) -> bool {
    CRAWL.iter().any(|row| row.name == setting && row.takes_many)
}

/// Returns the option that looks most like a name that is none.
fn nearest(name: &str) -> Option<String> {
    let settings = CRAWL.iter().map(|row| row.name.replace('-', "_"));
    let others = ["i_own_this_site", "log_skipped", "update_stale", "url_filter"].map(str::to_owned);
    let all = ALIASES.iter().map(|(alias, _)| (*alias).to_owned()).chain(settings).chain(others);
    all.map(|known| (distance(name, &known), known))
        .min()
        .filter(|(far, _)| *far <= 3)
        .map(|(_, known)| known)
}

/// Returns how many letters must be changed, added or left out.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.chars().enumerate() {
        let mut before = row[0];
        row[0] = line + 1;
        for (column, known) in other.iter().enumerate() {
            let changed = before + usize::from(letter != *known);
            before = row[column + 1];
            row[column + 1] = changed.min(before + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn said(name: &str, value: Value) -> Said {
        Said { name: name.to_owned(), value }
    }

    fn number(text: &str) -> Value {
        Value::Number(text.to_owned())
    }

    #[test]
    fn options_are_settings_and_the_last_word_wins() {
        let mut session = Options::default();
        session
            .say(said("user_agent", Value::Text("MyBot/1.0 (+https://example.com/bot)".to_owned())))
            .unwrap();
        session.say(said("default_delay", number("2.0"))).unwrap();
        let options = session
            .with(&[
                said("default_crawl_delay", number("0.5")),
                said("timeout_seconds", number("7")),
                said("exclude", Value::Text("*/a/*".to_owned())),
                said("exclude", Value::Text("*/b/*".to_owned())),
                said("update_stale", Value::Truth(true)),
            ])
            .unwrap();
        let name = "results".parse().unwrap();
        let settings = options.of_list(&name, &[], &SettingsFile::default()).unwrap();
        assert_eq!(settings.crawl.time_between_requests(), Duration::from_millis(500));
        assert_eq!(settings.crawl.time_out, Duration::from_secs(7));
        assert_eq!(settings.crawl.user_agent(), "MyBot/1.0 (+https://example.com/bot)");
        assert_eq!(settings.crawl.requests_at_a_time(), 8);
        assert_eq!(settings.scope.exclude, ["*/a/*", "*/b/*"]);
        assert!(settings.scope.list && options.choices().update_stale && options.choices().log_skipped);
    }

    #[test]
    fn what_is_wrong_with_an_option_is_said() {
        for (name, value, expected) in [
            (
                "default_crawl_dealy",
                number("1"),
                "there is no option default_crawl_dealy: did you mean default_crawl_delay?",
            ),
            ("colour", number("1"), "there is no option colour: docs/SQL.md lists them"),
            ("timeout_seconds", Value::Text("x".to_owned()), "timeout_seconds must be a number, not 'x'"),
            ("update_stale", number("1"), "update_stale must be true or false, not 1"),
            ("store", Value::Text("x".to_owned()), "store cannot be set in a statement"),
        ] {
            let error = Options::default().with(&[said(name, value)]).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
        let twice = [said("delay", number("1")), said("default_crawl_delay", number("2"))];
        assert_eq!(
            Options::default().with(&twice).unwrap_err().to_string(),
            "default_crawl_delay is said twice"
        );
        let ignoring = Options::default().with(&[said("respect_robots_txt", Value::Truth(false))]).unwrap();
        let name = "results".parse().unwrap();
        let error = ignoring.of_list(&name, &[], &SettingsFile::default()).unwrap_err();
        assert!(error.to_string().contains("needs i_own_this_site true"), "{error}");
        let negative = Options::default().with(&[said("default_crawl_delay", number("-1"))]).unwrap();
        let error = negative.of_list(&name, &[], &SettingsFile::default()).unwrap_err();
        assert!(error.to_string().contains("option default_crawl_delay"), "{error}");
    }
}
