//! `lastmod`: which known pages a sitemap says to visit again.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::Entry;

/// How often a page is said to change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the words of the sitemap protocol")]
pub enum ChangeFrequency {
    Always,
    Hourly,
    Daily,
    /// Also where a sitemap says nothing.
    #[default]
    Weekly,
    Monthly,
    Yearly,
    Never,
}

impl ChangeFrequency {
    /// Reads the word in any case.
    pub(super) fn read(text: &str) -> Option<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "always" => Some(Self::Always),
            "hourly" => Some(Self::Hourly),
            "daily" => Some(Self::Daily),
            "weekly" => Some(Self::Weekly),
            "monthly" => Some(Self::Monthly),
            "yearly" => Some(Self::Yearly),
            "never" => Some(Self::Never),
            _ => None,
        }
    }

    /// Returns the word of the sitemap protocol.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Hourly => "hourly",
            Self::Daily => "daily",
            Self::Weekly => "weekly",
            Self::Monthly => "monthly",
            Self::Yearly => "yearly",
            Self::Never => "never",
        }
    }

    /// Returns after how long a page is visited again.
    pub const fn period(self) -> SignedDuration {
        SignedDuration::from_hours(match self {
            Self::Always => 0,
            Self::Hourly => 1,
            Self::Daily => 24,
            Self::Weekly => 168,
            Self::Monthly => 720,
            Self::Yearly => 8_760,
            Self::Never => 87_600,
        })
    }
}

/// Returns whether the page of `entry`, last visited at `last_visit`, should be visited again.
///
/// It should where it may have changed since, or where the visit is longer ago than its change
/// frequency says, or than a week where it says nothing.
pub fn is_stale(entry: &Entry, last_visit: Timestamp, now: Timestamp) -> bool {
    entry.lastmod.is_some_and(|changed| changed.may_be_after(last_visit))
        || now.duration_since(last_visit) > entry.changefreq.unwrap_or_default().period()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sitemap::{EntryKind, LastModified};

    fn entry(lastmod: &str, changefreq: &str) -> Entry {
        Entry {
            kind: EntryKind::Page,
            loc: "https://a/".into(),
            lastmod: LastModified::read(lastmod),
            changefreq: ChangeFrequency::read(changefreq),
            priority: None,
        }
    }

    #[test]
    fn a_page_is_stale_after_the_hours_of_its_frequency() {
        let visit: Timestamp = "2024-05-01T12:00:00Z".parse().unwrap();
        for (changefreq, hours) in [
            ("always", 0),
            ("Hourly", 1),
            (" daily ", 24),
            ("weekly", 168),
            ("monthly", 720),
            ("yearly", 8_760),
            ("never", 87_600),
            ("", 168),
            ("sometimes", 168),
        ] {
            let entry = entry("", changefreq);
            let then = visit + SignedDuration::from_hours(hours);
            assert!(!is_stale(&entry, visit, then), "{changefreq}");
            assert!(is_stale(&entry, visit, then + SignedDuration::from_secs(1)), "{changefreq}");
        }
    }

    #[test]
    fn a_page_changed_since_the_visit_is_stale() {
        let visit: Timestamp = "2024-05-01T12:00:00Z".parse().unwrap();
        for (lastmod, expected) in [
            ("2024-05-01T12:00:01Z", true),
            ("2024-05-01T12:00:00Z", false),
            ("2024-05-01T13:00:00+02:00", false),
            ("2024-05-02", true),
            ("2024-05-01", true),
            ("2024-04-30", false),
            ("2024", false),
        ] {
            assert_eq!(is_stale(&entry(lastmod, "never"), visit, visit), expected, "{lastmod}");
        }
    }
}
