//! A window instead of a fan-out: of the pages that wait, only as many are messages as soon have their turn.
//!
//! The others are kept here, in the order of their priority. A process that dies loses them, and the audit finds them: links
//! of recorded pages, what sitemaps list, pages that were there before.

mod of_host;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use recrawl_core::plan::visit_planner::VisitPlanner;
use recrawl_core::ports::{Frontier, Priority, QueueError, QueuedPage};
use recrawl_core::url::{HostKey, PageUrl};

use self::of_host::HostWindow;
use crate::answer::chain;
use crate::sessions::CrawlKey;

/// How many messages are on their way at most, over all crawls and hosts: delivered twice, all of them have a place.
const MOST: usize = 240;

/// The share of the deadline in which all messages of a host that are on their way have their turn. It is small, so that a
/// better page that is found meanwhile is not late.
const SHARE: f64 = 0.2;

/// How far a host is from its next request where nobody knows its pace.
const USUAL_INTERVAL: Duration = Duration::from_secs(1);

/// Tells how long it takes from one request to a host to the next.
pub(crate) type Interval = Arc<dyn Fn(&HostKey) -> Duration + Send + Sync>;

/// Publishes pages as they have their turn, and keeps the others.
pub(crate) struct Windows {
    topic: Arc<dyn Frontier>,
    ack_deadline: Duration,
    crawls: Mutex<HashMap<CrawlKey, CrawlWindow>>,
}

#[derive(Default)]
struct CrawlWindow {
    guide: Option<Guide>,
    hosts: HashMap<HostKey, HostWindow>,
    /// How many gather pages: until they have all of them, nothing is published.
    gathering: usize,
}

/// By what the pages of a crawl are ordered and paced.
struct Guide {
    planner: Arc<VisitPlanner>,
    interval: Interval,
}

/// Holds publishing back until it is dropped, so that the best of all pages are published first.
pub(crate) struct Gathering<'a> {
    windows: &'a Windows,
    crawl: CrawlKey,
}

impl Windows {
    /// Publishes to `topic`, whose messages are to be acknowledged within `ack_deadline`.
    pub(crate) fn new(topic: Arc<dyn Frontier>, ack_deadline: Duration) -> Self {
        Self { topic, ack_deadline, crawls: Mutex::default() }
    }

    /// Orders the pages of a crawl by its planner, and publishes them as fast as its hosts are asked.
    pub(crate) fn guide(&self, crawl: &CrawlKey, planner: Arc<VisitPlanner>, interval: Interval) {
        self.crawls().entry(crawl.clone()).or_default().guide = Some(Guide { planner, interval });
    }

