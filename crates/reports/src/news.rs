//! What is told of sites, crawl by crawl, the newest first: what feeds are made of.

use std::cmp::Reverse;

use futures_util::future::try_join_all;
use jiff::Timestamp;
use recrawl_core::decide::{DoubtWord, is_first_crawl};
use recrawl_core::model::crawl::{Closed, Crawl, Site};
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::site_state::SiteState;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::StoreError;

use crate::cache::Reports;
use crate::changes::{ChangeEntry, ChangesFilter, Detail, EditTexts, Row, Sort};
use crate::crawls::CrawlView;

/// A part of what is told of sites.
#[derive(Debug, Clone, PartialEq)]
pub struct News {
    /// What is told, the newest crawl first; in it that the site could not be read, then what matters most.
    pub items: Vec<NewsItem>,
    /// The newest crawl that was told then: parts that are read up to it do not move when there is another one.
    pub until: Option<Timestamp>,
    /// There is more.
    pub has_more: bool,
}

/// One thing that is told.
#[derive(Debug, Clone, PartialEq)]
pub struct NewsItem {
    /// The site.
    pub site: SiteId,
    /// When it was first told: when the crawl ended, or was accepted.
    pub told_at: Timestamp,
    /// That the crawl was doubted and why, in a sentence, if it was.
    pub unusual: Option<String>,
    /// It was not unusual, or was accepted.
    pub is_accepted: bool,
    /// What is told.
    pub story: Story,
}

/// What is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Story {
    /// A change, and when the page was visited before, where that is known.
    Change(Box<ChangeEntry>, Option<Timestamp>),
    /// The site could not be read, or not all of it, and that is another state than before.
    State(Box<CrawlView>),
}

/// Which part of what is told is wanted.
#[derive(Debug, Clone, Copy)]
pub struct NewsPart {
    /// What was told up to then; all of it where nothing is given.
    pub until: Option<Timestamp>,
    /// How many items come before it.
    pub skip: usize,
    /// How many items it has at most.
    pub most: usize,
}

/// A crawl of a site, by when it was told.
struct Told<'a> {
    at: Timestamp,
    site: &'a Site,
    crawl: Crawl,
    is_first: bool,
    has_state: bool,
}

