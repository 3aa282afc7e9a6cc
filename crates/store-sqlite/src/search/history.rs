//! Finding when pages said something. What they said before is in no index: the texts are read, each once.

use std::collections::HashMap;

use jiff::Timestamp;
use recrawl_core::model::ids::{CrawlId, SemanticHash, SiteId};
use recrawl_core::model::record::Presence;
use recrawl_core::model::verdict::Sight;
use recrawl_core::ports::{FoundPassages, Passage};
use recrawl_core::search::{Query, Stretch, Stretches, excerpts, readable_address};
use recrawl_core::url::PageUrl;
use rusqlite::Connection;

use super::finding::{page_text, read_shown};
use super::gap::Version;
use super::indexing::read_title;
use crate::codes;
use crate::contents::read_text;
use crate::records::crawls::read_crawls;
use crate::records::row::{read_code, read_time, read_url};
use crate::store::SqliteStore;

/// More texts are not compared: somebody waits for the answer.
const MOST_TEXTS: u64 = 50_000;

const OF_CRAWL: &str = "SELECT page, verdict, presence, content, semantic, fetched_at
    FROM visit WHERE site = ?1 AND crawl = ?2";

/// A visit that saw what was asked for.
#[derive(Debug, Clone, Copy)]
struct Seen {
    crawl: CrawlId,
    at: Timestamp,
    version: Version,
}

/// Which texts and addresses say what is asked for, each looked at once.
struct Comparison<'a> {
    connection: &'a Connection,
    query: &'a Query,
    texts: HashMap<[u8; 32], Option<bool>>,
    addresses: HashMap<i64, bool>,
    compared: u64,
    left_out: u64,
}

impl SqliteStore {
    /// Looks through the visits of trusted crawls, the newest first, in one view of the file.
    pub(crate) fn find_passages(
        &self,
        connection: &Connection,
        site: Option<&SiteId>,
        query: &Query,
        limit: usize,
    ) -> rusqlite::Result<FoundPassages> {
        let view = connection.unchecked_transaction()?;
        let mut comparison = Comparison {
            connection: &view,
            query,
            texts: HashMap::new(),
            addresses: HashMap::new(),
            compared: 0,
            left_out: 0,
        };
        let mut found: Vec<(SiteId, i64, Stretch<Seen>)> = Vec::new();
        for (_, site) in self.searched(&view, site)? {
            let stretches = self.stretches(&view, &site, &mut comparison)?;
            found.extend(stretches.finish().map(|(page, stretch)| (site.clone(), page, stretch)));
        }
        found.sort_by(|(site, page, one), (other_site, other_page, other)| {
            other.last.at.cmp(&one.last.at).then_with(|| (site, page).cmp(&(other_site, other_page)))
        });
        found.truncate(limit);
        let (compared, left_out) = (comparison.compared, comparison.left_out);
        let passages: rusqlite::Result<Vec<Passage>> = found
            .into_iter()
            .map(|(site, page, stretch)| read_passage(&view, site, page, &stretch, query))
            .collect();
        Ok(FoundPassages { passages: passages?, compared, left_out })
    }

    fn stretches(
        &self,
        view: &Connection,
        site: &SiteId,
        comparison: &mut Comparison<'_>,
    ) -> rusqlite::Result<Stretches<i64, Seen>> {
        let mut stretches = Stretches::default();
        let mut select = view.prepare_cached(OF_CRAWL)?;
        let crawls = read_crawls(&self.keys, view, site)?;
        for crawl in crawls.iter().rev().filter(|crawl| crawl.is_trusted()) {
            let Some(key) = self.keys.crawl(view, site, crawl.id)? else { continue };
            let mut rows = select.query([key.site, key.crawl])?;
            while let Some(row) = rows.next()? {
                if read_code(row, 1, codes::verdict)?.sight() == Sight::Nothing {
                    continue;
                }
                let version = Version { page: row.get(0)?, content: row.get(3)?, semantic: row.get(4)? };
                let is_there = read_code(row, 2, codes::presence)? == Presence::Present;
                if let Some(says_it) = comparison.says_it(version, is_there)? {
                    let seen = Seen { crawl: crawl.id, at: read_time(row, 5)?, version };
                    stretches.push(version.page, seen, says_it);
                }
            }
        }
        Ok(stretches)
    }
}

impl Comparison<'_> {
    /// Tells whether a version says what is asked for, in its text or its address; `None` where that is not known.
    fn says_it(&mut self, version: Version, is_there: bool) -> rusqlite::Result<Option<bool>> {
        let Some(semantic) = version.semantic.filter(|_| is_there) else { return Ok(Some(false)) };
        if self.has_address(version.page)? {
            return Ok(Some(true));
        }
        if self.query.wanted().is_empty() {
            return Ok(Some(false));
        }
        let says_it = self.text_says_it(semantic)?;
        self.left_out += u64::from(says_it.is_none());
        Ok(says_it)
    }

    fn has_address(&mut self, page: i64) -> rusqlite::Result<bool> {
        let Some(part) = self.query.address() else { return Ok(false) };
        if let Some(known) = self.addresses.get(&page) {
            return Ok(*known);
        }
        let has_it = readable_address(read_page(self.connection, page)?.as_str()).contains(part);
        self.addresses.insert(page, has_it);
        Ok(has_it)
    }

    fn text_says_it(&mut self, semantic: [u8; 32]) -> rusqlite::Result<Option<bool>> {
        if let Some(known) = self.texts.get(&semantic) {
            return Ok(*known);
        }
        if self.compared >= MOST_TEXTS {
            return Ok(None);
        }
        let text = read_text(self.connection, &SemanticHash::from(semantic))?;
        self.compared += u64::from(text.is_some());
        let says_it = text.map(|text| self.query.admits(&[&text]));
        self.texts.insert(semantic, says_it);
        Ok(says_it)
    }
}

fn read_page(connection: &Connection, page: i64) -> rusqlite::Result<PageUrl> {
    let mut select = connection.prepare_cached("SELECT url FROM url WHERE id = ?1")?;
    select.query_row([page], |row| read_url(row, 0))
}

fn read_passage(
    connection: &Connection,
    site: SiteId,
    page: i64,
    stretch: &Stretch<Seen>,
    query: &Query,
) -> rusqlite::Result<Passage> {
    let version = stretch.last.version;
    let shown = read_shown(connection, version)?;
    Ok(Passage {
        site,
        url: read_page(connection, page)?,
        title: read_title(connection, version)?,
        excerpt: excerpts(&[page_text(shown.as_ref())], query).concat(),
        first: (stretch.first.crawl, stretch.first.at),
        last: (stretch.last.crawl, stretch.last.at),
        is_current: stretch.is_current,
    })
}
