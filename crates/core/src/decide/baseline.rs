//! Which earlier crawls a crawl is compared with (its baseline), and which one is left out.

use crate::model::crawl::{Closed, Crawl};
use crate::model::ids::CrawlId;

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
    use jiff::Timestamp;

    use super::*;
    use crate::decide::opened_before;
    use crate::model::crawl::{CrawlKind, Ending, Mode, Suspicion};
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
        let doubt =
            |accepted_at| Some(Suspicion { accepted_at, ..Suspicion::new("much is gone".to_owned()) });
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
        let doubt = Suspicion::new("much is gone".to_owned());
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
