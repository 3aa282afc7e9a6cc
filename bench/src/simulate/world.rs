//! Sites whose pages change at random moments.

use serde::Serialize;

use crate::site::Random;

/// How the rates of change of a site's pages are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Rates {
    /// A log-normal distribution: most pages quiet, few very lively.
    LogNormal,
    /// The classes that Cho and Garcia-Molina found on 720,000 pages of 270 sites in 1999.
    Survey,
}

impl Rates {
    /// Returns the name that a table shows.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::LogNormal => "log-normal",
            Self::Survey => "survey",
        }
    }

    /// Returns the distribution in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::LogNormal => {
                "log-normal rates, half of the pages change less than once in 60 days, 2 % more than once a day"
            }
            Self::Survey => "rates of the survey, 23 % of the pages change more than once a day",
        }
    }

    /// Returns the changes a day of some page.
    fn draw(self, random: &mut Random) -> f64 {
        match self {
            Self::LogNormal => (2.0 * normal(random)).exp() / 60.0,
            Self::Survey => {
                // Shares of pages, up to this one, by the longest and the shortest mean interval in days.
                let classes = [
                    (0.23, 1.0, 1.0 / 24.0),
                    (0.38, 7.0, 1.0),
                    (0.54, 30.0, 7.0),
                    (0.70, 120.0, 30.0),
                    (1.00, 1_000.0, 120.0_f64),
                ];
                let place = fraction(random);
                let class = classes.iter().find(|(up_to, ..)| place < *up_to).unwrap_or(&classes[4]);
                let (_, longest, shortest) = *class;
                1.0 / (shortest * (longest / shortest).powf(fraction(random)))
            }
        }
    }
}

/// A site; time is in days from its beginning.
pub(crate) struct World {
    pages: Vec<Page>,
}

struct Page {
    rate: f64,
    next_change: f64,
    random: Random,
}

impl World {
    /// Makes a site that is the same, change for change, whoever visits it.
    pub(crate) fn new(rates: Rates, pages: u32, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let page = |_| {
            let rate = rates.draw(&mut random);
            let mut random = Random::new(random.next());
            Page { rate, next_change: pause(&mut random, rate), random }
        };
        Self { pages: (0..pages).map(page).collect() }
    }

    /// Returns the number of pages.
    pub(crate) fn size(&self) -> u32 {
        u32::try_from(self.pages.len()).expect("a site is made with a u32 of pages")
    }

    /// Returns the true changes a day of every page.
    pub(crate) fn rates(&self) -> Vec<f64> {
        self.pages.iter().map(|page| page.rate).collect()
    }

    /// Returns when the page first changed after the last visit, or will change.
    pub(crate) fn next_change(&self, page: u32) -> f64 {
        self.pages[page as usize].next_change
    }

    /// Visits a page at `now`; no visit of it may be earlier than the last one.
    pub(crate) fn visit(&mut self, page: u32, now: f64) {
        let Page { rate, next_change, random } = &mut self.pages[page as usize];
        while *next_change <= now {
            *next_change += pause(random, *rate);
        }
    }
}

/// Draws the time to the next change: exponential, as for changes that know nothing of each other.
fn pause(random: &mut Random, rate: f64) -> f64 {
    -fraction(random).ln() / rate
}

/// Draws from the normal distribution by the method of Box and Muller.
fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * fraction(random).ln()).sqrt();
    radius * (std::f64::consts::TAU * fraction(random)).cos()
}

/// Draws a number between 0 and 1, neither of them included.
#[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
fn fraction(random: &mut Random) -> f64 {
    ((random.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_distributed_as_the_words_say() {
        for (rates, limit, expected) in [
            (Rates::LogNormal, 1.0 / 60.0, 0.5),
            (Rates::LogNormal, 1.0, 0.98),
            (Rates::Survey, 1.0, 0.77),
            (Rates::Survey, 1.0 / 120.0, 0.30),
        ] {
            let world = World::new(rates, 20_000, 7);
            let below = world.rates().iter().filter(|&&rate| rate < limit).count();
            let share = f64::from(u32::try_from(below).unwrap()) / 20_000.0;
            assert!((share - expected).abs() < 0.01, "{rates:?}: {share} below {limit}");
        }
    }

    #[test]
    fn a_page_changes_as_often_as_its_rate_says() {
        let mut world = World::new(Rates::Survey, 200, 3);
        let (mut seen, mut expected) = (0.0, 0.0);
        for page in 0..world.size() {
            let rate = world.rates()[page as usize];
            expected += 100.0 * rate;
            while world.next_change(page) <= 100.0 {
                world.visit(page, world.next_change(page));
                seen += 1.0;
            }
        }
        assert!((seen / expected - 1.0_f64).abs() < 0.02, "{seen} changes, {expected} expected");
    }

    #[test]
    fn changes_do_not_depend_on_visits() {
        let changes_after_a_month = |visits: &[f64]| {
            let mut world = World::new(Rates::Survey, 50, 5);
            for page in 0..50 {
                for &visit in visits {
                    world.visit(page, visit);
                }
                world.visit(page, 30.0);
            }
            (0..50).map(|page| world.next_change(page).to_bits()).collect::<Vec<u64>>()
        };
        assert_eq!(changes_after_a_month(&[]), changes_after_a_month(&[0.1, 7.0, 7.0, 29.0]));
    }
}
