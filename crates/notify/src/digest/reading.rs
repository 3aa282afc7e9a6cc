//! Reads a digest from a store.

use recrawl_core::decide::judge::redirect_target;
use recrawl_core::decide::{is_first_crawl, told_singly};
use recrawl_core::difference::in_brief;
use recrawl_core::model::crawl::{Closed, Ending};
use recrawl_core::model::ids::{ContentHash, CrawlId, SiteId};
use recrawl_core::model::record::{PageRecord, Presence};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, StoreError};
use recrawl_core::url::UrlRules;
use similar::{ChangeTag, TextDiff};

use super::{ChangedPage, Difference, Digest};

/// How many records are read at once.
const CHUNK: usize = 300;

/// How many differences are made: a site that changed everywhere is not told line by line.
const MOST_DIFFERENCES: usize = 1_000;

impl Digest {
    /// Reads what a crawl found.
    ///
    /// Where more than a thousand pages changed, the rest are told without their differences. A crawl that is
    /// open or unknown is refused with [`StoreError::Absent`].
    pub async fn read(history: &dyn History, site: &SiteId, crawl: CrawlId) -> Result<Self, StoreError> {
        let absent = || StoreError::Absent(format!("closed {crawl} of site {site}"));
        let root = history.site(site).await?.ok_or_else(absent)?.root;
        let crawls = history.crawls(site).await?;
        let meant = crawls.iter().find(|other| other.id == crawl).ok_or_else(absent)?;
        let closed = meant.closed.as_ref().ok_or_else(absent)?;
        let is_first = is_first_crawl(&crawls, crawl);
        Ok(Self {
            site: site.clone(),
            root,
            crawl,
            opened_at: meant.opened_at,
            closed_at: closed.at,
            partial: partial(closed),
            suspicion: suspicion(closed),
            is_first,
            is_test: false,
            statistics: closed.statistics.clone(),
            changes: changes(history, site, crawl, told_singly(is_first)).await?,
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

async fn changes(
    history: &dyn History,
    site: &SiteId,
    crawl: CrawlId,
    kinds: &[Verdict],
) -> Result<Vec<ChangedPage>, StoreError> {
    let (mut last, mut changes, mut room) = (None, Vec::new(), MOST_DIFFERENCES);
    loop {
        let records = history.records(site, crawl, kinds, last.as_ref(), CHUNK).await?;
        let Some(record) = records.last() else { break };
        last = Some(record.url.clone());
        let contents: Vec<ContentHash> = records.iter().filter_map(content_of).collect();
        let titles = history.titles(site, &contents).await?;
        for record in records {
            let difference = if room > 0 { difference(history, &record).await? } else { None };
            room -= usize::from(difference.is_some());
            changes.push(ChangedPage {
                kind: record.visit.verdict,
                aspects: record.visit.aspects,
                title: content_of(&record).and_then(|hash| titles.get(&hash).cloned()),
                status: record.visit.status,
                location: location(&record),
                difference,
                url: record.url,
            });
        }
    }
    let place = |change: &ChangedPage| kinds.iter().position(|kind| *kind == change.kind);
    changes.sort_by(|one, other| (place(one), &one.url).cmp(&(place(other), &other.url)));
    Ok(changes)
}

fn content_of(record: &PageRecord) -> Option<ContentHash> {
    record.known.content.as_ref().map(|content| content.hash)
}

/// Returns where the page redirects, as an absolute address if it is one.
fn location(record: &PageRecord) -> Option<String> {
    if record.known.presence != Presence::Redirect {
        return None;
    }
    let target = redirect_target(&record.url, &record.known.headers, &UrlRules::keep_all_parameters());
    target.map(String::from).or_else(|| record.known.headers.location.clone())
}

async fn difference(history: &dyn History, record: &PageRecord) -> Result<Option<Difference>, StoreError> {
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
    Ok(old.zip(new).map(|(old, new)| Difference::new(in_brief(&old, &new))))
}

impl Difference {
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
            assert_eq!(Difference::new(brief.to_owned()).size, size, "{brief}");
        }
    }
}
