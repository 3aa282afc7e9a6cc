//! The list of the changes of a crawl: a row each distinct change, and the figures beside it.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::edit::EditId;
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::model::kind::{Tier, WordCount};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::review::ReviewMark;
use recrawl_core::model::shared_change::{SharedBy, SharedChange};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::filter::contains;
use super::fold::{fold_folders, fold_moves, open_folders};
use super::reviewed::Marks;
use super::texts::EditTexts;
use super::tiers::own_tier;
use super::{ChangeName, ChangeRow, ChangesFilter, Detail, FolderEntry, ListedRecord, SharedEntry, contents};
use crate::cache::Reports;
use crate::section::section_of;

/// How long words are sought in contents.
const PATIENCE: Duration = Duration::from_secs(20);

/// The changes of a crawl, or of several, as they are listed.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The rows in their order: pages and folders, then shared changes.
    pub rows: Vec<Row>,
    /// What is to be said beside the list.
    pub figures: ChangesFigures,
}

/// A row before it is described.
#[derive(Debug, Clone)]
pub enum Row {
    /// A page.
    Page(PageRow),
    /// Pages below a folder.
    Folder(FolderEntry),
    /// A shared change.
    Shared(SharedEntry),
}

/// A page in a list of changes.
#[derive(Debug, Clone)]
pub struct PageRow {
    /// What was found out about it.
    pub listed: Arc<ListedRecord>,
    /// It moved, and the page that it leads to has the same text.
    pub same_text: bool,
    /// How many more of its changes are in the window.
    pub more: usize,
    /// It is back as it was before the window.
    pub changed_back: bool,
    /// Its earlier changes in the window.
    pub also: Vec<ChangeName>,
    /// The crawl whose version shows what was known before the window, where there are several changes.
    pub before: Option<CrawlId>,
    /// What people did with it.
    pub mark: ReviewMark,
}

impl PageRow {
    /// Returns the row of a record.
    pub(super) fn of(listed: Arc<ListedRecord>) -> Self {
        Self {
            listed,
            same_text: false,
            more: 0,
            changed_back: false,
            also: Vec::new(),
            before: None,
            mark: ReviewMark::default(),
        }
    }
}

/// What is to be said beside a list of changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct ChangesFigures {
    /// How many rows of pages and folders there are that match.
    pub changes: usize,
    /// How many there are without the conditions on address, words, kinds and weight.
    pub of: usize,
    /// How many shared changes are listed that are no noise.
    pub shared: usize,
    /// How many pages changed around their content alone.
    pub around: usize,
    /// How many pages have nothing but noise.
    pub noise: u64,
    /// Noise that was known beforehand: on how many pages each rule removed something else than before.
    pub rules: Vec<RuleFigure>,
    /// How many pages could not be searched for words in time.
    pub unsearched: usize,
}

/// On how many pages a noise rule removed something else than before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RuleFigure {
    /// The name of the rule.
    pub rule: String,
    /// How many pages.
    pub pages: u64,
}

/// In which order changes are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sort {
    /// What matters most first.
    #[default]
    Weight,
    /// By address.
    Path,
    /// The newest first.
    Time,
    /// The most words that went or came first.
    Size,
    /// By section of the site, the one with the heaviest change first; in it what matters most first.
    Section,
}

/// The place of a row in a list by weight, to go on from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RowPlace {
    is_shared: bool,
    weight: Reverse<u32>,
    address: String,
    /// Two sites may have the same page.
    site: Option<SiteId>,
}

impl RowPlace {
    /// Returns the place of an entry.
    pub fn of(row: &ChangeRow) -> Self {
        match row {
            ChangeRow::Page(entry) => Self::of_page(entry.weight, entry.url.as_str(), entry.site.as_ref()),
            ChangeRow::Folder(entry) => Self::of_page(entry.weight, entry.url.as_str(), Some(&entry.site)),
            ChangeRow::Shared(entry) => Self::of_shared(entry),
        }
    }

    fn of_page(weight: u32, address: &str, site: Option<&SiteId>) -> Self {
        Self { is_shared: false, weight: Reverse(weight), address: address.to_owned(), site: site.cloned() }
    }

