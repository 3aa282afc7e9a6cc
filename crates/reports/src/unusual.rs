//! An unusual crawl as a small report: what is lost or changed at once and where, what stands there instead, what else
//! changed, and what each decision would come to.

mod folders;

use std::collections::HashSet;
use std::sync::Arc;

use jiff::Timestamp;
use recrawl_core::decide::{Doubt, DoubtWord, is_doubted, opened_before};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::shared_change::{SharedBy, SharedChange};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;

pub use self::folders::FolderShare;
use crate::cache::Reports;
use crate::changes::{Changes, ListedRecord, Row, content_of};
use crate::{ChangesFilter, Sort};

/// How many of the doubted pages are shown.
const EXAMPLES: usize = 3;

/// An unusual crawl.
#[derive(Debug, Clone)]
pub struct UnusualReport {
    /// The crawl.
    pub crawl: CrawlId,
    /// Why it is unusual.
    pub reason: String,
    /// What is doubted; nothing where an older version doubted it by other rules.
    pub doubt: Option<Doubt>,
    /// What people read of it.
    pub word: DoubtWord,
    /// How many pages are doubted, of how many that were known.
    pub doubted: u64,
    /// How many pages were known.
    pub known: u64,
    /// How many pages failed of those that were known.
    pub failed: u64,
    /// The crawl that it was compared with.
    pub compared: Option<(CrawlId, Timestamp)>,
    /// Where the doubted pages are, the most first; what is elsewhere last.
    pub folders: Vec<FolderShare>,
    /// What stands on the doubted pages instead.
    pub instead: Option<Instead>,
    /// Some of the doubted pages.
    pub examples: Vec<Example>,
    /// How many of the doubted pages were asked again in this crawl, and answered the same.
    pub asked_again: u64,
    /// What else changed.
    pub otherwise: Changes,
    /// How many changes and shared changes are told if it is accepted.
    pub told: Told,
    /// How many pages are archived if it is accepted, and of those how many are doubted.
    pub archived: (u64, u64),
}

/// The line that doubted pages show instead of their content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instead {
    /// The line.
    pub line: String,
    /// On how many pages.
    pub pages: u64,
}

/// A doubted page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The page.
    pub url: PageUrl,
    /// Its title.
    pub title: Option<String>,
    /// How many words it had.
    pub words_before: u32,
    /// How many it has; none where it is gone or failed.
    pub words: Option<u32>,
    /// What was found.
    pub kind: Verdict,
}

/// How much is told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Told {
    /// Changes of pages.
    pub changes: usize,
    /// Shared changes.
    pub shared: usize,
}

impl Reports<'_> {
    /// Describes an unusual crawl; nothing where it is not unusual.
    pub async fn unusual(&self, site: &Site, crawl: &Crawl) -> Result<Option<UnusualReport>, StoreError> {
        let Some(closed) = &crawl.closed else { return Ok(None) };
        let Some(suspicion) = &closed.suspicion else { return Ok(None) };
        let doubt = Doubt::of(&closed.ending, &closed.statistics);
        let all = self.listed(site, crawl, &[]).await?;
        let is_meant =
            |listed: &&Arc<ListedRecord>| doubt.is_some_and(|doubt| is_doubted(doubt, &listed.record));
        let doubted: Vec<&Arc<ListedRecord>> = all.iter().filter(is_meant).collect();
        let urls: HashSet<&PageUrl> = doubted.iter().map(|listed| &listed.record.url).collect();
        let shared = self.shared_changes(site, crawl).await?;
        let every = self.change_list(site, crawl, &ChangesFilter::default(), Sort::Weight).await?;
        let told = told(&every);
        let otherwise = without(every, &urls, &shared);
        let crawls = self.history.crawls(&site.id).await?;
        let before = opened_before(&crawls, crawl.id).iter().rev();
        let compared = before.filter(|earlier| !earlier.is_open()).find(|earlier| earlier.is_trusted());
        let is_archived = |listed: &&&Arc<ListedRecord>| listed.record.archive.is_some();
        let all_archived = all.iter().filter(|listed| listed.record.archive.is_some()).count() as u64;
        Ok(Some(UnusualReport {
            crawl: crawl.id,
            reason: suspicion.reason.clone(),
            doubt,
            word: DoubtWord::of(&closed.statistics),
            doubted: doubted.len() as u64,
            known: closed.statistics.known(),
            failed: closed.statistics.failed_known,
            compared: compared.map(|earlier| (earlier.id, earlier.opened_at)),
            folders: folders::shares(&all, &urls),
            instead: shared
                .iter()
                .find(|change| change.by == SharedBy::Loss)
                .map(|change| Instead { line: change.came.clone(), pages: change.pages }),
            asked_again: doubted.iter().filter(|listed| was_asked_again(listed)).count() as u64,
            archived: (all_archived, doubted.iter().filter(is_archived).count() as u64),
            examples: self.examples(site, &doubted).await?,
            otherwise,
            told,
        }))
    }

    /// Describes some of the doubted pages: those that lost most.
    async fn examples(
        &self,
        site: &Site,
        doubted: &[&Arc<ListedRecord>],
    ) -> Result<Vec<Example>, StoreError> {
        let mut heaviest: Vec<&&Arc<ListedRecord>> = doubted.iter().collect();
        heaviest.sort_by_key(|listed| std::cmp::Reverse(listed.record.visit.words.changed));
        heaviest.truncate(EXAMPLES);
        let hashes = heaviest.iter().filter_map(|listed| listed.record.content_hash());
        let titles = self.titles(&site.id, &hashes.collect::<Vec<_>>()).await?;
        let mut examples = Vec::new();
        for listed in heaviest {
            let record = &listed.record;
            let before = self.history.latest_before(&site.id, record.crawl, &record.url).await?;
            let is_there = record.visit.edits.is_some();
            let now = if is_there {
                content_of(self.history, record, record.offered_content()).await?
            } else {
                None
            };
            examples.push(Example {
                url: record.url.clone(),
                title: record.content_hash().and_then(|hash| titles.get(&hash).cloned()),
                words_before: before.map_or(0, |before| before.visit.words.of),
                words: now.map(|text| u32::try_from(text.split_whitespace().count()).unwrap_or(u32::MAX)),
                kind: record.visit.verdict,
            });
        }
        Ok(examples)
    }
}

/// Tells whether a page was asked for a second time before what it answered was believed.
fn was_asked_again(listed: &ListedRecord) -> bool {
    let visit = &listed.record.visit;
    visit.requests > 1 && visit.verdict != Verdict::Failed
}

fn told(changes: &Changes) -> Told {
    Told { changes: changes.figures.changes, shared: changes.figures.shared }
}

/// Returns changes without the doubted pages, and without what stands on them instead.
fn without(mut changes: Changes, doubted: &HashSet<&PageUrl>, shared: &[SharedChange]) -> Changes {
    let losses: HashSet<_> =
        shared.iter().filter(|change| change.by == SharedBy::Loss).map(|change| change.id).collect();
    changes.rows.retain(|row| match row {
        Row::Page(row) => !doubted.contains(&row.listed.record.url),
        Row::Folder(entry) => !entry.urls.iter().any(|url| doubted.contains(url)),
        Row::Shared(entry) => !losses.contains(&entry.id),
    });
    let is_shared = |row: &&Row| matches!(row, Row::Shared(entry) if !entry.noise);
    changes.figures.shared = changes.rows.iter().filter(is_shared).count();
    changes.figures.changes = changes.rows.iter().filter(|row| !matches!(row, Row::Shared(_))).count();
    changes.figures.of = changes.figures.changes;
    changes
}
