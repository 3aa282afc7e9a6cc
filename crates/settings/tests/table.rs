//! The table: what follows from its rows.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use recrawl_core::changes::settle::SharingRules;
use recrawl_core::decide::back_off::PaceSettings;
use recrawl_core::decide::traps::PageLimit;
use recrawl_core::model::archive::ArchivePolicy;
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::content::KeepBodies;
use recrawl_core::model::crawl::Mode;
use recrawl_core::model::scope::ScopeSettings;
use recrawl_core::plan::priority::Weights;
use recrawl_core::url::UrlRules;
use recrawl_settings::table::{CRAWL, PROCESS};
use recrawl_settings::{
    CrawlSettings, Environment, Flags, InForce, Layers, Preset, ProcessSettings, Setting, SettingsFile,
    Sources,
};

fn layers(variables: &[(&str, &str)]) -> Layers {
    let named = |(name, value): &(&str, &str)| (format!("RECRAWL_{name}"), (*value).to_owned());
    let environment: Environment = variables.iter().map(named).collect();
    Layers::new(Sources { flags: &Flags::default(), environment: &environment, file: None })
}

/// Reads the settings of a crawl from variables, and what is wrong with them.
fn read(variables: &[(&str, &str)]) -> (CrawlSettings, Vec<String>) {
    let mut problems = Vec::new();
    let settings = CrawlSettings::read(&layers(variables), &mut problems);
    (settings, problems)
}

fn good(variables: &[(&str, &str)]) -> CrawlSettings {
    let (settings, problems) = read(variables);
    assert_eq!(problems, Vec::<String>::new());
    settings
}

#[test]
fn every_default_and_every_value_of_a_preset_can_be_read() {
    good(&[]);
    ProcessSettings::read(&layers(&[]), &mut Vec::new());
    for preset in Preset::ALL {
        good(&[("PRESET", preset.name())]);
        assert!(CRAWL.iter().any(|row| row.by_preset(preset).is_some()), "{preset:?} sets something");
    }
}

#[test]
fn every_row_has_a_name_and_a_help_of_its_own() {
    let rows = || CRAWL.iter().chain(PROCESS);
    let names: BTreeSet<&str> = rows().map(|row| row.name).collect();
    assert_eq!(names.len(), rows().count());
    for row in rows() {
        let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        assert!(row.name.chars().all(is_plain), "{}", row.name);
        assert!(
            !row.summary().is_empty() && !row.summary().ends_with('.'),
            "{}: {}",
            row.name,
            row.summary()
        );
        assert!(row.description().ends_with('.'), "{}: {}", row.name, row.description());
    }
}

#[test]
fn what_nobody_sets_is_as_the_core_has_it() {
    let settings = good(&[]);
    assert_eq!(settings.weights(), Weights::default());
    assert_eq!(settings.sharing(), SharingRules::default());
    assert_eq!(settings.pace(), PaceSettings::default());
    assert_eq!(settings.scope(), ScopeSettings::default());
    assert_eq!(settings.url_rules(), UrlRules::default());
    assert_eq!((settings.compare, settings.keep_bodies), (Aspects::ALL, KeepBodies::default()));
    assert_eq!((settings.mode, settings.max_pages), (Mode::default(), PageLimit::default()));
    assert_eq!((settings.archive, settings.budget, settings.retries), (ArchivePolicy::default(), None, 5));
    assert_eq!(
        (settings.time_out, settings.sitemap_cache),
        (Duration::from_secs(30), Duration::from_hours(24))
    );
    assert_eq!((settings.body_limit, settings.body_memory), (10 << 20, 64 << 20));
    assert!(settings.soft_404 && settings.robots && settings.nofollow && settings.sitemaps && !settings.head);
    assert!(settings.user_agent().starts_with("recrawl/") && settings.names_nobody());
    assert!(settings.timetable().is_none());
}