    fn of_shared(entry: &SharedEntry) -> Self {
        let address = format!("{:016x}", entry.id.0);
        Self { is_shared: true, weight: Reverse(entry.weight), address, site: Some(entry.site.clone()) }
    }
}

impl Row {
    /// Returns its place in a list by weight.
    pub fn place(&self) -> RowPlace {
        match self {
            Self::Page(row) => {
                let record = &row.listed.record;
                RowPlace::of_page(record.visit.weight, record.url.as_str(), Some(&record.site))
            }
            Self::Folder(entry) => RowPlace::of_page(entry.weight, entry.url.as_str(), Some(&entry.site)),
            Self::Shared(entry) => RowPlace::of_shared(entry),
        }
    }

    /// Returns its section; none where it stands in several.
    pub(super) fn section(&self) -> Option<&str> {
        match self {
            Self::Page(row) => Some(&row.listed.section),
            Self::Folder(entry) => Some(&entry.section),
            Self::Shared(_) => None,
        }
    }

    /// Returns what happened.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::Page(row) => row.listed.record.visit.verdict,
            Self::Folder(entry) => entry.kind,
            Self::Shared(entry) => entry.kind,
        }
    }

    /// Returns the site.
    pub fn site(&self) -> &SiteId {
        match self {
            Self::Page(row) => &row.listed.record.site,
            Self::Folder(entry) => &entry.site,
            Self::Shared(entry) => &entry.site,
        }
    }

    /// Tells whether somebody has seen it, and starred it.
    pub(super) fn review(&self) -> (bool, bool) {
        match self {
            Self::Page(row) => (row.mark.seen, row.mark.starred),
            Self::Folder(FolderEntry { review, .. }) | Self::Shared(SharedEntry { review, .. }) => {
                review.as_ref().map_or((false, false), |review| (review.seen, review.starred))
            }
        }
    }

    fn url(&self) -> Option<&PageUrl> {
        match self {
            Self::Page(row) => Some(&row.listed.record.url),
            Self::Folder(entry) => Some(&entry.url),
            Self::Shared(entry) => entry.url.as_ref(),
        }
    }
}

