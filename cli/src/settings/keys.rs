//! The settings there are: one table, from which flags, variables, file and documents follow.

use std::borrow::Cow;

use clap::Args;
use recrawl_extract::text::NoiseRule;

/// One setting.
pub(crate) struct Key {
    /// Its name: `--name`, `RECRAWL_NAME`, and `name = ` in the file.
    pub(crate) name: &'static str,
    default: Default,
    /// Whether it takes several values.
    pub(crate) many: bool,
}

/// What is in force where nobody says otherwise, in words.
enum Default {
    Words(&'static str),
    EveryNoiseRule,
}

impl Key {
    /// Returns what is in force where nobody says otherwise.
    pub(crate) fn default(&self) -> Cow<'static, str> {
        match self.default {
            Default::Words(words) => words.into(),
            Default::EveryNoiseRule => {
                format!("all: {}", NoiseRule::ALL.map(NoiseRule::name).join(", ")).into()
            }
        }
    }
}

const fn one(name: &'static str, default: &'static str) -> Key {
    Key { name, default: Default::Words(default), many: false }
}

const fn many(name: &'static str, default: &'static str) -> Key {
    Key { name, default: Default::Words(default), many: true }
}

/// Every setting, in the order in which people read them.
pub(crate) const KEYS: &[Key] = &[
    one("store", "sqlite:recrawl.db"),
    one("site-name", "(from the URL)"),
    one("preset", "(none)"),
    one("rate", "1"),
    one("delay", "(1 / rate)"),
    one("min-delay", "0"),
    one("max-delay", "60"),
    one("parallel", "1; 8 with rate unlimited"),
    one("max-pages", "200000, or twice the pages known"),
    one("max-depth", "(none)"),
    one("max-time", "(none)"),
    one("budget", "(none)"),
    one("trap-limit", "100"),
    many("include", "(everything below the URL)"),
    many("exclude", "(nothing)"),
    one("subdomains", "false"),
    many("extra-host", "(none)"),
    one("allow-private", "false"),
    many("ignore-selector", "(none)"),
    many("only-selector", "(the whole page)"),
    many("ignore-regex", "(none)"),
    many("keep-attribute", "data-wf-page"),
    Key { name: "noise-rule", default: Default::EveryNoiseRule, many: true },
    many("compare", "text, links, media"),
    many("full-history", "(none)"),
    many("drop-parameter", "utm_*, gclid, fbclid, session ids and the like"),
    one("user-agent", "recrawl/VERSION (+CONTACT)"),
    one("contact", "https://recrawl.example/"),
    one("mode", "incremental"),
    one("smart-sample", "50"),
    one("smart-threshold", "0.2"),
    one("head", "false"),
    one("trust-freshness", "false"),
    one("skip-if-visited-days", "0"),
    one("check-share", "0.01"),
    one("soft-404", "true"),
    one("keep-bodies", "changed"),
    one("robots", "true"),
    one("nofollow", "true"),
    one("sitemaps", "true"),
    one("sitemap-cache", "24"),
    one("priority-age", "0.4"),
    one("priority-frequency", "0.4"),
    one("priority-depth", "0.2"),
    one("priority-unvisited", "100"),
    one("priority-sitemap", "50"),
    one("priority-sitemap-due", "5"),
    one("archive", "changes"),
    one("schedule", "(none)"),
    one("time-zone", "UTC"),
    one("retries", "5"),
    one("back-off", "3"),
    one("time-out", "30"),
    one("body-limit", "10485760"),
    one("body-memory", "67108864"),
];

