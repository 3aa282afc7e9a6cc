use super::NoiseRule;
use crate::budget::WorkBudget;
use crate::text::{TextRules, TextSettings};

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
