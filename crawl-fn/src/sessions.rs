//! The open crawls that this process knows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::ports::StoreError;
use recrawl_engine::{CrawlCommand, CrawlCommands};
use tokio::sync::OnceCell;
use tokio::time::Instant;

use crate::parts::Parts;
use crate::session::Session;
use crate::site_parts::SiteParts;

/// How long a crawl that is not open is not looked up again: stray messages come in crowds.
const REMEMBERED: Duration = Duration::from_mins(1);

/// A crawl of one of the sites.
pub(crate) type CrawlKey = (SiteId, CrawlId);

/// The open crawls that this process knows.
#[derive(Default)]
pub(crate) struct Sessions {
    open: Mutex<HashMap<CrawlKey, Arc<OnceCell<Arc<Session>>>>>,
    not_open: Mutex<NotOpen>,
}

/// The crawls that were found not to be under way, and since when.
#[derive(Default)]
struct NotOpen {
    since: HashMap<CrawlKey, Instant>,
    /// How often one was noted as open: what was found out before that is outdated.
    openings: u64,
}

/// Why there is no session.
#[derive(Debug)]
pub(crate) enum NoSession {
    /// The crawl is closed, stopped or paused, or there is none of this name.
    NotOpen,
    /// The store could not tell.
    Store(StoreError),
}

impl Sessions {
    /// Returns the session of a crawl; the first to ask takes the crawl up, and others wait for that.
    pub(crate) async fn of(
        &self,
        parts: &Parts,
        site: &Arc<SiteParts>,
        crawl: CrawlId,
    ) -> Result<Arc<Session>, NoSession> {
        let key = (site.id().clone(), crawl);
        loop {
            if self.is_known_not_open(&key) {
                return Err(NoSession::NotOpen);
            }
            let openings = self.not_open().openings;
            let cell = Arc::clone(self.open().entry(key.clone()).or_default());
            let session = cell.get_or_try_init(|| take_up(parts, site, crawl)).await.cloned();
            // A crawl that was resumed while the store was asked is looked at again: its messages would be dropped.
            if !matches!(session, Err(NoSession::NotOpen)) || self.drop_unless_opened(&key, openings) {
                return session;
            }
        }
    }

    /// Returns the crawls in memory.
    pub(crate) fn keys(&self) -> Vec<CrawlKey> {
        self.open().keys().cloned().collect()
    }

    /// Returns the session of a crawl, if it is in memory.
    pub(crate) fn in_memory(&self, crawl: &CrawlKey) -> Option<Arc<Session>> {
        self.open().get(crawl).and_then(|cell| cell.get().cloned())
    }

    /// Ends all visits of a crawl at once, and lets go of it.
    pub(crate) fn halt(&self, crawl: &CrawlKey) {
        let session = self.in_memory(crawl);
        // Before its visits end: who comes for it from now on does not begin another.
        self.drop_closed(crawl);
        if let Some(session) = session {
            session.halted.cancel();
        }
    }

    /// Returns the crawls that were found not to be under way.
    pub(crate) fn known_not_open(&self) -> Vec<CrawlKey> {
        self.not_open().since.keys().cloned().collect()
    }

    /// Lets go of a crawl that is not open.
    pub(crate) fn drop_closed(&self, crawl: &CrawlKey) {
        self.open().remove(crawl);
        self.not_open().note(crawl);
    }

    /// Lets go of a crawl that was found not to be open when there had been so many openings; tells whether it did. If there
    /// was one since, it may be open by now.
    fn drop_unless_opened(&self, crawl: &CrawlKey, openings: u64) -> bool {
        self.open().remove(crawl);
        let mut not_open = self.not_open();
        let is_current = not_open.openings == openings;
        if is_current {
            not_open.note(crawl);
        }
        is_current
    }

    /// Notes that a crawl is open, whatever was known of it.
    pub(crate) fn opened(&self, crawl: &CrawlKey) {
        let mut not_open = self.not_open();
        not_open.since.remove(crawl);
        not_open.openings += 1;
    }

    fn is_known_not_open(&self, crawl: &CrawlKey) -> bool {
        self.not_open().since.get(crawl).is_some_and(|since| since.elapsed() < REMEMBERED)
    }

    fn not_open(&self) -> MutexGuard<'_, NotOpen> {
        self.not_open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> MutexGuard<'_, HashMap<CrawlKey, Arc<OnceCell<Arc<Session>>>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl NotOpen {
    fn note(&mut self, crawl: &CrawlKey) {
        self.since.retain(|_, since| since.elapsed() < REMEMBERED);
        self.since.insert(crawl.clone(), Instant::now());
    }
}

async fn take_up(parts: &Parts, site: &Arc<SiteParts>, crawl: CrawlId) -> Result<Arc<Session>, NoSession> {
    let crawls = parts.deps.store.crawls(site.id()).await.map_err(NoSession::Store)?;
    let found = crawls.iter().find(|other| other.id == crawl && other.is_open()).cloned();
    let found = found.ok_or(NoSession::NotOpen)?;
    let commands = CrawlCommands::read(&*parts.deps.store).await.map_err(NoSession::Store)?;
    if commands.of(&site.site.id, crawl).is_some_and(CrawlCommand::halts) {
        return Err(NoSession::NotOpen);
    }
    let session = Session::take_up(parts, site.clone(), found, &crawls).await.map_err(NoSession::Store)?;
    Ok(Arc::new(session))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_out_before_a_crawl_was_resumed_does_not_count() {
        let sessions = Sessions::default();
        let crawl: CrawlKey = ("default".parse().unwrap(), "crawl-2026-11-16".parse().unwrap());
        let before = sessions.not_open().openings;
        assert!(sessions.drop_unless_opened(&crawl, before), "nobody resumed it meanwhile");
        assert!(sessions.is_known_not_open(&crawl));
        sessions.opened(&crawl);
        assert!(!sessions.drop_unless_opened(&crawl, before), "it was asked before somebody resumed it");
        assert!(!sessions.is_known_not_open(&crawl));
    }
}