/// Returns the setting of this name.
pub(crate) fn key(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// The settings as flags.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Settings")]
pub(crate) struct SettingsArguments {
    /// Where to keep what was found
    #[arg(long, value_name = "sqlite:PATH")]
    store: Option<String>,
    /// The name of the site in the store
    #[arg(long, value_name = "NAME")]
    site_name: Option<String>,
    /// A set of settings: careful, usual or quick; what is set beside it wins
    #[arg(long, value_name = "conservative|balanced|aggressive")]
    preset: Option<String>,
    /// Requests a second to a host, or `unlimited`
    #[arg(long, value_name = "N|unlimited", conflicts_with = "delay")]
    rate: Option<String>,
    /// Seconds between the starts of two requests to a host
    #[arg(long, value_name = "SECONDS")]
    delay: Option<String>,
    /// The shortest delay, whatever robots.txt says
    #[arg(long, value_name = "SECONDS", hide_short_help = true)]
    min_delay: Option<String>,
    /// The longest delay, whatever robots.txt says
    #[arg(long, value_name = "SECONDS", hide_short_help = true)]
    max_delay: Option<String>,
    /// Requests to a host at a time, 1 to 8; one where robots.txt names a Crawl-delay
    #[arg(long, value_name = "N")]
    parallel: Option<String>,
    /// Ask for this many pages at most; 0 for any number
    #[arg(long, value_name = "N")]
    max_pages: Option<String>,
    /// Follow this many links from the root at most
    #[arg(long, value_name = "N")]
    max_depth: Option<String>,
    /// Stop after this time, such as 90s, 10m or 2h
    #[arg(long, value_name = "TIME")]
    max_time: Option<String>,
    /// Make this many requests at most: the best pages are visited, the others wait for the next crawl
    #[arg(long, value_name = "N")]
    budget: Option<String>,
    /// Leave further addresses of one shape out once this many had the same text; 0 never does
    #[arg(long, value_name = "N", hide_short_help = true)]
    trap_limit: Option<String>,
    /// Visit only pages that match one of these globs
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Never visit pages that match one of these globs
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Hosts below the URL's host belong to the site
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    subdomains: Option<String>,
    /// This host belongs to the site, too
    #[arg(long, value_name = "HOST")]
    extra_host: Vec<String>,
    /// The hosts of the site may be on this machine or in its network, whatever their names are
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    allow_private: Option<String>,
    /// Ignore what this CSS selector matches when pages are compared
    #[arg(long, value_name = "CSS")]
    ignore_selector: Vec<String>,
    /// Compare only what this CSS selector matches, such as `main`
    #[arg(long, value_name = "CSS")]
    only_selector: Vec<String>,
    /// Ignore text that matches this regular expression when pages are compared
    #[arg(long, value_name = "REGEX")]
    ignore_regex: Vec<String>,
    /// Count this attribute as text (in place of the default list)
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    keep_attribute: Vec<String>,
    /// Remove this kind of noise, or `none` (in place of all of them)
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    noise_rule: Vec<String>,
    /// What counts as a change: what a page says, where it leads, what it shows
    #[arg(long, value_name = "text,links,media")]
    compare: Vec<String>,
    /// Every body of this media type with other bytes is a version of its own
    #[arg(long, value_name = "TYPE", hide_short_help = true)]
    full_history: Vec<String>,
    /// Drop this query parameter from addresses (in place of the default list)
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    drop_parameter: Vec<String>,
    /// The whole user agent
    #[arg(long, value_name = "TEXT")]
    user_agent: Option<String>,
    /// Where site owners can reach you; part of the user agent
    #[arg(long, value_name = "URL")]
    contact: Option<String>,
    /// Fetch everything, ask for known pages conditionally, or let a sample of them decide
    #[arg(long, value_name = "full|incremental|smart")]
    mode: Option<String>,
    /// How many known pages decide in mode smart
    #[arg(long, value_name = "N", hide_short_help = true)]
    smart_sample: Option<String>,
    /// The share of them that must have changed for a full crawl
    #[arg(long, value_name = "SHARE", hide_short_help = true)]
    smart_threshold: Option<String>,
    /// Ask known pages for their headers first
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    head: Option<String>,
    /// Do not ask for a page while its server says that it stays fresh
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    trust_freshness: Option<String>,
    /// Do not ask for pages visited less than this many days ago
    #[arg(long, value_name = "DAYS")]
    skip_if_visited_days: Option<String>,
    /// The share of answers of 304 that are checked by an unconditional request
    #[arg(long, value_name = "SHARE", hide_short_help = true)]
    check_share: Option<String>,
    /// Find out how a host answers for pages that it does not have, by one request a day
    #[arg(long = "soft-404", value_name = "BOOL", hide_short_help = true)]
    soft_404: Option<String>,
    /// Which bodies to keep
    #[arg(long, value_name = "all|changed|none")]
    keep_bodies: Option<String>,
    /// Ignore robots.txt; only on your own site
    #[arg(long, requires = "i_own_this_site")]
    no_robots: bool,
    /// You own this site and answer for what you do to it
    #[arg(long)]
    i_own_this_site: bool,
    /// Obey nofollow
    #[arg(long, value_name = "BOOL", hide_short_help = true)]
    nofollow: Option<String>,
    /// Look for sitemaps
    #[arg(long, value_name = "BOOL", hide_short_help = true)]
    sitemaps: Option<String>,
    /// Hours for which a sitemap is not asked for again
    #[arg(long, value_name = "HOURS", hide_short_help = true)]
    sitemap_cache: Option<String>,
    /// What a day since the last visit counts in the order of pages
    #[arg(long, value_name = "WEIGHT", hide_short_help = true)]
    priority_age: Option<String>,
    /// What a tenth of a change a day counts
    #[arg(long, value_name = "WEIGHT", hide_short_help = true)]
    priority_frequency: Option<String>,
    /// What nearness to the root counts
    #[arg(long, value_name = "WEIGHT", hide_short_help = true)]
    priority_depth: Option<String>,
    /// What it counts never to have been visited
    #[arg(long, value_name = "WEIGHT", hide_short_help = true)]
    priority_unvisited: Option<String>,
    /// What a sitemap counts that says the page changed
    #[arg(long, value_name = "WEIGHT", hide_short_help = true)]
    priority_sitemap: Option<String>,
    /// What a sitemap counts by which it is time for a visit
    #[arg(long, value_name = "WEIGHT", hide_short_help = true)]
    priority_sitemap_due: Option<String>,
    /// Ask the Wayback Machine to archive changes after the crawl; `all` also those of a first crawl
    #[arg(long, value_name = "changes|all|never", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    archive: Option<String>,
    /// When `recrawl serve` crawls the site by itself: minute, hour, day, month, day of the week
    #[arg(long, value_name = "CRON", hide_short_help = true)]
    schedule: Option<String>,
    /// The time zone of the schedule, such as `America/Los_Angeles`
    #[arg(long, value_name = "ZONE", hide_short_help = true)]
    time_zone: Option<String>,
    /// Ask for a page again this often when a server is in trouble
    #[arg(long, value_name = "N", hide_short_help = true)]
    retries: Option<String>,
    /// Seconds a host in trouble is left alone at first; longer each time, up to 200 times as long
    #[arg(long, value_name = "SECONDS", hide_short_help = true)]
    back_off: Option<String>,
    /// Seconds a request may take
    #[arg(long, value_name = "SECONDS", hide_short_help = true)]
    time_out: Option<String>,
    /// Bytes of a page that are read
    #[arg(long, value_name = "BYTES", hide_short_help = true)]
    body_limit: Option<String>,
    /// Bytes of all pages that are kept in memory at a time; requests wait where they are used up
    #[arg(long, value_name = "BYTES", hide_short_help = true)]
    body_memory: Option<String>,
}

impl SettingsArguments {
    /// Returns what was said about the setting of this name.
    pub(super) fn values(&self, name: &str) -> Vec<String> {
        let one = |value: &Option<String>| value.iter().cloned().collect();
        match name {
            "store" => one(&self.store),
            "site-name" => one(&self.site_name),
            "preset" => one(&self.preset),
            "rate" => one(&self.rate),
            "delay" => one(&self.delay),
            "min-delay" => one(&self.min_delay),
            "max-delay" => one(&self.max_delay),
            "parallel" => one(&self.parallel),
            "max-pages" => one(&self.max_pages),
            "max-depth" => one(&self.max_depth),
            "max-time" => one(&self.max_time),
            "budget" => one(&self.budget),
            "trap-limit" => one(&self.trap_limit),
            "include" => self.include.clone(),
            "exclude" => self.exclude.clone(),
            "subdomains" => one(&self.subdomains),
            "extra-host" => self.extra_host.clone(),
            "allow-private" => one(&self.allow_private),
            "ignore-selector" => self.ignore_selector.clone(),
            "only-selector" => self.only_selector.clone(),
            "ignore-regex" => self.ignore_regex.clone(),
            "keep-attribute" => self.keep_attribute.clone(),
            "noise-rule" => self.noise_rule.clone(),
            "compare" => self.compare.clone(),
            "full-history" => self.full_history.clone(),
            "drop-parameter" => self.drop_parameter.clone(),
            "user-agent" => one(&self.user_agent),
            "contact" => one(&self.contact),
            "mode" => one(&self.mode),
            "smart-sample" => one(&self.smart_sample),
            "smart-threshold" => one(&self.smart_threshold),
            "head" => one(&self.head),
            "trust-freshness" => one(&self.trust_freshness),
            "skip-if-visited-days" => one(&self.skip_if_visited_days),
            "check-share" => one(&self.check_share),
            "soft-404" => one(&self.soft_404),
            "keep-bodies" => one(&self.keep_bodies),
            "robots" => {
                if self.no_robots {
                    vec!["false".to_owned()]
                } else {
                    Vec::new()
                }
            }
            "nofollow" => one(&self.nofollow),
            "sitemaps" => one(&self.sitemaps),
            "sitemap-cache" => one(&self.sitemap_cache),
            "priority-age" => one(&self.priority_age),
            "priority-frequency" => one(&self.priority_frequency),
            "priority-depth" => one(&self.priority_depth),
            "priority-unvisited" => one(&self.priority_unvisited),
            "priority-sitemap" => one(&self.priority_sitemap),
            "priority-sitemap-due" => one(&self.priority_sitemap_due),
            "archive" => one(&self.archive).into_iter().filter(|which: &String| !which.is_empty()).collect(),
            "schedule" => one(&self.schedule),
            "time-zone" => one(&self.time_zone),
            "retries" => one(&self.retries),
            "back-off" => one(&self.back_off),
            "time-out" => one(&self.time_out),
            "body-limit" => one(&self.body_limit),
            "body-memory" => one(&self.body_memory),
            _ => Vec::new(),
        }
    }

    /// Tells whether what waits is to be archived after the crawl.
    ///
    /// The flag says so; the setting in the environment or a file says what is noted for later.
    pub(crate) fn archives_after_the_crawl(&self) -> bool {
        self.archive.is_some()
    }

    /// Tells whether the person owns the site.
    pub(super) fn owns_the_site(&self) -> bool {
        self.i_own_this_site
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, Command};

    use super::*;

    #[test]
    fn the_table_in_the_readme_is_true() {
        let readme = include_str!("../../../README.md");
        let (_, table) = readme.split_once("| setting | default | meaning |\n|---|---|---|\n").unwrap();
        let rows: Vec<&str> = table.lines().take_while(|line| line.starts_with('|')).collect();
        assert_eq!(rows.len(), KEYS.len());
        for (row, key) in rows.iter().zip(KEYS) {
            let expected = format!("| `{}` | {} |", key.name, key.default());
            assert!(row.starts_with(&expected), "{row}: expected {expected}");
        }
    }

    #[test]
    fn every_setting_has_a_flag_and_every_flag_a_setting() {
        let command = SettingsArguments::augment_args(Command::new("test"));
        let mut flags: Vec<String> =
            command.get_arguments().filter_map(|argument| argument.get_long()).map(str::to_owned).collect();
        flags.retain(|flag| flag != "i-own-this-site");
        let names: Vec<String> = KEYS
            .iter()
            .map(|key| if key.name == "robots" { "no-robots".to_owned() } else { key.name.to_owned() })
            .collect();
        flags.sort();
        let mut sorted = names;
        sorted.sort();
        assert_eq!(flags, sorted);
    }
}