/// Returns another value than the default, as a person would write it.
fn other_value(row: &Setting) -> &'static str {
    match row.name {
        "site-name" | "site" => "other",
        "preset" => "balanced",
        "mode" => "smart",
        "keep-bodies" => "none",
        "compare" => "text",
        "full-history" => "text/gemini",
        "archive" => "all",
        "contact" => "mailto:me@example.org",
        "schedule" => "0 3 * * 1",
        "time-zone" => "America/Los_Angeles",
        "root" | "public-url" => "https://example.org/",
        "prices" => "2027-02-03 reads=0.06",
        _ => match row.value {
            "BOOL" | "" if row.default_words() == "true" => "no",
            "BOOL" => "yes",
            "SHARE" | "WEIGHT" => "0.75",
            "SECONDS" | "TIME" => "1500ms",
            "GLOB" | "CSS" | "REGEX" | "NAME" | "HOST" | "TEXT" | "sqlite:PATH" => "other",
            _ => "7",
        },
    }
}

#[test]
fn every_variable_changes_the_settings() {
    for row in CRAWL {
        let variable = row.variable();
        let name = variable.strip_prefix("RECRAWL_").unwrap();
        assert_ne!(good(&[(name, other_value(row))]), good(&[]), "{variable}={}", other_value(row));
    }
    for row in PROCESS {
        let variable = row.variable();
        let name = variable.strip_prefix("RECRAWL_").unwrap();
        let mut problems = Vec::new();
        let settings = ProcessSettings::read(&layers(&[(name, other_value(row))]), &mut problems);
        assert_eq!(problems, Vec::<String>::new());
        assert_ne!(settings, ProcessSettings::read(&layers(&[]), &mut problems), "{variable}");
    }
}

#[test]
fn every_bad_value_is_named_with_what_it_must_be_and_who_set_it() {
    for (name, value, expected) in [
        ("PRESET", "wild", "conservative, balanced or aggressive"),
        ("RATE", "fast", "requests a second"),
        ("DELAY", "-1", "a time, such as 1.5, 500ms"),
        ("TIME_OUT", "0", "more than 0 seconds"),
        ("MODE", "clever", "full, incremental or smart"),
        ("SMART_SAMPLE", "-1", "whole number"),
        ("SMART_THRESHOLD", "20", "from 0 to 1"),
        ("CHECK_SHARE", "often", "from 0 to 1"),
        ("HEAD", "maybe", "true or false"),
        ("BUDGET", "0", "at least 1, or none"),
        ("MAX_PAGES", "few", "a whole number of pages, or none"),
        ("MAX_DEPTH", "-1", "whole number"),
        ("SITEMAP_CACHE", "-1", "hours"),
        ("COMPARE", "title", "text, links and media"),
        ("FULL_HISTORY", "gemini", "media type"),
        ("PRIORITY_AGE", "x", "number"),
        ("WEIGHT_TITLE", "1001", "points from 0 to 1000"),
        ("WEIGHT_GONE", "-1", "points from 0 to 1000"),
        ("WEIGHT_FRAME", "2", "from 0 to 1"),
        ("BODY_MEMORY", "much", "a number of bytes"),
        ("CONTACT", "me", "a URL"),
        ("SCHEDULE", "every monday", "a cron expression of five fields"),
        ("SCHEDULE", "0 0 3 * * 1", "a cron expression of five fields"),
        ("SCHEDULE", "0 0 30 2 *", "a time that comes"),
        ("TIME_ZONE", "Mars/Olympus_Mons", "a time zone"),
    ] {
        let (_, problems) = read(&[(name, value)]);
        assert!(problems.len() == 1 && problems[0].contains(expected), "{name}: {problems:?}");
        assert!(problems[0].contains(&format!("(from environment RECRAWL_{name})")), "{problems:?}");
    }
    let (_, problems) = read(&[("RATE", "x"), ("HEAD", "y"), ("MODE", "z")]);
    assert_eq!(problems.len(), 3, "all are named at once");
}

#[test]
fn rate_and_delay_say_the_same_thing() {
    let (_, problems) = read(&[("RATE", "2"), ("DELAY", "2")]);
    assert!(problems.len() == 1 && problems[0].contains("set one of them"), "{problems:?}");
    assert_eq!(good(&[("RATE", "4")]).time_between_requests(), Duration::from_millis(250));
    assert_eq!(good(&[("DELAY", "500ms")]).time_between_requests(), Duration::from_millis(500));
    assert_eq!(good(&[("RATE", "unlimited")]).requests_at_a_time(), 8);
    assert_eq!(good(&[("RATE", "4"), ("PRESET", "conservative")]).pace().delay, Duration::from_millis(250));
}

