//! How pages are chosen, asked for and compared; the names are those of the command line.

use std::time::Duration;

use recrawl_core::aspect::{Aspect, Aspects};
use recrawl_core::crawl::Mode;
use recrawl_core::priority::Weights;
use recrawl_core::traps::PageLimit;

use super::reading::{Reading, parsed};

/// How pages are chosen, asked for and compared.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its variable")]
pub struct Conduct {
    pub mode: Mode,
    pub smart_sample: usize,
    pub smart_threshold: f64,
    /// Whether known pages are asked for their headers first.
    pub head_first: bool,
    pub trust_freshness: bool,
    pub skip_if_visited_days: u32,
    /// The share of 304s that are checked.
    pub checked_share: f64,
    /// Whether hosts are asked how they answer for pages that they do not have.
    pub soft_404: bool,
    pub sitemap_cache: Duration,
    /// How many requests for pages a crawl may make.
    pub budget: Option<u64>,
    /// How many pages a crawl asks for.
    pub max_pages: PageLimit,
    /// How many addresses of one shape may have the same text.
    pub trap_limit: u32,
    pub weights: Weights,
    pub compare: Aspects,
    pub full_history: Vec<String>,
}

impl Reading<'_> {
    pub(super) fn conduct(&mut self) -> Conduct {
        let whole = "a whole number";
        let budget = |text: &str| text.parse().ok().filter(|requests| *requests > 0);
        Conduct {
            mode: self.value("RECRAWL_MODE", "full, incremental or smart", mode).unwrap_or_default(),
            smart_sample: self.value("RECRAWL_SMART_SAMPLE", whole, parsed).unwrap_or(50),
            smart_threshold: self.share("RECRAWL_SMART_THRESHOLD").unwrap_or(0.2),
            head_first: self.truth("RECRAWL_HEAD").unwrap_or(false),
            trust_freshness: self.truth("RECRAWL_TRUST_FRESHNESS").unwrap_or(false),
            skip_if_visited_days: self.value("RECRAWL_SKIP_IF_VISITED_DAYS", whole, parsed).unwrap_or(0),
            checked_share: self.share("RECRAWL_CHECK_SHARE").unwrap_or(0.01),
            soft_404: self.truth("RECRAWL_SOFT_404").unwrap_or(true),
            sitemap_cache: self
                .value("RECRAWL_SITEMAP_CACHE", "a number of hours", hours)
                .unwrap_or(Duration::from_hours(24)),
            budget: self.value("RECRAWL_BUDGET", "a whole number of requests, at least 1", budget),
            max_pages: self.value("RECRAWL_MAX_PAGES", "a whole number of pages", parsed).unwrap_or_default(),
            trap_limit: self.value("RECRAWL_TRAP_LIMIT", whole, parsed).unwrap_or(100),
            weights: self.weights(),
            compare: self.aspects("RECRAWL_COMPARE"),
            full_history: self.media_types("RECRAWL_FULL_HISTORY"),
        }
    }

    fn weights(&mut self) -> Weights {
        let usual = Weights::default();
        let mut weight = |name, usual| {
            let read = |text: &str| text.parse().ok().filter(|weight| (0.0..=1e6).contains(weight));
            self.value(name, "a number from 0 to 1000000", read).unwrap_or(usual)
        };
        Weights {
            age: weight("RECRAWL_PRIORITY_AGE", usual.age),
            frequency: weight("RECRAWL_PRIORITY_FREQUENCY", usual.frequency),
            depth: weight("RECRAWL_PRIORITY_DEPTH", usual.depth),
            unvisited: weight("RECRAWL_PRIORITY_UNVISITED", usual.unvisited),
            sitemap_newer: weight("RECRAWL_PRIORITY_SITEMAP", usual.sitemap_newer),
            sitemap_due: weight("RECRAWL_PRIORITY_SITEMAP_DUE", usual.sitemap_due),
        }
    }

    fn share(&mut self, name: &str) -> Option<f64> {
        let read = |text: &str| text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
        self.value(name, "a share from 0 to 1, such as 0.2", read)
    }

    fn truth(&mut self, name: &str) -> Option<bool> {
        self.value(name, "true or false", parsed)
    }

    fn aspects(&mut self, name: &str) -> Aspects {
        let words = self.lines(name).join(",");
        if words.is_empty() {
            return Aspects::ALL;
        }
        let aspects: Result<Aspects, _> =
            words.split(',').map(|word| word.trim().parse::<Aspect>()).collect();
        aspects.unwrap_or_else(|error| {
            self.problem(format!("{name}: {error}"));
            Aspects::ALL
        })
    }

    fn media_types(&mut self, name: &str) -> Vec<String> {
        let types = self.lines(name);
        for text in &types {
            if !text.split_once('/').is_some_and(|(kind, form)| !kind.is_empty() && !form.is_empty()) {
                self.problem(format!("{name}: {text:?} is not a media type, such as text/plain"));
            }
        }
        types.iter().map(|text| text.to_ascii_lowercase()).collect()
    }
}