    /// Publishes nothing of a crawl until what this returns is dropped; then somebody has to [`Windows::refill`].
    pub(crate) fn gather(&self, crawl: &CrawlKey) -> Gathering<'_> {
        self.crawls().entry(crawl.clone()).or_default().gathering += 1;
        Gathering { windows: self, crawl: crawl.clone() }
    }

    /// Notes that the message of a page was delivered and is worked on; returns the priority that the page was published
    /// with.
    pub(crate) fn arrived(&self, crawl: &CrawlKey, url: &PageUrl, depth: u32) -> Priority {
        self.of_host(crawl, url, |window| window.arrived(url, depth))
    }

    /// Notes that the message of a page will be delivered again.
    pub(crate) fn refused(&self, crawl: &CrawlKey, url: &PageUrl) {
        self.of_host(crawl, url, |window| window.refused(url));
    }

    /// Notes that a page needs no message any more.
    pub(crate) fn done(&self, crawl: &CrawlKey, url: &PageUrl) {
        self.of_host(crawl, url, |window| window.done(url));
    }

    /// Takes a page back whose message is acknowledged without a visit: it is published again when it has its turn.
    pub(crate) fn take_back(&self, page: QueuedPage) {
        let url = page.url.clone();
        self.of_host(&key(&page), &url, |window| window.take_back(page));
    }

    /// Publishes what has its turn; tells whether anything was published. What cannot be published is kept.
    pub(crate) async fn refill(&self, crawl: &CrawlKey) -> bool {
        match self.publish(crawl).await {
            Ok(published) => published > 0,
            Err(error) => {
                tracing::warn!(crawl.id = %crawl.1, error = chain(&error), "pages could not be published");
                false
            }
        }
    }

    /// Takes messages for lost that were not seen for as long as `quiet`, and publishes what has its turn instead; tells
    /// whether anything was published.
    pub(crate) async fn tend(&self, crawl: &CrawlKey, quiet: Duration) -> bool {
        if let Some(window) = self.crawls().get_mut(crawl) {
            window.hosts.values_mut().for_each(|host| host.expire(quiet));
        }
        self.refill(crawl).await
    }

    /// Forgets a crawl with all that is kept of it.
    pub(crate) fn forget(&self, crawl: &CrawlKey) {
        self.crawls().remove(crawl);
    }

    /// Forgets the pages that are kept of a crawl: no further one is asked for.
    pub(crate) fn drop_kept(&self, crawl: &CrawlKey) {
        if let Some(window) = self.crawls().get_mut(crawl) {
            window.hosts.clear();
        }
    }

    async fn publish(&self, crawl: &CrawlKey) -> Result<usize, QueueError> {
        let pages = self.next(crawl);
        if pages.is_empty() {
            return Ok(0);
        }
        let published = self.topic.queue(&pages).await;
        if published.is_err() {
            for page in &pages {
                self.of_host(crawl, &page.url, |window| window.take_back(page.clone()));
            }
        }
        published.map(|()| pages.len())
    }

    /// Takes the pages that are published now.
    fn next(&self, crawl: &CrawlKey) -> Vec<QueuedPage> {
        let mut crawls = self.crawls();
        let busy = crawls.values().flat_map(|window| window.hosts.values()).filter(|host| host.is_busy());
        let share = (MOST / busy.count().max(1)).max(2);
        let Some(window) = crawls.get_mut(crawl).filter(|window| window.gathering == 0) else {
            return Vec::new();
        };
        let CrawlWindow { guide, hosts, .. } = window;
        let mut pages = Vec::new();
        for (host, kept) in hosts.iter_mut() {
            let interval = guide.as_ref().map_or(USUAL_INTERVAL, |guide| (guide.interval)(host));
            pages.extend(kept.next(within(self.ack_deadline, interval, SHARE).min(share)));
        }
        hosts.retain(|_, host| host.is_busy());
        pages
    }

    fn of_host<T>(&self, crawl: &CrawlKey, url: &PageUrl, note: impl FnOnce(&mut HostWindow) -> T) -> T {
        let mut crawls = self.crawls();
        let window = crawls.entry(crawl.clone()).or_default();
        note(window.hosts.entry(url.host_key()).or_default())
    }

    fn crawls(&self) -> MutexGuard<'_, HashMap<CrawlKey, CrawlWindow>> {
        // What was lost in a panic is found by the audit.
        self.crawls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many pages of a host have their turn in a `share` of the deadline, at least one.
pub(crate) fn within(ack_deadline: Duration, interval: Duration, share: f64) -> usize {
    /// Where there is nothing to count by.
    const MOST_WAITING: f64 = 1_000.0;
    let in_time = ack_deadline.as_secs_f64() * share / interval.as_secs_f64();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is bounded on both sides; no interval makes it infinite, which becomes the bound"
    )]
    let in_time = in_time.clamp(1.0, MOST_WAITING) as usize;
    in_time
}

fn key(page: &QueuedPage) -> CrawlKey {
    (page.site.clone(), page.crawl)
}

#[async_trait]
impl Frontier for Windows {
    /// Keeps `pages`, and publishes those that have their turn.
    async fn queue(&self, pages: &[QueuedPage]) -> Result<(), QueueError> {
        let mut touched: Vec<CrawlKey> = Vec::new();
        {
            let mut crawls = self.crawls();
            for page in pages {
                let crawl = key(page);
                let window = crawls.entry(crawl.clone()).or_default();
                let mut page = page.clone();
                if let Some(guide) = window.guide.as_ref().filter(|_| page.priority == Priority::default()) {
                    page.priority = guide.planner.priority(&page.url, page.found.depth);
                }
                window.hosts.entry(page.url.host_key()).or_default().keep(page);
                if !touched.contains(&crawl) {
                    touched.push(crawl);
                }
            }
        }
        for crawl in touched {
            self.publish(&crawl).await?;
        }
        Ok(())
    }
}

impl Drop for Gathering<'_> {
    fn drop(&mut self) {
        if let Some(window) = self.windows.crawls().get_mut(&self.crawl) {
            window.gathering = window.gathering.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests;
