//! Since when and until when: which crawls of a site are in a window.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::ids::CrawlId;

/// Where a window begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// With the crawls that ended, or were accepted, then or later.
    Time(Timestamp),
    /// With this crawl; on a site that has none of this name, with its day.
    Crawl(CrawlId),
}

/// Where a window ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// With the crawls that ended then or before.
    Time(Timestamp),
    /// With this crawl; on a site that has none of this name, with its day.
    Crawl(CrawlId),
}

/// Since when, and until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Its beginning.
    pub since: Since,
    /// Its end; now unless given.
    pub until: Option<Until>,
}

impl Bounds {
    /// Returns the window from then until now.
    pub const fn since(since: Since) -> Self {
        Self { since, until: None }
    }

    /// Returns the window of one crawl.
    pub const fn of_crawl(crawl: CrawlId) -> Self {
        Self { since: Since::Crawl(crawl), until: Some(Until::Crawl(crawl)) }
    }

    /// Returns those of a site's crawls, given in order of opening, that are in the window, in that order.
    ///
    /// A crawl counts by its end, because only then is it known what it found: who looked while it was under way sees it
    /// in the next window. One that was accepted later counts as of then, too. Later crawls come after earlier ones,
    /// whatever their times say.
    pub fn crawls<'a>(&self, crawls: &'a [Crawl]) -> Vec<&'a Crawl> {
        let named = |id: CrawlId| crawls.iter().position(|crawl| crawl.id == id);
        let (start, since) = match self.since {
            Since::Time(time) => (None, time),
            Since::Crawl(id) => (named(id), edge_of(id, false)),
        };
        let start = start.or_else(|| crawls.iter().position(|crawl| told_at(crawl) >= since));
        let start = start.unwrap_or(crawls.len());
        let end = match self.until {
            None => Some(crawls.len()),
            Some(Until::Time(time)) => end_at(crawls, time),
            Some(Until::Crawl(id)) => {
                named(id).map(|place| place + 1).or_else(|| end_at(crawls, edge_of(id, true)))
            }
        };
        let end = end.unwrap_or(0);
        let is_accepted_within = |crawl: &Crawl| {
            let suspicion = crawl.closed.as_ref().and_then(|closed| closed.suspicion.as_ref());
            let accepted = suspicion.and_then(|suspicion| suspicion.accepted_at);
            matches!(self.since, Since::Time(time) if accepted.is_some_and(|accepted| accepted >= time))
        };
        let all = crawls.iter().enumerate();
        let within =
            all.filter(|(place, crawl)| *place < end && (*place >= start || is_accepted_within(crawl)));
        within.map(|(_, crawl)| crawl).collect()
    }
}

/// Returns when it was known what a crawl found; of one that is open, when it was opened.
fn told_at(crawl: &Crawl) -> Timestamp {
    crawl.closed.as_ref().map_or(crawl.opened_at, |closed| closed.at)
}

fn end_at(crawls: &[Crawl], time: Timestamp) -> Option<usize> {
    crawls.iter().rposition(|crawl| told_at(crawl) <= time).map(|place| place + 1)
}

/// Returns the beginning of the day that a crawl is named after, or its end.
fn edge_of(crawl: CrawlId, is_end: bool) -> Timestamp {
    let day = if is_end { crawl.day().tomorrow().unwrap_or(crawl.day()) } else { crawl.day() };
    let fallback = if is_end { Timestamp::MAX } else { Timestamp::MIN };
    day.to_zoned(TimeZone::UTC).map_or(fallback, |start| start.timestamp())
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::crawl::{Closed, Ending, Suspicion};
    use recrawl_core::model::statistics::Statistics;

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    /// Crawls of the mornings of these days of November: `o` is open, `l` was closed on the next day, `a` was accepted on
    /// the 20th.
    fn crawls(days: &str) -> Vec<Crawl> {
        let crawl = |word: &str| {
            let day: u32 = word[..2].parse().unwrap();
            let opened_at = at(&format!("2026-11-{day:02}T06:00:00Z"));
            let next = u32::from(word.ends_with('l'));
            let closed_at = at(&format!("2026-11-{:02}T07:00:00Z", day + next));
            let accepted_at = word.ends_with('a').then(|| at("2026-11-20T12:00:00Z"));
            let suspicion = accepted_at.map(|_| Suspicion { accepted_at, ..Suspicion::new("x".to_owned()) });
            let closed = (!word.ends_with('o')).then_some(Closed {
                at: closed_at,
                ending: Ending::Complete,
                suspicion,
                state: None,
                statistics: Statistics::default(),
            });
            let id = CrawlId::first_of(jiff::civil::date(2026, 11, i8::try_from(day).unwrap()));
            Crawl { closed, ..Crawl::new("a".parse().unwrap(), id, opened_at) }
        };
        days.split_whitespace().map(crawl).collect()
    }

    #[test]
    fn a_window_has_the_crawls_that_ended_in_it() {
        let time = |text: &str| Since::Time(at(text));
        let crawl = |text: &str| text.parse::<CrawlId>().unwrap();
        let until = |text: &str| Some(Until::Time(at(text)));
        let named = |text: &str| Some(Until::Crawl(crawl(text)));
        for (days, since, until, expected) in [
            ("02 09 16", time("2026-11-03T00:00:00Z"), None, vec![9, 16]),
            ("02 09 16", time("2026-11-01T00:00:00Z"), until("2026-11-09T23:59:59Z"), vec![2, 9]),
            ("02 09 16", time("2026-11-17T00:00:00Z"), None, vec![]),
            ("02 09 16", time("2026-11-03T00:00:00Z"), until("2026-11-04T00:00:00Z"), vec![]),
            // Somebody looked while it was under way.
            ("02 09l 16", time("2026-11-09T06:30:00Z"), None, vec![9, 16]),
            ("02 09 16o", time("2026-11-03T00:00:00Z"), None, vec![9, 16]),
            ("02 09 16", Since::Crawl(crawl("crawl-2026-11-09")), None, vec![9, 16]),
            ("02 09 16", Since::Crawl(crawl("crawl-2026-11-02")), named("crawl-2026-11-09"), vec![2, 9]),
            ("02 09 16", Since::Crawl(crawl("crawl-2026-11-09")), named("crawl-2026-11-02"), vec![]),
            // Another site has a crawl of that name.
            ("02 08 16", Since::Crawl(crawl("crawl-2026-11-09")), named("crawl-2026-11-16"), vec![16]),
            ("02 09 15", Since::Crawl(crawl("crawl-2026-11-09")), named("crawl-2026-11-16"), vec![9, 15]),
            // The clock was ahead once.
            ("02 28 09 16", time("2026-11-20T00:00:00Z"), None, vec![28, 9, 16]),
            // It was accepted in the window.
            ("02 09a 16", time("2026-11-17T00:00:00Z"), None, vec![9]),
            ("02 09a 16", time("2026-11-10T00:00:00Z"), None, vec![9, 16]),
            ("02 09a 16", time("2026-11-21T00:00:00Z"), None, vec![]),
        ] {
            let crawls = crawls(days);
            let within = Bounds { since, until }.crawls(&crawls);
            let found: Vec<i8> = within.iter().map(|crawl| crawl.id.day().day()).collect();
            assert_eq!(found, expected, "{days}, {since:?}, {until:?}");
        }
        let found = Bounds::of_crawl(crawl("crawl-2026-11-09"));
        assert_eq!(found.crawls(&crawls("02 09 16")).len(), 1);
    }
}
