//! Records for the tests of reports.

use jiff::Timestamp;

use recrawl_core::decide::judge::{Observation, judge};
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::ids::{ContentHash, RulesVersion, SemanticHash};
use recrawl_core::model::kind::{Kinds, WordCount};
use recrawl_core::model::record::{
    Check, ContentRef, Found, FoundBy, Headers, PageRecord, PageState, Presence, Visit,
};
use recrawl_core::url::PageUrl;

/// Returns the page at this path.
pub(super) fn page(path: &str) -> PageUrl {
    format!("https://example.org{path}").parse().unwrap()
}

/// Returns a record whose visit found what the letter says: `A` and `B` are meanings, `a` is `A` in other bytes,
/// `0` a 404, `1` a page that is gone for good, `!` a failure, `x` an exclusion, `m` a 404 that was asked from memory,
/// `M` a page that was, and `s` a 404 that a sitemap lists.
pub(super) fn record(path: &str, letter: char) -> PageRecord {
    let seen = match letter {
        '0' | 'm' | 's' => Observation::Absent { for_good: false },
        '!' => Observation::NoEvidence,
        'x' | '1' => Observation::PassedOver,
        letter => Observation::Content {
            reference: ContentRef {
                hash: ContentHash::of(&[letter as u8]),
                semantic: SemanticHash::of(&[letter.to_ascii_uppercase() as u8]),
                rules: RulesVersion("1".to_owned()),
                signatures: None,
            },
            difference: None,
            transfer_bytes: 1,
        },
    };
    let mut record = seen_as(path, &seen, &Headers::default());
    match letter {
        '1' => record.known.presence = Presence::GoneForGood,
        'm' | 'M' => record.found.by = FoundBy::Memory,
        's' => record.found.by = FoundBy::Sitemap,
        _ => {}
    }
    record
}

/// Returns the record of a redirect.
pub(super) fn redirect(path: &str, location: Option<&str>) -> PageRecord {
    let headers = Headers { location: location.map(str::to_owned), ..Headers::default() };
    seen_as(path, &Observation::Redirect, &headers)
}

fn seen_as(path: &str, seen: &Observation, headers: &Headers) -> PageRecord {
    let (url, now, before) = (page(path), Timestamp::UNIX_EPOCH, None::<&PageState>);
    let judgement = judge(&url, before, seen, headers, now);
    let status = match seen {
        Observation::Content { .. } | Observation::NotModified | Observation::Presumed => Some(200),
        Observation::Redirect => Some(301),
        Observation::Absent { .. } => Some(404),
        Observation::NoEvidence | Observation::PassedOver => None,
    };
    PageRecord {
        site: "example".parse().unwrap(),
        crawl: "crawl-2026-11-16".parse().unwrap(),
        url,
        found: Found { by: FoundBy::Link, depth: 1, referrer: None },
        visit: Visit {
            verdict: judgement.verdict,
            aspects: Aspects::NONE,
            tier: None,
            weight: 0,
            words: WordCount::default(),
            kinds: Kinds::default(),
            edits: None,
            status,
            not_modified: false,
            check: Check::None,
            reason: None,
            fetched_at: now,
            fetch_ms: 0,
            requests: 1,
            received_bytes: 0,
            saved_bytes: 0,
            truncated: false,
        },
        known: judgement.known,
        archive: None,
    }
}
