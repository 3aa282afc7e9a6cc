//! The versions of a page: stretches of visits that found the same.

use jiff::Timestamp;

use crate::ids::CrawlId;
use crate::record::PageRecord;
use crate::verdict::Verdict;

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

/// Folds all visits of one page, in order of their crawls, into versions.
///
/// What comes back after something else is a version of its own. A visit without evidence neither
/// begins nor ends one. Bytes or rules that changed without a change of meaning end none either.
pub fn versions(visits: &[PageRecord]) -> Vec<Version<'_>> {
    let mut versions: Vec<Version<'_>> = Vec::new();
    for visit in visits {
        let number = versions.len() + 1;
        let begun = Version { number, first: visit, last: visit, visits: 1, gone: None };
        let current = versions.last_mut().filter(|version| version.gone.is_none());
        match visit.visit.verdict {
            Verdict::New | Verdict::Changed | Verdict::Moved => versions.push(begun),
            Verdict::Unchanged | Verdict::Touched => match current {
                Some(version) => {
                    version.last = visit;
                    version.visits += 1;
                }
                None => versions.push(begun),
            },
            Verdict::Gone | Verdict::Missing => {
                if let Some(version) = current {
                    version.gone = Some(visit);
                }
            }
            Verdict::Failed | Verdict::Excluded => {}
        }
    }
    versions
}

/// Returns the version that was current at `time`, or the last one before it.
pub fn version_at<'v, 'a>(versions: &'v [Version<'a>], time: Timestamp) -> Option<&'v Version<'a>> {
    versions.iter().rev().find(|version| version.first_seen() <= time)
}

/// Returns the version that was current after `crawl`, or the last one before it.
pub fn version_in<'v, 'a>(versions: &'v [Version<'a>], crawl: CrawlId) -> Option<&'v Version<'a>> {
    versions.iter().rev().find(|version| version.first.crawl <= crawl)
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;
    use crate::ids::{ContentHash, RulesVersion, SemanticHash};
    use crate::judge::{Observation, judge};
    use crate::record::{ContentRef, Found, FoundBy, Headers, Known, Visit};

    fn day(number: i32) -> Timestamp {
        Timestamp::UNIX_EPOCH + (24 * i64::from(number)).hours()
    }

    fn crawl(number: i32) -> CrawlId {
        CrawlId::first_of(jiff::civil::date(1970, 1, 1) + number.days())
    }

    /// One letter a visit: `A` and `B` are meanings, `a` is `A` in other bytes, `>` and `/` are
    /// redirects, `0` is a 404, `!` a failure, `x` an exclusion, `=` a 304.
    fn visited(letters: &str) -> Vec<PageRecord> {
        let mut known: Option<Known> = None;
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
                        },
                        previous_meaning: content.map(|content| content.semantic),
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
                    status: None,
                    not_modified: letter == '=',
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
    fn a_history_that_begins_in_the_middle_is_read_all_the_same() {
        let records = visited("AA=");
        assert_eq!(versions(&records[1..]).len(), 1);
    }

    #[test]
    fn a_version_is_found_by_time_and_by_crawl() {
        let records = visited("!AAB0");
        let versions = versions(&records);
        for (at, expected) in [(0, None), (1, Some(1)), (2, Some(1)), (3, Some(2)), (9, Some(2))] {
            assert_eq!(version_at(&versions, day(at)).map(|version| version.number), expected, "day {at}");
            assert_eq!(
                version_in(&versions, crawl(at)).map(|version| version.number),
                expected,
                "crawl {at}"
            );
        }
        let last = versions.last().unwrap();
        assert_eq!((last.first_seen(), last.last_seen(), last.gone_at()), (day(3), day(3), Some(day(4))));
    }
}
