//! The changes of a window of time, over several crawls and sites: one row a page, its newest change.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::try_join_all;
use jiff::Timestamp;
use recrawl_core::decide::{is_first_crawl, told_singly};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::edit::EditId;
use recrawl_core::model::ids::{CrawlId, EventId, SemanticHash, SiteId};
use recrawl_core::model::kind::WordCount;
use recrawl_core::model::record::{PageRecord, Visit};
use recrawl_core::model::shared_change::SharedChange;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use serde::Serialize;
use utoipa::ToSchema;

use super::fold::fold_moves;
use super::list::{fold, is_around, rules};
use super::reviewed::Marks;
use super::{
    AT_ONCE, Bounds, ChangeCounts, ChangeName, ChangeRow, Changes, ChangesFilter, Detail, ListedRecord,
    PageRow, Row, Sort,
};
use crate::cache::Reports;

/// The changes of a window.
#[derive(Debug, Clone, Default)]
pub struct Window {
    /// The changes.
    pub changes: Changes,
    /// How many rows there are of each sort, whichever verdict is asked for and whatever people did with them.
    pub counts: ChangeCounts,
    /// The same of each site, in the order of the sites.
    pub sites: Vec<SiteFigures>,
    /// The crawls whose changes are listed, each with its site.
    pub crawls: Vec<(SiteId, CrawlId)>,
    /// Crawls of the window that are not believed yet, and how many changes of each wait.
    pub waiting: Vec<(Crawl, usize)>,
    /// First crawls of the window: what is new to them is not listed.
    pub first: Vec<Crawl>,
}

/// What there is of a site in a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SiteFigures {
    /// The site.
    #[schema(value_type = String)]
    pub site: SiteId,
    /// How many rows there are of each sort.
    pub counts: ChangeCounts,
    /// How many changes of unusual crawls wait for somebody to decide.
    pub waiting: usize,
    /// The last crawl of the window, open ones left out.
    #[schema(value_type = Option<String>)]
    pub last_crawl: Option<CrawlId>,
    /// When it ended.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_crawl_at: Option<Timestamp>,
}

/// What was known of a page before a change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownBefore {
    /// By this crawl.
    crawl: CrawlId,
    /// What its text meant, if it was there and had one.
    text: Option<SemanticHash>,
}

/// What the crawls of a window found on one site, before it is listed.
struct Found {
    /// The changes of each page that are asked for, the oldest first.
    pages: HashMap<PageUrl, Vec<Arc<ListedRecord>>>,
    /// The newest change of each page, whatever is asked for; kept where that is less.
    broad: HashMap<PageUrl, Arc<ListedRecord>>,
    /// Whether a page last changed around its content alone.
    around: HashMap<PageUrl, bool>,
    shared: Vec<(Crawl, SharedChange)>,
    noise: u64,
}