impl Reports<'_> {
    /// Returns a part of what is told of these sites, from all crawls that are kept. Crawls that wait for somebody to
    /// accept them are not told; what is new to a first crawl is no news.
    pub async fn news(
        &self,
        sites: &[Site],
        filter: &ChangesFilter,
        part: NewsPart,
    ) -> Result<News, StoreError> {
        let mut all: Vec<Told<'_>> = Vec::new();
        for site in sites {
            all.extend(told(site, &self.history.crawls(&site.id).await?));
        }
        all.retain(|told| part.until.is_none_or(|until| told.at <= until));
        // Of crawls of one site that were accepted together, the later one stands first.
        all.reverse();
        all.sort_by_key(|told| Reverse(told.at));
        let mut news = News { items: Vec::new(), until: all.first().map(|told| told.at), has_more: false };
        let mut skip = part.skip;
        for told in &all {
            if told.has_state && !filter.is_narrow() {
                self.add(&mut news, &mut skip, part.most, told, Vec::new(), true).await?;
            }
            let rows = if told.crawl.is_trusted() { self.rows(told, filter).await? } else { Vec::new() };
            self.add(&mut news, &mut skip, part.most, told, rows, false).await?;
            if news.has_more {
                break;
            }
        }
        Ok(news)
    }

    async fn rows(&self, told: &Told<'_>, filter: &ChangesFilter) -> Result<Vec<Row>, StoreError> {
        let mut filter = ChangesFilter { open_folders: true, ..filter.clone() };
        if told.is_first {
            // What is new to it is all of the site, and not read because it is no news.
            let shared = filter.wants_shared().then_some(Verdict::Shared);
            let others = filter.page_verdicts().into_iter().filter(|verdict| *verdict != Verdict::New);
            filter.verdicts = others.chain(shared).collect();
            if filter.verdicts.is_empty() {
                return Ok(Vec::new());
            }
        }
        let mut rows = self.change_list(told.site, &told.crawl, &filter, Sort::Weight).await?.rows;
        rows.retain(|row| match row {
            Row::Shared(entry) => !entry.noise,
            Row::Page(_) | Row::Folder(_) => true,
        });
        Ok(rows)
    }

    async fn add(
        &self,
        news: &mut News,
        skip: &mut usize,
        most: usize,
        told: &Told<'_>,
        rows: Vec<Row>,
        is_state: bool,
    ) -> Result<(), StoreError> {
        let count = if is_state { 1 } else { rows.len() };
        let start = count.min(*skip);
        *skip -= start;
        let end = count.min(start + most - news.items.len());
        news.has_more |= end < count;
        let item = |story| NewsItem {
            site: told.site.id.clone(),
            told_at: told.at,
            unusual: told.crawl.closed.as_ref().and_then(doubt_of),
            is_accepted: told.crawl.is_trusted(),
            story,
        };
        if is_state && start < end {
            news.items.push(item(Story::State(Box::new(CrawlView::from(&told.crawl)))));
        }
        if !is_state && start < end {
            let entries = self.told_in_full(told.site, &rows[start..end], told.at).await?;
            news.items.extend(
                entries.into_iter().map(|(entry, before)| item(Story::Change(Box::new(entry), before))),
            );
        }
        Ok(())
    }

    /// Returns rows with all that went and came.
    async fn told_in_full(
        &self,
        site: &Site,
        rows: &[Row],
        told_at: Timestamp,
    ) -> Result<Vec<(ChangeEntry, Option<Timestamp>)>, StoreError> {
        let records: Vec<&PageRecord> = rows
            .iter()
            .filter_map(|row| if let Row::Page(row) = row { Some(&row.listed.record) } else { None })
            .collect();
        let mut pages = self.described_in_full(site, &records).await?.into_iter();
        let mut told = Vec::with_capacity(rows.len());
        for row in rows {
            match row {
                Row::Page(row) => told.extend(pages.next().map(|(mut entry, before)| {
                    entry.same_text = row.same_text;
                    (entry, before)
                })),
                Row::Shared(entry) => {
                    told.push((ChangeEntry::of_shared(entry.clone(), &site.root, told_at), None));
                }
                Row::Folder(_) => {}
            }
        }
        Ok(told)
    }

    /// Returns records as they are shown, with all that went and came on changed pages, and when each was visited before.
    pub async fn described_in_full(
        &self,
        site: &Site,
        records: &[&PageRecord],
    ) -> Result<Vec<(ChangeEntry, Option<Timestamp>)>, StoreError> {
        let entries = self.described(site, records, Detail::Excerpts).await?;
        let wanted = records.iter().map(async |record| {
            let before = self.history.latest_before(&site.id, record.crawl, &record.url).await?;
            let has_edits = matches!(record.visit.verdict, Verdict::Changed | Verdict::Touched);
            let texts = if has_edits { Some(EditTexts::read(self.history, record).await?) } else { None };
            Ok::<_, StoreError>((texts, before.map(|before| before.visit.fetched_at)))
        });
        let read = try_join_all(wanted).await?;
        let full = entries.into_iter().zip(read).map(|(mut entry, (texts, before))| {
            entry.texts = texts.map(Box::new);
            (entry, before)
        });
        Ok(full.collect())
    }
}

/// Returns the closed crawls of a site that tell something, in their order.
fn told<'a>(site: &'a Site, crawls: &[Crawl]) -> Vec<Told<'a>> {
    let mut told = Vec::new();
    let mut before = None;
    for crawl in crawls {
        let Some(closed) = &crawl.closed else { continue };
        let word = closed.state.as_ref().map(SiteState::word);
        let has_state = word.is_some() && word != before;
        before = word;
        if has_state || crawl.is_trusted() {
            let is_first = is_first_crawl(crawls, crawl.id);
            told.push(Told { at: told_at(closed), site, crawl: crawl.clone(), is_first, has_state });
        }
    }
    told
}

/// Returns when the changes of a crawl are told: when it ends, or when it is accepted.
pub fn told_at(closed: &Closed) -> Timestamp {
    let accepted = closed.suspicion.as_ref().and_then(|suspicion| suspicion.accepted_at);
    accepted.map_or(closed.at, |accepted| accepted.max(closed.at))
}

/// Says in a sentence that a crawl is or was doubted, if it is or was.
pub fn doubt_of(closed: &Closed) -> Option<String> {
    let reason = &closed.suspicion.as_ref()?.reason;
    Some(format!("The crawl that found it {}: {reason}.", DoubtWord::of(&closed.statistics).predicate_then()))
}
