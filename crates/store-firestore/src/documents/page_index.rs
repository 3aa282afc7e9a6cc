//! `crawls/{crawl id}/page_index/{n}`: what is known of the pages of a closed crawl, many in a document.

use std::fmt;

use jiff::Timestamp;
use recrawl_core::model::record::PageSummary;
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use serde::de::IntoDeserializer;
use serde::de::value::Error as WordError;
use serde::{Deserialize, Serialize};

use super::binary::Binary;
use super::unreadable;
use crate::compression;

/// Addresses of pages, one a line, and a line of what is known of each; compressed.
///
/// A line of `sightings` has eight fields with a blank between: presence, way it was found, depth, first and
/// last seen in microseconds since 1970, changes, observations, changes a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PageIndexDocument {
    count: u64,
    pages: Binary,
    /// Not in documents of the first version.
    #[serde(rename = "sightings", default, skip_serializing_if = "Option::is_none")]
    page_summaries: Option<Binary>,
}

impl PageIndexDocument {
    /// How many bytes of lines go into one document, as if they could not be compressed.
    const LIMIT: usize = 900_000;

    /// Writes as many documents as the pages need.
    pub(crate) fn of(page_summaries: &[PageSummary]) -> Vec<Self> {
        let mut rolls = Vec::new();
        let (mut pages, mut lines, mut count) = (String::new(), String::new(), 0);
        for page_summary in page_summaries {
            let (page, line) = (page_summary.url.as_str(), line_of(page_summary));
            if count > 0 && pages.len() + lines.len() + page.len() + line.len() + 2 > Self::LIMIT {
                rolls.push(Self::new(&pages, &lines, count));
                pages.clear();
                lines.clear();
                count = 0;
            }
            pages.extend([page, "\n"]);
            lines.extend([line.as_str(), "\n"]);
            count += 1;
        }
        if count > 0 {
            rolls.push(Self::new(&pages, &lines, count));
        }
        rolls
    }

    fn new(pages: &str, lines: &str, count: u64) -> Self {
        let frame = |text: &str| Binary(compression::compress(text.as_bytes()));
        Self { count, pages: frame(pages), page_summaries: Some(frame(lines)) }
    }

    /// Reads the addresses.
    pub(crate) fn pages(&self) -> Result<Vec<PageUrl>, StoreError> {
        let lines = compression::decompress_text(&self.pages.0).map_err(unreadable)?;
        let pages: Vec<PageUrl> =
            lines.lines().map(|line| line.parse().map_err(unreadable)).collect::<Result<_, _>>()?;
        if pages.len() as u64 == self.count { Ok(pages) } else { Err(unreadable("a roll is not whole")) }
    }

    /// Reads what is known of the pages; `None` where only their addresses were written.
    pub(crate) fn page_summaries(&self) -> Result<Option<Vec<PageSummary>>, StoreError> {
        let Some(frame) = &self.page_summaries else {
            return Ok(None);
        };
        let lines = compression::decompress_text(&frame.0).map_err(unreadable)?;
        let pages = self.pages()?;
        if lines.lines().count() != pages.len() {
            return Err(unreadable("a roll is not whole"));
        }
        let read =
            |(url, line)| summary_of(url, line).ok_or_else(|| unreadable(format!("in a roll: {line:?}")));
        pages.into_iter().zip(lines.lines()).map(read).collect::<Result<_, _>>().map(Some)
    }
}

fn line_of(page_summary: &PageSummary) -> String {
    let PageSummary { presence, found_by, depth, first_seen, last_seen, .. } = page_summary;
    let PageSummary { changes_detected, observations, change_frequency, .. } = page_summary;
    let (presence, found_by) = (Word(presence), Word(found_by));
    let (first_seen, last_seen) = (first_seen.as_microsecond(), last_seen.as_microsecond());
    format!(
        "{presence} {found_by} {depth} {first_seen} {last_seen} {changes_detected} {observations} {change_frequency}"
    )
}

fn summary_of(url: PageUrl, line: &str) -> Option<PageSummary> {
    let fields: Vec<&str> = line.split(' ').collect();
    let [presence, found_by, depth, first_seen, last_seen, changes, observations, frequency] = fields[..]
    else {
        return None;
    };
    let time = |text: &str| Timestamp::from_microsecond(text.parse().ok()?).ok();
    Some(PageSummary {
        url,
        presence: of_word(presence)?,
        found_by: of_word(found_by)?,
        depth: depth.parse().ok()?,
        first_seen: time(first_seen)?,
        last_seen: time(last_seen)?,
        changes_detected: changes.parse().ok()?,
        observations: observations.parse().ok()?,
        change_frequency: frequency.parse().ok()?,
    })
}

