//! The rules by which a page becomes canonical text.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use recrawl_core::model::content::Unreadable;
use recrawl_core::model::ids::RulesVersion;
use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::kept_lines::{KeptLines, RemovedParts};
use super::matches::without_matches;
use super::tidy;
use crate::budget::WorkBudget;
use crate::html::frame_words::FrameWords;
use crate::html::removal_log::{RemovalCause, RemovalLog};
use crate::html::selectors::Selector;
use crate::html::tree::AttributeFilter;
use crate::noise::{NoiseRule, NoiseRuleSet, remove_noise};

/// Raised whenever the same page and settings give another text than before.
const EXTRACTOR_VERSION: u32 = 6;

/// Raised whenever the same page and settings give another outline than before.
const OUTLINE_VERSION: u32 = 1;

/// Raised whenever the same text file and settings give another text than before.
const TEXT_FILE_VERSION: u32 = 1;

/// Raised whenever the same lines of a document and settings give another text than before.
const DOCUMENT_VERSION: u32 = 1;

/// The processor time that one regular expression may take on one page.
const PATTERN_TIME: Duration = Duration::from_secs(2);

/// The memory that a regular expression may take when it is compiled, and while it is matched.
const PATTERN_SIZE: usize = 4 << 20;

/// What a user can say about the text of a site's pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextSettings {
    /// CSS selectors of elements that do not count: neither their text nor where they lead nor what they
    /// show. Their links are still followed.
    pub ignore_selectors: Vec<String>,
    /// CSS selectors of the elements that count, such as `main`; empty for the whole page.
    ///
    /// Links elsewhere are still followed. A page without any such element counts as a whole, so that a
    /// redesign does not blank every page.
    pub only_selectors: Vec<String>,
    /// Regular expressions whose matches are removed from the text, in this order.
    ///
    /// `^` and `$` match at the ends of lines. A line that becomes empty vanishes.
    pub ignore_patterns: Vec<String>,
    /// Attributes that count as text; they appear as lines such as `[data-wf-page=1a2b]`.
    pub keep_attributes: Vec<String>,
    /// The noise rules in force.
    pub noise_rules: BTreeSet<NoiseRule>,
    /// Changes to the words by which a site's frame is known in classes and ids: `+sponsor` adds one, `-search` drops
    /// one. They decide where a line stands, and nothing about the text.
    pub frame_words: Vec<String>,
}

impl Default for TextSettings {
    fn default() -> Self {
        Self {
            ignore_selectors: Vec::new(),
            only_selectors: Vec::new(),
            ignore_patterns: Vec::new(),
            keep_attributes: vec!["data-wf-page".to_owned()],
            noise_rules: NoiseRule::ALL.into_iter().collect(),
            frame_words: Vec::new(),
        }
    }
}

/// A setting that cannot be a rule.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum TextRulesError {
    /// Not a CSS selector.
    #[error("`{selector}` is not a CSS selector: {reason}")]
    Selector {
        /// The text that was given.
        selector: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Not a regular expression.
    #[error("`{pattern}` is not a regular expression")]
    Pattern {
        /// The text that was given.
        pattern: String,
        /// What is wrong with it.
        source: regex::Error,
    },
    /// Not a change to the frame words.
    #[error("`{entry}` does not change the frame words: {reason}")]
    FrameWord {
        /// The text that was given.
        entry: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Not the name of an attribute.
    #[error("`{name}` is not the name of an attribute")]
    Attribute {
        /// The text that was given.
        name: String,
    },
}

/// A text without noise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cleaned {
    /// The text, canonical.
    pub(crate) text: String,
    /// The places that its lines had before, in order; `None` if every line is left.
    pub(crate) kept: Option<Vec<u32>>,
}

/// Checked rules, ready to be applied to pages.
#[derive(Debug, Clone)]
pub struct TextRules {
    ignored: Vec<Selector>,
    only: Vec<Selector>,
    patterns: Vec<Regex>,
    keep_attributes: Vec<String>,
    noise: NoiseRuleSet,
    frame_words: Arc<FrameWords>,
    version: String,
    settings: TextSettings,
}

