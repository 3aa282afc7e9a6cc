//! The user's CSS selectors, matched on the tree of a page.
//!
//! Matching one element may walk over all its siblings, so that a selector such as `b ~ p` takes the square of their
//! number. Every step of such a walk is counted, and a selector that takes too many is named.

use std::cell::Cell;

use cssparser::Parser as CssParser;
use recrawl_core::model::content::Unreadable;
use scraper::error::SelectorErrorKind;
use scraper::selector::{Parser, Simple};
use selectors::matching::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode, SelectorCaches,
    matches_selector,
};
use selectors::parser::{ParseRelative, SelectorList};

use self::candidate::Candidate;
use crate::budget::WorkBudget;
use crate::html::tree::{NodeIndex, Step, Tree};

mod candidate;

/// The steps that the selectors of a site may take on one page: about a second. Pages that people made take some
/// hundred thousand.
const MAX_STEPS: usize = 50_000_000;

/// A longer selector is a mistake; matching it would go as deep as it is long.
const MAX_LENGTH: usize = 10_000;

/// A list of CSS selectors.
#[derive(Debug, Clone)]
pub(crate) struct Selector {
    list: SelectorList<Simple>,
    /// The setting and its value.
    name: String,
}

impl Selector {
    /// Reads the value of a setting; an error says what is wrong with it.
    pub(crate) fn parse(setting: &str, text: &str) -> Result<Self, String> {
        if text.len() > MAX_LENGTH {
            return Err(format!("longer than {MAX_LENGTH} bytes"));
        }
        SelectorList::parse(&Parser, &mut CssParser::new(text), ParseRelative::No)
            .map(|list| Self { list, name: format!("{setting} {text}") })
            .map_err(|error| SelectorErrorKind::from(error).to_string())
    }

    /// Returns the elements that match, in document order.
    fn matches(&self, dom: &Tree, steps: &Steps<'_>) -> Result<Vec<NodeIndex>, Unreadable> {
        let mut found = Vec::new();
        let mut caches = SelectorCaches::default();
        for step in dom.walk() {
            let Step::Enter(index, element) = step else {
                continue;
            };
            let candidate = Candidate::new(dom, index, element, steps);
            let mut context = MatchingContext::new(
                MatchingMode::Normal,
                None,
                &mut caches,
                QuirksMode::NoQuirks,
                NeedsSelectorFlags::No,
                MatchingForInvalidation::No,
            );
            steps.take(1);
            let mut selectors = self.list.slice().iter();
            let is_match = selectors.any(|one| matches_selector(one, 0, None, &candidate, &mut context));
            steps.check().map_err(|_| Unreadable::Rule { rule: self.name.clone() })?;
            if is_match {
                found.push(index);
            }
        }
        Ok(found)
    }
}

/// How far the selectors of a page may still walk.
#[derive(Debug)]
struct Steps<'a> {
    left: Cell<usize>,
    budget: &'a WorkBudget,
}

/// There are no steps left.
struct Exhausted;

impl<'a> Steps<'a> {
    fn new(steps: usize, budget: &'a WorkBudget) -> Self {
        Self { left: Cell::new(steps), budget }
    }

    /// Takes steps; tells whether there were so many.
    fn take(&self, steps: usize) -> bool {
        let left = self.left.get().saturating_sub(steps);
        self.left.set(if self.budget.work(steps).is_err() { 0 } else { left });
        left > 0
    }

    fn check(&self) -> Result<(), Exhausted> {
        if self.left.get() == 0 { Err(Exhausted) } else { Ok(()) }
    }
}

/// Marks what selectors leave out, and what they limit the page to; tells whether there is any of that.
pub(crate) fn mark(
    dom: &mut Tree,
    ignored: &[Selector],
    only: &[Selector],
    budget: &WorkBudget,
) -> Result<bool, Unreadable> {
    let steps = Steps::new(MAX_STEPS, budget);
    for (number, selector) in (0..).zip(ignored) {
        for index in selector.matches(dom, &steps)? {
            dom.ignore(index, number);
        }
    }
    let mut is_limited = false;
    for selector in only {
        for index in selector.matches(dom, &steps)? {
            dom.choose(index);
            is_limited = true;
        }
    }
    Ok(is_limited)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::html::text::TextRules;

    fn dom(html: &str) -> Tree {
        let mut filter = TextRules::default().attribute_filter();
        filter.keeps_all = true;
        Tree::parse(html, &filter, &WorkBudget::of(Duration::MAX)).unwrap()
    }

    fn matched(selector: &str, html: &str) -> Result<usize, Unreadable> {
        let budget = WorkBudget::of(Duration::MAX);
        let selector = Selector::parse("ignore-selector", selector).unwrap();
        selector.matches(&dom(html), &Steps::new(100_000, &budget)).map(|found| found.len())
    }

    #[test]
    fn selectors_match_as_css_says() {
        let html = "<main id=M><b class='x  y'>1</b> <p title=T>2</p><p></p><p>3<i>4</i></p></main>\
            <svg><clipPath/></svg>";
        for (selector, expected) in [
            ("p", 3),
            ("P", 3),
            ("main > p", 3),
            ("body p", 3),
            ("b ~ p", 3),
            ("b + p", 1),
            ("#M .x", 1),
            (".y.x", 1),
            (".X", 0),
            ("[title]", 1),
            ("[title=T]", 1),
            ("[title^=t i]", 1),
            ("p:empty", 1),
            ("p:nth-child(2)", 1),
            ("p:last-of-type", 1),
            ("p:has(> i)", 1),
            ("p:not(:has(i))", 2),
            (":root", 1),
            (":is(b, i)", 2),
            ("clippath", 0),
            ("clipPath", 1),
            ("template *", 0),
            ("b, i, b", 2),
        ] {
            assert_eq!(matched(selector, html), Ok(expected), "{selector}");
        }
    }

    #[test]
    fn a_selector_that_walks_too_far_is_named() {
        let siblings = "<p>x</p>".repeat(1_000);
        for selector in ["b ~ p", "b ~ p ~ p", ":not(b ~ p)"] {
            let rule = format!("ignore-selector {selector}");
            assert_eq!(matched(selector, &siblings), Err(Unreadable::Rule { rule }));
        }
        assert_eq!(matched("p ~ p", &siblings), Ok(999));
    }

    #[test]
    fn a_selector_that_reads_too_much_is_named() {
        let class = "y ".repeat(5_000);
        let html = format!("<p><b class='{class}'></p>{}", "<p>x".repeat(1_000));
        assert!(matches!(matched(".x", &html), Err(Unreadable::Rule { .. })));
    }

    #[test]
    fn a_selector_is_no_book() {
        let long = "a ".repeat(6_000) + "a";
        assert!(Selector::parse("ignore-selector", &long).is_err_and(|reason| reason.contains("10000")));
        assert!(Selector::parse("ignore-selector", "a[").is_err());
    }
}