impl Reports<'_> {
    /// Returns the changes of all closed crawls of these sites that are in the window, also of partial ones, from what
    /// their records keep. What unusual crawls found is counted, and listed once they are accepted.
    pub async fn window(
        &self,
        sites: &[Site],
        bounds: Bounds,
        filter: &ChangesFilter,
        sort: Sort,
    ) -> Result<Window, StoreError> {
        let mut window = Window::default();
        for site in sites {
            self.add_site(&mut window, site, bounds, filter).await?;
        }
        window.counts = ChangeCounts::of(&window.changes.rows);
        window.changes.narrow(filter);
        window.changes.sort(sort);
        Ok(window)
    }

    async fn add_site(
        &self,
        window: &mut Window,
        site: &Site,
        bounds: Bounds,
        filter: &ChangesFilter,
    ) -> Result<(), StoreError> {
        let crawls = self.history.crawls(&site.id).await?;
        let closed: Vec<&Crawl> =
            bounds.crawls(&crawls).into_iter().filter(|crawl| !crawl.is_open()).collect();
        let mut waiting = 0;
        for crawl in closed.iter().filter(|crawl| crawl.is_unusual(None)) {
            let changes = self.change_list(site, crawl, &ChangesFilter::default(), Sort::Weight).await?;
            waiting += changes.figures.changes;
            window.waiting.push(((*crawl).clone(), changes.figures.changes));
        }
        let last = closed.last().copied();
        let believed: Vec<&Crawl> = closed.into_iter().filter(|crawl| crawl.is_trusted()).collect();
        let first = believed.iter().filter(|crawl| is_first_crawl(&crawls, crawl.id));
        window.first.extend(first.map(|crawl| (*crawl).clone()));
        let ids: Vec<CrawlId> = believed.iter().map(|crawl| crawl.id).collect();
        let marks = self.marks(&site.id, &ids).await?;
        window.crawls.extend(ids.into_iter().map(|id| (site.id.clone(), id)));
        let wide = filter.widened();
        let figures = &mut window.changes.figures;
        let found = self.found(site, &crawls, &believed, (filter, &wide), &mut figures.unsearched).await?;
        figures.around += found.around.values().filter(|is_around| **is_around).count();
        figures.noise += found.noise;
        let before = window.changes.rows.len();
        let listed = self.rows_of(site, found.pages, &wide, &marks).await?;
        window.changes.figures.of += if filter.is_narrow() {
            let broad: Vec<Arc<ListedRecord>> = found.broad.into_values().collect();
            let moves = self.moves(&broad).await?;
            fold(site, fold_moves(&broad, &moves), &filter.broad(), &marks).len()
        } else {
            listed.len()
        };
        window.changes.rows.extend(listed);
        for Told { crawl, change, also } in told_once(found.shared) {
            window.changes.push_shared(site, (&crawl, &change), also, (&wide, &marks));
            window.changes.figures.rules.extend(rules(std::slice::from_ref(&change)));
        }
        window.sites.push(SiteFigures {
            site: site.id.clone(),
            counts: ChangeCounts::of(&window.changes.rows[before..]),
            waiting,
            last_crawl: last.map(|crawl| crawl.id),
            last_crawl_at: last.and_then(|crawl| crawl.closed.as_ref()).map(|closed| closed.at),
        });
        Ok(())
    }

    /// Collects what believed crawls found.
    async fn found(
        &self,
        site: &Site,
        crawls: &[Crawl],
        believed: &[&Crawl],
        (filter, wide): (&ChangesFilter, &ChangesFilter),
        unsearched: &mut usize,
    ) -> Result<Found, StoreError> {
        let mut found = Found {
            pages: HashMap::new(),
            broad: HashMap::new(),
            around: HashMap::new(),
            shared: Vec::new(),
            noise: 0,
        };
        let broad = filter.is_narrow().then(|| filter.broad());
        for crawl in believed {
            let Some(closed) = &crawl.closed else { continue };
            let told = told_singly(is_first_crawl(crawls, crawl.id));
            let is_told = |verdict: &Verdict| *verdict != Verdict::New || told.contains(&Verdict::New);
            // What is new to a first crawl is all of the site, and not read where it is not listed.
            let verdicts: Vec<Verdict> = wide.page_verdicts().into_iter().filter(is_told).collect();
            let all = if verdicts.is_empty() {
                Arc::default()
            } else {
                self.listed(site, crawl, &verdicts).await?
            };
            let all: Vec<&Arc<ListedRecord>> = all.iter().collect();
            for listed in &all {
                found.around.insert(listed.record.url.clone(), is_around(&listed.record));
            }
            if let Some(broad) = &broad {
                let all = all.iter().filter(|listed| broad.admits(listed));
                found.broad.extend(all.map(|listed| (listed.record.url.clone(), Arc::clone(listed))));
            }
            let admitted = all.into_iter().filter(|listed| wide.admits(listed)).cloned().collect();
            let (admitted, missed) = self.matching(site, admitted, wide).await?;
            *unsearched += missed;
            for listed in admitted {
                found.pages.entry(listed.record.url.clone()).or_default().push(listed);
            }
            // Who visits often sees the same pages again: the most of one crawl is nearest to how many they are.
            found.noise = closed.statistics.counts[Verdict::Touched].max(found.noise);
            if wide.wants_shared() {
                let shared = self.shared_changes(site, crawl).await?;
                found.shared.extend(shared.iter().map(|change| ((*crawl).clone(), change.clone())));
            }
        }
        Ok(found)
    }

    async fn rows_of(
        &self,
        site: &Site,
        pages: HashMap<PageUrl, Vec<Arc<ListedRecord>>>,
        filter: &ChangesFilter,
        marks: &Marks,
    ) -> Result<Vec<Row>, StoreError> {
        let newest: Vec<Arc<ListedRecord>> = pages.values().filter_map(|changes| newest(changes)).collect();
        let moves = self.moves(&newest).await?;
        let mut rows = fold_moves(&newest, &moves);
        let several = |row: &&mut PageRow| pages.get(&row.listed.record.url).is_some_and(|all| all.len() > 1);
        let mut rows_of_several: Vec<&mut PageRow> = rows.iter_mut().filter(several).collect();
        for some in rows_of_several.chunks_mut(AT_ONCE) {
            let known = some.iter().map(|row| {
                let first = pages.get(&row.listed.record.url).and_then(|all| all.first());
                self.known_before(first.unwrap_or(&row.listed))
            });
            let known = try_join_all(known).await?;
            for (row, known) in some.iter_mut().zip(known) {
                let record = &row.listed.record;
                let earlier = pages.get(&record.url).map_or(&[][..], |all| &all[..all.len() - 1]);
                let name = |listed: &Arc<ListedRecord>| {
                    let crawl = listed.record.crawl;
                    ChangeName { crawl, id: EventId::new(crawl, &listed.record.url) }
                };
                row.also = earlier.iter().map(name).collect();
                row.more = earlier.len();
                row.before = known.map(|known| known.crawl);
                let text = record.offered_content().map(|content| content.semantic);
                row.changed_back = text.is_some() && known.is_some_and(|known| known.text == text);
            }
        }
        Ok(fold(site, rows, filter, marks))
    }

    /// Returns what was known of a page before this change.
    async fn known_before(&self, change: &ListedRecord) -> Result<Option<KnownBefore>, StoreError> {
        let record = &change.record;
        let name = (record.site.clone(), EventId::new(record.crawl, &record.url));
        if let Some(known) = self.cache.befores.get(&name, self.now) {
            return Ok(known);
        }
        let before = self.history.latest_before(&record.site, record.crawl, &record.url).await?;
        let text = |before: &PageRecord| before.offered_content().map(|content| content.semantic);
        let known = before.map(|before| KnownBefore { crawl: before.crawl, text: text(&before) });
        self.cache.befores.put(name, known, 1, self.now);
        Ok(known)
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
                (0..rows.len()).filter(|place| rows[*place].site() == &site.id).collect();
            let of_site: Vec<Row> = places.iter().map(|place| rows[*place].clone()).collect();
            let shown = self.described_rows(site, &of_site, detail).await?;
            for (place, row) in places.into_iter().zip(shown) {
                described[place] = Some(row);
            }
        }
        Ok(described.into_iter().flatten().collect())
    }
}

