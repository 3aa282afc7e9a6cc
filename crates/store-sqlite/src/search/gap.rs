//! What lies between the index of a site and its pages.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use recrawl_core::decide::baseline;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::Presence;
use rusqlite::{Connection, OptionalExtension, Transaction};

use super::Indexing;
use crate::codes;
use crate::keys::CrawlKey;
use crate::records::crawls::{read_crawls, read_sites};
use crate::records::row::read_count;
use crate::store::SqliteStore;

const NEWEST_VISIT: &str = "SELECT id FROM visit WHERE site = ?1 AND crawl = ?2 ORDER BY id DESC LIMIT 1";

const OF_CRAWL: &str = "SELECT page, presence, content, semantic FROM visit WHERE site = ?1 AND crawl = ?2";

/// A version of a page, by the number of the page and the hashes of its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) page: i64,
    pub(crate) content: Option<[u8; 32]>,
    pub(crate) semantic: Option<[u8; 32]>,
}

/// The index of a site beside its pages.
#[derive(Debug)]
pub(crate) struct Gap {
    /// The site.
    pub(crate) site: i64,
    /// Names the visits that were looked at; an index of them carries it.
    pub(crate) state: String,
    /// The index is known to be that of these visits.
    pub(crate) is_closed: bool,
    /// How many pages are in the index as they were last seen.
    pub(crate) indexed: u64,
    /// Pages that are not in the index, or in another version.
    pub(crate) missing: Vec<Version>,
    /// Rows of the index that no page stands for.
    pub(crate) surplus: Vec<i64>,
}

impl SqliteStore {
    /// Returns the sites to search: the named one, or all.
    pub(crate) fn searched(
        &self,
        connection: &Connection,
        site: Option<&SiteId>,
    ) -> rusqlite::Result<Vec<(i64, SiteId)>> {
        let sites = match site {
            Some(site) => vec![site.clone()],
            None => read_sites(connection)?.into_iter().map(|site| site.id).collect(),
        };
        let mut found = Vec::with_capacity(sites.len());
        for site in sites {
            if let Some(key) = self.keys.site(connection, &site)? {
                found.push((key, site));
            }
        }
        Ok(found)
    }

    /// Compares the index of a site with its pages, in one view of the file. Where nothing was written since the
    /// index was made, that takes one look.
    pub(crate) fn read_gap(&self, view: &Transaction, key: i64, site: &SiteId) -> rusqlite::Result<Gap> {
        let crawls = read_crawls(&self.keys, view, site)?;
        let mut newest = Vec::new();
        for crawl in baseline(&crawls) {
            newest.extend(self.keys.crawl(view, site, crawl)?.map(|key| (crawl, key)));
        }
        let state = read_state(view, &newest)?;
        if read_known_state(view, key)?.as_ref() == Some(&state) {
            let indexed = count_indexed(view, key)?;
            return Ok(Gap {
                site: key,
                state,
                is_closed: true,
                indexed,
                missing: Vec::new(),
                surplus: Vec::new(),
            });
        }
        let mut wanted = read_present(view, &newest)?;
        let (mut indexed, mut surplus) = (0, Vec::new());
        let mut select =
            view.prepare_cached("SELECT page, content, semantic, id FROM search_page WHERE site = ?1")?;
        let mut rows = select.query([key])?;
        while let Some(row) = rows.next()? {
            let known = Version { page: row.get(0)?, content: row.get(1)?, semantic: row.get(2)? };
            match wanted.get(&known.page) {
                Some(version) if *version == known => {
                    wanted.remove(&known.page);
                    indexed += 1;
                }
                Some(_) => {}
                None => surplus.push(row.get(3)?),
            }
        }
        let mut missing: Vec<Version> = wanted.into_values().collect();
        // Pages that were found together lie together in the file.
        missing.sort_unstable_by_key(|version| version.page);
        Ok(Gap { site: key, state, is_closed: false, indexed, missing, surplus })
    }

    /// Tells how far the index is.
    pub(crate) fn read_indexing(
        &self,
        connection: &Connection,
        site: Option<&SiteId>,
    ) -> rusqlite::Result<Indexing> {
        let mut indexing = Indexing::default();
        let view = connection.unchecked_transaction()?;
        for (key, site) in self.searched(&view, site)? {
            let gap = self.read_gap(&view, key, &site)?;
            indexing.indexed += gap.indexed;
            indexing.waiting += gap.missing.len() as u64;
        }
        Ok(indexing)
    }
}

/// Names the visits that tell what the pages of a site are.
fn read_state(connection: &Connection, crawls: &[(CrawlId, CrawlKey)]) -> rusqlite::Result<String> {
    let mut select = connection.prepare_cached(NEWEST_VISIT)?;
    let mut state = String::new();
    for (crawl, key) in crawls {
        let newest: Option<i64> = select.query_row([key.site, key.crawl], |row| row.get(0)).optional()?;
        // Writing to a string cannot fail.
        let _ = write!(state, "{crawl}:{} ", newest.unwrap_or(0));
    }
    Ok(state)
}

fn read_known_state(connection: &Connection, site: i64) -> rusqlite::Result<Option<String>> {
    let mut select = connection.prepare_cached("SELECT state FROM search_site WHERE site = ?1")?;
    Ok(select.query_row([site], |row| row.get(0)).optional()?.flatten())
}

fn count_indexed(connection: &Connection, site: i64) -> rusqlite::Result<u64> {
    let mut select = connection.prepare_cached("SELECT count(*) FROM search_page WHERE site = ?1")?;
    select.query_row([site], |row| read_count(row, 0))
}

/// Returns the pages that are there, as they were last seen.
fn read_present(
    connection: &Connection,
    newest_first: &[(CrawlId, CrawlKey)],
) -> rusqlite::Result<HashMap<i64, Version>> {
    let mut select = connection.prepare_cached(OF_CRAWL)?;
    let (mut seen, mut present) = (HashSet::new(), HashMap::new());
    for (_, key) in newest_first {
        let mut rows = select.query([key.site, key.crawl])?;
        while let Some(row) = rows.next()? {
            let page: i64 = row.get(0)?;
            if seen.insert(page) && codes::presence(row.get(1)?) == Some(Presence::Present) {
                present.insert(page, Version { page, content: row.get(2)?, semantic: row.get(3)? });
            }
        }
    }
    Ok(present)
}
