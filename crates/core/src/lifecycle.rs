//! Opening, auditing and closing a crawl: decisions over what is stored.

mod announcing;
mod audit;
mod first;
mod guard;
mod keeping;
mod notes;
mod order;
mod patience;

use jiff::Timestamp;
use jiff::tz::TimeZone;

pub use self::announcing::{AnnouncingError, announce};
pub use self::audit::{Audit, AuditError, audit, audit_memory, figures};
pub use self::first::{is_first_crawl, told_singly};
pub use self::guard::suspicion;
pub use self::keeping::{Keep, deletable, forgotten};
pub use self::notes::forget_notes;
pub use self::order::{CrawlPosition, Order, dated_ahead, opened_after, opened_before};
pub use self::patience::{Audited, Conclusion, Patience, finish, is_audit_due};
use crate::model::crawl::{Closed, Crawl, Mode};
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

/// Decides what a wish at `now` to crawl `site` comes to, given its crawls in order of opening.
///
/// `message` is the id of the message that carries the wish, where there is one: a redelivery joins
/// the crawl that it opened the first time.
pub fn opening(
    crawls: &[Crawl],
    site: &SiteId,
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
        opened_by: message.map(str::to_owned),
        closed: None,
    })
}

/// Returns those of `crawls`, given in order of opening, that together saw every page known after them, newest first:
/// partial ones, back to the last that was whole. Suspect ones count for nothing.
pub fn baseline(crawls: &[Crawl]) -> Vec<CrawlId> {
    let mut baseline = Vec::new();
    for earlier in crawls.iter().rev().filter(|earlier| earlier.is_trusted()) {
        baseline.push(earlier.id);
        if earlier.closed.as_ref().is_some_and(Closed::is_whole) {
            break;
        }
    }
    baseline
}

/// Returns the newest closed one of a site's crawls, given in order of opening, if it is left out because it is suspect.
pub fn left_out(crawls: &[Crawl]) -> Option<&Crawl> {
    crawls.iter().rev().find(|crawl| !crawl.is_open()).filter(|crawl| !crawl.is_trusted())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::crawl::{Ending, Suspicion};
    use crate::model::statistics::Statistics;

    fn crawl(id: &str, ending: Option<Ending>) -> Crawl {
        let at = Timestamp::UNIX_EPOCH;
        let statistics = Statistics::default();
        Crawl {
            site: "example".parse().unwrap(),
            id: id.parse().unwrap(),
            opened_at: at,
            mode: Mode::Incremental,
            opened_by: Some(format!("message of {id}")),
            closed: ending.map(|ending| Closed { at, ending, suspicion: None, statistics }),
        }
    }

    fn opened(crawls: &[Crawl], message: Option<&str>) -> Opening {
        let now = "2026-11-16T23:59:59Z".parse().unwrap();
        opening(crawls, &"example".parse().unwrap(), Mode::Incremental, message, now)
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

    #[test]
    fn a_partial_crawl_is_not_compared_as_if_it_were_whole() {
        let partial = || Some(Ending::Partial("stopped".to_owned()));
        let crawls = [
            crawl("crawl-2026-11-01", Some(Ending::Complete)),
            crawl("crawl-2026-11-02", Some(Ending::Complete)),
            crawl("crawl-2026-11-03", partial()),
            crawl("crawl-2026-11-04", partial()),
            crawl("crawl-2026-11-05", None),
        ];
        let names: Vec<String> =
            baseline(opened_before(&crawls, crawls[4].id)).iter().map(ToString::to_string).collect();
        assert_eq!(names, ["crawl-2026-11-04", "crawl-2026-11-03", "crawl-2026-11-02"]);
        assert_eq!(baseline(opened_before(&crawls, crawls[0].id)), []);
    }

    #[test]
    fn a_suspect_crawl_is_compared_with_once_somebody_accepted_it() {
        let mut suspect = crawl("crawl-2026-11-02", Some(Ending::Complete));
        let doubt = |accepted_at| Some(Suspicion { reason: "much is gone".to_owned(), accepted_at });
        let names = |suspect: &Crawl| -> Vec<String> {
            let crawls = [crawl("crawl-2026-11-01", Some(Ending::Complete)), suspect.clone()];
            baseline(&crawls).iter().map(ToString::to_string).collect()
        };
        suspect.closed.as_mut().unwrap().suspicion = doubt(None);
        assert_eq!(names(&suspect), ["crawl-2026-11-01"]);
        suspect.closed.as_mut().unwrap().suspicion = doubt(Some(Timestamp::UNIX_EPOCH));
        assert_eq!(names(&suspect), ["crawl-2026-11-02"]);
    }

    #[test]
    fn the_newest_closed_crawl_is_left_out_while_it_is_suspect() {
        let whole = || crawl("crawl-2026-11-01", Some(Ending::Complete));
        let mut suspect = crawl("crawl-2026-11-02", Some(Ending::Complete));
        let doubt = Suspicion { reason: "much is gone".to_owned(), accepted_at: None };
        suspect.closed.as_mut().unwrap().suspicion = Some(doubt);
        let open = || crawl("crawl-2026-11-03", None);
        for (crawls, expected) in [
            (vec![], None),
            (vec![whole(), open()], None),
            (vec![suspect.clone(), whole()], None),
            (vec![whole(), suspect.clone()], Some(suspect.id)),
            (vec![whole(), suspect.clone(), open()], Some(suspect.id)),
        ] {
            assert_eq!(left_out(&crawls).map(|crawl| crawl.id), expected);
        }
    }
}
