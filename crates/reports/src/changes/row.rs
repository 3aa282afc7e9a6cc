//! The rows of a list of changes: a page, a folder of pages that came or went together, a shared change.

use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::model::review::ChangeId;
use recrawl_core::url::PageUrl;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{ChangeEntry, FolderEntry, ReviewView, SharedEntry};
use crate::csv::cell;

/// One row of a list of changes; its JSON form is stable, in the command and in the API.
///
/// Only entries of several pages have `pages`; only those of a folder have `folder`.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum ChangeRow {
    /// What was found out about one page.
    Page(Box<ChangeEntry>),
    /// Many pages below one folder that are new, or gone.
    Folder(FolderEntry),
    /// The same edit on several pages.
    Shared(SharedEntry),
}

impl ChangeRow {
    /// The fields that fit into columns, in their order: those of a page, then those of several.
    pub const FIELDS: [&str; 34] = [
        "url",
        "kind",
        "crawl",
        "status",
        "fetched_at",
        "title",
        "previous_status",
        "location",
        "referrer",
        "reason",
        "aspects",
        "id",
        "section",
        "target",
        "archive",
        "wayback_url",
        "site",
        "tier",
        "weight",
        "kinds",
        "words_changed",
        "words_of",
        "went",
        "came",
        "more",
        "folder",
        "pages",
        "samples",
        "region",
        "template",
        "noise",
        "seen",
        "starred",
        "note",
    ];

    /// Returns the fields that fit into columns as text.
    pub fn cells(&self) -> Vec<String> {
        let object = serde_json::to_value(self).unwrap_or(Value::Null);
        let field = |name: &&str| match *name {
            "words_changed" => cell(&object["words"]["changed"]),
            "words_of" => cell(&object["words"]["of"]),
            name => cell(&object[name]),
        };
        Self::FIELDS.iter().map(field).collect()
    }

    /// Returns the page of the entry, or the first of its pages.
    pub fn url(&self) -> Option<&PageUrl> {
        match self {
            Self::Page(entry) => Some(&entry.url),
            Self::Folder(entry) => Some(&entry.url),
            Self::Shared(entry) => entry.url.as_ref(),
        }
    }

    /// Returns how much it matters.
    pub fn weight(&self) -> u32 {
        match self {
            Self::Page(entry) => entry.weight,
            Self::Folder(entry) => entry.weight,
            Self::Shared(entry) => entry.weight,
        }
    }

    /// Returns the site.
    pub fn site(&self) -> Option<&SiteId> {
        match self {
            Self::Page(entry) => entry.site.as_ref(),
            Self::Folder(entry) => Some(&entry.site),
            Self::Shared(entry) => Some(&entry.site),
        }
    }

    /// Returns what people did with it, where that was asked for.
    pub fn review(&self) -> Option<&ReviewView> {
        match self {
            Self::Page(entry) => entry.review.as_ref(),
            Self::Folder(entry) => entry.review.as_ref(),
            Self::Shared(entry) => entry.review.as_ref(),
        }
    }

    /// Returns the name of the change: stars and notes are kept under it.
    pub fn change(&self) -> ChangeId {
        match self {
            Self::Page(entry) => ChangeId { crawl: entry.crawl, event: entry.id },
            Self::Folder(entry) => ChangeId { crawl: entry.crawl, event: entry.id },
            Self::Shared(entry) => ChangeId { crawl: entry.crawl, event: entry.event() },
        }
    }

    /// Returns the names of all changes that somebody who has seen the row has seen: its own, and what it stands for.
    pub fn changes(&self) -> Vec<ChangeId> {
        let also = match self {
            Self::Page(entry) => &*entry.also,
            Self::Folder(entry) => &*entry.also,
            Self::Shared(entry) => &*entry.also,
        };
        let also = also.iter().map(|also| ChangeId { crawl: also.crawl, event: also.id });
        std::iter::once(self.change()).chain(also).collect()
    }

    /// Returns the entry of a page, if it is one.
    pub fn page(&self) -> Option<&ChangeEntry> {
        match self {
            Self::Page(entry) => Some(entry),
            Self::Folder(_) | Self::Shared(_) => None,
        }
    }
}

/// Names a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct ChangeName {
    /// The crawl that found it.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// Its id.
    #[schema(value_type = String)]
    pub id: EventId,
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::verdict::Verdict;

    use super::*;

    #[test]
    fn the_columns_are_fields_of_a_page_in_their_order_and_then_of_several() {
        let url = "https://example.org/a".parse().unwrap();
        let entry = ChangeEntry::bare("crawl-2026-11-16".parse().unwrap(), url, Verdict::New);
        let json = serde_json::to_value(&entry).unwrap();
        let of_page: Vec<&str> = ChangeRow::FIELDS.into_iter().take(24).collect();
        for field in of_page.iter().filter(|field| !field.starts_with("words_")) {
            assert!(json.get(field).is_some(), "{field}");
        }
        let text = serde_json::to_string(&entry).unwrap();
        let places: Vec<usize> =
            of_page.iter().filter_map(|field| text.find(&format!("\"{field}\":"))).collect();
        assert!(places.is_sorted(), "{text}");
    }
}
