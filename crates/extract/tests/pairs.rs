//! Pairs of pages as real systems write them: the same meaning in other bytes, and true changes.
//!
//! `pairs/pages` has a page of each system, `pairs/noise.txt` and `pairs/changes.txt` what is edited in it.
//! An entry names its page and what it shows; `-` lines are replaced by the `+` lines after them. `rule`
//! names the noise rule without which the pair would differ, `keep` an attribute that counts as text, and
//! `differs` the aspects that change.

#[path = "pairs/pair.rs"]
mod pair;

use std::collections::BTreeSet;

use pair::Pair;
use recrawl_core::model::aspect::{Aspect, Aspects};
use recrawl_core::model::content::{Extracted, Extractor};
use recrawl_core::url::UrlRules;
use recrawl_extract::HtmlExtractor;
use recrawl_extract::noise::NoiseRule;
use recrawl_extract::text::{TextRules, TextSettings};

fn settings(pair: &Pair) -> TextSettings {
    let mut settings = TextSettings::default();
    settings.keep_attributes.extend(pair.keep.clone());
    settings
}

fn read(html: &str, settings: &TextSettings) -> Extracted {
    let rules = TextRules::new(settings).expect("valid settings");
    let extractor = HtmlExtractor::new(rules, UrlRules::default(), true);
    let url = "https://www.example.gov/folder/page".parse().expect("a valid address");
    extractor.extract(&url, Some("text/html; charset=utf-8"), html.as_bytes()).expect("quickly read")
}

fn differences(pair: &Pair, settings: &TextSettings) -> Aspects {
    let [before, after] = [&pair.before, &pair.after].map(|html| read(html, settings));
    let signatures = before.signatures.zip(after.signatures).expect("both are HTML");
    let text = (before.semantic != after.semantic).then_some(Aspect::Text);
    text.into_iter().chain(signatures.0.differences(&signatures.1).iter()).collect()
}

#[track_caller]
fn assert_none(failures: &[String]) {
    assert!(failures.is_empty(), "{} pairs fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn noise_changes_no_aspect_of_a_page() {
    let pairs = pair::load("noise");
    assert!(pairs.len() >= 110, "{}", pairs.len());
    let failures: Vec<String> = pairs
        .iter()
        .filter_map(|pair| {
            let found = differences(pair, &settings(pair));
            (!found.is_empty()).then(|| format!("{}: {found} differs", pair.name))
        })
        .collect();
    assert_none(&failures);
}

#[test]
fn a_change_is_seen_in_its_aspects_and_no_other() {
    let pairs = pair::load("changes");
    assert!(pairs.len() >= 110, "{}", pairs.len());
    let failures: Vec<String> = pairs
        .iter()
        .filter_map(|pair| {
            assert!(!pair.differs.is_empty(), "{} changes something", pair.name);
            let found = differences(pair, &settings(pair));
            (found != pair.differs)
                .then(|| format!("{}: {found:?} differs, expected {:?}", pair.name, pair.differs))
        })
        .collect();
    assert_none(&failures);
}

#[test]
fn without_its_rule_a_pair_differs() {
    let mut shown = BTreeSet::new();
    let mut failures = Vec::new();
    for pair in pair::load("noise") {
        let Some(rule) = pair.rule else {
            continue;
        };
        let mut settings = settings(&pair);
        settings.noise_rules.remove(&rule);
        if differences(&pair, &settings).is_empty() {
            failures.push(format!("{}: nothing differs without {rule}", pair.name));
        }
        shown.insert(rule);
    }
    assert_none(&failures);
    // What recurs on the pages of a document stands in no HTML; `document.rs` tests its rule.
    shown.insert(NoiseRule::DocumentFurniture);
    assert_eq!(shown, NoiseRule::ALL.into_iter().collect(), "every rule has a pair that needs it");
}

#[test]
fn every_pair_explains_itself_as_it_is_read() {
    let url = "https://www.example.gov/folder/page".parse().expect("a valid address");
    for pair in pair::load("noise") {
        let rules = TextRules::new(&settings(&pair)).expect("valid settings");
        let extractor = HtmlExtractor::new(rules, UrlRules::default(), true);
        let explanation = extractor
            .explain(&url, Some("text/html; charset=utf-8"), pair.after.as_bytes())
            .expect("quickly read")
            .expect("the page is HTML");
        assert_eq!(explanation.extracted, read(&pair.after, &settings(&pair)), "{}", pair.name);
        // Attributes that do not count are dropped while parsing, so that nobody can tell of them.
        if let Some(rule) = pair.rule.filter(|_| pair.keep.is_none()) {
            let is_named = explanation.removals.iter().any(|removal| removal.rule == rule.name());
            assert!(is_named, "{}: {rule} is not among {:?}", pair.name, explanation.removals);
        }
    }
}
