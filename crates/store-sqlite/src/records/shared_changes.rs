//! Reading shared changes.

use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::shared_change::SharedChange;
use rusqlite::{Connection, Row};

use crate::error::unreadable;
use crate::keys::Keys;

pub(crate) fn read_shared_changes(
    keys: &Keys,
    connection: &Connection,
    site: &SiteId,
    crawl: CrawlId,
) -> rusqlite::Result<Vec<SharedChange>> {
    let Some(key) = keys.crawl(connection, site, crawl)? else {
        return Ok(Vec::new());
    };
    let sql = "SELECT change FROM shared_change WHERE site = ?1 AND crawl = ?2 ORDER BY position";
    let mut select = connection.prepare_cached(sql)?;
    let read = |row: &Row| serde_json::from_str(row.get_ref(0)?.as_str()?).map_err(unreadable);
    select.query_map([key.site, key.crawl], read)?.collect()
}
