//! The versions of a page: stretches of visits that found the same, and the failures between them.

use jiff::Timestamp;

use crate::decide::Order;
use crate::model::crawl::Crawl;
use crate::model::ids::CrawlId;
use crate::model::record::{PageRecord, Presence};
use crate::model::verdict::{Sight, Verdict};

/// A stretch of visits of one page that found the same meaning, or the same redirect.
#[derive(Debug, Clone, PartialEq)]
pub struct Version<'a> {
    /// Its number among the versions of the page, counted from 1.
    pub number: usize,
    /// The visit that found it first.
    pub first: &'a PageRecord,
    /// The last visit that found it.
    pub last: &'a PageRecord,
    /// How many visits found it.
    pub visits: usize,
    /// The visit that found the page gone, where that ended the version.
    pub gone: Option<&'a PageRecord>,
}

impl Version<'_> {
    /// Returns when the version was first seen.
    pub fn first_seen(&self) -> Timestamp {
        self.first.visit.fetched_at
    }

    /// Returns when the version was last seen.
    pub fn last_seen(&self) -> Timestamp {
        self.last.visit.fetched_at
    }

    /// Returns when the page was found gone, if that ended the version.
    pub fn gone_at(&self) -> Option<Timestamp> {
        self.gone.map(|record| record.visit.fetched_at)
    }
}

/// The failed visits between two versions of a page, or after the last: one at most, however many there were.
#[derive(Debug, Clone, PartialEq)]
pub struct Failures<'a> {
    /// The number of the version that they follow; 0 where there was none yet.
    pub after: usize,
    /// The first of them.
    pub first: &'a PageRecord,
    /// The last of them.
    pub last: &'a PageRecord,
    /// How many there were.
    pub visits: usize,
    /// The first of those in a row that nothing has ended yet, and how many they are.
    pub since: Option<(&'a PageRecord, usize)>,
}

/// Returns those of `visits` that count: the ones of crawls that are trusted ([`Crawl::is_trusted`]), and the rest.
pub fn by_trust(visits: Vec<PageRecord>, crawls: &[Crawl]) -> (Vec<PageRecord>, Vec<PageRecord>) {
    let doubted: Vec<CrawlId> =
        crawls.iter().filter(|crawl| !crawl.is_trusted()).map(|crawl| crawl.id).collect();
    visits.into_iter().partition(|visit| !doubted.contains(&visit.crawl))
}

/// Folds the failed visits of one page, in order of their crawls, into one stretch a version.
pub fn failures(visits: &[PageRecord]) -> Vec<Failures<'_>> {
    let versions = versions(visits);
    let mut failures: Vec<Failures<'_>> = Vec::new();
    let mut after = 0;
    for visit in visits {
        if versions.get(after).is_some_and(|next| next.first.crawl == visit.crawl) {
            after += 1;
        }
        let current = failures.last_mut().filter(|failures| failures.after == after);
        match (visit.visit.verdict.sight(), current) {
            (Sight::There | Sight::Absent, _) => end(&mut failures),
            // What was passed over tells nothing, not even that the trouble is over.
            (Sight::Nothing, _) if visit.visit.verdict == Verdict::Excluded => {}
            (Sight::Nothing, Some(current)) => {
                let (first, row) = current.since.unwrap_or((visit, 0));
                current.since = Some((first, row + 1));
                current.last = visit;
                current.visits += 1;
            }
            (Sight::Nothing, None) => {
                end(&mut failures);
                failures.push(Failures {
                    after,
                    first: visit,
                    last: visit,
                    visits: 1,
                    since: Some((visit, 1)),
                });
            }
        }
    }
    failures
}

fn end(failures: &mut [Failures<'_>]) {
    if let Some(last) = failures.last_mut() {
        last.since = None;
    }
}

/// Folds all visits of one page, in order of their crawls, into versions.
///
/// What comes back after something else is a version of its own. A visit without evidence neither
/// begins nor ends one. Bytes or rules that changed without a change of meaning end none either, unless each visit is to
/// be a version (setting `full-history`).
pub fn versions(visits: &[PageRecord]) -> Vec<Version<'_>> {
    let mut versions: Vec<Version<'_>> = Vec::new();
    for visit in visits {
        let number = versions.len() + 1;
        let begun = Version { number, first: visit, last: visit, visits: 1, gone: None };
        let current = versions.last_mut().filter(|version| version.gone.is_none());
        match visit.visit.verdict.sight() {
            Sight::There if visit.visit.verdict.change().is_some() || is_kept_by_itself(visit) => {
                versions.push(begun);
            }
            Sight::There => match current {
                Some(version) => {
                    version.last = visit;
                    version.visits += 1;
                }
                None => versions.push(begun),
            },
            Sight::Absent => {
                if let Some(version) = current {
                    version.gone = Some(visit);
                }
            }
            Sight::Nothing => {}
        }
    }
    versions
}