impl TextRules {
    /// Checks `settings`.
    pub fn new(settings: &TextSettings) -> Result<Self, TextRulesError> {
        let ignored = parse_selectors("ignore-selector", &settings.ignore_selectors)?;
        let only = parse_selectors("only-selector", &settings.only_selectors)?;
        let patterns: Result<_, _> =
            settings.ignore_patterns.iter().map(|text| parse_pattern(text)).collect();
        let names: Result<BTreeSet<_>, _> =
            settings.keep_attributes.iter().map(|name| parse_attribute(name)).collect();
        let keep_attributes: Vec<_> = names?.into_iter().collect();
        Ok(Self {
            ignored,
            only,
            patterns: patterns?,
            version: version_of(settings, &keep_attributes),
            keep_attributes,
            noise: NoiseRuleSet::from(&settings.noise_rules),
            frame_words: Arc::new(FrameWords::new(&settings.frame_words)?),
            settings: settings.clone(),
        })
    }

    /// Returns a short name of everything that decides about the text of a page.
    ///
    /// Texts and hashes made under different versions cannot be compared.
    pub fn version(&self) -> String {
        self.version.clone()
    }

    /// Returns a short name of everything that decides about the [outline](recrawl_core::model::outline::Outline) of a
    /// page.
    ///
    /// Outlines made under different versions cannot be compared; texts can, where [`version`](Self::version) is the same.
    pub fn outline_version(&self) -> String {
        let mut hasher = Sha256::new();
        for part in [self.version.as_str()].into_iter().chain(self.frame_words.texts()) {
            hasher.update(format!("{part} "));
        }
        format!("{OUTLINE_VERSION}-{}", short_name(hasher))
    }

    /// Returns a short name of everything that decides about the text of a file that is text, but no page.
    pub(crate) fn text_file_version(&self) -> String {
        let version = format!("{}{TEXT_FILE_VERSION}", RulesVersion::TEXT_FILE);
        if self.patterns.is_empty() {
            return version;
        }
        let mut hasher = Sha256::new();
        for pattern in &self.settings.ignore_patterns {
            hasher.update(format!("{} {pattern} ", pattern.len()));
        }
        format!("{version}-{}", short_name(hasher))
    }

    /// Returns a short name of everything that decides about the text of a document, given that of its reader.
    pub(crate) fn document_version(&self, reader: &str) -> String {
        let version = format!("{}{DOCUMENT_VERSION}.{reader}", RulesVersion::DOCUMENT);
        let keeps_furniture = !self.noise.contains(NoiseRule::DocumentFurniture);
        if self.patterns.is_empty() && !keeps_furniture {
            return version;
        }
        let mut hasher = Sha256::new();
        if keeps_furniture {
            hasher.update("furniture ");
        }
        for pattern in &self.settings.ignore_patterns {
            hasher.update(format!("{} {pattern} ", pattern.len()));
        }
        format!("{version}-{}", short_name(hasher))
    }

    /// Returns the frame words in force.
    pub(crate) fn frame_words(&self) -> &FrameWords {
        &self.frame_words
    }

    /// Returns the selectors of elements to leave out.
    pub(crate) fn ignored(&self) -> &[Selector] {
        &self.ignored
    }

    /// Returns the selectors of elements to which a page is limited.
    pub(crate) fn only(&self) -> &[Selector] {
        &self.only
    }

    /// Tells whether a selector is in force.
    pub(crate) fn is_selective(&self) -> bool {
        !self.ignored.is_empty() || !self.only.is_empty()
    }

    /// Returns the attributes that count as text, in lower case and sorted.
    pub(crate) fn keep_attributes(&self) -> &[String] {
        &self.keep_attributes
    }

    /// Returns the noise rules in force.
    pub(crate) fn noise(&self) -> NoiseRuleSet {
        self.noise
    }

    /// Returns the attributes that parsing must keep.
    pub(crate) fn attribute_filter(&self) -> AttributeFilter {
        AttributeFilter {
            keeps_all: self.is_selective(),
            extra: self.keep_attributes.clone(),
            marks: self.noise.iter().flat_map(|rule| rule.rule().element_marks).copied().collect(),
            noise: self.noise,
            frame_words: Arc::clone(&self.frame_words),
        }
    }

