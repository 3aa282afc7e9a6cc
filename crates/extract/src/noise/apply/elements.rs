//! Elements that are noise as a whole, and attributes that are, known by their names.

use std::sync::LazyLock;

use crate::fast::NameTable;
use crate::noise::rule::is_among;
use crate::noise::{NoiseRule, NoiseRuleSet};

/// Tells whether elements of this name are never noise: they hold a whole page, and tools mark them with
/// words such as `eu-cookie-compliance-popup-open`.
pub(crate) fn is_exempt(element: &[u8]) -> bool {
    matches!(element, b"html" | b"head" | b"body" | b"main" | b"article")
}

/// Returns the rule that takes an element for noise by its id or by a word of its class.
pub(crate) fn noise_of_names(value: &str, rules: NoiseRuleSet) -> Option<NoiseRule> {
    let names = &*NAMES;
    value.split_ascii_whitespace().find_map(|word| names.rule_of(word)).filter(|rule| rules.contains(*rule))
}

/// Tells whether ids and classes can make an element noise by these rules.
pub(crate) fn names_can_be_noise(rules: NoiseRuleSet) -> bool {
    rules.iter().any(|rule| !rule.rule().elements.is_empty())
}

/// Returns the rule that takes an element for noise because it has this attribute, whose name is in lower case.
pub(crate) fn marks_noise(attribute: &str, rules: NoiseRuleSet) -> Option<NoiseRule> {
    rules.iter().find(|rule| rule.rule().element_marks.contains(&attribute))
}

/// Tells whether an attribute of this name, which is in lower case, is noise wherever it stands.
pub(crate) fn is_noisy_attribute(name: &str, rules: NoiseRuleSet) -> bool {
    rules.iter().any(|rule| is_among(rule.rule().attributes, name))
}

static NAMES: LazyLock<NameTable> = LazyLock::new(|| {
    let named = |rule: NoiseRule| rule.rule().elements.split_whitespace().map(move |name| (name, rule));
    NameTable::new(NoiseRule::ALL.into_iter().flat_map(named))
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_a_page_is_never_noise() {
        for name in ["html", "body", "main", "article"] {
            assert!(is_exempt(name.as_bytes()));
        }
        assert!(!is_exempt(b"div"));
    }

    #[test]
    fn attributes_of_measuring_services_are_noise_by_their_rule_alone() {
        let all = NoiseRuleSet::from(&NoiseRule::ALL.into_iter().collect());
        for (name, expected) in [
            ("data-newrelic-trace", true),
            ("data-nr-id", true),
            ("data-cfemail", true),
            ("data-new", false),
            ("data-email", false),
            ("value", false),
        ] {
            assert_eq!(is_noisy_attribute(name, all), expected, "{name}");
            assert!(!is_noisy_attribute(name, NoiseRuleSet::default()), "{name}");
        }
    }

    #[test]
    fn a_mark_makes_an_element_noise_by_its_rule_alone() {
        let all = NoiseRuleSet::from(&NoiseRule::ALL.into_iter().collect());
        assert_eq!(marks_noise("data-ad-slot", all), Some(NoiseRule::Ads));
        assert_eq!(marks_noise("data-ad-slot", all.without(NoiseRule::Ads)), None);
        assert_eq!(marks_noise("data-ad", all), None);
    }
}
