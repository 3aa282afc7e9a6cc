//! Writing the index of words.

use recrawl_core::ports::Recorded;
use rusqlite::{Connection, OptionalExtension, params};

use super::{IndexedPage, IndexedPages};

/// Begins a pass over the index of a site; every earlier one is over.
pub(super) fn begin(connection: &Connection, site: i64, pass: i64) -> rusqlite::Result<()> {
    let sql = "INSERT INTO search_site (site, pass) VALUES (?1, ?2)
        ON CONFLICT (site) DO UPDATE SET pass = excluded.pass, state = NULL";
    connection.execute(sql, [site, pass])?;
    Ok(())
}

/// Writes a part of the index, unless its pass is over.
pub(super) fn index(connection: &Connection, index: &IndexedPages) -> rusqlite::Result<Recorded> {
    let sql = "SELECT 1 FROM search_site WHERE site = ?1 AND pass = ?2";
    if !connection.prepare_cached(sql)?.exists([index.site, index.pass])? {
        return Ok(Recorded::Already);
    }
    for row in &index.surplus {
        remove(connection, *row)?;
    }
    for page in &index.pages {
        let sql = "SELECT id FROM search_page WHERE site = ?1 AND page = ?2";
        let mut select = connection.prepare_cached(sql)?;
        let older: Option<i64> =
            select.query_row([index.site, page.version.page], |row| row.get(0)).optional()?;
        if let Some(row) = older {
            remove(connection, row)?;
        }
        add(connection, index.site, page)?;
    }
    if let Some(state) = &index.state {
        let sql = "UPDATE search_site SET state = ?2 WHERE site = ?1";
        connection.execute(sql, params![index.site, state])?;
    }
    Ok(Recorded::First)
}

fn add(connection: &Connection, site: i64, page: &IndexedPage) -> rusqlite::Result<()> {
    let sql = "INSERT INTO search_page (site, page, content, semantic) VALUES (?1, ?2, ?3, ?4)";
    let version = page.version;
    connection.prepare_cached(sql)?.execute(params![
        site,
        version.page,
        version.content,
        version.semantic
    ])?;
    let sql = "INSERT INTO search_word (rowid, title, address, text) VALUES (?1, ?2, ?3, ?4)";
    let row = connection.last_insert_rowid();
    connection.prepare_cached(sql)?.execute(params![row, page.title, page.address, page.text])?;
    Ok(())
}

fn remove(connection: &Connection, row: i64) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM search_word WHERE rowid = ?1")?.execute([row])?;
    connection.prepare_cached("DELETE FROM search_page WHERE id = ?1")?.execute([row])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema;
    use crate::search::Version;

    fn pages(pass: i64, text: &str) -> IndexedPages {
        let version = Version { page: 7, content: None, semantic: None };
        let words = |text: &str| text.to_owned();
        let page =
            IndexedPage { version, title: words("title"), address: words("address"), text: words(text) };
        IndexedPages { site: 1, pass, surplus: Vec::new(), pages: vec![page], state: Some(text.to_owned()) }
    }

    #[test]
    fn whoever_begins_later_takes_over() {
        let mut connection = Connection::open_in_memory().unwrap();
        schema::create(&mut connection).unwrap();
        let found = |word: &str| {
            let sql = "SELECT count(*) FROM search_word WHERE search_word MATCH ?1";
            connection.query_row(sql, [word], |row| row.get::<_, i64>(0)).unwrap()
        };
        let state = || {
            let sql = "SELECT state FROM search_site";
            connection.query_row(sql, [], |row| row.get::<_, Option<String>>(0)).unwrap()
        };
        begin(&connection, 1, 100).unwrap();
        begin(&connection, 1, 200).unwrap();
        assert_eq!(index(&connection, &pages(200, "newer")).unwrap(), Recorded::First);
        assert_eq!(index(&connection, &pages(100, "older")).unwrap(), Recorded::Already);
        assert_eq!((found("newer"), found("older"), state()), (1, 0, Some("newer".to_owned())));
        assert_eq!(index(&connection, &pages(200, "newest")).unwrap(), Recorded::First);
        assert_eq!((found("newer"), found("newest")), (0, 1), "a page is in the index once");
        begin(&connection, 1, 300).unwrap();
        assert_eq!(state(), None, "it is not known to be right while somebody works on it");
    }
}
