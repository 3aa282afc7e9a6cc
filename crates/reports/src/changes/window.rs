//! The changes of a window of time, over several crawls and sites: one row a page, its newest change.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use recrawl_core::decide::{is_first_crawl, told_singly};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::edit::EditId;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::shared_change::SharedChange;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;

use super::fold::{fold_folders, fold_moves};
use super::list::{is_around, rules};
use super::{ChangeRow, Changes, ChangesFilter, Detail, ListedRecord, Row, Sort};
use crate::cache::Reports;

/// Where a window begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// With the crawls that were opened then or later.
    Time(Timestamp),
    /// With this crawl.
    Crawl(CrawlId),
}

/// The changes of a window.
#[derive(Debug, Clone, Default)]
pub struct Window {
    /// The changes.
    pub changes: Changes,
    /// Crawls of the window that are not believed yet, and how many changes of each wait.
    pub waiting: Vec<(Crawl, usize)>,
    /// First crawls of the window: what is new to them is not listed.
    pub first: Vec<Crawl>,
}

impl Reports<'_> {
    /// Returns the changes of all closed crawls of these sites since then, also of partial ones, from what their records
    /// keep.
    pub async fn window(
        &self,
        sites: &[Site],
        since: Since,
        filter: &ChangesFilter,
        sort: Sort,
    ) -> Result<Window, StoreError> {
        let mut window = Window::default();
        for site in sites {
            self.add_site(&mut window, site, since, filter).await?;
        }
        window.changes.sort(sort);
        Ok(window)
    }

    async fn add_site(
        &self,
        window: &mut Window,
        site: &Site,
        since: Since,
        filter: &ChangesFilter,
    ) -> Result<(), StoreError> {
        let crawls = self.history.crawls(&site.id).await?;
        let mut pages: HashMap<PageUrl, Vec<Arc<ListedRecord>>> = HashMap::new();
        let mut around: HashMap<PageUrl, bool> = HashMap::new();
        let mut shared: Vec<(Crawl, SharedChange)> = Vec::new();
        let (mut noise, mut of) = (0, 0);
        for crawl in within(&crawls, since) {
            if !crawl.is_trusted() {
                let waiting = self.change_list(site, crawl, &ChangesFilter::default(), Sort::Weight).await?;
                window.waiting.push((crawl.clone(), waiting.figures.changes));
                continue;
            }
            let Some(closed) = &crawl.closed else { continue };
            let is_first = is_first_crawl(&crawls, crawl.id);
            if is_first {
                window.first.push(crawl.clone());
            }
            let is_told = |record: &PageRecord| {
                record.visit.verdict != Verdict::New || told_singly(is_first).contains(&Verdict::New)
            };
            let all = self.listed(site, crawl, &filter.page_verdicts()).await?;
            let told: Vec<&Arc<ListedRecord>> = all.iter().filter(|listed| is_told(&listed.record)).collect();
            for listed in &told {
                let record = &listed.record;
                around.insert(record.url.clone(), is_around(record));
            }
            let broad = filter.broad();
            of += told.iter().filter(|listed| broad.admits(listed)).count();
            let admitted = told.into_iter().filter(|listed| filter.admits(listed)).cloned().collect();
            let (admitted, unsearched) = self.matching(site, admitted, filter).await?;
            window.changes.figures.unsearched += unsearched;
            for listed in admitted {
                pages.entry(listed.record.url.clone()).or_default().push(listed);
            }
            // Who visits often sees the same pages again: the most of one crawl is nearest to how many they are.
            noise = closed.statistics.counts[Verdict::Touched].max(noise);
            if filter.wants_shared() {
                let found = self.shared_changes(site, crawl).await?;
                shared.extend(found.iter().map(|change| (crawl.clone(), change.clone())));
            }
        }
        let listed = self.rows_of(site, pages, filter).await?;
        let figures = &mut window.changes.figures;
        figures.changes += listed.len();
        figures.of += if filter.is_narrow() { of } else { listed.len() };
        figures.around += around.values().filter(|is_around| **is_around).count();
        figures.noise += noise;
        window.changes.rows.extend(listed);
        for (crawl, change) in told_once(shared) {
            window.changes.push_shared(site, &crawl, std::slice::from_ref(&change), filter);
            window.changes.figures.rules.extend(rules(std::slice::from_ref(&change)));
        }
        Ok(())
    }

    async fn rows_of(
        &self,
        site: &Site,
        pages: HashMap<PageUrl, Vec<Arc<ListedRecord>>>,
        filter: &ChangesFilter,
    ) -> Result<Vec<Row>, StoreError> {
        let newest = pages.values().filter_map(|changes| changes.last().cloned()).collect();
        let mut rows = fold_moves(newest);
        for row in &mut rows {
            let Some([first, .., _]) = pages.get(&row.listed.record.url).map(Vec::as_slice) else { continue };
            row.more = pages.get(&row.listed.record.url).map_or(0, |changes| changes.len() - 1);
            let before = self.history.latest_before(&site.id, first.record.crawl, &first.record.url).await?;
            let text = |record: &PageRecord| record.offered_content().map(|content| content.semantic);
            let was = before.as_ref().and_then(text);
            row.changed_back = was.is_some() && was == text(&row.listed.record);
        }
        let folders = if filter.open_folders { Vec::new() } else { fold_folders(site, &mut rows) };
        Ok(rows.into_iter().map(Row::Page).chain(folders.into_iter().map(Row::Folder)).collect())
    }

    /// Returns rows of several sites as they are shown, in their order.
    pub async fn described_window(
        &self,
        sites: &[Site],
        rows: &[Row],
        detail: Detail,
    ) -> Result<Vec<ChangeRow>, StoreError> {
        let mut described: Vec<Option<ChangeRow>> = vec![None; rows.len()];
        for site in sites {
            let places: Vec<usize> =
                (0..rows.len()).filter(|place| site_of(&rows[*place]) == &site.id).collect();
            let of_site: Vec<Row> = places.iter().map(|place| rows[*place].clone()).collect();
            let shown = self.described_rows(site, &of_site, detail).await?;
            for (place, row) in places.into_iter().zip(shown) {
                described[place] = Some(row);
            }
        }
        Ok(described.into_iter().flatten().collect())
    }
}

