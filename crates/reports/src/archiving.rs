//! Pages that wait for the Wayback Machine.

use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::service_report::ServiceReport;
use recrawl_core::ports::{History, StateKey, StateStore, StoreError};
use serde::Serialize;

/// How many of the newest crawls are looked at: each is a question, and what is older is archived or given up.
const LOOKED_AT: usize = 8;

/// Pages that wait for the Wayback Machine; its JSON form is stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ArchiveBacklog {
    /// How many pages.
    pub waiting: u64,
    /// How long their captures take at the pace of the service; `null` where no service makes them.
    pub seconds: Option<u64>,
}

/// Returns what waits of these crawls of a site; nothing where nothing does.
pub async fn backlog(
    history: &dyn History,
    state_store: &dyn StateStore,
    crawls: &[Crawl],
) -> Result<Option<ArchiveBacklog>, StoreError> {
    let saved = state_store.state(&StateKey::service_report()).await?;
    let report: Option<ServiceReport> = saved.and_then(|entry| serde_json::from_str(&entry.value).ok());
    let between = report.as_ref().map(|report| report.between_captures_ms);
    if between == Some(None) {
        return Ok(None);
    }
    let mut waiting = 0;
    for crawl in crawls.iter().rev().filter(|crawl| crawl.is_settled()).take(LOOKED_AT) {
        waiting += history.count_unarchived(&crawl.site, crawl.id).await?;
    }
    let seconds = between.flatten().map(|between| (waiting * between).div_ceil(1_000));
    Ok((waiting > 0).then_some(ArchiveBacklog { waiting, seconds }))
}
