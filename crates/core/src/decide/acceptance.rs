//! Whether somebody can accept an unusual crawl: not once a later one saw the site otherwise, because what it found would
//! be told as if it were still so.

use jiff::Timestamp;

use crate::decide::opened_after;
use crate::model::crawl::{Closed, Crawl, Suspicion};
use crate::model::ids::CrawlId;

/// What accepting a crawl comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Acceptance {
    /// It is to be accepted.
    Due,
    /// It was accepted before.
    Already(Timestamp),
    /// A later crawl found the same and told it.
    Confirmed(CrawlId),
    /// It is to be accepted only by force, for this reason.
    Outdated(String),
    /// It cannot be accepted, for this reason.
    Refused(String),
}

/// Decides what accepting `crawl` comes to, given all crawls of its site in order of opening.
pub fn acceptance(crawl: &Crawl, crawls: &[Crawl]) -> Acceptance {
    let id = crawl.id;
    let Some(closed) = &crawl.closed else {
        return Acceptance::Refused(format!(
            "{id} is still open: whether it is unusual is known when it ends"
        ));
    };
    match &closed.suspicion {
        None => Acceptance::Refused(format!("{id} is not unusual: there is nothing to accept")),
        Some(Suspicion { accepted_at: Some(at), .. }) => Acceptance::Already(*at),
        Some(Suspicion { confirmed_by: Some(by), .. }) => Acceptance::Confirmed(*by),
        Some(_) => outdated(id, crawls).map_or(Acceptance::Due, Acceptance::Outdated),
    }
}

/// Returns the crawl that somebody means who names none, given the crawls of a site in order of opening: the newest that is
/// or was unusual. So accepting it again does nothing, and not something about an older one.
pub fn newest_unusual(crawls: &[Crawl]) -> Option<&Crawl> {
    let is_unusual = |crawl: &&Crawl| crawl.closed.as_ref().is_some_and(|closed| closed.suspicion.is_some());
    crawls.iter().rev().find(is_unusual)
}

/// Returns why an unusual crawl says nothing any more, if it does not.
fn outdated(id: CrawlId, crawls: &[Crawl]) -> Option<String> {
    let later = opened_after(crawls, id);
    let is_whole = |crawl: &&Crawl| crawl.closed.as_ref().is_some_and(Closed::is_whole);
    if let Some(whole) = later.iter().rev().find(is_whole) {
        return Some(format!(
            "{}, which is later and believed, saw the site otherwise: accepting {id} would tell of changes that are not \
             there any more",
            whole.id
        ));
    }
    let open = later.iter().find(|crawl| crawl.is_open())?;
    Some(format!(
        "{} is under way and looks at all of it again: when it ends, it is told in any case",
        open.id
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::retention::tests::crawls;

    /// What becomes of the unusual crawl before it is accepted.
    type Edit<'a> = &'a dyn Fn(&mut Crawl);

    #[test]
    fn a_crawl_is_accepted_once_and_not_after_a_later_one_saw_otherwise() {
        let accepted = |crawl: &mut Crawl| doubt(crawl).accepted_at = Some(Timestamp::UNIX_EPOCH);
        let confirmed =
            |crawl: &mut Crawl| doubt(crawl).confirmed_by = Some("crawl-1970-01-03".parse().unwrap());
        let untouched = |_: &mut Crawl| {};
        let cases: [(&str, Edit<'_>, &str); 10] = [
            ("cs", &untouched, "Due"),
            ("css", &untouched, "Due"),
            ("csp", &untouched, "Due"),
            ("csc", &untouched, "Outdated(\"crawl-1970-01-03, which is later and believed"),
            ("cscs", &untouched, "Outdated(\"crawl-1970-01-03, which is later and believed"),
            ("cso", &untouched, "Outdated(\"crawl-1970-01-03 is under way"),
            ("csc", &accepted, "Already(1970-01-01T00:00:00Z)"),
            ("csc", &confirmed, "Confirmed(CrawlId"),
            ("ccs", &untouched, "Refused(\"crawl-1970-01-02 is not unusual"),
            ("cos", &untouched, "Refused(\"crawl-1970-01-02 is still open"),
        ];
        for (kinds, decided, expected) in cases {
            let mut crawls = crawls(kinds);
            decided(&mut crawls[1]);
            let found = format!("{:?}", acceptance(&crawls[1], &crawls));
            assert!(found.starts_with(expected), "{kinds}: {found}, and not {expected}");
        }
    }

    #[test]
    fn who_names_none_means_the_newest_that_is_or_was_unusual() {
        for (kinds, expected) in
            [("", None), ("cc", None), ("csc", Some(2)), ("css", Some(3)), ("cso", Some(2))]
        {
            let mut crawls = crawls(kinds);
            let day = newest_unusual(&crawls).map(|crawl| crawl.id.day().day());
            assert_eq!(day, expected, "{kinds}");
            if let Some(day) = expected {
                let place = usize::try_from(day).unwrap() - 1;
                doubt(&mut crawls[place]).accepted_at = Some(Timestamp::UNIX_EPOCH);
                assert_eq!(newest_unusual(&crawls), Some(&crawls[place]), "{kinds}, accepted");
            }
        }
    }

    fn doubt(crawl: &mut Crawl) -> &mut Suspicion {
        crawl.closed.as_mut().and_then(|closed| closed.suspicion.as_mut()).unwrap()
    }
}
