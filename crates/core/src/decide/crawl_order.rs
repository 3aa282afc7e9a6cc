//! The order of a site's crawls.

use jiff::{SignedDuration, Timestamp};

use crate::model::crawl::Crawl;
use crate::model::ids::CrawlId;

/// How far the clocks of two machines differ without anybody noticing.
const TOLERANCE: SignedDuration = SignedDuration::from_hours(1);

/// The order in which the crawls of a site were opened. Their names say nothing about it: clocks may be wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Order(Vec<CrawlId>);

/// Where a crawl stands among those of its site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CrawlPosition(usize);

impl Order {
    /// Takes the crawls of a site in order of opening, as [`Store::crawls`](crate::ports::Store::crawls) returns them.
    pub fn of(crawls: &[Crawl]) -> Self {
        crawls.iter().map(|crawl| crawl.id).collect()
    }

    /// Returns where a crawl stands. One that is not there, because it was forgotten or never was, stands after the
    /// last one whose name lies before its own.
    pub fn place(&self, crawl: CrawlId) -> CrawlPosition {
        let day = |id: CrawlId| (id.day(), id.ordinal());
        let after = || self.0.iter().rposition(|other| day(*other) < day(crawl)).map_or(0, |place| place + 1);
        let found = self.0.iter().position(|other| *other == crawl);
        CrawlPosition(found.map_or_else(|| 2 * after(), |place| 2 * place + 1))
    }
}

impl FromIterator<CrawlId> for Order {
    fn from_iter<I: IntoIterator<Item = CrawlId>>(in_order: I) -> Self {
        Self(in_order.into_iter().collect())
    }
}

/// Returns those of a site's crawls, given in order of opening, that were opened before `crawl`: all, if it is not
/// among them.
pub fn opened_before(crawls: &[Crawl], crawl: CrawlId) -> &[Crawl] {
    let place = crawls.iter().position(|other| other.id == crawl);
    &crawls[..place.unwrap_or(crawls.len())]
}

/// Returns those of a site's crawls, given in order of opening, that were opened after `crawl`: none, if it is not
/// among them.
pub fn opened_after(crawls: &[Crawl], crawl: CrawlId) -> &[Crawl] {
    let place = crawls.iter().position(|other| other.id == crawl);
    place.map_or(&[], |place| &crawls[place + 1..])
}

/// Returns what is to be said where the latest crawl of a site was opened at a time that lies ahead of `now`.
pub fn dated_ahead(latest_opened_at: Timestamp, now: Timestamp) -> Option<String> {
    if latest_opened_at.duration_since(now) <= TOLERANCE {
        return None;
    }
    let date = latest_opened_at.strftime("%Y-%m-%d");
    Some(format!(
        "The latest crawl is dated {date}, ahead of this machine's clock ({}): one of the two clocks is wrong. Crawls \
         are kept in the order in which they were opened, so the next one follows it all the same",
        now.strftime("%Y-%m-%d")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::crawl::{CrawlKind, Mode};

    fn crawls(names: &[&str]) -> Vec<Crawl> {
        let crawl = |name: &&str| Crawl {
            site: "example".parse().unwrap(),
            id: name.parse().unwrap(),
            opened_at: format!("{}T03:00:00Z", &name["crawl-".len()..][..10]).parse().unwrap(),
            mode: Mode::Incremental,
            kind: CrawlKind::Full,
            opened_by: None,
            closed: None,
        };
        names.iter().map(crawl).collect()
    }

    fn names(crawls: &[Crawl]) -> Vec<String> {
        crawls.iter().map(|crawl| crawl.id.to_string()).collect()
    }

    #[test]
    fn crawls_stand_in_order_of_opening_whatever_their_names_say() {
        let opened = ["crawl-2026-11-02", "crawl-2030-01-01", "crawl-2026-11-09", "crawl-2026-11-09-2"];
        let order = Order::of(&crawls(&opened));
        let places = opened.map(|name| order.place(name.parse().unwrap()));
        assert!(places.is_sorted());
        let forgotten = order.place("crawl-2026-11-08".parse().unwrap());
        assert!(places[0] < forgotten && forgotten < places[1], "{forgotten:?} in {places:?}");
        let earliest = order.place("crawl-2020-01-01".parse().unwrap());
        assert!(earliest < places[0]);
    }

    #[test]
    fn what_was_opened_before_and_after_is_told_by_place() {
        let all = crawls(&["crawl-2026-11-02", "crawl-2030-01-01", "crawl-2026-11-09"]);
        assert_eq!(names(opened_before(&all, all[2].id)), ["crawl-2026-11-02", "crawl-2030-01-01"]);
        assert_eq!(names(opened_after(&all, all[1].id)), ["crawl-2026-11-09"]);
        let absent = "crawl-2026-11-03".parse().unwrap();
        assert_eq!(opened_before(&all, absent).len(), 3);
        assert_eq!(opened_after(&all, absent), []);
    }

    #[test]
    fn a_latest_crawl_ahead_of_the_clock_is_told() {
        let now: Timestamp = "2026-11-16T02:30:00Z".parse().unwrap();
        let said = |opened: &str| dated_ahead(opened.parse().unwrap(), now);
        for (opened, told) in [
            ("2026-11-09T03:00:00Z", false),
            ("2026-11-16T03:30:00Z", false),
            ("2026-11-16T03:30:01Z", true),
            ("2030-01-01T03:00:00Z", true),
        ] {
            assert_eq!(said(opened).is_some(), told, "{opened}");
        }
        let said = said("2030-01-01T03:00:00Z").unwrap();
        assert!(
            said.starts_with("The latest crawl is dated 2030-01-01, ahead of this machine's clock"),
            "{said}"
        );
    }
}
