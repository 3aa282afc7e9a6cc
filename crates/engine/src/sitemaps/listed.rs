//! What is remembered of a sitemap.

use jiff::Timestamp;
use recrawl_core::plan::visit_planner::Listing;
use recrawl_core::url::PageUrl;
use recrawl_extract::sitemap::{ChangeFrequency, Entry, LastModified};
use serde::{Deserialize, Serialize};

/// What is remembered of a sitemap.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Listed {
    pub(super) pages: Vec<ListedPage>,
    pub(super) sitemaps: Vec<PageUrl>,
    pub(super) warnings: Vec<String>,
}

impl Listed {
    /// Tells whether the sitemap names nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.pages.is_empty() && self.sitemaps.is_empty()
    }
}

/// A page in a sitemap, and what is said of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct ListedPage {
    /// The page, normalised.
    pub url: PageUrl,
    changed_by: Option<Timestamp>,
    frequency: Option<ChangeFrequency>,
    /// How important it is said to be, in thousandths.
    importance: Option<u16>,
}

impl ListedPage {
    /// Keeps what `entry` says of the page at `url`.
    pub(super) fn new(url: PageUrl, entry: &Entry) -> Self {
        let changed_by = entry.lastmod.and_then(LastModified::latest);
        let importance = entry.priority.and_then(thousandths);
        Self { url, changed_by, frequency: entry.changefreq, importance }
    }

    /// Returns the latest moment that the date of its last change can mean, where there is one.
    pub fn changed_by(&self) -> Option<Timestamp> {
        self.changed_by
    }

    /// Returns how often it is said to change, where that is said.
    pub fn frequency(&self) -> Option<ChangeFrequency> {
        self.frequency
    }

    /// Returns how important it is said to be, from 0 to 1, where that is said.
    pub fn importance(&self) -> Option<f64> {
        self.importance.map(|thousandths| f64::from(thousandths) / 1_000.0)
    }

    /// Returns what the sitemap says of the page.
    pub fn listing(&self) -> Listing {
        let period = self.frequency.unwrap_or_default().period();
        Listing { changed_by: self.changed_by, period: Some(period) }
    }
}

/// A page as it is stored: an address alone where nothing is said of it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Stored {
    Bare(PageUrl),
    Described {
        url: PageUrl,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        changed_by: Option<Timestamp>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        frequency: Option<ChangeFrequency>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        priority: Option<f64>,
    },
}

/// Returns a share in thousandths; what is none is nothing.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 0 and 1,000")]
fn thousandths(share: f64) -> Option<u16> {
    (0.0..=1.0).contains(&share).then(|| (share * 1_000.0).round() as u16)
}

impl From<Stored> for ListedPage {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Bare(url) => Self { url, changed_by: None, frequency: None, importance: None },
            Stored::Described { url, changed_by, frequency, priority } => {
                Self { url, changed_by, frequency, importance: priority.and_then(thousandths) }
            }
        }
    }
}

impl From<ListedPage> for Stored {
    fn from(page: ListedPage) -> Self {
        let priority = page.importance();
        match page {
            ListedPage { url, changed_by: None, frequency: None, importance: None } => Self::Bare(url),
            ListedPage { url, changed_by, frequency, importance: _ } => {
                Self::Described { url, changed_by, frequency, priority }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_reads_back_also_what_older_versions_stored() {
        let old = r#"{"pages":["http://a/1"],"sitemaps":["http://a/s.xml"],"warnings":[]}"#;
        let listed: Listed = serde_json::from_str(old).unwrap();
        assert_eq!(listed.pages[0].url.as_str(), "http://a/1");
        assert_eq!(serde_json::to_string(&listed).unwrap(), old);

        let described = ListedPage {
            url: "http://a/2".parse().unwrap(),
            changed_by: Some("2026-11-02T00:00:00Z".parse().unwrap()),
            frequency: Some(ChangeFrequency::Daily),
            importance: Some(700),
        };
        let text = serde_json::to_string(&described).unwrap();
        assert_eq!(
            text,
            r#"{"url":"http://a/2","changed_by":"2026-11-02T00:00:00Z","frequency":"daily","priority":0.7}"#
        );
        assert_eq!(serde_json::from_str::<ListedPage>(&text).unwrap(), described);
    }
}
