//! Which crawl a request to crawl a site joins or opens, and how a new crawl is named.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::model::crawl::{Crawl, CrawlKind, Mode};
use crate::model::ids::{CrawlId, SiteId};

/// What a wish to crawl a site comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Opening {
    /// The site has an open crawl; the wish joins it.
    Join(Crawl),
    /// This crawl is to be opened.
    Open(Crawl),
    /// The same message opened a crawl before, which has ended since; nothing is to be done.
    Done(Crawl),
}

/// Decides what a wish at `now` for a crawl of `site` of this `kind` comes to, given its crawls in order of opening.
///
/// `message` is the id of the message that carries the wish, where there is one: a redelivery joins
/// the crawl that it opened the first time.
pub fn opening(
    crawls: &[Crawl],
    site: &SiteId,
    kind: CrawlKind,
    mode: Mode,
    message: Option<&str>,
    now: Timestamp,
) -> Opening {
    if let Some(crawl) = crawls.iter().find(|crawl| crawl.is_open()) {
        return Opening::Join(crawl.clone());
    }
    let repeated = message.and_then(|id| crawls.iter().find(|crawl| crawl.opened_by.as_deref() == Some(id)));
    if let Some(crawl) = repeated {
        return Opening::Done(crawl.clone());
    }
    let today = CrawlId::first_of(now.to_zoned(TimeZone::UTC).date());
    let of_today = crawls.iter().map(|crawl| crawl.id).filter(|id| id.day() == today.day());
    let latest_today = of_today.max_by_key(|id| id.ordinal());
    Opening::Open(Crawl {
        site: site.clone(),
        id: latest_today.map_or(today, CrawlId::following),
        opened_at: now,
        mode,
        kind,
        opened_by: message.map(str::to_owned),
        closed: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::crawl::{Closed, Ending};
    use crate::model::statistics::Statistics;

    fn crawl(id: &str, ending: Option<Ending>) -> Crawl {
        let at = Timestamp::UNIX_EPOCH;
        let statistics = Statistics::default();
        Crawl {
            site: "example".parse().unwrap(),
            id: id.parse().unwrap(),
            opened_at: at,
            mode: Mode::Incremental,
            kind: CrawlKind::Full,
            opened_by: Some(format!("message of {id}")),
            closed: ending.map(|ending| Closed { at, ending, suspicion: None, state: None, statistics }),
        }
    }

    fn opened(crawls: &[Crawl], message: Option<&str>) -> Opening {
        let now = "2026-11-16T23:59:59Z".parse().unwrap();
        opening(crawls, &"example".parse().unwrap(), CrawlKind::Full, Mode::Incremental, message, now)
    }

    #[test]
    fn a_crawl_is_named_by_its_day_and_a_second_one_is_numbered() {
        let complete = || Some(Ending::Complete);
        let cases = [
            (vec![], "crawl-2026-11-16"),
            (vec![crawl("crawl-2026-11-09", complete())], "crawl-2026-11-16"),
            (vec![crawl("crawl-2026-11-16", complete())], "crawl-2026-11-16-2"),
            (
                vec![crawl("crawl-2026-11-16", complete()), crawl("crawl-2026-11-16-2", complete())],
                "crawl-2026-11-16-3",
            ),
            // The clock was wrong once.
            (vec![crawl("crawl-2030-01-01", complete())], "crawl-2026-11-16"),
            (
                vec![crawl("crawl-2026-11-16-10", complete()), crawl("crawl-2026-11-16-9", complete())],
                "crawl-2026-11-16-11",
            ),
        ];
        for (crawls, expected) in cases {
            let Opening::Open(crawl) = opened(&crawls, None) else { panic!("opens {expected}") };
            assert_eq!(crawl.id.to_string(), expected);
        }
    }

    #[test]
    fn an_open_crawl_is_joined_also_after_midnight() {
        let open = crawl("crawl-2026-11-15", None);
        assert_eq!(opened(std::slice::from_ref(&open), Some("another message")), Opening::Join(open));
    }

    #[test]
    fn a_redelivered_opening_message_opens_nothing_new() {
        let closed = crawl("crawl-2026-11-16", Some(Ending::Complete));
        let outcome = opened(std::slice::from_ref(&closed), Some("message of crawl-2026-11-16"));
        assert_eq!(outcome, Opening::Done(closed));
    }
}
