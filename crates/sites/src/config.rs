//! Everything that is set about one site.

use recrawl_core::model::ids::SiteId;
use recrawl_core::model::scope::Scope;
use recrawl_core::url::PageUrl;
use recrawl_extract::robots::product_token;
use recrawl_extract::text::TextRules;
use recrawl_settings::{CrawlSettings, Environment, Layers, ProcessSettings, SiteSettings, variables};

/// Everything that can be set about one site, checked.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after what it holds")]
pub struct SiteConfig {
    pub id: SiteId,
    pub root: PageUrl,
    pub scope: Scope,
    pub text_rules: TextRules,
    /// How the site is crawled, as in the command.
    pub crawl: CrawlSettings,
    /// How its crawls are looked after; what speaks of the process is not looked at.
    pub process: ProcessSettings,
}

impl SiteConfig {
    /// Reads what is written about a site, and what the environment says of all sites; of this one, too, where it
    /// `names_it`. Says everything that is wrong at once.
    pub fn read(
        id: &SiteId,
        root: &PageUrl,
        settings: &SiteSettings,
        environment: &Environment,
        names_it: bool,
    ) -> Result<Self, Vec<String>> {
        let mut problems = variables::not_of_a_site(settings.keys().map(String::as_str));
        let layers = Layers::of_site(settings, environment, names_it);
        let crawl = CrawlSettings::read(&layers, &mut problems);
        let process = ProcessSettings::read(&layers, &mut problems);
        let scope = Scope::new(root, crawl.scope());
        let text_rules = recrawl_engine::text_rules(&crawl);
        match (scope, text_rules) {
            (Ok(scope), Ok(text_rules)) if problems.is_empty() => {
                Ok(Self { id: id.clone(), root: root.clone(), scope, text_rules, crawl, process })
            }
            (scope, text_rules) => {
                problems.extend(scope.err().map(|error| match std::error::Error::source(&error) {
                    Some(source) => format!("{error}: {source}"),
                    None => error.to_string(),
                }));
                problems.extend(text_rules.err());
                Err(problems)
            }
        }
    }

    /// Returns our name in robots.txt.
    pub fn product_token(&self) -> String {
        product_token(&self.crawl.user_agent()).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn settings(pairs: &[(&str, &[&str])]) -> SiteSettings {
        let values = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        pairs.iter().map(|(name, of)| ((*name).to_owned(), values(of))).collect()
    }

    fn read(pairs: &[(&str, &[&str])], names_it: bool) -> Result<SiteConfig, Vec<String>> {
        let environment = [
            ("RECRAWL_ROOT", "https://town.example/"),
            ("RECRAWL_DELAY", "5"),
            ("RECRAWL_CONTACT", "https://example.org/me"),
            ("RECRAWL_EXCLUDE", "*/tag/*"),
            ("RECRAWL_IGNORE_SELECTOR", ".date"),
            ("RECRAWL_SCHEDULE", "0 3 * * 1"),
            ("RECRAWL_KEEP_CRAWLS", "26"),
        ];
        let environment =
            environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let root = "https://port.example/".parse().unwrap();
        SiteConfig::read(&"port".parse().unwrap(), &root, &settings(pairs), &environment, names_it)
    }

    #[test]
    fn what_is_written_about_a_site_counts_more_than_what_is_said_of_all() {
        let plain = read(&[], false).unwrap();
        assert_eq!(plain.crawl.pace().delay, Duration::from_secs(5));
        assert_eq!(plain.process.keep_crawls, Some(26));
        assert!(plain.crawl.user_agent().contains("https://example.org/me"));
        let written = [("delay", &["2"][..]), ("keep-crawls", &["4"]), ("schedule", &["30 4 * * *"])];
        let written = read(&written, false).unwrap();
        assert_eq!(written.crawl.pace().delay, Duration::from_secs(2));
        assert_eq!(written.process.keep_crawls, Some(4));
        assert_eq!(written.crawl.timetable().unwrap().cron, "30 4 * * *");
        // One of two names for the same thing.
        assert_eq!(read(&[("rate", &["4"])], false).unwrap().crawl.pace().delay, Duration::from_millis(250));
    }

    #[test]
    fn what_is_said_of_the_pages_of_one_site_is_not_said_of_others() {
        let (other, own) = (read(&[], false).unwrap(), read(&[], true).unwrap());
        let tag = "https://port.example/tag/a".parse().unwrap();
        assert!(other.scope.admits(&tag).is_ok() && own.scope.admits(&tag).is_err());
        assert_ne!(other.text_rules.version(), own.text_rules.version());
        assert!(other.crawl.timetable().is_none() && own.crawl.timetable().is_some());
    }

    #[test]
    fn everything_wrong_is_said_at_once() {
        let problems = read(
            &[
                ("dealy", &["2"][..]),
                ("retries", &["many"]),
                ("exclude", &["a["]),
                ("only-selector", &["p["]),
                ("schedule", &["often"]),
                ("max-time", &["2h"]),
                ("ack-deadline", &["60"]),
            ],
            false,
        );
        let problems = problems.unwrap_err();
        for expected in [
            "there is no setting \"dealy\"; did you mean delay?",
            "retries must be",
            "(from the site)",
            "\"a[\" is not a glob",
            "p[",
            "schedule must be",
            "max-time is a setting of the command",
            "ack-deadline is a setting of the service and not of one site: set RECRAWL_ACK_DEADLINE there",
        ] {
            assert!(problems.iter().any(|problem| problem.contains(expected)), "{expected}: {problems:#?}");
        }
    }
}