    /// Removes noise and the user's patterns from a text.
    pub(crate) fn clean(
        &self,
        text: String,
        removals: Option<&mut RemovalLog>,
        budget: &WorkBudget,
    ) -> Result<String, Unreadable> {
        self.clean_lines(text, removals, budget).map(|cleaned| cleaned.text)
    }

    /// Removes the same, and tells which lines are left.
    pub(crate) fn clean_lines(
        &self,
        text: String,
        mut removals: Option<&mut RemovalLog>,
        budget: &WorkBudget,
    ) -> Result<Cleaned, Unreadable> {
        let mut kept = KeptLines::default();
        let text = self.without_noise(text, &mut kept, removals.as_deref_mut(), budget)?;
        let text = self.without_matches(text, &mut kept, removals, budget)?;
        Ok(Cleaned { text, kept: kept.finish() })
    }

    /// Removes the user's patterns from the text of a file that is no page. What becomes empty vanishes.
    pub(crate) fn without_patterns(&self, text: String, budget: &WorkBudget) -> Result<String, Unreadable> {
        self.without_matches(text, &mut KeptLines::default(), None, budget)
    }

    /// Removes the same, and tells which lines are left.
    pub(crate) fn lines_without_patterns(
        &self,
        text: String,
        removals: &mut RemovalLog,
        budget: &WorkBudget,
    ) -> Result<Cleaned, Unreadable> {
        let mut kept = KeptLines::default();
        let text = self.without_matches(text, &mut kept, Some(removals), budget)?;
        Ok(Cleaned { text, kept: kept.finish() })
    }

    fn without_matches(
        &self,
        mut text: String,
        kept: &mut KeptLines,
        mut removals: Option<&mut RemovalLog>,
        budget: &WorkBudget,
    ) -> Result<String, Unreadable> {
        let mut is_tidy = true;
        for (number, pattern) in self.patterns.iter().enumerate() {
            budget.work(1)?;
            let cause = RemovalCause::IgnorePattern(number);
            let mut parts = RemovedParts::of(&text);
            let note = |what: &str, at: usize| {
                parts.remove(at..at + what.len());
                if let Some(removals) = &mut removals {
                    removals.add(cause, what);
                }
            };
            let changed = without_matches(pattern, &text, &WorkBudget::of(PATTERN_TIME), note)
                .map_err(|_| Unreadable::Rule { rule: self.name_of(cause) })?;
            if let Some(changed) = changed {
                kept.drop_parts(parts);
                text = changed;
                is_tidy = false;
            }
        }
        if !is_tidy {
            kept.drop_empty(&text);
            text = tidy(&text);
        }
        Ok(text)
    }

    /// Removes noise and the user's patterns from a line that stands outside the text, such as a title.
    pub(crate) fn clean_line(&self, line: &str, budget: &WorkBudget) -> Result<String, Unreadable> {
        self.clean(tidy(line), None, budget)
    }

    fn without_noise(
        &self,
        text: String,
        kept: &mut KeptLines,
        removals: Option<&mut RemovalLog>,
        budget: &WorkBudget,
    ) -> Result<String, Unreadable> {
        // A copy is cheaper than asking beforehand: most pages have a little noise.
        let before = text.clone();
        let text = remove_noise(text, self.noise, removals, budget)?;
        if text.len() != before.len() || text != before {
            kept.drop_noise(&before, &text, |line| {
                remove_noise(line.to_owned(), self.noise, None, budget).map(|line| line.is_empty())
            })?;
        }
        Ok(text)
    }

    /// Names a cause as a user knows it: by the rule, or by the setting and what was set.
    pub(crate) fn name_of(&self, cause: RemovalCause) -> String {
        let set = |setting, values: &[String], number: usize| {
            format!("{setting} {}", values.get(number).map_or("", String::as_str))
        };
        match cause {
            RemovalCause::Noise(rule) => rule.name().to_owned(),
            RemovalCause::IgnoreSelector(number) => {
                set("ignore-selector", &self.settings.ignore_selectors, number)
            }
            RemovalCause::IgnorePattern(number) => {
                set("ignore-regex", &self.settings.ignore_patterns, number)
            }
            RemovalCause::Outside => format!("only-selector {}", self.settings.only_selectors.join(", ")),
        }
    }
}

