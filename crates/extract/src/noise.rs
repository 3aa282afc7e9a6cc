//! Noise: what changes on a page by itself, and is therefore left out before two versions are compared (diff).
//!
//! A rule is one file in `noise/`: its name, a description, the words, names or patterns that it knows, and its tests.
//! `mod` makes the file part of the program and a line of the list below makes it a rule; everything else follows:
//! settings, documents and the search for lines worth a closer look. How rules are applied to text, elements and
//! addresses stands in `noise/apply/`.
//!
//! Every rule is narrow on purpose: a change that somebody made must never be missed. Absolute dates, times and numbers
//! stay wherever they do not plainly say when the page was made or how often it was read.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) use apply::{
    Reduced, is_exempt, is_noisy_attribute, marks_noise, names_can_be_noise, noise_of_names, reduce_link,
    reduce_media, remove_noise,
};
pub(crate) use form_tokens::is_token_name;
pub(crate) use rule::{BARS, LONE_WORD, Removes, Rule, TextRule};

mod ads;
mod apply;
mod build_times;
mod cache_busting;
mod cookie_banners;
mod counters;
mod document_furniture;
mod form_tokens;
mod generation_times;
mod ids;
mod monitoring;
mod relative_times;
mod rule;
mod session_links;
mod versions;
mod view_ids;
mod widgets;
mod years;

/// Makes the enum of all rules, in the order in which they are applied.
macro_rules! noise_rules {
    ($($rule:ident = $file:ident,)+) => {
        /// A rule that removes one kind of noise.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum NoiseRule {
            $(#[doc = concat!("The rule in `noise/", stringify!($file), ".rs`.")] $rule,)+
        }

        impl NoiseRule {
            /// Every rule.
            pub const ALL: [Self; [$(stringify!($rule)),+].len()] = [$(Self::$rule),+];

            /// Returns what the rule knows.
            pub(crate) const fn rule(self) -> &'static Rule {
                match self {
                    $(Self::$rule => const { &$file::RULE },)+
                }
            }
        }
    };
}

noise_rules! {
    Ads = ads,
    BuildTimes = build_times,
    CacheBusting = cache_busting,
    CookieBanners = cookie_banners,
    Counters = counters,
    DocumentFurniture = document_furniture,
    FormTokens = form_tokens,
    GenerationTimes = generation_times,
    Ids = ids,
    Monitoring = monitoring,
    RelativeTimes = relative_times,
    SessionLinks = session_links,
    Versions = versions,
    ViewIds = view_ids,
    Widgets = widgets,
    Years = years,
}

/// A kind of text that a rule knows, with its compiled pattern.
pub(crate) struct TextKind {
    pub(crate) rule: NoiseRule,
    pub(crate) text: &'static TextRule,
    pub(crate) pattern: Regex,
}

/// The kinds of text of all rules, in the order in which they are applied.
pub(crate) static TEXT_KINDS: LazyLock<Vec<TextKind>> = LazyLock::new(|| {
    let kinds =
        NoiseRule::ALL.into_iter().flat_map(|rule| rule.rule().text.iter().map(move |text| (rule, text)));
    let compile = |(rule, text): (NoiseRule, &'static TextRule)| {
        let pattern = Regex::new(&(text.pattern)());
        TextKind { rule, text, pattern: pattern.expect("the pattern is a constant, compiled by the tests") }
    };
    kinds.map(compile).collect()
});

/// Compiles the patterns of the rules, which the first page would wait for otherwise: some 20 milliseconds.
pub fn warm_up() {
    crate::fast::warm_up();
    LazyLock::force(&TEXT_KINDS);
}

impl NoiseRule {
    /// Returns the name by which settings switch the rule.
    pub const fn name(self) -> &'static str {
        self.rule().name
    }

    /// Tells whether the rule is about pages, and not about documents alone.
    pub(crate) fn is_about_pages(self) -> bool {
        self != Self::DocumentFurniture
    }

    /// Returns what the rule removes, in Markdown.
    pub const fn description(self) -> &'static str {
        self.rule().description
    }
}

impl fmt::Display for NoiseRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A name that no noise rule has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no noise rule `{0}`; the rules are {names}", names = NoiseRule::ALL.map(NoiseRule::name).join(", "))]
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

impl Serialize for NoiseRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for NoiseRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A set of rules that is asked for every element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct NoiseRuleSet(u32);

impl NoiseRuleSet {
    /// Tells whether a rule is in the set.
    pub(crate) const fn contains(self, rule: NoiseRule) -> bool {
        self.0 & (1 << rule as u32) != 0
    }

    /// Returns the set with `rule` in it.
    #[must_use]
    pub(crate) const fn with(self, rule: NoiseRule) -> Self {
        Self(self.0 | (1 << rule as u32))
    }

    /// Returns the set without `rule`.
    #[must_use]
    pub(crate) const fn without(self, rule: NoiseRule) -> Self {
        Self(self.0 & !(1 << rule as u32))
    }

    /// Returns the rules of the set, in order.
    pub(crate) fn iter(self) -> impl Iterator<Item = NoiseRule> {
        NoiseRule::ALL.into_iter().filter(move |rule| self.contains(*rule))
    }
}

impl From<&BTreeSet<NoiseRule>> for NoiseRuleSet {
    fn from(rules: &BTreeSet<NoiseRule>) -> Self {
        rules.iter().fold(Self::default(), |set, rule| set.with(*rule))
    }
}

#[cfg(test)]
mod tests;