/// Tells whether a visit brought a body of a kind of which each is a version.
fn is_kept_by_itself(record: &PageRecord) -> bool {
    let PageRecord { visit, known, .. } = record;
    let is_of_each_visit = known.content.as_ref().is_some_and(|content| content.rules.is_of_each_visit());
    is_of_each_visit && visit.requests > 0 && !visit.not_modified && known.presence == Presence::Present
}

/// Returns the version that was current at `time`, or the last one before it.
pub fn version_at<'v, 'a>(versions: &'v [Version<'a>], time: Timestamp) -> Option<&'v Version<'a>> {
    versions.iter().rev().find(|version| version.first_seen() <= time)
}

/// Returns the version that was current after `crawl`, or the last one before it, given the order of the crawls.
pub fn version_in<'v, 'a>(
    versions: &'v [Version<'a>],
    crawl: CrawlId,
    order: &Order,
) -> Option<&'v Version<'a>> {
    let place = order.place(crawl);
    versions.iter().rev().find(|version| order.place(version.first.crawl) <= place)
}

#[cfg(test)]
pub(crate) mod tests {
    use jiff::ToSpan;

    use super::*;
    use crate::decide::judge::{Observation, judge};
    use crate::model::aspect::Aspects;
    use crate::model::crawl::{Closed, Ending, Suspicion};
    use crate::model::ids::{ContentHash, RulesVersion, SemanticHash};
    use crate::model::kind::{Kinds, WordCount};
    use crate::model::record::{Check, ContentRef, Found, FoundBy, Headers, PageState, Visit};
    use crate::model::statistics::Statistics;

    fn day(number: i32) -> Timestamp {
        Timestamp::UNIX_EPOCH + (24 * i64::from(number)).hours()
    }

    fn crawl(number: i32) -> CrawlId {
        CrawlId::first_of(jiff::civil::date(1970, 1, 1) + number.days())
    }

    /// One letter a visit: `A` and `B` are meanings, `a` is `A` in other bytes, `>` and `/` are
    /// redirects, `0` is a 404, `!` a failure, `x` an exclusion, `=` a 304.
    pub(crate) fn visited(letters: &str) -> Vec<PageRecord> {
        let mut known: Option<PageState> = None;
        let mut records = Vec::new();
        for (number, letter) in (0..).zip(letters.chars()) {
            let url = "https://example.org/a".parse().unwrap();
            let mut headers = Headers::default();
            let seen = match letter {
                '>' | '/' => {
                    headers.location = Some(format!("/{letter}"));
                    Observation::Redirect
                }
                '0' => Observation::Absent { for_good: false },
                '!' => Observation::NoEvidence,
                'x' => Observation::PassedOver,
                '=' => Observation::NotModified,
                letter => {
                    let content = known.as_ref().and_then(|known| known.content.as_ref());
                    Observation::Content {
                        reference: ContentRef {
                            hash: ContentHash::of(&[letter as u8]),
                            semantic: SemanticHash::of(&[letter.to_ascii_uppercase() as u8]),
                            rules: RulesVersion("1".to_owned()),
                            signatures: None,
                        },
                        difference: content.map(|content| {
                            let same =
                                content.semantic == SemanticHash::of(&[letter.to_ascii_uppercase() as u8]);
                            if same { Aspects::NONE } else { Aspects::TEXT }
                        }),
                        transfer_bytes: 1,
                    }
                }
            };
            let judgement = judge(&url, known.as_ref(), &seen, &headers, day(number));
            records.push(PageRecord {
                site: "example".parse().unwrap(),
                crawl: crawl(number),
                url,
                found: Found { by: FoundBy::Seed, depth: 0, referrer: None },
                visit: Visit {
                    verdict: judgement.verdict,
                    aspects: judgement.aspects,
                    tier: None,
                    weight: 0,
                    words: WordCount::default(),
                    kinds: Kinds::default(),
                    edits: None,
                    status: None,
                    not_modified: letter == '=',
                    check: Check::None,
                    reason: None,
                    fetched_at: day(number),
                    fetch_ms: 0,
                    requests: 1,
                    received_bytes: 0,
                    saved_bytes: 0,
                    truncated: false,
                },
                known: judgement.known.clone(),
                archive: None,
            });
            known = Some(judgement.known);
        }
        records
    }

