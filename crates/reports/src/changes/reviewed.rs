//! What people did with the rows of a list, and how many there are of each sort.

use std::collections::HashMap;

use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::model::review::{ReviewMark, ReviewMarks};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::StoreError;
use serde::Serialize;
use utoipa::ToSchema;

use super::Row;
use crate::cache::Reports;
use crate::reviews;

/// What people did with a change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReviewView {
    /// Somebody has seen it.
    pub seen: bool,
    /// Somebody marked it, to find it again.
    pub starred: bool,
    /// What somebody wrote about it.
    pub note: Option<String>,
}

impl From<ReviewMark> for ReviewView {
    fn from(mark: ReviewMark) -> Self {
        Self { seen: mark.seen, starred: mark.starred, note: mark.note.map(String::from) }
    }
}

/// What people did with the changes of some crawls of a site.
#[derive(Debug, Clone, Default)]
pub(super) struct Marks(Option<HashMap<CrawlId, ReviewMarks>>);

impl Marks {
    /// Tells whether it was asked for.
    pub(super) const fn is_known(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the mark of a change of a crawl.
    pub(super) fn of(&self, crawl: CrawlId, change: &EventId) -> ReviewMark {
        let marks = self.0.as_ref().and_then(|marks| marks.get(&crawl));
        marks.map(|marks| marks.of(change)).unwrap_or_default()
    }
}

impl Reports<'_> {
    /// Reads what people did with the changes of these crawls, where that is told.
    pub(super) async fn marks(&self, site: &SiteId, crawls: &[CrawlId]) -> Result<Marks, StoreError> {
        let Some(store) = self.reviews else { return Ok(Marks::default()) };
        let marks = reviews::marks_of(store, site, crawls).await?;
        Ok(Marks(Some(crawls.iter().copied().zip(marks).collect())))
    }
}

/// How many rows of a list there are of each sort: what a person can choose from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct ChangeCounts {
    /// Pages and folders; shared changes are counted by themselves.
    pub all: usize,
    /// Those that are new.
    pub new: usize,
    /// Those that changed.
    pub changed: usize,
    /// Those that moved.
    pub moved: usize,
    /// Those that are gone.
    pub gone: usize,
    /// Those that nobody has seen, shared changes among them: each row counts once.
    pub unseen: usize,
    /// Those that somebody starred, shared changes among them.
    pub starred: usize,
    /// Shared changes that are no noise.
    pub shared: usize,
    /// Those of the shared changes that nobody has seen.
    pub unseen_shared: usize,
}

impl ChangeCounts {
    /// Counts rows.
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Self {
        let mut counts = Self::default();
        for row in rows {
            counts.add(row);
        }
        counts
    }

    fn add(&mut self, row: &Row) {
        let (seen, starred) = row.review();
        self.starred += usize::from(starred);
        if let Row::Shared(entry) = row {
            if !entry.noise {
                self.shared += 1;
                self.unseen += usize::from(!seen);
                self.unseen_shared += usize::from(!seen);
            }
            return;
        }
        self.all += 1;
        self.unseen += usize::from(!seen);
        match row.verdict() {
            Verdict::New => self.new += 1,
            Verdict::Changed => self.changed += 1,
            Verdict::Moved => self.moved += 1,
            Verdict::Gone => self.gone += 1,
            Verdict::Shared
            | Verdict::Touched
            | Verdict::Unchanged
            | Verdict::Missing
            | Verdict::Failed
            | Verdict::Excluded => {}
        }
    }
}
