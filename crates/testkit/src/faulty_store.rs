//! A store that notes every call and fails at chosen ones (fault injection).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use recrawl_core::model::archive::Archive;
use recrawl_core::model::content::{Content, Reading};
use recrawl_core::model::counts::Counts;
use recrawl_core::model::crawl::{Closed, Crawl, Operations, Site};
use recrawl_core::model::ids::{ContentHash, CrawlId, SemanticHash, SiteId};
use recrawl_core::model::record::{ContentRef, PageRecord, PageState, PageSummary};
use recrawl_core::model::shared_change::SharedChange;
use recrawl_core::model::site_plan::{PlannedSite, SitePlan};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{
    Announcement, Announcer, ArchiveQueue, ArchiveRequest, ArchiveStore, Contents, Deletion, Frontier,
    History, QueueError, QueuedPage, Recorded, Retention, SitePlans, StateEntry, StateGroup, StateKey,
    StateStore, Store, StoreError, Summaries,
};
use recrawl_core::url::PageUrl;

/// When the failing call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// Nothing of it is done.
    Before,
    /// It is done, and the caller is not told.
    After,
}

/// Which calls fail.
#[derive(Debug, Clone, Copy)]
struct Fault {
    /// The calls that count; all of them where there is no name.
    name: Option<&'static str>,
    /// The one of them that fails, from 0; every one where there is no number.
    number: Option<usize>,
    failure: Failure,
}

/// A store that notes every call, and fails where a test wants it to.
///
/// It is whatever port the store inside is.
#[derive(Debug, Default)]
pub struct FaultyStore<S> {
    /// The store inside; what is asked of it directly is neither noted nor failed.
    pub inner: Arc<S>,
    calls: Mutex<Vec<&'static str>>,
    fault: Mutex<Option<Fault>>,
    summaries: Mutex<Vec<(CrawlId, Closed)>>,
    latency: Mutex<Duration>,
}

impl<S> FaultyStore<S> {
    /// Wraps a store that others may hold, too.
    pub fn over(inner: Arc<S>) -> Self {
        Self {
            inner,
            calls: Mutex::default(),
            fault: Mutex::default(),
            summaries: Mutex::default(),
            latency: Mutex::default(),
        }
    }

    /// Makes every call take so long, as one over a network does.
    pub fn take(&self, latency: Duration) {
        *lock(&self.latency) = latency;
    }

    /// Returns the calls since the last time this was asked.
    pub fn calls(&self) -> Vec<&'static str> {
        std::mem::take(&mut lock(&self.calls))
    }

    /// Tells whether there was a call of this name since [`FaultyStore::calls`] was asked.
    pub fn was_called(&self, name: &str) -> bool {
        lock(&self.calls).contains(&name)
    }

    /// Makes the call of this number fail, whatever its name, counted from 0 and from now.
    pub fn fail_at(&self, number: usize, failure: Failure) {
        self.plant(Fault { name: None, number: Some(number), failure });
    }

    /// Makes one call of this name fail, counted from 0 and from now.
    pub fn fail_call(&self, name: &'static str, number: usize, failure: Failure) {
        self.plant(Fault { name: Some(name), number: Some(number), failure });
    }

    /// Makes every call of this name fail, with nothing of it done.
    pub fn fail_every(&self, name: &'static str) {
        self.plant(Fault { name: Some(name), number: None, failure: Failure::Before });
    }

    /// Lets calls succeed again; tells whether the call of a number had failed.
    pub fn heal(&self) -> bool {
        let fault = lock(&self.fault).take();
        let calls = self.calls();
        fault.is_some_and(|fault| {
            let counted = calls.iter().filter(|call| fault.name.is_none_or(|name| name == **call)).count();
            counted > fault.number.unwrap_or(0)
        })
    }

    /// Returns the summaries told, doubles included.
    pub fn summaries(&self) -> Vec<(CrawlId, Closed)> {
        lock(&self.summaries).clone()
    }

    fn plant(&self, fault: Fault) {
        self.calls();
        *lock(&self.fault) = Some(fault);
    }

    /// Notes a call, and tells whether and how it fails.
    fn note(&self, name: &'static str) -> Option<Failure> {
        let mut calls = lock(&self.calls);
        calls.push(name);
        let fault = (*lock(&self.fault)).filter(|fault| fault.name.is_none_or(|of| of == name))?;
        let earlier = calls.iter().filter(|call| fault.name.is_none_or(|of| of == **call)).count() - 1;
        fault.number.is_none_or(|number| number == earlier).then_some(fault.failure)
    }

    async fn pass<T, E: Planted>(
        &self,
        name: &'static str,
        call: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let failure = self.note(name);
        // Others may run between any two calls.
        tokio::task::yield_now().await;
        let latency = *lock(&self.latency);
        if !latency.is_zero() {
            tokio::time::sleep(latency).await;
        }
        match failure {
            None => call.await,
            Some(Failure::Before) => Err(E::planted()),
            Some(Failure::After) => call.await.and_then(|_| Err(E::planted())),
        }
    }
}

/// An error that a test plants.
trait Planted {
    fn planted() -> Self;
}

impl Planted for StoreError {
    fn planted() -> Self {
        Self::Unavailable("planted".into())
    }
}

