//! Crawls that take too long, or do not come: what somebody should look at.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::model::crawl::{Crawl, CrawlKind, Site};

/// Tells whether an open crawl should have been closed by now.
pub fn is_overlong(crawl: &Crawl, limit: Duration, now: Timestamp) -> bool {
    crawl.closed.is_none() && is_over(crawl.opened_at, limit, now)
}

/// Returns since when a site waits for a crawl, where it should have had one by now. Crawls of pages that were due do not
/// count.
pub fn overdue_since(site: &Site, crawls: &[Crawl], limit: Duration, now: Timestamp) -> Option<Timestamp> {
    let whole = crawls.iter().filter(|crawl| crawl.kind == CrawlKind::Full);
    let last = whole.map(|crawl| crawl.opened_at).max().unwrap_or(site.created_at);
    is_over(last, limit, now).then_some(last)
}

fn is_over(since: Timestamp, limit: Duration, now: Timestamp) -> bool {
    SignedDuration::try_from(limit).is_ok_and(|limit| now.duration_since(since) >= limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::crawl::{Closed, Ending};
    use crate::model::scope::ScopeSettings;
    use crate::model::statistics::Statistics;

    fn at(time: &str) -> Timestamp {
        time.parse().unwrap()
    }

    fn crawl(day: &str, kind: CrawlKind) -> Crawl {
        let id = format!("crawl-{day}").parse().unwrap();
        Crawl { kind, ..Crawl::new("default".parse().unwrap(), id, at(&format!("{day}T03:00:00Z"))) }
    }

    #[test]
    fn a_crawl_is_overlong_after_its_time_while_it_is_open() {
        let day = Duration::from_hours(24);
        let open = crawl("2026-11-16", CrawlKind::Full);
        for (now, expected) in [
            ("2026-11-16T02:00:00Z", false),
            ("2026-11-17T02:59:59Z", false),
            ("2026-11-17T03:00:00Z", true),
            ("2026-12-16T03:00:00Z", true),
        ] {
            assert_eq!(is_overlong(&open, day, at(now)), expected, "{now}");
        }
        assert!(!is_overlong(&open, Duration::MAX, at("2036-11-16T03:00:00Z")));
        let ending = Ending::Complete;
        let statistics = Statistics::default();
        let closed =
            Closed { at: at("2026-11-16T04:00:00Z"), ending, suspicion: None, state: None, statistics };
        let closed = Crawl { closed: Some(closed), ..open };
        assert!(!is_overlong(&closed, day, at("2026-12-16T03:00:00Z")));
    }

    #[test]
    fn a_site_is_overdue_since_its_last_crawl_or_since_it_is_there() {
        let site = Site {
            id: "default".parse().unwrap(),
            root: "https://example.org/".parse().unwrap(),
            scope: ScopeSettings::default(),
            created_at: at("2026-11-01T00:00:00Z"),
        };
        let whole = || crawl("2026-11-16", CrawlKind::Full);
        let due = || crawl("2026-11-20", CrawlKind::Due);
        for (crawls, now, expected) in [
            (vec![], "2026-11-08T23:59:59Z", None),
            (vec![], "2026-11-09T00:00:00Z", Some("2026-11-01T00:00:00Z")),
            (vec![whole()], "2026-11-24T02:59:59Z", None),
            (vec![whole()], "2026-11-24T03:00:00Z", Some("2026-11-16T03:00:00Z")),
            (vec![whole(), due()], "2026-11-24T03:00:00Z", Some("2026-11-16T03:00:00Z")),
            (vec![due()], "2026-11-24T03:00:00Z", Some("2026-11-01T00:00:00Z")),
            (vec![crawl("2026-11-09", CrawlKind::Full), whole()], "2026-11-23T00:00:00Z", None),
        ] {
            let found = overdue_since(&site, &crawls, Duration::from_hours(8 * 24), at(now));
            assert_eq!(found, expected.map(at), "{} crawls at {now}", crawls.len());
        }
    }
}
