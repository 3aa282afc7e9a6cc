//! A digest to try targets with.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use recrawl_core::model::aspect::{Aspect, Aspects};
use recrawl_core::model::counts::Counts;
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;

use super::{BriefDifference, Digest};
use crate::changes::ChangeEntry;

impl Digest {
    /// Makes up a digest that says that it is a test: one page of each kind of change.
    ///
    /// Every target is told it, whatever it picks, and nobody remembers it.
    pub fn made_up(now: Timestamp) -> Self {
        let crawl = CrawlId::first_of(TimeZone::UTC.to_datetime(now).date());
        let page = |path: &str, kind, title: &str| {
            let url = format!("https://example.org{path}").parse().expect("a made-up address is one");
            let title = Some(title.to_owned());
            ChangeEntry { title, status: Some(200), fetched_at: now, ..ChangeEntry::bare(crawl, url, kind) }
        };
        let text = "-The library is open until 5 pm.\n+The library is open until 6 pm.";
        let changes = vec![
            page("/news/bridge", Verdict::New, "The bridge is open again"),
            ChangeEntry {
                aspects: Aspects::TEXT.with(Aspect::Links),
                difference: Some(BriefDifference::new(text.to_owned())),
                ..page("/library", Verdict::Changed, "Library <opening hours>")
            },
            ChangeEntry {
                status: Some(301),
                location: Some("https://example.org/parking".to_owned()),
                ..page("/cars", Verdict::Moved, "Parking")
            },
            ChangeEntry { status: Some(404), ..page("/fair-2019", Verdict::Gone, "Fair 2019") },
        ];
        let statistics = Statistics {
            total: 120,
            counts: Counts::from([
                (Verdict::New, 1),
                (Verdict::Changed, 1),
                (Verdict::Moved, 1),
                (Verdict::Gone, 1),
                (Verdict::Unchanged, 116),
            ]),
            not_modified: 110,
            requests: 120,
            received_bytes: 1_200_000,
            saved_bytes: 11_000_000,
            ..Statistics::default()
        };
        Self {
            site: "example.org".parse().expect("a made-up name is one"),
            root: "https://example.org/".parse().expect("a made-up address is one"),
            crawl,
            opened_at: now - 2.minutes(),
            closed_at: now,
            partial: None,
            suspicion: None,
            state: None,
            told_as_unusual: None,
            is_first: false,
            is_test: true,
            statistics,
            around: 0,
            changes,
        }
    }
}