impl Reports<'_> {
    /// Returns the changes of a crawl that match.
    pub async fn change_list(
        &self,
        site: &Site,
        crawl: &Crawl,
        filter: &ChangesFilter,
        sort: Sort,
    ) -> Result<Changes, StoreError> {
        let all = self.listed(site, crawl, &filter.page_verdicts()).await?;
        let admitted: Vec<Arc<ListedRecord>> =
            all.iter().filter(|listed| filter.admits(listed)).cloned().collect();
        let (admitted, unsearched) = self.matching(site, admitted, filter).await?;
        let around = all.iter().filter(|listed| is_around(&listed.record)).count();
        let shared =
            if filter.wants_shared() { self.shared_changes(site, crawl).await? } else { Arc::default() };
        let marks = self.marks(&site.id, std::slice::from_ref(&crawl.id)).await?;
        let moves = self.moves(&all).await?;
        let rows = fold(site, fold_moves(&admitted, &moves), filter, &marks);
        let of = if filter.is_narrow() {
            let broad = filter.broad();
            let all: Vec<_> = all.iter().filter(|listed| broad.admits(listed)).cloned().collect();
            fold(site, fold_moves(&all, &moves), &broad, &marks).len()
        } else {
            rows.len()
        };
        let mut changes = Changes {
            figures: ChangesFigures {
                changes: 0,
                of,
                around,
                noise: crawl.closed.as_ref().map_or(0, |closed| closed.statistics.counts[Verdict::Touched]),
                rules: rules(&shared),
                unsearched,
                shared: 0,
            },
            rows,
        };
        for change in shared.iter() {
            changes.push_shared(site, (crawl, change), Vec::new(), (filter, &marks));
        }
        changes.narrow(filter);
        changes.sort(sort);
        Ok(changes)
    }

    /// Returns the shared changes of a crawl that are told.
    pub async fn shared_rows(&self, site: &Site, crawl: &Crawl) -> Result<Vec<SharedEntry>, StoreError> {
        let filter = ChangesFilter::default();
        let shared = self.shared_changes(site, crawl).await?;
        let told = shared.iter().filter(|change| filter.admits_shared(change, |_| String::new()));
        Ok(told.map(|change| SharedEntry::of(&site.id, crawl.id, change)).collect())
    }

    /// Returns the shared change of this id, or one that it goes with, with all of its pages that are kept.
    pub async fn shared_change(
        &self,
        site: &Site,
        crawl: &Crawl,
        id: EditId,
    ) -> Result<Option<SharedChange>, StoreError> {
        let shared = self.shared_changes(site, crawl).await?;
        Ok(shared.iter().find(|change| change.id == id || change.also.contains(&id)).cloned())
    }

    /// Returns those of the records that have the words that are asked for, and how many were not looked at in time.
    pub(super) async fn matching(
        &self,
        site: &Site,
        mut records: Vec<Arc<ListedRecord>>,
        filter: &ChangesFilter,
    ) -> Result<(Vec<Arc<ListedRecord>>, usize), StoreError> {
        if let Some(text) = &filter.text {
            let titles =
                self.titles(&site.id, &contents(records.iter().map(|listed| &listed.record))).await?;
            records.retain(|listed| {
                let record = &listed.record;
                let title = record.content_hash().and_then(|hash| titles.get(&hash));
                contains(record.url.as_str(), text) || title.is_some_and(|title| contains(title, text))
            });
        }
        if filter.conditions.is_empty() {
            return Ok((records, 0));
        }
        let deadline = Instant::now() + PATIENCE;
        let (mut matching, mut unsearched) = (Vec::new(), 0);
        for listed in records {
            if Instant::now() > deadline {
                unsearched += 1;
                continue;
            }
            let texts = EditTexts::read(self.history, &listed.record).await?;
            if texts.are_admitted_by(&filter.conditions) {
                matching.push(listed);
            }
        }
        Ok((matching, unsearched))
    }

    /// Returns rows as they are shown, in their order.
    pub async fn described_rows(
        &self,
        site: &Site,
        rows: &[Row],
        detail: Detail,
    ) -> Result<Vec<ChangeRow>, StoreError> {
        let pages = || rows.iter().filter_map(|row| if let Row::Page(row) = row { Some(row) } else { None });
        let records: Vec<&PageRecord> = pages().map(|row| &row.listed.record).collect();
        let mut entries = self.described(site, &records, detail).await?.into_iter();
        let mut described = Vec::with_capacity(rows.len());
        for row in rows {
            described.push(match row {
                Row::Folder(entry) => ChangeRow::Folder(entry.clone()),
                Row::Shared(entry) => ChangeRow::Shared(entry.clone()),
                Row::Page(PageRow { same_text, more, changed_back, also, before, mark, .. }) => {
                    let Some(mut entry) = entries.next() else { continue };
                    entry.also.clone_from(also);
                    entry.before = *before;
                    entry.review = self.reviews.is_some().then(|| mark.clone().into());
                    entry.same_text = *same_text;
                    entry.more = *more;
                    entry.changed_back = *changed_back;
                    ChangeRow::Page(Box::new(entry))
                }
            });
        }
        Ok(described)
    }
}

impl Changes {
    /// Adds a shared change of a crawl if it matches; it stands for those in `also`, too.
    pub(super) fn push_shared(
        &mut self,
        site: &Site,
        (crawl, change): (&Crawl, &SharedChange),
        also: Vec<ChangeName>,
        (filter, marks): (&ChangesFilter, &Marks),
    ) {
        if !filter.admits_shared(change, |url: &PageUrl| section_of(&site.root, url)) {
            return;
        }
        let mut entry = SharedEntry::of(&site.id, crawl.id, change);
        let mark = marks.of(crawl.id, &entry.event());
        let seen = mark.seen && also.iter().all(|other| marks.of(other.crawl, &other.id).seen);
        entry.review = marks.is_known().then(|| ReviewMark { seen, ..mark }.into());
        entry.also = also;
        self.rows.push(Row::Shared(entry));
    }

