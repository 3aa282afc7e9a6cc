//! What is known of every page, in brief.

use std::collections::HashSet;

use recrawl_core::decide::opened_before;
use recrawl_core::model::crawl::Closed;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::PageSummary;
use rusqlite::{Connection, Row};

use crate::codes;
use crate::keys::Keys;
use crate::records::crawls::read_crawls;
use crate::records::row::{read_code, read_time, read_url};

const OF_CRAWL: &str = "SELECT v.page, p.url, v.presence, v.found_by, v.depth, v.first_seen, v.last_seen,
        v.changes_detected, v.observations, v.change_frequency
    FROM visit AS v JOIN url AS p ON p.id = v.page WHERE v.site = ?1 AND v.crawl = ?2";

pub(crate) fn read_page_summaries(
    keys: &Keys,
    connection: &Connection,
    site: &SiteId,
    before: Option<CrawlId>,
    each: &mut (dyn FnMut(PageSummary) + Send),
) -> rusqlite::Result<()> {
    // One view for all crawls: none ends in between.
    let view = connection.unchecked_transaction()?;
    let crawls = read_crawls(keys, &view, site)?;
    let earlier = before.map_or(&crawls[..], |before| opened_before(&crawls, before));
    let mut select = view.prepare_cached(OF_CRAWL)?;
    let mut seen = HashSet::new();
    for crawl in earlier.iter().rev().filter(|crawl| crawl.is_trusted()) {
        let Some(key) = keys.crawl(&view, site, crawl.id)? else { continue };
        let mut rows = select.query([key.site, key.crawl])?;
        while let Some(row) = rows.next()? {
            if seen.insert(row.get::<_, i64>(0)?) {
                each(page_summary(row)?);
            }
        }
        if crawl.closed.as_ref().is_some_and(Closed::is_whole) {
            break;
        }
    }
    Ok(())
}

fn page_summary(row: &Row) -> rusqlite::Result<PageSummary> {
    Ok(PageSummary {
        url: read_url(row, 1)?,
        presence: read_code(row, 2, codes::presence)?,
        found_by: read_code(row, 3, codes::way)?,
        depth: row.get(4)?,
        first_seen: read_time(row, 5)?,
        last_seen: read_time(row, 6)?,
        changes_detected: row.get(7)?,
        observations: row.get(8)?,
        change_frequency: row.get::<_, Option<f64>>(9)?.unwrap_or(f64::NAN),
    })
}