fn site_of(row: &Row) -> &SiteId {
    match row {
        Row::Page(row) => &row.listed.record.site,
        Row::Folder(entry) => &entry.site,
        Row::Shared(entry) => &entry.site,
    }
}

fn within(crawls: &[Crawl], since: Since) -> impl Iterator<Item = &Crawl> {
    let start = match since {
        Since::Time(time) => crawls.iter().position(|crawl| crawl.opened_at >= time),
        Since::Crawl(id) => crawls.iter().position(|crawl| crawl.id == id),
    };
    crawls.iter().skip(start.unwrap_or(crawls.len()))
}

/// Returns each shared change once, with the pages of all crawls that had it; one that was told before the window is
/// left out.
///
/// A change has several edits where they stand on the same pages, and which of them names it may differ from crawl to
/// crawl: any edit in common makes it the same one.
fn told_once(changes: Vec<(Crawl, SharedChange)>) -> Vec<(Crawl, SharedChange)> {
    let mut places: HashMap<EditId, usize> = HashMap::new();
    let mut told: Vec<(Crawl, SharedChange)> = Vec::new();
    // The crawl that a change was last seen in, and its pages there: two of its edits may stand apart in one crawl.
    let mut last: Vec<(CrawlId, u64)> = Vec::new();
    for (crawl, change) in changes {
        let edits = || std::iter::once(&change.id).chain(&change.also);
        let place = edits().find_map(|edit| places.get(edit).copied());
        if place.is_none() && change.since.is_some() {
            continue;
        }
        for edit in edits() {
            places.entry(*edit).or_insert(place.unwrap_or(told.len()));
        }
        let Some(place) = place else {
            last.push((crawl.id, change.pages));
            told.push((crawl, change));
            continue;
        };
        let (first, (last_crawl, last_pages)) = (&mut told[place].1, &mut last[place]);
        if change.noise {
            first.pages = first.pages.max(change.pages);
        } else if *last_crawl == crawl.id {
            first.pages += change.pages.saturating_sub(*last_pages);
            *last_pages = change.pages.max(*last_pages);
        } else {
            first.pages += change.pages;
            (*last_crawl, *last_pages) = (crawl.id, change.pages);
        }
    }
    told
}