impl Planted for QueueError {
    fn planted() -> Self {
        Self::Unavailable("planted".into())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Implements a port by passing every call on.
macro_rules! pass_on {
    ($port:ident, $error:ty; $(fn $name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {
        #[async_trait]
        impl<S: $port + 'static> $port for FaultyStore<S> {
            $(async fn $name(&self, $($argument: $type),*) -> Result<$output, $error> {
                self.pass(stringify!($name), self.inner.$name($($argument),*)).await
            })*
        }
    };
}

pass_on! { Store, StoreError;
    fn save_site(site: &Site) -> ();
    fn site(id: &SiteId) -> Option<Site>;
    fn open_crawl(crawl: &Crawl) -> Recorded;
    fn close_crawl(site: &SiteId, crawl: CrawlId, closed: &Closed) -> ();
    fn accept_crawl(site: &SiteId, crawl: CrawlId, at: Timestamp) -> ();
    fn judge_crawl_again(site: &SiteId, crawl: CrawlId, reason: &str, statistics: &Statistics) -> ();
    fn confirm_crawl(site: &SiteId, crawl: CrawlId, by: CrawlId) -> ();
    fn crawls(site: &SiteId) -> Vec<Crawl>;
    fn crawl_under_way(site: &SiteId) -> Option<Crawl>;
    fn record(record: &PageRecord, content: Option<&Content>) -> Recorded;
    fn settle(site: &SiteId, crawl: CrawlId, records: &[PageRecord]) -> ();
    fn save_shared_changes(site: &SiteId, crawl: CrawlId, changes: &[SharedChange]) -> ();
    fn shared_changes(site: &SiteId, crawl: CrawlId) -> Vec<SharedChange>;
    fn lower_depth(site: &SiteId, crawl: CrawlId, pages: &[PageUrl], depth: u32) -> ();
    fn page(site: &SiteId, crawl: CrawlId, url: &PageUrl) -> Option<PageRecord>;
    fn latest_before(site: &SiteId, crawl: CrawlId, url: &PageUrl) -> Option<PageRecord>;
    fn page_state_before(site: &SiteId, crawl: CrawlId, url: &PageUrl) -> Option<PageState>;
    fn records(
        site: &SiteId, crawl: CrawlId, verdicts: &[Verdict], after: Option<&PageUrl>, limit: usize
    ) -> Vec<PageRecord>;
    fn page_summaries(
        site: &SiteId, before: Option<CrawlId>, each: &mut (dyn FnMut(PageSummary) + Send)
    ) -> ();
}

pass_on! { Contents, StoreError;
    fn links(site: &SiteId, contents: &[ContentHash]) -> Vec<Option<Vec<PageUrl>>>;
    fn unqueued_links(site: &SiteId, crawl: CrawlId, content: &ContentHash) -> Option<Vec<PageUrl>>;
    fn text(site: &SiteId, semantic: &SemanticHash) -> Option<String>;
    fn readings(site: &SiteId, contents: &[ContentRef]) -> Vec<Option<Reading>>;
    fn body(site: &SiteId, content: &ContentRef) -> Option<Vec<u8>>;
}

pass_on! { History, StoreError;
    fn sites() -> Vec<Site>;
    fn visits(site: &SiteId, url: &PageUrl) -> Vec<PageRecord>;
    fn last_visit(site: &SiteId, crawl: CrawlId) -> Option<Timestamp>;
    fn verdict_counts(site: &SiteId, crawl: CrawlId) -> Counts;
    fn count_unarchived(site: &SiteId, crawl: CrawlId) -> u64;
    fn visits_since(site: &SiteId, crawl: CrawlId, since: Timestamp, limit: usize) -> Vec<PageRecord>;
    fn content(site: &SiteId, hash: &ContentHash) -> Option<Content>;
    fn titles(site: &SiteId, contents: &[ContentHash]) -> HashMap<ContentHash, String>;
    fn operations(site: &SiteId, crawl: CrawlId) -> Option<Operations>;
}

pass_on! { ArchiveStore, StoreError;
    fn save_archive(site: &SiteId, crawl: CrawlId, url: &PageUrl, archive: &Archive) -> ();
    fn unarchived(site: &SiteId, crawl: CrawlId, now: Timestamp, limit: usize) -> Vec<PageRecord>;
}

pass_on! { Retention, StoreError;
    fn delete_crawl(site: &SiteId, crawl: CrawlId, limit: u64) -> Deletion;
    fn delete_records(site: &SiteId, crawl: CrawlId, pages: &[PageUrl]) -> Deletion;
    fn forget_site(site: &SiteId) -> ();
    fn rename_site(site: &SiteId, to: &SiteId) -> Recorded;
    fn size() -> Option<u64>;
    fn reclaim() -> ();
}

pass_on! { SitePlans, StoreError;
    fn planned_sites() -> Vec<PlannedSite>;
    fn save_plan(site: &SiteId, plan: Option<&SitePlan>) -> ();
}

pass_on! { StateStore, StoreError;
    fn state(key: &StateKey) -> Option<StateEntry>;
    fn save_state(key: &StateKey, entry: &StateEntry) -> ();
    fn replace_state(key: &StateKey, before: Option<&StateEntry>, entry: &StateEntry) -> bool;
    fn delete_state(key: &StateKey) -> ();
    fn states(group: &StateGroup) -> Vec<StateEntry>;
    fn delete_states(group: &StateGroup) -> ();
}

pass_on! { Frontier, QueueError;
    fn queue(pages: &[QueuedPage]) -> ();
}

pass_on! { Announcer, QueueError;
    fn announce(announcements: &[Announcement]) -> ();
    fn announce_recorded(site: &SiteId, crawl: CrawlId, kinds: &[Verdict]) -> Option<u64>;
}

pass_on! { ArchiveQueue, QueueError;
    fn request(requests: &[ArchiveRequest]) -> ();
}

#[async_trait]
impl<S: Send + Sync> Summaries for FaultyStore<S> {
    async fn summarise(&self, _: &Site, crawl: CrawlId, closed: &Closed) -> Result<(), QueueError> {
        let told = async {
            lock(&self.summaries).push((crawl, closed.clone()));
            Ok(())
        };
        self.pass("summarise", told).await
    }
}
