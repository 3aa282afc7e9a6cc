//! `crawls/{crawl id}`: one crawl, and its roll of pages.

use firestore::FirestoreTimestamp;
use recrawl_core::crawl::{Closed, Crawl, Ending, Mode, Site};
use recrawl_core::ports::StoreError;
use recrawl_core::statistics::Statistics;
use recrawl_core::url::PageUrl;
use serde::{Deserialize, Serialize};

use super::binary::Binary;
use super::site::ScopeMap;
use super::{cut, time, unreadable};
use crate::compression;

/// The fields that a crawl gains when it is closed.
pub(crate) const CLOSING_FIELDS: [&str; 6] =
    ["closed_at", "duration_seconds", "ending", "ending_reason", "statistics", "rolls"];

/// One crawl.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CrawlDocument {
    site: String,
    root: String,
    pub(crate) opened_at: FirestoreTimestamp,
    /// Null while the crawl is open, so that a query finds it.
    #[serde(with = "firestore::serialize_as_null")]
    pub(crate) closed_at: Option<FirestoreTimestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    duration_seconds: Option<i64>,
    mode: Mode,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    opened_by: Option<String>,
    settings: ScopeMap,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ending: Option<EndingWord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ending_reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    statistics: Option<StatisticsMap>,
    /// How many documents of the collection `roll` below this one list the pages of the crawl.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rolls: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum EndingWord {
    Complete,
    Partial,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StatisticsMap {
    total: u64,
    new: u64,
    changed: u64,
    touched: u64,
    unchanged: u64,
    gone: u64,
    moved: u64,
    missing: u64,
    failed: u64,
    excluded: u64,
    not_modified: u64,
    requests: u64,
    received_bytes: u64,
    saved_bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_visit: Option<FirestoreTimestamp>,
    frequency_sum: f64,
    /// For people; it follows from the others.
    mean_change_frequency: f64,
}

impl CrawlDocument {
    /// Writes an open or closed crawl of `site`, without a roll.
    pub(crate) fn new(crawl: &Crawl, site: &Site) -> Self {
        let document = Self {
            site: crawl.site.to_string(),
            root: site.root.to_string(),
            opened_at: time(crawl.opened_at),
            closed_at: None,
            duration_seconds: None,
            mode: crawl.mode,
            opened_by: crawl.opened_by.clone(),
            settings: ScopeMap::from(&site.scope),
            ending: None,
            ending_reason: None,
            statistics: None,
            rolls: None,
        };
        match &crawl.closed {
            Some(closed) => document.closed(closed, None),
            None => document,
        }
    }

    /// Returns the crawl as it is once closed; `rolls` is how many documents list its pages.
    pub(crate) fn closed(self, closed: &Closed, rolls: Option<usize>) -> Self {
        let (ending, reason) = match &closed.ending {
            Ending::Complete => (EndingWord::Complete, None),
            Ending::Partial(reason) => (EndingWord::Partial, Some(cut(reason, 10_000))),
        };
        Self {
            closed_at: Some(time(closed.at)),
            duration_seconds: Some(closed.at.duration_since(self.opened_at.0).as_secs()),
            ending: Some(ending),
            ending_reason: reason,
            statistics: Some(StatisticsMap::from(&closed.statistics)),
            rolls,
            ..self
        }
    }

    /// Reads a crawl; its name is that of the document.
    pub(crate) fn into_crawl(self, id: &str) -> Result<Crawl, StoreError> {
        let closed = match (self.closed_at, self.ending, self.statistics) {
            (None, _, _) => None,
            (Some(at), Some(ending), Some(statistics)) => Some(Closed {
                at: at.0,
                ending: match ending {
                    EndingWord::Complete => Ending::Complete,
                    EndingWord::Partial => Ending::Partial(self.ending_reason.unwrap_or_default()),
                },
                statistics: statistics.into(),
            }),
            (Some(_), _, _) => return Err(unreadable("a closed crawl without its figures")),
        };
        Ok(Crawl {
            site: self.site.parse().map_err(unreadable)?,
            id: id.parse().map_err(unreadable)?,
            opened_at: self.opened_at.0,
            mode: self.mode,
            opened_by: self.opened_by,
            closed,
        })
    }
}

impl From<&Statistics> for StatisticsMap {
    fn from(statistics: &Statistics) -> Self {
        Self {
            total: statistics.total,
            new: statistics.new,
            changed: statistics.changed,
            touched: statistics.touched,
            unchanged: statistics.unchanged,
            gone: statistics.gone,
            moved: statistics.moved,
            missing: statistics.missing,
            failed: statistics.failed,
            excluded: statistics.excluded,
            not_modified: statistics.not_modified,
            requests: statistics.requests,
            received_bytes: statistics.received_bytes,
            saved_bytes: statistics.saved_bytes,
            last_visit: statistics.last_visit.map(time),
            frequency_sum: statistics.frequency_sum,
            mean_change_frequency: statistics.mean_change_frequency(),
        }
    }
}

impl From<StatisticsMap> for Statistics {
    fn from(map: StatisticsMap) -> Self {
        Self {
            total: map.total,
            new: map.new,
            changed: map.changed,
            touched: map.touched,
            unchanged: map.unchanged,
            gone: map.gone,
            moved: map.moved,
            missing: map.missing,
            failed: map.failed,
            excluded: map.excluded,
            not_modified: map.not_modified,
            requests: map.requests,
            received_bytes: map.received_bytes,
            saved_bytes: map.saved_bytes,
            last_visit: map.last_visit.map(|time| time.0),
            frequency_sum: map.frequency_sum,
        }
    }
}

/// `crawls/{crawl id}/roll/{n}`: addresses of pages of a closed crawl, one a line, compressed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RollDocument {
    count: u64,
    pages: Binary,
}

impl RollDocument {
    /// How many bytes of addresses go into one document.
    const LIMIT: usize = 900_000;

    /// Writes as many documents as the pages need.
    pub(crate) fn of(pages: &[PageUrl]) -> Vec<Self> {
        let mut rolls = Vec::new();
        let mut rest = pages;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |page: &&PageUrl| {
                bytes += page.as_str().len() + 1;
                bytes <= Self::LIMIT
            };
            let (now, later) = rest.split_at(rest.iter().take_while(fits).count());
            let lines: Vec<&str> = now.iter().map(PageUrl::as_str).collect();
            let frame = compression::compress(lines.join("\n").as_bytes());
            rolls.push(Self { count: now.len() as u64, pages: Binary(frame) });
            rest = later;
        }
        rolls
    }

    /// Reads the pages.
    pub(crate) fn read(&self) -> Result<Vec<PageUrl>, StoreError> {
        let lines = compression::decompress_text(&self.pages.0).map_err(unreadable)?;
        let pages: Vec<PageUrl> =
            lines.lines().map(|line| line.parse().map_err(unreadable)).collect::<Result<_, _>>()?;
        if pages.len() as u64 == self.count { Ok(pages) } else { Err(unreadable("a roll is not whole")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_roll_goes_into_several_documents_and_keeps_its_order() {
        let page = |number: usize| {
            let url = format!("http://a/{number}/{}", "x".repeat(number % 3_000));
            url.parse::<PageUrl>().unwrap()
        };
        let pages: Vec<PageUrl> = (0..2_000).map(page).collect();
        let rolls = RollDocument::of(&pages);
        assert_eq!(rolls.len(), 3);
        let read: Vec<PageUrl> = rolls.iter().flat_map(|roll| roll.read().unwrap()).collect();
        assert_eq!(read, pages);
        assert_eq!(RollDocument::of(&[]), []);
    }
}
