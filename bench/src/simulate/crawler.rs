//! The policies: who is visited when.

use jiff::{SignedDuration, Timestamp};
use recrawl_core::plan::change_rate::{days_between, expected};
use recrawl_core::plan::due::{Candidate, due};

use super::WEEK;
use super::freshness::Freshness;
use super::world::World;

/// How often pages are chosen anew: every six hours.
const CHOICES_A_WEEK: u32 = 4 * 7;

/// Who is visited when; all make as many visits a week as there are pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// Every page once a week, in the same order.
    Weekly,
    /// The pages of highest value by the rates that its own visits taught it.
    Learning,
    /// The pages of highest value by their true rates.
    Informed,
}

/// What a crawler remembers of a page, beside its candidature.
#[derive(Clone, Copy, Default)]
struct Memory {
    first_seen: Option<Timestamp>,
    observations: u32,
    changes: u32,
}

/// Crawls a site that it has never seen, and returns the share of current copies by week.
pub(crate) fn freshness_by_week(policy: Policy, world: World, weeks: u32) -> Vec<f64> {
    crawled(policy, world, weeks).end(WEEK * f64::from(weeks))
}

fn crawled(policy: Policy, world: World, weeks: u32) -> Crawler {
    let mut crawler = Crawler::new(policy, world, weeks);
    let pages = u64::from(crawler.world.size());
    let visits_before = |choice: u32| u64::from(choice) * pages / u64::from(CHOICES_A_WEEK);
    for choice in 0..weeks * CHOICES_A_WEEK {
        let (first, end) = (visits_before(choice), visits_before(choice + 1));
        let span = WEEK / f64::from(CHOICES_A_WEEK);
        let start = span * f64::from(choice);
        let chosen = crawler.choose(start, first..end);
        let pace = span / f64::from(u32::try_from(chosen.len()).unwrap_or(u32::MAX));
        for (number, page) in (0_u32..).zip(chosen) {
            crawler.visit(page, start + pace * f64::from(number));
        }
    }
    crawler
}

struct Crawler {
    policy: Policy,
    world: World,
    candidates: Vec<Candidate<u32>>,
    memories: Vec<Memory>,
    /// When each page was last visited, in days.
    visited: Vec<Option<f64>>,
    freshness: Freshness,
}

impl Crawler {
    fn new(policy: Policy, world: World, weeks: u32) -> Self {
        let size = world.size() as usize;
        let rates = match policy {
            Policy::Informed => world.rates(),
            Policy::Weekly | Policy::Learning => vec![expected(0, 0, 0.0); size],
        };
        let candidate = |(url, rate)| Candidate { url, last_seen: None, rate };
        Self {
            policy,
            candidates: (0_u32..).zip(rates).map(candidate).collect(),
            memories: vec![Memory::default(); size],
            visited: vec![None; size],
            freshness: Freshness::new(weeks),
            world,
        }
    }

    /// Returns the pages to visit next; `visits` counts them from the beginning.
    fn choose(&self, now: f64, visits: std::ops::Range<u64>) -> Vec<u32> {
        match self.policy {
            Policy::Weekly => {
                let pages = u64::from(self.world.size());
                visits.map(|visit| u32::try_from(visit % pages).expect("below a u32")).collect()
            }
            Policy::Learning | Policy::Informed => {
                let budget = usize::try_from(visits.end - visits.start).expect("at most a u32");
                due(&self.candidates, moment(now), Some(budget)).into_iter().map(|due| due.url).collect()
            }
        }
    }

    fn visit(&mut self, page: u32, now: f64) {
        let index = page as usize;
        let next_change = self.world.next_change(page);
        let time = moment(now);
        let memory = &mut self.memories[index];
        if let Some(before) = self.visited[index] {
            self.freshness.add(before, next_change.min(now));
            memory.observations += 1;
            memory.changes += u32::from(next_change <= now);
        }
        let first_seen = *memory.first_seen.get_or_insert(time);
        let candidate = &mut self.candidates[index];
        candidate.last_seen = Some(time);
        match self.policy {
            Policy::Weekly | Policy::Informed => {}
            Policy::Learning => {
                let days = days_between(first_seen, time);
                candidate.rate = expected(memory.observations, memory.changes, days);
            }
        }
        self.visited[index] = Some(now);
        self.world.visit(page, now);
    }

    fn end(mut self, now: f64) -> Vec<f64> {
        for (page, before) in (0_u32..).zip(&self.visited) {
            if let Some(before) = before {
                self.freshness.add(*before, self.world.next_change(page).min(now));
            }
        }
        self.freshness.shares(self.world.size())
    }
}

/// Returns a moment of the simulated time as the visit planner knows moments.
fn moment(days: f64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_secs_f64(86_400.0 * days)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::world::Rates;

    #[test]
    fn every_policy_makes_as_many_visits_a_week_as_there_are_pages() {
        for policy in [Policy::Weekly, Policy::Learning, Policy::Informed] {
            let crawler = crawled(policy, World::new(Rates::Survey, 101, 1), 3);
            let visits: u32 = crawler.memories.iter().map(|memory| memory.observations + 1).sum();
            assert_eq!(visits, 3 * 101, "{policy:?}");
        }
    }

    #[test]
    fn the_first_week_visits_every_page_once() {
        for policy in [Policy::Weekly, Policy::Learning, Policy::Informed] {
            let crawler = crawled(policy, World::new(Rates::Survey, 101, 1), 1);
            assert!(crawler.memories.iter().all(|memory| memory.first_seen.is_some()), "{policy:?}");
            assert!(crawler.memories.iter().all(|memory| memory.observations == 0), "{policy:?}");
        }
    }
}
