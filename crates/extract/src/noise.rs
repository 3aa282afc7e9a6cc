//! What changes on a page by itself, and is therefore no part of its meaning.
//!
//! Every rule is narrow on purpose: a change that somebody made must never be missed. Absolute dates,
//! times and numbers stay wherever they do not plainly say when the page was made or how often it was read.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

pub(crate) use addresses::{Reduced, reduce_link, reduce_media};
pub(crate) use attributes::{is_noisy_attribute, is_token_name};
pub(crate) use elements::{is_exempt, noise_of_names};
pub(super) use lines::remove_noise;
use text_rule::TextRule;

mod addresses;
mod attributes;
mod build_times;
mod counters;
mod elements;
mod generation_times;
mod lines;
mod monitoring;
mod relative_times;
mod text_rule;
mod triggers;
mod view_ids;

/// Compiles the patterns of the rules, which the first page would wait for otherwise: some 20 milliseconds.
pub fn warm_up() {
    LazyLock::force(&triggers::ANYWHERE);
    LazyLock::force(&triggers::BESIDE_DIGITS);
    for rule in NoiseRule::ALL.into_iter().filter_map(NoiseRule::in_text) {
        LazyLock::force(&rule.pattern);
    }
}

/// A rule that removes one kind of noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseRule {
    /// Elements in which advertisements are placed, and addresses of the networks that place them.
    ///
    /// An element is known by its id or by a whole word of its class, never by a part of one.
    Ads,
    /// When the page was made or what time it is: «Generated on Mon, 16 Nov 2026 04:12:33 GMT».
    ///
    /// «Last updated» and «Published» say when somebody changed it, and stay.
    BuildTimes,
    /// What makes an address of an image new although the image is the same: `?v=3`, `?itok=x1y2`,
    /// `logo.3f9a2bc1.png`, and the addresses that Cloudflare hides. Page text is not touched.
    CacheBusting,
    /// Elements of the known tools that ask for consent to cookies.
    CookieBanners,
    /// How often a page was read: «1,234 views», «You are visitor number 5», «12 users online».
    ///
    /// They count as such only where they are all that a line, or a part of it between bars, says.
    Counters,
    /// Hidden inputs and inputs named like a request token: their kept attributes do not count.
    FormTokens,
    /// How long the server took: «Page generated in 0.123 seconds».
    GenerationTimes,
    /// What measures visitors: pixels, frames and attributes of such services, and their code where it
    /// leaks into the text.
    Monitoring,
    /// Times relative to now: «5 minutes ago», «Posted just now».
    ///
    /// «yesterday», «today» and «just now» only count as such where they stand alone on a line or
    /// end a line after a word such as «Updated»; elsewhere they are prose.
    RelativeTimes,
    /// Session ids, tokens and marks of campaigns in addresses: `;jsessionid=…`, `?utm_source=…`.
    SessionLinks,
    /// The ids that Drupal draws for views and forms: `view-dom-id-…` and `form-…`.
    ViewIds,
}

impl NoiseRule {
    /// Every rule.
    pub const ALL: [Self; 11] = [
        Self::Ads,
        Self::BuildTimes,
        Self::CacheBusting,
        Self::CookieBanners,
        Self::Counters,
        Self::FormTokens,
        Self::GenerationTimes,
        Self::Monitoring,
        Self::RelativeTimes,
        Self::SessionLinks,
        Self::ViewIds,
    ];

    /// Returns the name by which settings switch the rule.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ads => "ads",
            Self::BuildTimes => "build-times",
            Self::CacheBusting => "cache-busting",
            Self::CookieBanners => "cookie-banners",
            Self::Counters => "counters",
            Self::FormTokens => "form-tokens",
            Self::GenerationTimes => "generation-times",
            Self::Monitoring => "monitoring",
            Self::RelativeTimes => "relative-times",
            Self::SessionLinks => "session-links",
            Self::ViewIds => "view-ids",
        }
    }

    /// Returns how the rule works on text, if it does. The others work on elements, attributes and addresses.
    fn in_text(self) -> Option<&'static TextRule> {
        match self {
            Self::Ads | Self::CacheBusting | Self::CookieBanners | Self::FormTokens | Self::SessionLinks => {
                None
            }
            Self::BuildTimes => Some(&build_times::RULE),
            Self::Counters => Some(&counters::RULE),
            Self::GenerationTimes => Some(&generation_times::RULE),
            Self::Monitoring => Some(&monitoring::RULE),
            Self::RelativeTimes => Some(&relative_times::RULE),
            Self::ViewIds => Some(&view_ids::RULE),
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

/// A set of rules that is asked for every element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct NoiseRules(u16);

impl NoiseRules {
    /// Tells whether a rule is in the set.
    pub(crate) const fn contains(self, rule: NoiseRule) -> bool {
        self.0 & (1 << rule as u16) != 0
    }

    /// Returns the set with `rule` in it.
    #[must_use]
    pub(crate) const fn with(self, rule: NoiseRule) -> Self {
        Self(self.0 | (1 << rule as u16))
    }

    /// Returns the set without `rule`.
    #[must_use]
    pub(crate) const fn without(self, rule: NoiseRule) -> Self {
        Self(self.0 & !(1 << rule as u16))
    }

    /// Returns the rules of the set, in order.
    pub(crate) fn iter(self) -> impl Iterator<Item = NoiseRule> {
        NoiseRule::ALL.into_iter().filter(move |rule| self.contains(*rule))
    }
}

impl From<&BTreeSet<NoiseRule>> for NoiseRules {
    fn from(rules: &BTreeSet<NoiseRule>) -> Self {
        rules.iter().fold(Self::default(), |set, rule| set.with(*rule))
    }
}

#[cfg(test)]
mod tests;
