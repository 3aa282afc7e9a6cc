//! "It is an outage of theirs": pages that show a line instead of their content tell nothing, and the crawl is judged again.

use jiff::Timestamp;
use recrawl_core::changes::noise::{LearntNoise, NoiseInForce, stands_in};
use recrawl_core::changes::settle::SharingRules;
use recrawl_core::decide;
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::kind::{Kinds, WordCount};
use recrawl_core::model::record::{PageRecord, Visit};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{StateStore, Store, StoreError};

use super::audit::figures;
use super::settling::{learnt_noise, save_learnt_noise, settle};

/// How many records are read and written at once.
const CHUNK: usize = 300;

/// A page with less than this percentage of its lines of content left may show something instead.
const LEFT_PERCENT: u32 = 50;

/// What came of saying that a line stands in for content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedAgain {
    /// How many pages of the crawl show the line, and tell nothing any more.
    pub pages: u64,
    /// Why the crawl is still unusual without them; nothing where it can be believed.
    pub doubt: Option<String>,
}

/// Remembers that a line stands in for content.
pub async fn save_stand_in(
    state_store: &dyn StateStore,
    site: &SiteId,
    line: &str,
    now: Timestamp,
) -> Result<LearntNoise, StoreError> {
    let mut noise = learnt_noise(state_store, site).await?;
    if !noise.stand_ins.iter().any(|known| known == line) {
        noise.stand_ins.push(line.to_owned());
        save_learnt_noise(state_store, site, &noise, now).await?;
    }
    Ok(noise)
}

/// Judges an unusual crawl again, which nobody accepted: pages that show a line that stands in for content count as failed,
/// what was known of them stays, and none of them counts in what is doubted.
///
/// Doing it twice is doing it once. The caller accepts the crawl if nothing is doubted any more.
pub async fn judge_again(
    store: &dyn Store,
    state_store: &dyn StateStore,
    sharing: SharingRules,
    crawl: &Crawl,
    noise: &NoiseInForce,
) -> Result<JudgedAgain, StoreError> {
    let site = &crawl.site;
    let Some((closed, suspicion)) =
        crawl.closed.as_ref().and_then(|closed| Some((closed, closed.suspicion.as_ref()?)))
    else {
        return Err(StoreError::Absent(format!("unusual {} of site {site}", crawl.id)));
    };
    stand_in(store, crawl, noise).await?;
    let mut statistics = figures(store, site, crawl.id).await?;
    let pages = standing_in(store, crawl, noise).await?;
    let settled = settle(store, state_store, sharing, site, crawl.id, &mut statistics).await?;
    if settled.is_none_or(|settled| settled.shared.is_empty()) {
        store.save_shared_changes(site, crawl.id, &[]).await?;
    }
    // Somebody said what they are: they speak neither for nor against the rest.
    statistics.failed_known = statistics.failed_known.saturating_sub(pages);
    let doubt = decide::suspicion(&closed.ending, &statistics).map(|suspicion| suspicion.reason);
    let reason = doubt.as_deref().unwrap_or(&suspicion.reason);
    store.judge_crawl_again(site, crawl.id, reason, &statistics).await?;
    Ok(JudgedAgain { pages, doubt })
}

/// Makes pages that show something instead of their content tell nothing.
async fn stand_in(store: &dyn Store, crawl: &Crawl, noise: &NoiseInForce) -> Result<(), StoreError> {
    let site = &crawl.site;
    let mut last = None;
    loop {
        let verdicts = [Verdict::Changed, Verdict::Shared];
        let records = store.records(site, crawl.id, &verdicts, last.as_ref(), CHUNK).await?;
        let Some(record) = records.last() else { return Ok(()) };
        last = Some(record.url.clone());
        let mut changed = Vec::new();
        for record in records {
            let Some(line) = line_instead(store, &record, noise).await? else { continue };
            let before = store.latest_before(site, crawl.id, &record.url).await?;
            let Some(before) = before else { continue };
            let visit = Visit {
                verdict: Verdict::Failed,
                aspects: Aspects::NONE,
                tier: None,
                weight: 0,
                words: WordCount::default(),
                kinds: Kinds::default(),
                edits: None,
                reason: Some(stands_in(&line)),
                ..record.visit
            };
            changed.push(PageRecord { visit, known: before.known, archive: None, ..record });
        }
        if !changed.is_empty() {
            store.settle(site, crawl.id, &changed).await?;
        }
    }
}

/// Returns the line that a page shows instead of its content, if it does.
async fn line_instead(
    store: &dyn Store,
    record: &PageRecord,
    noise: &NoiseInForce,
) -> Result<Option<String>, StoreError> {
    let is_lost = record.visit.edits.as_ref().is_some_and(|edits| edits.left_less_than(LEFT_PERCENT));
    let Some(content) = record.offered_content().filter(|_| is_lost) else { return Ok(None) };
    let text = store.text(&record.site, &content.semantic).await?;
    Ok(text.and_then(|text| noise.stand_in(&text).map(str::to_owned)))
}

/// Counts the pages that show a line instead of their content, and were known before.
async fn standing_in(store: &dyn Store, crawl: &Crawl, noise: &NoiseInForce) -> Result<u64, StoreError> {
    let reasons: Vec<String> = noise.stand_ins().map(stands_in).collect();
    let (mut pages, mut last) = (0, None);
    loop {
        let records = store.records(&crawl.site, crawl.id, &[Verdict::Failed], last.as_ref(), CHUNK).await?;
        let Some(record) = records.last() else { return Ok(pages) };
        last = Some(record.url.clone());
        let is_meant = |record: &&PageRecord| {
            record.known.presence.is_live()
                && record.visit.reason.as_ref().is_some_and(|reason| reasons.contains(reason))
        };
        pages += records.iter().filter(is_meant).count() as u64;
    }
}