/// A value as the word that it has in a document.
struct Word<'a, T>(&'a T);

impl<T: Serialize> fmt::Display for Word<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.serialize(formatter)
    }
}

fn of_word<'a, T: Deserialize<'a>>(word: &'a str) -> Option<T> {
    let deserializer = IntoDeserializer::<WordError>::into_deserializer(word);
    T::deserialize(deserializer).ok()
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::record::{FoundBy, Presence};

    use super::*;

    const PRESENCES: [Presence; 5] =
        [Presence::Unknown, Presence::Present, Presence::Redirect, Presence::Gone, Presence::GoneForGood];
    const WAYS: [FoundBy; 6] =
        [FoundBy::Seed, FoundBy::Link, FoundBy::Redirect, FoundBy::Sitemap, FoundBy::Memory, FoundBy::Image];

    fn page_summary(number: usize) -> PageSummary {
        let count = u32::try_from(number).unwrap();
        let time = |seconds: u32| Timestamp::new(i64::from(seconds), 123_456_000).unwrap();
        PageSummary {
            url: format!("http://a/{number}/{}", "x".repeat(number % 3_000)).parse().unwrap(),
            presence: PRESENCES[number % 5],
            found_by: WAYS[number / 5 % 6],
            depth: count,
            first_seen: time(count),
            last_seen: time(2 * count),
            changes_detected: 3 * count,
            observations: 4 * count,
            change_frequency: f64::from(count) / 7.0,
        }
    }

    #[test]
    fn documents_have_the_fields_that_were_ever_stored() {
        let written = PageIndexDocument::of(&[]);
        let written = written.first().cloned().unwrap_or_else(|| PageIndexDocument::new("", "", 0));
        let fields = serde_json::to_value(&written).unwrap();
        let names: Vec<&String> = fields.as_object().unwrap().keys().collect();
        assert_eq!(names, ["count", "pages", "sightings"]);
    }

    #[test]
    fn a_long_roll_goes_into_several_documents_and_keeps_its_order() {
        let page_summaries: Vec<PageSummary> = (0..2_000).map(page_summary).collect();
        let rolls = PageIndexDocument::of(&page_summaries);
        assert_eq!(rolls.len(), 3);
        let read: Vec<PageSummary> =
            rolls.iter().flat_map(|page_index| page_index.page_summaries().unwrap().unwrap()).collect();
        assert_eq!(read, page_summaries);
        let pages: Vec<PageUrl> = rolls.iter().flat_map(|page_index| page_index.pages().unwrap()).collect();
        assert!(pages.iter().eq(page_summaries.iter().map(|page_summary| &page_summary.url)));
        assert_eq!(PageIndexDocument::of(&[]), []);
    }

    #[test]
    fn three_and_a_half_thousand_pages_take_one_document() {
        let page = |number: usize| {
            let url =
                format!("https://www.example.gov/transportation/news/2026/{number}-street-works-on-main");
            PageSummary { url: url.parse().unwrap(), ..page_summary(number) }
        };
        let rolls = PageIndexDocument::of(&(0..3_500).map(page).collect::<Vec<_>>());
        assert_eq!(rolls.len(), 1);
    }

    #[test]
    fn a_roll_of_addresses_alone_is_read_as_such_and_a_torn_one_is_not() {
        let whole = PageIndexDocument::of(&[page_summary(1), page_summary(2)]).remove(0);
        let old = PageIndexDocument { page_summaries: None, ..whole.clone() };
        assert_eq!(old.page_summaries().unwrap(), None);
        assert_eq!(old.pages().unwrap().len(), 2);
        let frame = |text: &str| Some(Binary(compression::compress(text.as_bytes())));
        for torn in ["present link 0 0 0 0 0 0\n", "present link 0 0 0 0 0 0\npresent link\n", "x\ny\n"] {
            let page_index = PageIndexDocument { page_summaries: frame(torn), ..whole.clone() };
            assert!(page_index.page_summaries().is_err(), "{torn:?}");
        }
        assert!(PageIndexDocument { count: 3, ..whole }.pages().is_err());
    }
}