#[test]
fn a_preset_says_what_nobody_else_says() {
    for (preset, set, mode, head) in [
        (None, None, Mode::Incremental, false),
        (Some("conservative"), None, Mode::Incremental, true),
        (Some("aggressive"), None, Mode::Smart, false),
        (Some("aggressive"), Some(("MODE", "full")), Mode::Full, false),
        (Some("conservative"), Some(("HEAD", "no")), Mode::Incremental, false),
    ] {
        let preset = preset.map(|name| ("PRESET", name));
        let variables: Vec<(&str, &str)> = preset.into_iter().chain(set).collect();
        let settings = good(&variables);
        assert_eq!((settings.mode, settings.head), (mode, head), "{variables:?}");
    }
    assert_eq!(Preset::named("wild"), None);
}

#[test]
fn a_blank_variable_is_not_set_and_a_list_has_one_value_a_line() {
    assert_eq!(good(&[("RATE", ""), ("EXCLUDE", " \n "), ("COMPARE", ""), ("HEAD", " ")]), good(&[]));
    assert_eq!(good(&[("EXCLUDE", "*.zip\n\n  */tag/* \n")]).exclude, ["*.zip", "*/tag/*"]);
    assert_eq!(good(&[("HEAD", " yes\n")]), good(&[("HEAD", "true")]));
}

#[test]
fn flags_come_before_the_environment_and_that_before_the_file() {
    let text = "rate = 2\nmode = \"full\"\nhead = true\n[site.news]\nroot = \"https://example.org/\"\nmode = \"smart\"\n";
    let file = SettingsFile::parse(text, Path::new("recrawl.toml")).unwrap();
    let environment: Environment = [("RECRAWL_RATE", "3"), ("RECRAWL_PARALLEL", "2")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    let mut flags = Flags::default();
    flags.say("parallel", vec!["4".to_owned()], "flag");
    let layers =
        Layers::new(Sources { flags: &flags, environment: &environment, file: Some((&file, Some("news"))) });
    let mut problems = Vec::new();
    let settings = CrawlSettings::read(&layers, &mut problems);
    let in_force = layers.in_force(&settings, &[("site-name", "news".to_owned())]);
    let names: Vec<&str> = in_force.iter().map(|value| value.setting).collect();
    assert_eq!(names, CRAWL.iter().map(|row| row.name).collect::<Vec<_>>());
    for (setting, value, origin) in [
        ("parallel", "4", "flag"),
        ("rate", "3", "environment RECRAWL_RATE"),
        ("mode", "smart", "recrawl.toml [site.news]"),
        ("head", "true", "recrawl.toml"),
        ("site-name", "news", "default"),
        ("delay", "0.333333333", "default"),
        ("keep-bodies", "changed", "default"),
    ] {
        let (value, origin) = (value.to_owned(), origin.to_owned());
        assert!(in_force.contains(&InForce { setting, value, origin }), "{setting}: {in_force:?}");
    }
}

#[test]
fn none_takes_back_what_a_preset_says() {
    let settings =
        good(&[("PRESET", "balanced"), ("MAX_DEPTH", "none"), ("MAX_TIME", "none"), ("BUDGET", "none")]);
    assert_eq!((settings.max_depth, settings.max_time, settings.budget), (None, None, None));
    assert_eq!(good(&[("PRESET", "balanced")]).max_depth, Some(5));
}

#[test]
fn a_schedule_is_read_in_its_time_zone() {
    for (cron, zone, expected) in [
        ("none", "UTC", None),
        ("0 3 * * 1", "UTC", Some("2026-11-16T03:00:00Z")),
        ("0 3 * * 1", "America/Los_Angeles", Some("2026-11-16T11:00:00Z")),
    ] {
        let settings = good(&[("SCHEDULE", cron), ("TIME_ZONE", zone)]);
        let sunday = "2026-11-15T12:00:00Z".parse().unwrap();
        let next = settings.timetable().and_then(|timetable| timetable.schedule.next_run(sunday));
        assert_eq!(next.map(|next| next.to_string()).as_deref(), expected, "{cron} {zone}");
    }
}

#[test]
fn a_secret_is_not_shown() {
    let mut problems = Vec::new();
    let settings = ProcessSettings::read(&layers(&[("ARCHIVE_KEYS", "access:abc123")]), &mut problems);
    assert!(!format!("{settings:?}").contains("abc123"));
    assert_eq!(settings.archive_keys.unwrap().expose(), "access:abc123");
}
