//! Which pages are due.

use std::cmp::Ordering;

use jiff::{SignedDuration, Timestamp};

use super::value;
use crate::model::record::PageSummary;
use crate::plan::change_rate::{days_between, suggested_interval};
use crate::url::PageUrl;

/// Of this many visits of a budget, one goes to the page that has waited longest, whatever its value.
///
/// A page that once looked too fast to follow would otherwise never be looked at again.
const EXPLORED: usize = 20;

/// A page that may be visited; `Key` names it.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate<Key = PageUrl> {
    /// The page.
    pub url: Key,
    /// When it was last visited with a result, if ever.
    pub last_seen: Option<Timestamp>,
    /// Changes a day, see [`crate::plan::change_rate::expected`].
    pub rate: f64,
}

impl From<&PageSummary> for Candidate {
    fn from(page: &PageSummary) -> Self {
        Self { url: page.url.clone(), last_seen: Some(page.last_seen), rate: page.expected_rate() }
    }
}

/// A page that is due.
#[derive(Debug, Clone, PartialEq)]
pub struct Due<Key = PageUrl> {
    /// The page.
    pub url: Key,
    /// How long ago the last visit was, if there was one.
    pub age: Option<SignedDuration>,
    /// The interval at which such a page is usually visited.
    pub interval: SignedDuration,
    /// What the visit is worth, see [`value`]; infinite for a page that was never visited.
    pub value: f64,
}

/// Returns the pages that are due at `now`, the most valuable first and ties in the order of their keys.
///
/// A page that was never visited comes before all others. Without a budget, a page is due when its
/// last visit is as long ago as [`suggested_interval`] says for its rate. With one, the best pages are, as
/// many as the budget allows; one visit in 20 goes to the page that has waited longest.
pub fn due<Key: Clone + Ord>(
    pages: &[Candidate<Key>],
    now: Timestamp,
    budget: Option<usize>,
) -> Vec<Due<Key>> {
    let mut ranked: Vec<Ranked<'_, Key>> = pages.iter().map(|page| Ranked::new(page, now)).collect();
    match budget {
        None => ranked.retain(|ranked| ranked.is_overdue(now)),
        Some(budget) => keep_best(&mut ranked, budget),
    }
    ranked.sort_unstable_by(Ranked::by_value);
    ranked.into_iter().map(|ranked| ranked.due(now)).collect()
}

fn keep_best<Key: Ord>(ranked: &mut Vec<Ranked<'_, Key>>, budget: usize) {
    if budget >= ranked.len() {
        return;
    }
    let by_value = budget - budget / EXPLORED;
    ranked.select_nth_unstable_by(by_value, Ranked::by_value);
    if by_value < budget {
        ranked[by_value..].select_nth_unstable_by(budget - by_value, Ranked::by_age);
    }
    ranked.truncate(budget);
}

struct Ranked<'a, Key> {
    page: &'a Candidate<Key>,
    value: f64,
}

impl<'a, Key: Ord> Ranked<'a, Key> {
    fn new(page: &'a Candidate<Key>, now: Timestamp) -> Self {
        let worth = |last_seen| value(page.rate, days_between(last_seen, now));
        Self { page, value: page.last_seen.map_or(f64::INFINITY, worth) }
    }

    fn is_overdue(&self, now: Timestamp) -> bool {
        let interval = suggested_interval(self.page.rate);
        // Seen ahead of now means seen while a clock was wrong: after an interval either way it is looked at again.
        self.page.last_seen.is_none_or(|last_seen| now.duration_since(last_seen).abs() >= interval)
    }

    fn by_value(&self, other: &Self) -> Ordering {
        other.value.total_cmp(&self.value).then_with(|| self.page.url.cmp(&other.page.url))
    }

    /// The longest wait first; who was never visited has waited longest.
    fn by_age(&self, other: &Self) -> Ordering {
        let age = self.page.last_seen.cmp(&other.page.last_seen);
        age.then_with(|| self.page.url.cmp(&other.page.url))
    }

