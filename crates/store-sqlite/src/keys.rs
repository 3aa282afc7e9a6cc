//! The numbers that stand for sites and crawls in the tables.

use std::cell::Cell;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Span;
use jiff::civil::{Date, date};
use recrawl_core::ids::{CrawlId, SiteId};
use rusqlite::{Connection, OptionalExtension};

use crate::generations::Mixer;

const FIRST_DAY: Date = date(1970, 1, 1);

/// A crawl of a site, as the tables name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CrawlKey {
    pub(crate) site: i64,
    pub(crate) crawl: i64,
}

thread_local! {
    /// The last crawl whose number was looked for either way: nearly always it is the next one, too.
    static LAST: Cell<Option<(CrawlId, i64)>> = const { Cell::new(None) };
}

/// Returns the number of a crawl: numbers are in the order of the names.
pub(crate) fn number(id: CrawlId) -> i64 {
    if let Some((_, number)) = LAST.get().filter(|(last, _)| *last == id) {
        return number;
    }
    let number = compute_number(id);
    LAST.set(Some((id, number)));
    number
}

/// Returns the crawl of this number, if it is one.
pub(crate) fn crawl_id(number: i64) -> Option<CrawlId> {
    if let Some((id, _)) = LAST.get().filter(|(_, last)| *last == number) {
        return Some(id);
    }
    let id = compute_id(number)?;
    LAST.set(Some((id, number)));
    Some(id)
}

fn compute_number(id: CrawlId) -> i64 {
    let first = CrawlId::first_of(id.day());
    let ordinal = if id == first {
        1
    } else {
        let name = id.to_string();
        let digits = name.rsplit('-').next().unwrap_or_default();
        digits.parse::<u32>().expect("the name of a later crawl of a day ends in its ordinal")
    };
    let days = id.day().duration_since(FIRST_DAY).as_hours() / 24;
    (days << 32) | i64::from(ordinal)
}

fn compute_id(number: i64) -> Option<CrawlId> {
    let days = Span::new().try_days(number >> 32).ok()?;
    let day = FIRST_DAY.checked_add(days).ok()?;
    let first = CrawlId::first_of(day);
    match number & 0xffff_ffff {
        0 => None,
        1 => Some(first),
        ordinal => format!("{first}-{ordinal}").parse().ok(),
    }
}

/// The sites and crawls that are known to be stored.
#[derive(Debug, Default)]
pub(crate) struct Keys(Mutex<Sites>);

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
        if let Some(known) = self.lock().get(name) {
            return Ok(Some(known.id));
        }
        let mut select = connection.prepare_cached("SELECT id FROM site WHERE name = ?1")?;
        let found: Option<i64> = select.query_row([name.as_str()], |row| row.get(0)).optional()?;
        if let Some(id) = found {
            self.lock().entry(name.clone()).or_insert(KnownSite { id, crawls: HashMap::default() });
        }
        Ok(found)
    }

    /// Returns the key of a crawl, if it is known to be stored.
    pub(crate) fn known_crawl(&self, name: &SiteId, crawl: CrawlId) -> Option<CrawlKey> {
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
        let key = CrawlKey { site, crawl: number(crawl) };
        let mut select = connection.prepare_cached("SELECT 1 FROM crawl WHERE site = ?1 AND number = ?2")?;
        if !select.exists([key.site, key.crawl])? {
            return Ok(None);
        }
        if let Some(known) = self.lock().get_mut(name) {
            known.crawls.insert(crawl, key.crawl);
        }
        Ok(Some(key))
    }

    /// Forgets a crawl that was deleted.
    pub(crate) fn forget(&self, name: &SiteId, crawl: CrawlId) {
        if let Some(known) = self.lock().get_mut(name) {
            known.crawls.remove(&crawl);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Sites> {
        // The map is a cache; a panic leaves at worst an entry out.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_crawls_are_in_their_order_and_read_back() {
        let names = [
            "crawl-1999-12-31",
            "crawl-2026-11-16",
            "crawl-2026-11-16-2",
            "crawl-2026-11-16-10",
            "crawl-2026-11-16-4294967295",
            "crawl-2026-11-17",
            "crawl-9999-12-31",
        ];
        let ids: Vec<CrawlId> = names.iter().map(|name| name.parse().unwrap()).collect();
        let numbers: Vec<i64> = ids.iter().map(|id| number(*id)).collect();
        assert!(numbers.is_sorted());
        for (id, number) in ids.iter().zip(numbers) {
            assert_eq!(crawl_id(number), Some(*id));
        }
        assert_eq!(crawl_id(0), None);
        assert_eq!(crawl_id(i64::MAX), None);
    }
}
