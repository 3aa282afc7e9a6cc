//! The numbers that stand for sites and crawls in the tables.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use recrawl_core::model::ids::{CrawlId, SiteId};
use rusqlite::{Connection, OptionalExtension};

use crate::cache::two_generation_cache::Mixer;

/// A crawl of a site, as the tables name it. Its number is given when it is opened, and grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CrawlKey {
    pub(crate) site: i64,
    pub(crate) crawl: i64,
}

/// The sites and crawls that are known to be stored.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    sites: Mutex<Sites>,
    /// Nobody else opens or deletes crawls, or renames sites, so that what was read once stays right. Otherwise a name may
    /// come to stand for another: a crawl that is deleted and opened anew on the same day, a site that was renamed.
    is_alone: AtomicBool,
}

/// By a quick hash: names of sites are chosen by whoever crawls them.
type Sites = HashMap<SiteId, KnownSite, BuildHasherDefault<Mixer>>;

#[derive(Debug)]
struct KnownSite {
    id: i64,
    crawls: HashMap<CrawlId, i64, BuildHasherDefault<Mixer>>,
}

impl Keys {
    /// Returns the number of a site, if it is stored.
    pub(crate) fn site(&self, connection: &Connection, name: &SiteId) -> rusqlite::Result<Option<i64>> {
        if self.is_alone.load(Ordering::Acquire)
            && let Some(known) = self.lock().get(name)
        {
            return Ok(Some(known.id));
        }
        let mut select = connection.prepare_cached("SELECT id FROM site WHERE name = ?1")?;
        let found: Option<i64> = select.query_row([name.as_str()], |row| row.get(0)).optional()?;
        if let Some(id) = found
            && self.is_alone.load(Ordering::Acquire)
        {
            self.lock().entry(name.clone()).or_insert(KnownSite { id, crawls: HashMap::default() });
        }
        Ok(found)
    }

    /// Notes that this process alone opens and deletes crawls from now on.
    pub(crate) fn stay_alone(&self) {
        self.is_alone.store(true, Ordering::Release);
    }

    /// Returns the key of a crawl, if it is known to be stored.
    pub(crate) fn known_crawl(&self, name: &SiteId, crawl: CrawlId) -> Option<CrawlKey> {
        if !self.is_alone.load(Ordering::Acquire) {
            return None;
        }
        let sites = self.lock();
        let known = sites.get(name)?;
        Some(CrawlKey { site: known.id, crawl: *known.crawls.get(&crawl)? })
    }

    /// Returns the key of a crawl, if it is stored.
    pub(crate) fn crawl(
        &self,
        connection: &Connection,
        name: &SiteId,
        crawl: CrawlId,
    ) -> rusqlite::Result<Option<CrawlKey>> {
        if let Some(key) = self.known_crawl(name, crawl) {
            return Ok(Some(key));
        }
        let Some(site) = self.site(connection, name)? else {
            return Ok(None);
        };
        let mut select =
            connection.prepare_cached("SELECT number FROM crawl WHERE site = ?1 AND name = ?2")?;
        let number = select.query_row((site, crawl.to_string()), |row| row.get(0)).optional()?;
        if self.is_alone.load(Ordering::Acquire)
            && let (Some(number), Some(known)) = (number, self.lock().get_mut(name))
        {
            known.crawls.insert(crawl, number);
        }
        Ok(number.map(|crawl| CrawlKey { site, crawl }))
    }

    /// Returns a crawl of a site as a bound: what lies before it was opened before it. One that is not stored comes
    /// after all others. Nothing where the site is not stored.
    pub(crate) fn bound(
        &self,
        connection: &Connection,
        name: &SiteId,
        crawl: CrawlId,
    ) -> rusqlite::Result<Option<CrawlKey>> {
        match self.crawl(connection, name, crawl)? {
            Some(key) => Ok(Some(key)),
            None => Ok(self.site(connection, name)?.map(|site| CrawlKey { site, crawl: i64::MAX })),
        }
    }

    /// Forgets a crawl that was deleted.
    pub(crate) fn forget(&self, name: &SiteId, crawl: CrawlId) {
        if let Some(known) = self.lock().get_mut(name) {
            known.crawls.remove(&crawl);
        }
    }

    /// Forgets a site that may have been deleted.
    pub(crate) fn forget_site(&self, name: &SiteId) {
        self.lock().remove(name);
    }

    fn lock(&self) -> MutexGuard<'_, Sites> {
        // The map is a cache; a panic leaves at worst an entry out.
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
