//! The settings there are: one table, from which flags, variables, file and documents follow.

use clap::Args;

/// One setting.
pub(crate) struct Key {
    /// Its name: `--name`, `RECRAWL_NAME`, and `name = ` in the file.
    pub(crate) name: &'static str,
    /// What is in force where nobody says otherwise.
    pub(crate) default: &'static str,
    /// Whether it takes several values.
    pub(crate) many: bool,
}

const fn one(name: &'static str, default: &'static str) -> Key {
    Key { name, default, many: false }
}

const fn many(name: &'static str, default: &'static str) -> Key {
    Key { name, default, many: true }
}

/// Every setting, in the order in which people read them.
pub(crate) const KEYS: &[Key] = &[
    one("store", "sqlite:recrawl.db"),
    one("site-name", "(from the URL)"),
    one("rate", "1"),
    one("delay", "(1 / rate)"),
    one("min-delay", "0"),
    one("max-delay", "60"),
    one("parallel", "1; 8 with rate unlimited"),
    one("max-pages", "(none)"),
    one("max-depth", "(none)"),
    one("max-time", "(none)"),
    many("include", "(everything below the URL)"),
    many("exclude", "(nothing)"),
    one("subdomains", "false"),
    many("extra-host", "(none)"),
    many("ignore-selector", "(none)"),
    many("ignore-regex", "(none)"),
    many("keep-attribute", "data-wf-page"),
    many("noise-rule", "all: form-tokens, generation-times, relative-times, view-ids"),
    many("drop-parameter", "utm_*, gclid, fbclid, session ids and the like"),
    one("user-agent", "recrawl/VERSION (+CONTACT)"),
    one("contact", "https://recrawl.example/"),
    one("mode", "incremental"),
    one("keep-bodies", "changed"),
    one("robots", "true"),
    one("nofollow", "true"),
    one("sitemaps", "true"),
    one("archive", "changes"),
    one("retries", "5"),
    one("back-off", "3"),
    one("time-out", "30"),
    one("body-limit", "10485760"),
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
    /// Ask for this many pages at most
    #[arg(long, value_name = "N")]
    max_pages: Option<String>,
    /// Follow this many links from the root at most
    #[arg(long, value_name = "N")]
    max_depth: Option<String>,
    /// Stop after this time, such as 90s, 10m or 2h
    #[arg(long, value_name = "TIME")]
    max_time: Option<String>,
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
    /// Ignore what this CSS selector matches when pages are compared
    #[arg(long, value_name = "CSS")]
    ignore_selector: Vec<String>,
    /// Ignore text that matches this regular expression when pages are compared
    #[arg(long, value_name = "REGEX")]
    ignore_regex: Vec<String>,
    /// Count this attribute as text (in place of the default list)
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    keep_attribute: Vec<String>,
    /// Remove this kind of noise, or `none` (in place of all of them)
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    noise_rule: Vec<String>,
    /// Drop this query parameter from addresses (in place of the default list)
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    drop_parameter: Vec<String>,
    /// The whole user agent
    #[arg(long, value_name = "TEXT")]
    user_agent: Option<String>,
    /// Where site owners can reach you; part of the user agent
    #[arg(long, value_name = "URL")]
    contact: Option<String>,
    /// Ask for known pages conditionally, or fetch everything
    #[arg(long, value_name = "full|incremental")]
    mode: Option<String>,
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
    /// Ask the Wayback Machine to archive changes after the crawl; `all` also those of a first crawl
    #[arg(long, value_name = "changes|all|never", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    archive: Option<String>,
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
}

impl SettingsArguments {
    /// Returns what was said about the setting of this name.
    pub(super) fn values(&self, name: &str) -> Vec<String> {
        let one = |value: &Option<String>| value.iter().cloned().collect();
        match name {
            "store" => one(&self.store),
            "site-name" => one(&self.site_name),
            "rate" => one(&self.rate),
            "delay" => one(&self.delay),
            "min-delay" => one(&self.min_delay),
            "max-delay" => one(&self.max_delay),
            "parallel" => one(&self.parallel),
            "max-pages" => one(&self.max_pages),
            "max-depth" => one(&self.max_depth),
            "max-time" => one(&self.max_time),
            "include" => self.include.clone(),
            "exclude" => self.exclude.clone(),
            "subdomains" => one(&self.subdomains),
            "extra-host" => self.extra_host.clone(),
            "ignore-selector" => self.ignore_selector.clone(),
            "ignore-regex" => self.ignore_regex.clone(),
            "keep-attribute" => self.keep_attribute.clone(),
            "noise-rule" => self.noise_rule.clone(),
            "drop-parameter" => self.drop_parameter.clone(),
            "user-agent" => one(&self.user_agent),
            "contact" => one(&self.contact),
            "mode" => one(&self.mode),
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
            "archive" => one(&self.archive).into_iter().filter(|which: &String| !which.is_empty()).collect(),
            "retries" => one(&self.retries),
            "back-off" => one(&self.back_off),
            "time-out" => one(&self.time_out),
            "body-limit" => one(&self.body_limit),
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
            let expected = format!("| `{}` | {} |", key.name, key.default);
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