/// Returns the newest change of a page, given all of them in order. A page that came and was edited in the same window is
/// new, as large as it is now.
fn newest(changes: &[Arc<ListedRecord>]) -> Option<Arc<ListedRecord>> {
    let (first, last) = (changes.first()?, changes.last()?);
    let (came, visit) = (&first.record.visit, &last.record.visit);
    if came.verdict != Verdict::New || visit.verdict != Verdict::Changed {
        return Some(Arc::clone(last));
    }
    let mut record = last.record.clone();
    record.visit = Visit {
        verdict: Verdict::New,
        aspects: came.aspects,
        kinds: came.kinds,
        tier: came.tier,
        weight: came.weight.max(visit.weight),
        words: WordCount { changed: visit.words.of, of: visit.words.of },
        edits: None,
        ..record.visit
    };
    Some(Arc::new(ListedRecord { section: last.section.clone(), record }))
}

/// A shared change of a window.
struct Told {
    /// The crawl that told it first.
    crawl: Crawl,
    /// The change, with the pages of all crawls that had it.
    change: SharedChange,
    /// The same in crawls that told it again.
    also: Vec<ChangeName>,
}

/// Returns each shared change once, with the pages of all crawls that had it; one that was told before the window is
/// left out.
///
/// A change has several edits where they stand on the same pages, and which of them names it may differ from crawl to
/// crawl: any edit in common makes it the same one.
fn told_once(changes: Vec<(Crawl, SharedChange)>) -> Vec<Told> {
    let mut places: HashMap<EditId, usize> = HashMap::new();
    let mut told: Vec<Told> = Vec::new();
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
            told.push(Told { crawl, change, also: Vec::new() });
            continue;
        };
        let (first, (last_crawl, last_pages)) = (&mut told[place], &mut last[place]);
        if change.since.is_none() {
            let id = EventId::of_shared(crawl.id, change.id);
            first.also.push(ChangeName { crawl: crawl.id, id });
        }
        let all = &mut first.change.pages;
        if change.noise {
            *all = change.pages.max(*all);
        } else if *last_crawl == crawl.id {
            *all += change.pages.saturating_sub(*last_pages);
            *last_pages = change.pages.max(*last_pages);
        } else {
            *all += change.pages;
            (*last_crawl, *last_pages) = (crawl.id, change.pages);
        }
    }
    told
}