    /// Writes versions as `first-last` by place in the letters, with `visits` and the end.
    fn described(letters: &str) -> String {
        let records = visited(letters);
        let place =
            |wanted: &PageRecord| records.iter().position(|record| std::ptr::eq(record, wanted)).unwrap();
        let describe = |version: &Version<'_>| {
            let end = version.gone.map_or(String::new(), |gone| format!(" gone {}", place(gone)));
            format!("{}-{} of {}{end}", place(version.first), place(version.last), version.visits)
        };
        let versions = versions(&records);
        assert!(versions.iter().map(|version| version.number).eq(1..=versions.len()));
        versions.iter().map(describe).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn visits_fold_into_versions() {
        let cases = [
            ("", ""),
            ("A", "0-0 of 1"),
            ("AAA", "0-2 of 3"),
            ("A=a=", "0-3 of 4"),
            ("ABA", "0-0 of 1, 1-1 of 1, 2-2 of 1"),
            ("A!xA", "0-3 of 2"),
            ("!xA!x", "2-2 of 1"),
            ("!!x", ""),
            ("00", ""),
            ("A0", "0-0 of 1 gone 1"),
            ("A!0!0A", "0-0 of 1 gone 2, 5-5 of 1"),
            ("A>>/A", "0-0 of 1, 1-2 of 2, 3-3 of 1, 4-4 of 1"),
            (">0>", "0-0 of 1 gone 1, 2-2 of 1"),
        ];
        for (letters, expected) in cases {
            assert_eq!(described(letters), expected, "{letters}");
        }
    }

    #[test]
    fn of_a_page_with_full_history_each_visit_that_fetched_it_is_a_version() {
        let mut records = visited("AA=!A0A");
        for content in records.iter_mut().filter_map(|record| record.known.content.as_mut()) {
            content.rules = RulesVersion::of_each_visit();
        }
        assert_eq!(versions(&visited("AA=!A0A")).len(), 2);
        let lengths: Vec<usize> = versions(&records).iter().map(|version| version.visits).collect();
        assert_eq!(lengths, [1, 2, 1, 1], "the 304 belongs to the version before it");
    }

    #[test]
    fn failures_between_two_versions_are_one_stretch() {
        for (letters, expected) in [
            ("AAA", ""),
            ("A!", "after 1: 1-1 of 1 since 1"),
            ("A!!!", "after 1: 1-3 of 3 since 1"),
            ("A!!B", "after 1: 1-2 of 2"),
            ("A!!AB", "after 1: 1-2 of 2"),
            ("A!=!!", "after 1: 1-4 of 3 since 3"),
            ("A!x!", "after 1: 1-3 of 2 since 1"),
            ("!!A!", "after 0: 0-1 of 2, after 1: 3-3 of 1 since 3"),
            ("A!B!!A", "after 1: 1-1 of 1, after 2: 3-4 of 2"),
            ("!!", "after 0: 0-1 of 2 since 0"),
            ("A0!", "after 1: 2-2 of 1 since 2"),
        ] {
            let records = visited(letters);
            let place =
                |wanted: &PageRecord| records.iter().position(|record| std::ptr::eq(record, wanted)).unwrap();
            let describe = |found: &Failures<'_>| {
                let since =
                    found.since.map_or(String::new(), |(first, _)| format!(" since {}", place(first)));
                let (first, last) = (place(found.first), place(found.last));
                format!("after {}: {first}-{last} of {}{since}", found.after, found.visits)
            };
            let shown: Vec<String> = failures(&records).iter().map(describe).collect();
            assert_eq!(shown.join(", "), expected, "{letters}");
        }
    }

    #[test]
    fn visits_of_a_suspect_crawl_count_once_it_is_accepted() {
        let crawl_of = |number, suspicion| {
            let (at, ending, statistics) = (day(number), Ending::Complete, Statistics::default());
            let closed = Some(Closed { at, ending, suspicion, state: None, statistics });
            Crawl { closed, ..Crawl::new("example".parse().unwrap(), crawl(number), at) }
        };
        let doubt =
            |accepted_at| Some(Suspicion { accepted_at, ..Suspicion::new("much changed".to_owned()) });
        for (accepted_at, expected) in [(None, (2, 1)), (Some(day(3)), (3, 0))] {
            let crawls = [crawl_of(0, None), crawl_of(1, doubt(accepted_at)), crawl_of(2, None)];
            let (trusted, doubted) = by_trust(visited("ABA"), &crawls);
            assert_eq!((trusted.len(), doubted.len()), expected);
        }
    }

    #[test]
    fn a_history_that_begins_in_the_middle_is_read_all_the_same() {
        let records = visited("AA=");
        assert_eq!(versions(&records[1..]).len(), 1);
    }

    #[test]
    fn a_version_is_found_by_time_and_by_crawl() {
        let records = visited("!AAB0");
        let versions = versions(&records);
        let order: Order = records.iter().map(|record| record.crawl).collect();
        for (at, expected) in [(0, None), (1, Some(1)), (2, Some(1)), (3, Some(2)), (9, Some(2))] {
            assert_eq!(version_at(&versions, day(at)).map(|version| version.number), expected, "day {at}");
            assert_eq!(
                version_in(&versions, crawl(at), &order).map(|version| version.number),
                expected,
                "crawl {at}"
            );
        }
        let last = versions.last().unwrap();
        assert_eq!((last.first_seen(), last.last_seen(), last.gone_at()), (day(3), day(3), Some(day(4))));
    }
}