impl Default for TextRules {
    fn default() -> Self {
        Self::new(&TextSettings::default()).expect("the default settings are valid")
    }
}

fn parse_selectors(setting: &str, texts: &[String]) -> Result<Vec<Selector>, TextRulesError> {
    let parse = |text: &String| {
        Selector::parse(setting, text)
            .map_err(|reason| TextRulesError::Selector { selector: text.clone(), reason })
    };
    texts.iter().map(parse).collect()
}

fn parse_pattern(text: &str) -> Result<Regex, TextRulesError> {
    RegexBuilder::new(text)
        .multi_line(true)
        .size_limit(PATTERN_SIZE)
        .dfa_size_limit(PATTERN_SIZE)
        .build()
        .map_err(|source| TextRulesError::Pattern { pattern: text.to_owned(), source })
}

fn parse_attribute(name: &str) -> Result<String, TextRulesError> {
    let is_outside_names = |character: char| {
        character.is_whitespace()
            || character.is_control()
            || matches!(character, '"' | '\'' | '>' | '/' | '=' | '<')
    };
    if name.is_empty() || name.contains(is_outside_names) {
        return Err(TextRulesError::Attribute { name: name.to_owned() });
    }
    Ok(name.to_ascii_lowercase())
}

fn version_of(settings: &TextSettings, keep_attributes: &[String]) -> String {
    let mut hasher = Sha256::new();
    let mut add = |kind: &str, values: &mut dyn Iterator<Item = &str>| {
        for value in values {
            // The length keeps `["ab"]` and `["a", "b"]` apart.
            hasher.update(format!("{kind} {} ", value.len()));
            hasher.update(value);
        }
    };
    let selectors: BTreeSet<&str> = settings.ignore_selectors.iter().map(String::as_str).collect();
    add("selector", &mut selectors.into_iter());
    let only: BTreeSet<&str> = settings.only_selectors.iter().map(String::as_str).collect();
    add("only", &mut only.into_iter());
    add("pattern", &mut settings.ignore_patterns.iter().map(String::as_str));
    add("attribute", &mut keep_attributes.iter().map(String::as_str));
    let of_pages = settings.noise_rules.iter().filter(|rule| rule.is_about_pages());
    add("noise", &mut of_pages.map(|rule| rule.name()));
    format!("{EXTRACTOR_VERSION}-{}", short_name(hasher))
}

