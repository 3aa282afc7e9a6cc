//! Reads a digest from a store.

use std::collections::HashSet;

use jiff::Timestamp;
use recrawl_core::decide::is_first_crawl;
use recrawl_core::difference::in_brief;
use recrawl_core::model::crawl::{Closed, Crawl, Ending, Site};
use recrawl_core::model::edit::{Edit, EditState};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, StoreError};
use similar::{ChangeTag, TextDiff};

use super::{BriefDifference, Digest, DigestDetail};
use crate::cache::{ReportCache, Reports};
use crate::changes::{ChangeEntry, Changes, ChangesFilter, Detail, EditTexts, LineEdits, PageRow, Row, Sort};

/// How many differences are made: a site that changed everywhere is not told line by line.
const MOST_DIFFERENCES: usize = 1_000;

impl Digest {
    /// Reads what a crawl found.
    ///
    /// Where more than a thousand pages changed, the rest are told without their differences. A crawl that is
    /// open or unknown is refused with [`StoreError::Absent`].
    pub async fn read(
        history: &dyn History,
        site: &SiteId,
        crawl: CrawlId,
        detail: DigestDetail,
    ) -> Result<Self, StoreError> {
        let absent = || StoreError::Absent(format!("closed {crawl} of site {site}"));
        let site = history.site(site).await?.ok_or_else(absent)?;
        let crawls = history.crawls(&site.id).await?;
        let meant = crawls.iter().find(|other| other.id == crawl).ok_or_else(absent)?;
        let closed = meant.closed.as_ref().ok_or_else(absent)?;
        let is_first = is_first_crawl(&crawls, crawl);
        let (changes, around) = changes(history, &site, meant, is_first, detail).await?;
        Ok(Self {
            crawl,
            opened_at: meant.opened_at,
            closed_at: closed.at,
            partial: partial(closed),
            suspicion: suspicion(closed),
            state: closed.state.clone(),
            told_as_unusual: closed.told_as_unusual().map(|suspicion| suspicion.reason.clone()),
            is_first,
            is_test: false,
            statistics: closed.statistics.clone(),
            around,
            changes,
            site: site.id,
            root: site.root,
        })
    }
}

fn partial(closed: &Closed) -> Option<String> {
    match &closed.ending {
        Ending::Complete => None,
        Ending::Partial(reason) => Some(reason.clone()),
    }
}

fn suspicion(closed: &Closed) -> Option<String> {
    let suspicion = closed.suspicion.as_ref().filter(|_| !closed.is_trusted());
    suspicion.map(|suspicion| suspicion.reason.clone())
}

/// Returns what is told of a crawl, and how many pages changed around their content alone.
async fn changes(
    history: &dyn History,
    site: &Site,
    crawl: &Crawl,
    is_first: bool,
    detail: DigestDetail,
) -> Result<(Vec<ChangeEntry>, usize), StoreError> {
    let cache = ReportCache::default();
    let reports = Reports { history, reviews: None, cache: &cache, now: Timestamp::UNIX_EPOCH };
    let filter = ChangesFilter { tier: Some(detail.tier), open_folders: true, ..ChangesFilter::default() };
    let Changes { rows, figures } = reports.change_list(site, crawl, &filter, Sort::Weight).await?;
    let is_news = |record: &PageRecord| !(is_first && record.visit.verdict == Verdict::New);
    let pages = rows.iter().filter_map(|row| if let Row::Page(row) = row { Some(row) } else { None });
    let pages: Vec<&PageRow> = pages.filter(|row| is_news(&row.listed.record)).collect();
    let records: Vec<&PageRecord> = pages.iter().map(|row| &row.listed.record).collect();
    let (full, rest) = records.split_at(records.len().min(MOST_DIFFERENCES));
    let mut changes = reports.described(site, full, Detail::Excerpts).await?;
    changes.extend(reports.described(site, rest, Detail::Titles).await?);
    for (change, row) in changes.iter_mut().zip(&pages) {
        change.same_text = row.same_text;
        if detail.has_words {
            change.texts = Some(Box::new(EditTexts::read(history, &row.listed.record).await?));
        }
    }
    for (change, record) in changes.iter_mut().zip(full) {
        change.difference = difference(history, record).await?;
    }
    let found_at = crawl.closed.as_ref().map_or(crawl.opened_at, |closed| closed.at);
    let shared = reports.shared_rows(site, crawl).await?;
    changes.extend(shared.into_iter().map(|entry| ChangeEntry::of_shared(entry, &site.root, found_at)));
    Ok((changes, figures.around))
}

async fn difference(
    history: &dyn History,
    record: &PageRecord,
) -> Result<Option<BriefDifference>, StoreError> {
    let (Verdict::Changed, Some(content)) = (record.visit.verdict, &record.known.content) else {
        return Ok(None);
    };
    let previous = history.latest_before(&record.site, record.crawl, &record.url).await?;
    let Some(before) = previous.and_then(|previous| previous.known.content) else {
        return Ok(None);
    };
    if before.semantic == content.semantic {
        return Ok(None);
    }
    let old = history.text(&record.site, &before.semantic).await?;
    let new = history.text(&record.site, &content.semantic).await?;
    let Some((old, new)) = old.zip(new) else { return Ok(None) };
    let of_others = lines_of_others(history, record).await?;
    let brief = in_brief(&without(&old, &of_others), &without(&new, &of_others));
    Ok(Some(BriefDifference::new(brief)))
}

/// Returns the lines of a page that changed on other pages, too, or by themselves: they are not told of this one.
async fn lines_of_others(history: &dyn History, record: &PageRecord) -> Result<HashSet<String>, StoreError> {
    let is_own = |edit: &Edit| edit.state == EditState::Own;
    let edits = record.visit.edits.as_ref();
    if edits.is_none_or(|edits| edits.list.iter().all(is_own)) {
        return Ok(HashSet::new());
    }
    let LineEdits { went, came } = LineEdits::read(history, record).await?;
    let others = went.into_iter().chain(came).filter(|(_, edit)| !is_own(edit));
    Ok(others.map(|(line, _)| line).collect())
}

fn without(text: &str, lines: &HashSet<String>) -> String {
    let mut rest = String::with_capacity(text.len());
    for line in text.lines().filter(|line| !lines.contains(*line)) {
        rest.push_str(line);
        rest.push('\n');
    }
    rest
}

impl BriefDifference {
    /// Measures lines that went and came, each after `-` or `+`.
    pub fn new(brief: String) -> Self {
        let words_of = |sign: char| -> Vec<&str> {
            let lines = brief.lines().filter_map(move |line| line.strip_prefix(sign));
            lines.flat_map(str::split_whitespace).collect()
        };
        let (went, came) = (words_of('-'), words_of('+'));
        let differing = TextDiff::from_slices(&went, &came);
        let differing = differing.iter_all_changes().filter(|change| change.tag() != ChangeTag::Equal);
        let size = differing.map(|change| change.value().chars().count()).sum();
        Self { brief, size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_difference_is_what_is_in_other_words() {
        for (brief, size) in [
            ("", 0),
            ("-Open until 5 pm on Mondays\n+Open until 6 pm on Mondays", 2),
            ("+A new line", 8),
            ("-one\n-two\n+two\n+three", 8),
            ("-same words\n+same  words", 0),
        ] {
            assert_eq!(BriefDifference::new(brief.to_owned()).size, size, "{brief}");
        }
    }
}
