//! What a crawl found: which changes are listed, in which order, and what is said of each.

mod bounds;
mod conditions;
mod entry;
mod excerpts;
mod filter;
mod fold;
mod folder_entry;
mod given;
mod lately;
mod list;
mod moves;
mod reviewed;
mod row;
mod seeing;
mod shared_entry;
mod texts;
mod tiers;
mod window;

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::try_join_all;
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::{ContentHash, CrawlId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::ports::StoreError;
use serde::Serialize;
use utoipa::ToSchema;

pub use self::bounds::{Bounds, Since, Until};
pub use self::conditions::{Conditions, NotWords, Words};
pub use self::entry::ChangeEntry;
pub(crate) use self::excerpts::{Details, content_of, excerpt_of};
pub use self::filter::{ChangesFilter, ReviewFilter};
pub use self::folder_entry::FolderEntry;
pub use self::given::Given;
pub use self::lately::lately_changed;
pub use self::list::{Changes, ChangesFigures, PageRow, Row, RowPlace, RuleFigure, Sort};
pub use self::reviewed::{ChangeCounts, ReviewView};
pub use self::row::{ChangeName, ChangeRow};
pub use self::shared_entry::SharedEntry;
pub use self::texts::{EditTexts, LineEdits};
pub(crate) use self::tiers::tier_of;
pub(crate) use self::window::KnownBefore;
pub use self::window::{SiteFigures, Window};
use crate::cache::Reports;
use crate::crawls::CrawlView;

/// How many excerpts are made at a time.
const AT_ONCE: usize = 16;

/// What a crawl found.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ChangesView {
    /// The crawl.
    pub crawl: CrawlView,
    /// The crawl before it, with which it was compared, if there is one.
    #[schema(value_type = Option<String>)]
    pub previous: Option<CrawlId>,
    /// How many entries match, on all pages.
    pub total: usize,
    /// All sections with changes that match, by name.
    pub sections: Vec<ListedSection>,
    /// The entries of this page of the list: pages by weight and address, then shared changes.
    pub changes: Vec<ChangeRow>,
    /// What is to be said beside the list.
    pub figures: ChangesFigures,
}

/// A section of the site in a list of changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ListedSection {
    /// Its name; empty for the root.
    pub name: String,
    /// How many changes of it match.
    pub changes: usize,
}

/// How much is read of each change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Detail {
    /// Its record and its title.
    Titles,
    /// An excerpt, too.
    Excerpts,
    /// All of it: also what the page was before.
    All,
}

/// A record in a list, with the section of the site that its page is in.
#[derive(Debug, PartialEq)]
pub struct ListedRecord {
    /// The section.
    pub section: String,
    /// The record.
    pub record: PageRecord,
}

/// Which part of a list is wanted, and in which order the list is.
#[derive(Debug, Clone)]
pub struct Part {
    /// The order.
    pub sort: Sort,
    /// The part.
    pub slice: Slice,
}

/// Which part of a list is wanted.
#[derive(Debug, Clone)]
pub enum Slice {
    /// From this place on, so many.
    From(usize, usize),
    /// What follows this place of a list by weight, so many.
    After(RowPlace, usize),
}

impl Reports<'_> {
    /// Returns what a crawl found, and of the changes that match those in `part`.
    pub async fn changes(
        &self,
        site: &Site,
        crawl: &Crawl,
        previous: Option<CrawlId>,
        filter: &ChangesFilter,
        part: Part,
        detail: Detail,
    ) -> Result<ChangesView, StoreError> {
        let Changes { rows, figures } = self.change_list(site, crawl, filter, part.sort).await?;
        let mut sections: BTreeMap<&str, usize> = BTreeMap::new();
        for section in rows.iter().filter_map(Row::section) {
            *sections.entry(section).or_default() += 1;
        }
        let sections = sections
            .into_iter()
            .map(|(name, changes)| ListedSection { name: name.to_owned(), changes })
            .collect();
        let (start, limit) = match part.slice {
            Slice::From(start, limit) => (start.min(rows.len()), limit),
            Slice::After(place, limit) => (rows.partition_point(|row| row.place() <= place), limit),
        };
        let shown = &rows[start..start.saturating_add(limit).min(rows.len())];
        Ok(ChangesView {
            crawl: CrawlView::from(crawl),
            previous,
            total: rows.len(),
            sections,
            changes: self.described_rows(site, shown, detail).await?,
            figures,
        })
    }

    /// Returns the records that match, by section and address.
    pub async fn listing(
        &self,
        site: &Site,
        crawl: &Crawl,
        filter: &ChangesFilter,
    ) -> Result<Vec<Arc<ListedRecord>>, StoreError> {
        let all = self.listed(site, crawl, &filter.page_verdicts()).await?;
        let admitted = all.iter().filter(|change| filter.admits(change)).cloned().collect();
        Ok(self.matching(site, admitted, filter).await?.0)
    }

    /// Returns records as they are shown, in their order.
    pub async fn described(
        &self,
        site: &Site,
        records: &[&PageRecord],
        detail: Detail,
    ) -> Result<Vec<ChangeEntry>, StoreError> {
        let titles = self.titles(&site.id, &contents(records.iter().copied())).await?;
        let mut entries = Vec::with_capacity(records.len());
        let title_of = |record: &PageRecord| titles.get(&record.content_hash()?);
        for some in records.chunks(AT_ONCE) {
            let details =
                some.iter().map(|record| self.details(record, title_of(record).map(String::as_str), detail));
            for (record, details) in some.iter().zip(try_join_all(details).await?) {
                entries.push(ChangeEntry::of(site, record, title_of(record).cloned(), details));
            }
        }
        Ok(entries)
    }
}

fn contents<'a>(records: impl Iterator<Item = &'a PageRecord>) -> Vec<ContentHash> {
    records.filter_map(PageRecord::content_hash).collect()
}
