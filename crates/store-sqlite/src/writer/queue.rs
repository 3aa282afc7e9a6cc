//! Writing the queue.

use recrawl_core::ports::QueuedPage;
use rusqlite::{Connection, params};

use super::intern::Interner;
use crate::cache::url_id_set::{CrawlUrlSet, UrlIdSet};
use crate::keys::CrawlKey;
use crate::queue::pending_queue::read_queued;
use crate::{codes, url_ids};

/// Queues pages that are not queued yet, in batches of those that were found alike and are visited equally early.
pub(super) fn queue(
    connection: &Connection,
    interner: &mut Interner,
    queued: &mut CrawlUrlSet,
    pages: &[(CrawlKey, QueuedPage)],
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO frontier (site, crawl, found_by, depth, referrer, priority, pages)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let mut insert = connection.prepare_cached(sql)?;
    let alike = |(key, page): &(CrawlKey, QueuedPage), (other_key, other): &(CrawlKey, QueuedPage)| {
        key == other_key && page.priority == other.priority && page.found == other.found
    };
    for batch in pages.chunk_by(alike) {
        let (key, QueuedPage { found, priority, .. }) = &batch[0];
        let queued = queued.of_or_read(*key, || read_queued(connection, *key).map(UrlIdSet::from_iter))?;
        let mut numbers = Vec::with_capacity(batch.len());
        for (_, page) in batch {
            let number = interner.url(connection, &page.url)?;
            if queued.insert(number) {
                numbers.push(number);
            }
        }
        if numbers.is_empty() {
            continue;
        }
        let referrer = found.referrer.as_ref().map(|url| interner.url(connection, url)).transpose()?;
        let (by, numbers) = (codes::of_way(found.by), url_ids::to_json(&numbers));
        insert.execute(params![key.site, key.crawl, by, found.depth, referrer, priority.0, numbers])?;
    }
    Ok(())
}
