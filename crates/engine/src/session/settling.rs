//! Settling a crawl: its records are read once more, those that have edits, and get their final verdicts.

use recrawl_core::changes::noise::LearntNoise;
use recrawl_core::changes::settle::{Grouping, Loss, Settled, SharingRules, ToldChanges};
use recrawl_core::model::crawl::{Crawl, Ending};
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{StateKey, StateStore, Store, StoreError};

use super::{Persisted, recall, remember};

/// How many records are read and written at once.
const CHUNK: usize = 300;

/// So many records are kept between the two passes; more are read again.
const MAX_KEPT: usize = 3_000;

/// The verdicts of pages that have edits.
const WITH_EDITS: [Verdict; 3] = [Verdict::Changed, Verdict::Shared, Verdict::Touched];

impl Persisted for LearntNoise {
    fn key(site: &SiteId) -> StateKey {
        StateKey::learnt_noise(site)
    }
}

impl Persisted for ToldChanges {
    fn key(site: &SiteId) -> StateKey {
        StateKey::told_shared_changes(site)
    }
}

/// Returns the noise that was learnt from a site.
pub async fn learnt_noise(state_store: &dyn StateStore, site: &SiteId) -> Result<LearntNoise, StoreError> {
    Ok(recall(state_store, site).await?.unwrap_or_default())
}

/// Saves what somebody said of the noise of a site.
pub async fn save_learnt_noise(
    state_store: &dyn StateStore,
    site: &SiteId,
    noise: &LearntNoise,
    now: jiff::Timestamp,
) -> Result<(), StoreError> {
    remember(state_store, site, noise, now).await
}

/// Settles the records of a crawl and writes its shared changes; brings the figures up to date.
///
/// Nothing is read or written where no page has other bytes than before. Doing it twice is doing it once.
pub(super) async fn settle(
    store: &dyn Store,
    state_store: &dyn StateStore,
    sharing: SharingRules,
    site: &SiteId,
    crawl: CrawlId,
    statistics: &mut Statistics,
) -> Result<Option<Settled>, StoreError> {
    let settled = pass(store, state_store, sharing, (site, crawl), statistics, Writes::Yes).await?;
    let Some(settled) = settled else { return Ok(None) };
    let Loss { lost_content, own_content, only_noise, around, only_shared } = settled.loss;
    statistics.lost_content = lost_content;
    statistics.own_content = own_content;
    statistics.only_noise = only_noise;
    statistics.around = around;
    statistics.only_shared = only_shared;
    statistics.shared_changes = settled.shared.iter().filter(|change| change.is_told()).count() as u64;
    if !settled.shared.is_empty() {
        store.save_shared_changes(site, crawl, &settled.shared).await?;
    }
    Ok(Some(settled))
}

/// Whether records are written that settling changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writes {
    Yes,
    No,
}

/// Reads the records of a crawl that have edits, and settles them.
async fn pass(
    store: &dyn Store,
    state_store: &dyn StateStore,
    sharing: SharingRules,
    (site, crawl): (&SiteId, CrawlId),
    statistics: &mut Statistics,
    writes: Writes,
) -> Result<Option<Settled>, StoreError> {
    let with_edits: u64 = WITH_EDITS.into_iter().map(|verdict| statistics.counts[verdict]).sum();
    if with_edits == 0 {
        return Ok(None);
    }
    let told = recall::<ToldChanges>(state_store, site).await?.unwrap_or_default();
    let seen = statistics.counts.of(Verdict::compares_content);
    let mut grouping = Grouping::new(sharing, crawl, seen, &told);
    let mut kept = Some(Vec::new());
    let mut last = None;
    loop {
        let records = store.records(site, crawl, &WITH_EDITS, last.as_ref(), CHUNK).await?;
        let Some(record) = records.last() else { break };
        last = Some(record.url.clone());
        for record in &records {
            grouping.add(record);
        }
        kept = kept.filter(|kept: &Vec<PageRecord>| kept.len() + records.len() <= MAX_KEPT);
        if let Some(kept) = &mut kept {
            kept.extend(records.into_iter().filter(|record| record.visit.edits.is_some()));
        }
    }
    let mut grouped = grouping.group();
    let mut settle_chunk = async |records: Vec<PageRecord>| -> Result<(), StoreError> {
        let mut changed = Vec::new();
        for mut record in records {
            let before = record.clone();
            if grouped.settle(&mut record) {
                statistics.replace(&before, &record);
                changed.push(record);
            }
        }
        if changed.is_empty() || writes == Writes::No {
            Ok(())
        } else {
            store.settle(site, crawl, &changed).await
        }
    };
    if let Some(kept) = kept {
        for chunk in kept.chunks(CHUNK) {
            settle_chunk(chunk.to_vec()).await?;
        }
    } else {
        let mut last = None;
        loop {
            let records = store.records(site, crawl, &WITH_EDITS, last.as_ref(), CHUNK).await?;
            let Some(record) = records.last() else { break };
            last = Some(record.url.clone());
            settle_chunk(records).await?;
        }
    }
    Ok(Some(grouped.finish()))
}

/// Learns from an unusual crawl that somebody accepts what closing it would have learnt. Doing it twice is doing it once.
///
/// Its verdicts and its shared changes stay as they were settled: that is what was looked at and accepted.
pub async fn learn_accepted(
    store: &dyn Store,
    state_store: &dyn StateStore,
    sharing: SharingRules,
    crawl: &Crawl,
    now: jiff::Timestamp,
) -> Result<(), StoreError> {
    let Some(closed) = &crawl.closed else { return Ok(()) };
    let (site, mut statistics) = (&crawl.site, closed.statistics.clone());
    let settled = pass(store, state_store, sharing, (site, crawl.id), &mut statistics, Writes::No).await?;
    let Some(settled) = settled else { return Ok(()) };
    let settled = Settled { shared: store.shared_changes(site, crawl.id).await?, ..settled };
    learn(state_store, site, crawl.id, settled, closed.ending == Ending::Complete, now).await
}

/// Remembers the shared changes of a believed crawl, and learns noise from it.
pub(super) async fn learn(
    state_store: &dyn StateStore,
    site: &SiteId,
    crawl: CrawlId,
    settled: Settled,
    is_whole: bool,
    now: jiff::Timestamp,
) -> Result<(), StoreError> {
    if settled.shared.iter().any(|change| !change.noise) {
        let mut told = recall::<ToldChanges>(state_store, site).await?.unwrap_or_default();
        told.tell(crawl, &settled.shared);
        remember(state_store, site, &told, now).await?;
    }
    let mut noise = learnt_noise(state_store, site).await?;
    if !settled.observed.is_empty() || !noise.entries.is_empty() {
        noise.learn(crawl, settled.observed, is_whole);
        remember(state_store, site, &noise, now).await?;
    }
    Ok(())
}