    /// Leaves out rows of other verdicts than those asked for, and those with other marks, and counts the rest.
    pub(super) fn narrow(&mut self, filter: &ChangesFilter) {
        let verdicts = &filter.verdicts;
        let is_wanted = |row: &Row| match row {
            Row::Shared(_) => filter.wants_shared(),
            Row::Page(_) | Row::Folder(_) => verdicts.is_empty() || verdicts.contains(&row.verdict()),
        };
        self.rows.retain(|row| is_wanted(row) && filter.review.admits(row.review()));
        let (shared, changes): (Vec<&Row>, Vec<&Row>) =
            self.rows.iter().partition(|row| matches!(row, Row::Shared(_)));
        self.figures.changes = changes.len();
        self.figures.shared =
            shared.iter().filter(|row| matches!(row, Row::Shared(entry) if !entry.noise)).count();
    }

    /// Puts the rows into their order: shared changes stand below pages.
    pub(super) fn sort(&mut self, sort: Sort) {
        let is_shared = |row: &Row| matches!(row, Row::Shared(_));
        match sort {
            Sort::Weight => self.rows.sort_by_cached_key(Row::place),
            Sort::Path => {
                self.rows.sort_by_cached_key(|row| (is_shared(row), row.url().cloned(), row.place()));
            }
            Sort::Time => self.rows.sort_by_cached_key(|row| {
                let time = match row {
                    Row::Page(row) => Some(row.listed.record.visit.fetched_at),
                    Row::Folder(_) | Row::Shared(_) => None,
                };
                (is_shared(row), Reverse(time), row.place())
            }),
            Sort::Size => self.rows.sort_by_cached_key(|row| {
                let words = match row {
                    Row::Page(row) => row.listed.record.visit.words,
                    Row::Folder(entry) => entry.words,
                    Row::Shared(_) => WordCount::default(),
                };
                (is_shared(row), Reverse(words.changed), row.place())
            }),
            Sort::Section => {
                let mut heaviest: std::collections::HashMap<String, u32> = std::collections::HashMap::new();
                for row in &self.rows {
                    let weight = row.place().weight.0;
                    let most = heaviest.entry(row.section().unwrap_or_default().to_owned()).or_default();
                    *most = weight.max(*most);
                }
                self.rows.sort_by_cached_key(|row| {
                    let section = row.section().unwrap_or_default().to_owned();
                    (is_shared(row), Reverse(heaviest.get(&section).copied()), section, row.place())
                });
            }
        }
    }
}

impl ChangesFilter {
    /// Returns the filter without conditions on address, words, kinds and weight.
    pub(super) fn broad(&self) -> Self {
        Self {
            verdicts: self.verdicts.clone(),
            tier: Some(self.most_tier()),
            expand: self.expand,
            open_folders: self.open_folders,
            ..Self::default()
        }
    }
}

/// Gives rows their marks, and folds or opens folders.
pub(super) fn fold(site: &Site, mut pages: Vec<PageRow>, filter: &ChangesFilter, marks: &Marks) -> Vec<Row> {
    for row in &mut pages {
        let record = &row.listed.record;
        row.mark = marks.of(record.crawl, &EventId::new(record.crawl, &record.url));
    }
    let folders = if filter.open_folders {
        open_folders(site, &mut pages, marks);
        Vec::new()
    } else {
        fold_folders(site, &mut pages, marks)
    };
    pages.into_iter().map(Row::Page).chain(folders.into_iter().map(Row::Folder)).collect()
}

pub(super) fn is_around(record: &PageRecord) -> bool {
    record.visit.verdict == Verdict::Changed && own_tier(record) == Some(Tier::Around)
}

pub(super) fn rules(shared: &[SharedChange]) -> Vec<RuleFigure> {
    let by_rule = shared.iter().filter(|change| change.by == SharedBy::Rule);
    by_rule.map(|change| RuleFigure { rule: change.came.clone(), pages: change.pages }).collect()
}
