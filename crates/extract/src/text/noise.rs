//! What changes on a page by itself, and is therefore no part of its meaning.
//!
//! Every rule is narrow on purpose: a change that somebody made must never be missed, so absolute
//! dates, times and numbers always stay.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::tidy;

/// A rule that removes one kind of noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseRule {
    /// Hidden inputs and inputs named like a request token: their kept attributes do not count.
    FormTokens,
    /// How long the server took: «Page generated in 0.123 seconds».
    GenerationTimes,
    /// Times relative to now: «5 minutes ago», «Posted just now».
    ///
    /// «yesterday», «today» and «just now» only count as such where they stand alone on a line or
    /// end a line after a word such as «Updated»; elsewhere they are prose.
    RelativeTimes,
    /// The ids that Drupal draws for views and forms: `view-dom-id-…` and `form-…`.
    ViewIds,
}

impl NoiseRule {
    /// Every rule.
    pub const ALL: [Self; 4] = [Self::FormTokens, Self::GenerationTimes, Self::RelativeTimes, Self::ViewIds];

    /// Returns the name by which settings switch the rule.
    pub fn name(self) -> &'static str {
        match self {
            Self::FormTokens => "form-tokens",
            Self::GenerationTimes => "generation-times",
            Self::RelativeTimes => "relative-times",
            Self::ViewIds => "view-ids",
        }
    }

    /// Returns the pattern that the rule removes from a line, if it works on text.
    fn pattern(self) -> Option<&'static Regex> {
        match self {
            Self::FormTokens => None,
            Self::GenerationTimes => Some(&GENERATION_TIMES),
            Self::RelativeTimes => Some(&RELATIVE_TIMES),
            Self::ViewIds => Some(&VIEW_IDS),
        }
    }
}

impl fmt::Display for NoiseRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A name that no noise rule has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no noise rule `{0}`; the rules are form-tokens, generation-times, relative-times and view-ids"
)]
pub struct UnknownNoiseRule(String);

impl FromStr for NoiseRule {
    type Err = UnknownNoiseRule;

    fn from_str(name: &str) -> Result<Self, UnknownNoiseRule> {
        Self::ALL
            .into_iter()
            .find(|rule| rule.name() == name)
            .ok_or_else(|| UnknownNoiseRule(name.to_owned()))
    }
}

/// Removes what `rules` call noise from canonical text, which stays canonical.
pub(super) fn remove_noise(text: String, rules: &BTreeSet<NoiseRule>) -> String {
    let mut cleaned = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(trigger) = TRIGGERS.find_at(&text, at) {
        let start = memchr::memrchr(b'\n', &text.as_bytes()[..trigger.start()]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &text.as_bytes()[trigger.end()..])
            .map_or(text.len(), |length| trigger.end() + length);
        at = end;
        if let Some(line) = clean_line(&text[start..end], rules) {
            cleaned.push_str(&text[copied..start]);
            cleaned.push_str(&line);
            // A line that became empty takes its line end with it.
            copied = if line.is_empty() { text.len().min(end + 1) } else { end };
        }
    }
    if copied == 0 {
        return text;
    }
    cleaned.push_str(&text[copied..]);
    cleaned.truncate(cleaned.trim_end_matches('\n').len());
    cleaned
}

/// Removes noise from one line; `None` if there is none.
fn clean_line(line: &str, rules: &BTreeSet<NoiseRule>) -> Option<String> {
    let mut cleaned = None;
    for pattern in rules.iter().filter_map(|rule| rule.pattern()) {
        let current = cleaned.as_deref().unwrap_or(line);
        if let Cow::Owned(changed) = pattern.replace_all(current, "$keep") {
            cleaned = Some(changed);
        }
    }
    cleaned.map(|cleaned| tidy(&cleaned))
}

/// A line without any of these holds no noise.
///
/// Plain strings are found an order of magnitude faster than the patterns are matched, the more so
/// if they begin with three letters that are rare in prose.
static TRIGGERS: LazyLock<Regex> = LazyLock::new(|| {
    let digits = ('0'..='9').flat_map(|digit| [format!("d in {digit}"), format!("ime {digit}")]);
    let mut triggers: Vec<String> = digits.collect();
    let words = "ago Ago AGO oday ODAY rday RDAY ime: ime= dom-id- rm-".split(' ');
    triggers.extend(words.chain(["ust now", "ust Now", "UST NOW"]).map(str::to_owned));
    compile(&triggers.join("|"))
});

static GENERATION_TIMES: LazyLock<Regex> = LazyLock::new(|| {
    // Whole seconds count only after the word «page»: «loaded in 30 seconds» may be about lorries.
    compile(
        r"(?xi-u)
        \b page \x20 (?:was \x20)? (?:generated|rendered|created|loaded|served|processed)
            \x20 in \x20 \d+(?:[.,]\d+)? \x20? (?:ms|milliseconds?|s|secs?|seconds?) \b
        | \b (?:generated|rendered|loaded|served|processed|executed) \x20 in \x20
            (?: \d+[.,]\d+ \x20? (?:ms|milliseconds?|s|secs?|seconds?)
              | \d+ \x20? (?:ms|milliseconds?) ) \b
        | \b (?:(?:page|server) \x20)?
            (?:execution|generation|rendering|render|load|processing|response) \x20 time
            \x20? [:=]? \x20? \d+(?:[.,]\d+)? \x20? (?:ms|milliseconds?|s|secs?|seconds?) \b",
    )
});

