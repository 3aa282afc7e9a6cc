//! Digests and targets for the cases.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use recrawl_core::model::aspect::{Aspect, Aspects};
use recrawl_core::model::verdict::Verdict;
use recrawl_notify::{BriefDifference, ChangeEntry, Digest, Outcome, RetryLimits, Setup, Target, targets};

/// What strangers call their pages: markup, mentions, headers and sequences for terminals.
pub(crate) const HOSTILE: [&str; 6] = [
    "<script>alert(1)</script>",
    "@everyone <!channel> <@U123> @all",
    "*bold* _it_ ~no~ `code` ||hid|| [x](http://evil.example/)",
    "\u{1b}[31mred\u{7} \u{202e}gnp.exe",
    "Sale\r\nBcc: victim@example.com\r\n\r\n<b>body</b>",
    "& &amp; \"quoted\" 'single' \\ :smile: ``` # > - 1.",
];

/// Limits that a test can bear.
pub(crate) const QUICK: RetryLimits = RetryLimits {
    attempts: 5,
    first_wait: Duration::from_millis(5),
    longest_wait: Duration::from_secs(3),
    time_out: Duration::from_secs(2),
};

/// Returns a page that changed in its text.
pub(crate) fn changed(path: &str, title: &str, brief: &str) -> ChangeEntry {
    let url = format!("https://example.org{path}").parse().unwrap();
    let crawl = "crawl-2026-11-16".parse().unwrap();
    ChangeEntry {
        aspects: Aspects::TEXT,
        title: Some(title.to_owned()),
        status: Some(200),
        difference: Some(BriefDifference::new(brief.to_owned())),
        ..ChangeEntry::bare(crawl, url, Verdict::Changed)
    }
}

/// Returns a page of another kind, without a difference.
pub(crate) fn page(path: &str, kind: Verdict, title: Option<&str>) -> ChangeEntry {
    let title = title.map(str::to_owned);
    ChangeEntry { kind, title, aspects: Aspects::NONE, difference: None, ..changed(path, "", "") }
}

/// Returns a digest with every kind of change, written by strangers.
pub(crate) fn digest() -> Digest {
    let changes = vec![
        page("/a?x=1&y=2|3", Verdict::New, Some(HOSTILE[0])),
        page("/untitled", Verdict::New, None),
        changed("/b", HOSTILE[1], "-<b>old</b> @everyone\n+```new``` \u{1b}[31m*and bold*"),
        changed("/c", HOSTILE[2], "+One line\n+Two\n+Three\n+Four\n+Five\n+Six"),
        ChangeEntry {
            aspects: Aspects::NONE.with(Aspect::Links).with(Aspect::Media),
            difference: None,
            ..changed("/d", HOSTILE[3], "")
        },
        ChangeEntry {
            location: Some("https://example.org/<new>*place*".to_owned()),
            ..page("/e", Verdict::Moved, Some(HOSTILE[4]))
        },
        ChangeEntry { status: Some(410), ..page("/f", Verdict::Gone, Some(HOSTILE[5])) },
    ];
    Digest { is_test: false, changes, ..Digest::made_up(time()) }
}

/// Returns when every digest here was closed.
pub(crate) fn time() -> Timestamp {
    "2026-11-16T04:05:06Z".parse().unwrap()
}

/// Reads targets as they stand in `recrawl.toml`.
pub(crate) fn read(toml: &str, environment: &[(&str, &str)]) -> Result<Vec<Target>, String> {
    let settings: BTreeMap<String, recrawl_notify::TargetSettings> =
        toml::from_str(toml).map_err(|error| error.to_string())?;
    let environment: BTreeMap<&str, &str> = environment.iter().copied().collect();
    let setup = Setup {
        environment: &|name| environment.get(name).map(ToString::to_string),
        web: Some("https://watch.example.org/recrawl/".parse().unwrap()),
        user_agent: "recrawl/0 (+https://example.org/)",
        patience: QUICK,
    };
    targets(settings, &setup)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

/// Returns an outcome in a word or two.
pub(crate) fn word(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Told { attempts } => format!("told {attempts}"),
        Outcome::Unremembered(_) => "unremembered".to_owned(),
        Outcome::Already => "already".to_owned(),
        Outcome::Silent(_) => "silent".to_owned(),
        Outcome::Failed(error) => error.to_string(),
    }
}
