//! Which pages a person wrote: only those may lie inside the network, where `allow_private` does not say otherwise (SSRF).

use recrawl_core::address::is_written_as_inside;
use recrawl_core::url::PageUrl;
use recrawl_stores::file::Guarded;

use crate::rewrite::named_pages;
use crate::statement::{CrawlStatement, What};
use crate::table::{host, page};

/// Functions that read addresses out of other people's pages.
const OF_PAGES: [&str; 4] = ["html_text", "css", "links", "json_ld"];

/// Columns that only rows of a crawl have.
const OF_CRAWLS: &str = "'http_status', 'crawled_at', 'body'";

/// Returns the pages that a person named: those that stand in the statement, and those inside that its query found in
/// tables which the person made and filled, `given`.
pub(crate) fn written_pages(
    guarded: &Guarded,
    statement: &CrawlStatement,
    text: &str,
    given: &[String],
) -> anyhow::Result<Vec<PageUrl>> {
    let mut named = named_pages(text)?;
    if asks_own_tables_only(guarded, &statement.query)? {
        let read = |given: &String| match statement.what {
            What::Pages => page(given),
            What::Sites => host(given),
        };
        let pages = given.iter().filter_map(|given| read(given).ok());
        named.extend(pages.filter(|page| is_written_as_inside(page.host())));
    }
    Ok(named)
}

/// Tells whether a query reads nothing that came out of pages: neither what is ours, nor rows that a crawl wrote.
fn asks_own_tables_only(guarded: &Guarded, query: &str) -> rusqlite::Result<bool> {
    let sources = guarded.sources(query)?;
    if sources.functions.iter().any(|function| OF_PAGES.contains(&function.as_str())) {
        return Ok(false);
    }
    let sql = format!("SELECT count(*) FROM pragma_table_info(?1) WHERE lower(name) IN ({OF_CRAWLS})");
    for table in &sources.tables {
        let columns: u32 =
            guarded.trusted(|connection| connection.query_row(&sql, [table], |row| row.get(0)))?;
        if guarded.is_ours(table) || columns > 0 {
            return Ok(false);
        }
    }
    Ok(true)
}