    fn due(self, now: Timestamp) -> Due<Key>
    where
        Key: Clone,
    {
        Due {
            url: self.page.url.clone(),
            age: self.page.last_seen.map(|last_seen| now.duration_since(last_seen)),
            interval: suggested_interval(self.page.rate),
            value: self.value,
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;

    fn now() -> Timestamp {
        Timestamp::UNIX_EPOCH + 1_000_000.hours()
    }

    fn seen(url: u32, days_ago: i64, rate: f64) -> Candidate<u32> {
        Candidate { url, last_seen: Some(now() - (days_ago * 24).hours()), rate }
    }

    fn new(url: u32) -> Candidate<u32> {
        Candidate { url, last_seen: None, rate: 0.1 }
    }

    fn chosen(pages: &[Candidate<u32>], budget: Option<usize>) -> Vec<u32> {
        due(pages, now(), budget).into_iter().map(|due| due.url).collect()
    }

    #[test]
    fn without_a_budget_a_page_is_due_after_its_interval() {
        for (days_ago, rate, is_due) in [
            (29, 0.0, false),
            (30, 0.0, true),
            (6, 0.1, false),
            (7, 0.1, true),
            (1, 0.5, true),
            (0, 0.5, false),
            (0, 50.0, false),
            (-1_000, 0.1, true),
        ] {
            let page = seen(1, days_ago, rate);
            assert_eq!(chosen(&[page], None).len(), usize::from(is_due), "{days_ago} days, {rate}");
        }
    }

    #[test]
    fn a_page_that_was_never_visited_comes_first() {
        let pages = [seen(1, 300, 0.02), new(2), seen(3, 30, 0.1), new(0)];
        assert_eq!(chosen(&pages, None), [0, 2, 1, 3]);
        assert_eq!(chosen(&pages, Some(3)), [0, 2, 1]);
        let due = due(&pages, now(), Some(1));
        assert_eq!((due[0].age, due[0].value), (None, f64::INFINITY));
    }

    #[test]
    fn a_budget_buys_the_visits_of_highest_value() {
        let too_fast = seen(1, 7, 100.0);
        let lively = seen(2, 7, 0.3);
        let quiet = seen(3, 7, 0.001);
        let pages = [too_fast, quiet, lively];
        for (budget, expected) in
            [(0, vec![]), (1, vec![2]), (2, vec![2, 3]), (3, vec![2, 3, 1]), (9, vec![2, 3, 1])]
        {
            assert_eq!(chosen(&pages, Some(budget)), expected, "{budget}");
        }
    }

    #[test]
    fn equal_pages_are_taken_in_their_order() {
        let pages = [seen(3, 7, 0.1), seen(1, 7, 0.1), seen(2, 7, 0.1)];
        assert_eq!(chosen(&pages, Some(2)), [1, 2]);
        assert_eq!(chosen(&pages, None), [1, 2, 3]);
    }

    #[test]
    fn one_visit_in_twenty_goes_to_the_page_that_waited_longest() {
        let mut pages: Vec<Candidate<u32>> = (0..100).map(|url| seen(url, 7, 0.1)).collect();
        pages.push(seen(1_000, 60, 100.0));
        pages.push(seen(1_001, 59, 100.0));
        assert!(!chosen(&pages, Some(19)).contains(&1_000));
        let chosen = chosen(&pages, Some(20));
        assert_eq!(chosen.len(), 20);
        assert!(chosen.contains(&1_000) && !chosen.contains(&1_001), "{chosen:?}");
    }

    #[test]
    fn pages_never_visited_leave_nothing_for_those_that_waited() {
        let mut pages: Vec<Candidate<u32>> = (0..40).map(new).collect();
        pages.push(seen(1_000, 60, 0.1));
        assert_eq!(chosen(&pages, Some(40)), (0..40).collect::<Vec<_>>());
    }
}
