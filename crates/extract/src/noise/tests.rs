use super::{NoiseRule, NoiseRuleSet, Reduced, noise_of_names, reduce_link, reduce_media};
use crate::budget::WorkBudget;
use crate::html::text::{TextRules, TextSettings};

fn clean(rules: &[NoiseRule], text: &str) -> String {
    let settings = TextSettings { noise_rules: rules.iter().copied().collect(), ..Default::default() };
    TextRules::new(&settings)
        .expect("valid settings")
        .clean(text.to_owned(), None, &WorkBudget::for_page())
        .unwrap()
}

#[track_caller]
pub(super) fn assert_cleans(rule: NoiseRule, cases: &[(&str, &str)]) {
    let others: Vec<_> = NoiseRule::ALL.into_iter().filter(|other| *other != rule).collect();
    for (text, expected) in cases {
        assert_eq!(clean(&[rule], text), *expected, "{text}");
        assert_eq!(clean(&others, text), *text, "only {rule} touches it: {text}");
    }
}

#[track_caller]
pub(super) fn assert_keeps(cases: &[&str]) {
    for text in cases {
        assert_eq!(clean(&NoiseRule::ALL, text), *text);
    }
}

fn all() -> NoiseRuleSet {
    NoiseRuleSet::from(&NoiseRule::ALL.into_iter().collect())
}

type Reduce = fn(&str, NoiseRuleSet) -> Reduced<'_>;

#[track_caller]
fn assert_reduces(reduce: Reduce, rule: NoiseRule, cases: &[(&str, &str)]) {
    for (address, expected) in cases {
        let reduced = reduce(address, all());
        assert_eq!(reduced.address.as_deref().unwrap_or_default(), *expected, "{address}");
        assert_eq!(reduced.by.iter().collect::<Vec<_>>(), [rule], "{address}");
        let untouched = reduce(address, all().without(rule));
        assert_eq!(untouched.address.as_deref(), Some(*address), "only {rule} touches it");
    }
}

#[track_caller]
pub(super) fn assert_reduces_link(rule: NoiseRule, cases: &[(&str, &str)]) {
    assert_reduces(reduce_link, rule, cases);
}

#[track_caller]
pub(super) fn assert_reduces_media(rule: NoiseRule, cases: &[(&str, &str)]) {
    assert_reduces(reduce_media, rule, cases);
}

#[track_caller]
pub(super) fn assert_keeps_links(cases: &[&str]) {
    for address in cases {
        assert_eq!(reduce_link(address, all()).address.as_deref(), Some(*address));
    }
}

#[track_caller]
pub(super) fn assert_keeps_media(cases: &[&str]) {
    for address in cases {
        assert_eq!(reduce_media(address, all()).address.as_deref(), Some(*address));
    }
}

#[track_caller]
pub(super) fn assert_names(rule: NoiseRule, cases: &[&str]) {
    for value in cases {
        assert_eq!(noise_of_names(value, all()), Some(rule), "{value}");
        assert_eq!(noise_of_names(value, all().without(rule)), None, "{value}");
    }
}

#[track_caller]
pub(super) fn assert_keeps_names(cases: &[&str]) {
    for value in cases {
        assert_eq!(noise_of_names(value, all()), None, "{value}");
    }
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

#[test]
fn rules_stand_in_the_order_of_their_names_and_say_what_they_remove() {
    assert!(
        NoiseRule::ALL.is_sorted_by_key(|rule| rule.name()),
        "versions of stored texts are made in this order"
    );
    for rule in NoiseRule::ALL {
        assert!(rule.description().ends_with('.'), "{rule}");
        assert_eq!(serde_json::to_value(rule).unwrap(), rule.name());
        assert_eq!(serde_json::from_value::<NoiseRule>(rule.name().into()).unwrap(), rule);
    }
}
