//! Crawls and times as people give them, to choose a version by.

use std::str::FromStr;

use jiff::Timestamp;
use recrawl_core::decide::Order;
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::record::PageRecord;
use recrawl_core::versions::{Version, version_at, version_in};
use recrawl_reports::when::{Edge, NotATime, When};

use crate::output::day_and_time;

/// A crawl or a time: what a version is chosen by.
#[derive(Debug, Clone)]
pub(crate) enum Point {
    /// As after this crawl.
    Crawl(CrawlId),
    /// As at this time.
    Time(When),
}

impl Point {
    /// Returns the crawl, where one is named.
    pub(crate) const fn crawl(&self) -> Option<CrawlId> {
        match self {
            Self::Crawl(crawl) => Some(*crawl),
            Self::Time(_) => None,
        }
    }

    /// Returns the version that was current then, or the last one before it.
    pub(crate) fn version<'v, 'a>(
        &self,
        all: &'v [Version<'a>],
        order: &Order,
        now: Timestamp,
    ) -> Option<&'v Version<'a>> {
        match self {
            Self::Crawl(crawl) => version_in(all, *crawl, order),
            Self::Time(when) => version_at(all, when.moment(Edge::End, now)),
        }
    }

    /// Tells whether a version was seen then or later.
    pub(crate) fn is_not_after(&self, version: &Version<'_>, order: &Order, now: Timestamp) -> bool {
        match self {
            Self::Crawl(crawl) => order.place(*crawl) <= order.place(version.last.crawl),
            Self::Time(when) => when.moment(Edge::Start, now) <= version.last_seen(),
        }
    }

    /// Tells whether a version was seen then or earlier.
    pub(crate) fn is_not_before(&self, version: &Version<'_>, order: &Order, now: Timestamp) -> bool {
        match self {
            Self::Crawl(crawl) => order.place(version.first.crawl) <= order.place(*crawl),
            Self::Time(when) => version.first_seen() <= when.moment(Edge::End, now),
        }
    }

    /// Tells whether a visit took place then or earlier.
    pub(crate) fn includes(&self, visit: &PageRecord, order: &Order, now: Timestamp) -> bool {
        match self {
            Self::Crawl(crawl) => order.place(visit.crawl) <= order.place(*crawl),
            Self::Time(when) => visit.visit.fetched_at <= when.moment(Edge::End, now),
        }
    }

    /// Names the point for people.
    pub(crate) fn shown(&self, now: Timestamp) -> String {
        match self {
            Self::Crawl(crawl) => crawl.to_string(),
            Self::Time(when) => format!("{} (UTC)", day_and_time(when.moment(Edge::End, now))),
        }
    }
}

impl FromStr for Point {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.starts_with("crawl-") {
            return text
                .parse()
                .map(Self::Crawl)
                .map_err(|error: recrawl_core::model::ids::IdError| error.to_string());
        }
        let time = text.parse().map(Self::Time);
        time.map_err(|error: NotATime| format!("{error}, or the name of a crawl"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        let now: Timestamp = "2026-11-16T03:12:30Z".parse().unwrap();
        for (text, start, end) in [
            ("2026-11-09T01:02:03Z", "2026-11-09T01:02:03Z", "2026-11-09T01:02:03Z"),
            ("2026-11-09T01:02:03+02:00", "2026-11-08T23:02:03Z", "2026-11-08T23:02:03Z"),
            ("2026-11-09 01:02Z", "2026-11-09T01:02:00Z", "2026-11-09T01:02:00Z"),
            ("2026-11-09", "2026-11-09T00:00:00Z", "2026-11-09T23:59:59.999999999Z"),
            (" 3 weeks ago ", "2026-10-26T03:12:30Z", "2026-10-26T03:12:30Z"),
            ("1 month ago", "2026-10-16T03:12:30Z", "2026-10-16T03:12:30Z"),
            ("a week ago", "2026-11-09T03:12:30Z", "2026-11-09T03:12:30Z"),
            ("an hour ago", "2026-11-16T02:12:30Z", "2026-11-16T02:12:30Z"),
            ("2 days 3 hours ago", "2026-11-14T00:12:30Z", "2026-11-14T00:12:30Z"),
            ("yesterday", "2026-11-15T03:12:30Z", "2026-11-15T03:12:30Z"),
            ("now", "2026-11-16T03:12:30Z", "2026-11-16T03:12:30Z"),
        ] {
            let when: When = text.parse().expect(text);
            assert_eq!(when.moment(Edge::Start, now).to_string(), start, "{text}");
            assert_eq!(when.moment(Edge::End, now).to_string(), end, "{text}");
        }
    }

    #[test]
    fn what_is_not_a_time_is_refused() {
        for text in [
            "",
            "soon",
            "3 weeks",
            "ago",
            "weeks ago",
            "2026-11-31",
            "2026-11",
            "2026-11-09T01:02:03",
            "-3 weeks ago",
            "2026-11-09x",
        ] {
            assert_eq!(text.parse::<When>().unwrap_err(), NotATime, "{text}");
        }
    }

    #[test]
    fn the_beginning_of_the_calendar_is_long_enough_ago() {
        let when: When = "9000 years ago".parse().unwrap();
        assert!(when.moment(Edge::End, Timestamp::UNIX_EPOCH) < "-007000-01-01T00:00:00Z".parse().unwrap());
    }

    #[test]
    fn a_point_is_a_crawl_or_a_time() {
        assert!(matches!("crawl-2026-11-16-2".parse(), Ok(Point::Crawl(_))));
        assert!(matches!("2026-11-16".parse(), Ok(Point::Time(When::Day(_)))));
        assert!("crawl-7".parse::<Point>().unwrap_err().contains("crawl-YYYY-MM-DD"));
        assert!("often".parse::<Point>().unwrap_err().contains("name of a crawl"));
    }
}