fn mode(text: &str) -> Option<Mode> {
    [Mode::Full, Mode::Incremental, Mode::Smart].into_iter().find(|mode| mode.word() == text)
}

fn hours(text: &str) -> Option<Duration> {
    let hours = text.parse::<f64>().ok().filter(|hours| (0.0..=87_600.0).contains(hours))?;
    Some(Duration::from_secs_f64(hours * 3_600.0))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn read(variables: &[(&str, &str)]) -> (Conduct, Vec<String>) {
        let named = |(name, value): &(&str, &str)| (format!("RECRAWL_{name}"), (*value).to_owned());
        let variables: HashMap<String, String> = variables.iter().map(named).collect();
        let mut reading = Reading::new(&variables);
        let conduct = reading.conduct();
        (conduct, reading.problems)
    }

    #[test]
    fn what_nobody_sets_is_as_on_the_command_line() {
        let (conduct, problems) = read(&[]);
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!((conduct.mode, conduct.smart_sample, conduct.budget), (Mode::Incremental, 50, None));
        assert_eq!((conduct.max_pages, conduct.trap_limit), (PageLimit::Usual, 100));
        assert!((conduct.smart_threshold - 0.2).abs() < 1e-9 && (conduct.checked_share - 0.01).abs() < 1e-9);
        assert!(conduct.soft_404 && !conduct.head_first && !conduct.trust_freshness);
        assert_eq!((conduct.skip_if_visited_days, conduct.sitemap_cache), (0, Duration::from_hours(24)));
        assert_eq!((conduct.weights, conduct.compare), (Weights::default(), Aspects::ALL));
    }

    #[test]
    fn every_variable_is_read() {
        let (conduct, problems) = read(&[
            ("MODE", "smart"),
            ("SMART_SAMPLE", "7"),
            ("SMART_THRESHOLD", "0.5"),
            ("HEAD", "true"),
            ("TRUST_FRESHNESS", "true"),
            ("SKIP_IF_VISITED_DAYS", "60"),
            ("CHECK_SHARE", "1"),
            ("SOFT_404", "false"),
            ("SITEMAP_CACHE", "0.5"),
            ("BUDGET", "1000"),
            ("MAX_PAGES", "0"),
            ("TRAP_LIMIT", "7"),
            ("PRIORITY_AGE", "1"),
            ("PRIORITY_FREQUENCY", "2"),
            ("PRIORITY_DEPTH", "3"),
            ("PRIORITY_UNVISITED", "4"),
            ("PRIORITY_SITEMAP", "5"),
            ("PRIORITY_SITEMAP_DUE", "6"),
            ("COMPARE", "text, media"),
            ("FULL_HISTORY", "Text/Gemini\ntext/plain"),
        ]);
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!((conduct.mode, conduct.smart_sample, conduct.budget), (Mode::Smart, 7, Some(1_000)));
        assert_eq!((conduct.max_pages, conduct.trap_limit), (PageLimit::Unlimited, 7));
        assert!((conduct.smart_threshold - 0.5).abs() < 1e-9 && (conduct.checked_share - 1.0).abs() < 1e-9);
        assert!(!conduct.soft_404 && conduct.head_first && conduct.trust_freshness);
        assert_eq!((conduct.skip_if_visited_days, conduct.sitemap_cache), (60, Duration::from_mins(30)));
        let weights = Weights {
            age: 1.0,
            frequency: 2.0,
            depth: 3.0,
            unvisited: 4.0,
            sitemap_newer: 5.0,
            sitemap_due: 6.0,
        };
        assert_eq!(conduct.weights, weights);
        assert_eq!(conduct.compare.to_string(), "text, media");
        assert_eq!(conduct.full_history, ["text/gemini", "text/plain"]);
    }

    #[test]
    fn every_bad_value_is_named() {
        for (name, value) in [
            ("MODE", "clever"),
            ("SMART_SAMPLE", "-1"),
            ("SMART_THRESHOLD", "20"),
            ("HEAD", "perhaps"),
            ("TRUST_FRESHNESS", "1"),
            ("SKIP_IF_VISITED_DAYS", "1.5"),
            ("CHECK_SHARE", "-0.1"),
            ("SOFT_404", "no"),
            ("SITEMAP_CACHE", "a day"),
            ("BUDGET", "0"),
            ("MAX_PAGES", "few"),
            ("TRAP_LIMIT", "-1"),
            ("PRIORITY_AGE", "NaN"),
            ("COMPARE", "text,title"),
            ("FULL_HISTORY", "gemini"),
        ] {
            let (_, problems) = read(&[(name, value)]);
            assert_eq!(problems.len(), 1, "{name}={value}");
            assert!(problems[0].contains(&format!("RECRAWL_{name}")), "{problems:?}");
        }
    }
}