fn short_name(hasher: Sha256) -> String {
    let digest: [u8; 32] = hasher.finalize().into();
    let [first, second, third, fourth, fifth, sixth, ..] = digest;
    let short = u64::from_be_bytes([0, 0, first, second, third, fourth, fifth, sixth]);
    format!("{short:012x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(change: impl FnOnce(&mut TextSettings)) -> TextSettings {
        let mut settings = TextSettings::default();
        change(&mut settings);
        settings
    }

    #[test]
    fn bad_settings_are_named() {
        let selector = settings(|settings| settings.ignore_selectors = vec!["p".into(), "a[".into()]);
        let error = TextRules::new(&selector).expect_err("bad selector");
        assert!(matches!(&error, TextRulesError::Selector { selector, .. } if selector == "a["));
        assert!(error.to_string().contains("a["), "{error}");

        let pattern = settings(|settings| settings.ignore_patterns = vec!["(".into()]);
        let error = TextRules::new(&pattern).expect_err("bad pattern");
        assert!(matches!(&error, TextRulesError::Pattern { pattern, .. } if pattern == "("));

        for name in ["", "a b", "a=b", "x>"] {
            let attribute = settings(|settings| settings.keep_attributes = vec![name.into()]);
            let error = TextRules::new(&attribute).expect_err("bad attribute");
            assert!(matches!(error, TextRulesError::Attribute { .. }), "{name}");
        }
    }

    #[test]
    fn every_setting_changes_the_version() {
        let variants = [
            TextSettings::default(),
            settings(|settings| settings.ignore_selectors = vec!["p".into()]),
            settings(|settings| settings.only_selectors = vec!["p".into()]),
            settings(|settings| settings.ignore_patterns = vec!["p".into()]),
            settings(|settings| settings.ignore_patterns = vec!["a".into(), "b".into()]),
            settings(|settings| settings.ignore_patterns = vec!["b".into(), "a".into()]),
            settings(|settings| settings.ignore_patterns = vec!["ab".into()]),
            settings(|settings| settings.keep_attributes = vec![]),
            settings(|settings| settings.keep_attributes = vec!["p".into()]),
            settings(|settings| {
                settings.noise_rules.remove(&NoiseRule::ViewIds);
            }),
        ];
        let versions: std::collections::BTreeSet<String> =
            variants.iter().map(|settings| TextRules::new(settings).expect("valid").version()).collect();
        assert_eq!(versions.len(), variants.len());
    }

    #[test]
    fn order_that_does_not_matter_leaves_the_version_alone() {
        let version = |selectors: &[&str], attributes: &[&str]| {
            let settings = settings(|settings| {
                settings.ignore_selectors = selectors.iter().map(|&text| text.into()).collect();
                settings.keep_attributes = attributes.iter().map(|&text| text.into()).collect();
            });
            TextRules::new(&settings).expect("valid").version()
        };
        assert_eq!(version(&["p", "a"], &["x", "y"]), version(&["a", "p", "a"], &["Y", "x"]));
    }

    #[test]
    fn the_version_of_the_same_rules_is_stable() {
        // Stored hashes carry this name. It may only change together with the text of pages, as by a further rule.
        let rules = "ads build-times cache-busting cookie-banners counters form-tokens generation-times monitoring \
            relative-times session-links view-ids";
        let settings = settings(|settings| {
            settings.noise_rules =
                rules.split_whitespace().map(|name| name.parse().expect("a rule")).collect();
        });
        assert_eq!(TextRules::new(&settings).expect("valid").version(), "6-2078c8f70b35");
    }

    #[test]
    fn patterns_remove_their_matches_line_by_line() {
        let settings = settings(|settings| {
            settings.ignore_patterns = vec![r"^Visitors: \d+$".into(), "secret ?".into()];
        });
        let rules = TextRules::new(&settings).expect("valid");
        for (text, expected) in [
            ("Title\nVisitors: 12\nEnd", "Title\nEnd"),
            ("Visitors: 12 today here", "Visitors: 12 today here"),
            ("a secret b", "a b"),
            ("secret", ""),
            ("$keep stays", "$keep stays"),
        ] {
            let cleaned = rules.clean_lines(text.to_owned(), None, &WorkBudget::for_page()).unwrap();
            assert_eq!(cleaned.text, expected);
            let kept = cleaned.kept.map_or(text.lines().count(), |kept| kept.len());
            assert_eq!(kept, expected.lines().count(), "{text}");
        }
    }

    #[test]
    fn patterns_that_people_write_are_small_enough() {
        for pattern in [r"\w{50}", r"(?i)\p{L}{20,40}", r"^.{1,500}$", r"\d{1,3}(,\d{3}){0,100}"] {
            let settings = settings(|settings| settings.ignore_patterns = vec![pattern.into()]);
            assert!(TextRules::new(&settings).is_ok(), "{pattern}");
        }
        let settings = settings(|settings| settings.ignore_patterns = vec![r"(\w{50}){50}".into()]);
        assert!(TextRules::new(&settings).is_err());
    }

    #[test]
    fn a_pattern_that_takes_too_long_is_named() {
        // Each match is known only at the end of the text, so that all of them take the square of its length.
        let pattern = "(?s)a.*b|a";
        let settings = settings(|settings| settings.ignore_patterns = vec![pattern.into()]);
        let rules = TextRules::new(&settings).expect("valid");
        let text = "a".repeat(5_000_000);
        let read = rules.clean(text, None, &WorkBudget::of(Duration::MAX));
        assert_eq!(read, Err(Unreadable::Rule { rule: format!("ignore-regex {pattern}") }));
    }
}