static RELATIVE_TIMES: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?xi-u)
        \b (?:(?:about|almost|over|less \x20 than) \x20)?
            (?:(?:\d{1,3}|an?) \x20?
                (?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)
                ,? \x20 (?:and \x20)?)+
            ago \b
        | ^ (?P<keep> (?: (?:last \x20)?
                (?:posted|published|updated|modified|edited|changed|submitted|created|added|seen)
                :? \x20 )? )
            (?:just \x20 now|(?:a \x20)? (?:few \x20)? moments? \x20 ago|today|yesterday) \.? $",
    )
});

static VIEW_IDS: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?x)
        \b (?:js-)? view-dom-id- [0-9a-f]{32,64} \b
        | \b form- [A-Za-z0-9_-]{43} (?P<keep> [^A-Za-z0-9_-] | $ )",
    )
});

/// Compiles a pattern for a line of canonical text, in which white space is a single space. What
/// the group `keep` matches is not removed.
fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant, compiled by the tests")
}

#[cfg(test)]
mod tests {
    use super::NoiseRule;
    use crate::text::{TextRules, TextSettings};

    fn clean(rules: &[NoiseRule], text: &str) -> String {
        let settings = TextSettings { noise_rules: rules.iter().copied().collect(), ..Default::default() };
        TextRules::new(&settings).expect("valid settings").clean(text.to_owned())
    }

    #[track_caller]
    fn assert_cleans(rule: NoiseRule, cases: &[(&str, &str)]) {
        let others: Vec<_> = NoiseRule::ALL.into_iter().filter(|other| *other != rule).collect();
        for (text, expected) in cases {
            assert_eq!(clean(&[rule], text), *expected, "{text}");
            assert_eq!(clean(&others, text), *text, "only {rule} touches it: {text}");
        }
    }

    #[track_caller]
    fn assert_keeps(cases: &[&str]) {
        for text in cases {
            assert_eq!(clean(&NoiseRule::ALL, text), *text);
        }
    }

    #[test]
    fn relative_times_vanish() {
        assert_cleans(
            NoiseRule::RelativeTimes,
            &[
                ("Updated 5 minutes ago by Ann", "Updated by Ann"),
                ("Updated about an hour ago", "Updated"),
                ("1 year, 3 months ago", ""),
                ("2 hours and 5 mins ago | 3 comments", "| 3 comments"),
                ("News\n3 days ago\nMore", "News\nMore"),
                ("Posted just now", "Posted"),
                ("Last updated: yesterday", "Last updated:"),
                ("JUST NOW", ""),
                ("A few moments ago", ""),
            ],
        );
    }

    #[test]
    fn lines_that_become_empty_vanish_wherever_they_stand() {
        assert_cleans(
            NoiseRule::RelativeTimes,
            &[
                ("1 day ago", ""),
                ("1 day ago\nx", "x"),
                ("x\n1 day ago", "x"),
                ("x\n1 day ago\ny\n2 days ago\n3 days ago\nz", "x\ny\nz"),
                ("1 day ago\n2 days ago", ""),
                ("Chicago\n1 day ago 2 days ago x\nyesterday", "Chicago\nx"),
            ],
        );
    }

    #[test]
    fn prose_and_absolute_times_stay() {
        assert_keeps(&[
            "We have just now opened the bridge",
            "The mayor said yesterday that the road is closed",
            "Open today",
            "Posted on March 3, 2024 at 5:30 pm",
            "5 minutes away",
            "It was two weeks ago",
            "Chicago 5 minutes",
            "Founded 1851 years",
            "2024-03-03T10:00:00Z",
            "30 minutes",
        ]);
    }

    #[test]
    fn generation_times_vanish() {
        assert_cleans(
            NoiseRule::GenerationTimes,
            &[
                ("Page generated in 0.123 seconds.", "."),
                ("Page was rendered in 3 seconds", ""),
                ("Generated in 12 ms with 5 queries", "with 5 queries"),
                ("Execution time: 0,05 s", ""),
                ("Page load time 250ms", ""),
            ],
        );
    }

    #[test]
    fn other_durations_stay() {
        assert_keeps(&[
            "Trucks are loaded in 30 seconds",
            "Built in 1931",
            "Page 3 of 12",
            "Generated in 2024",
            "Response time: 5 minutes",
            "Walk signal time: 12 seconds",
        ]);
    }

    #[test]
    fn view_ids_vanish() {
        let id = "0123456789abcdef".repeat(4);
        let form = "aB3_-".repeat(8) + "xyz";
        assert_cleans(
            NoiseRule::ViewIds,
            &[
                (&format!("view view-dom-id-{} end", &id[..32]), "view end"),
                (&format!("js-view-dom-id-{id}"), ""),
                (&format!("id form-{form} end"), "id end"),
                (&format!("[value=form-{form}]"), "[value=]"),
                (&format!("form-{form}"), ""),
            ],
        );
        assert_keeps(&["view-dom-id-12", "form-item", &format!("form-{form}long")]);
    }

    #[test]
    fn rules_are_known_by_name() {
        for rule in NoiseRule::ALL {
            assert_eq!(rule.name().parse(), Ok(rule));
            assert_eq!(rule.to_string(), rule.name());
        }
        let error = "all".parse::<NoiseRule>().expect_err("no such rule");
        for rule in NoiseRule::ALL {
            assert!(error.to_string().contains(rule.name()), "{error}");
        }
    }
}
