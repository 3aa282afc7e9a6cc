//! Which pages a person wrote: only those may lie inside the network, where `allow_private` does not say otherwise (SSRF).

use recrawl_core::address::is_written_as_inside;
use recrawl_core::url::PageUrl;
use recrawl_stores::file::Guarded;

use crate::rewrite::named_pages;
use crate::statement::{CrawlStatement, What};
use crate::table::{host, page};
use crate::tokens::{Kind, Token, tokens};

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
fn asks_own_tables_only(guarded: &Guarded, query: &str) -> anyhow::Result<bool> {
    let sql = format!("SELECT count(*) FROM pragma_table_info(?1) WHERE lower(name) IN ({OF_CRAWLS})");
    let tokens = tokens(query)?;
    for (at, token) in tokens.iter().enumerate() {
        let name = token.value();
        let is_of_pages = OF_PAGES.iter().any(|function| name.eq_ignore_ascii_case(function));
        let is_table = matches!(token.kind, Kind::Word | Kind::Name) && may_name_table(&tokens[..at]);
        let holds_rows_of_crawls = || -> rusqlite::Result<bool> {
            let columns: u32 =
                guarded.trusted(|connection| connection.query_row(&sql, [&name], |row| row.get(0)))?;
            Ok(columns > 0)
        };
        if is_of_pages || is_table && (guarded.is_ours(&name) || holds_rows_of_crawls()?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Tells whether a name behind these tokens may be that of a table. A column behind a comma is taken for one, too, which only
/// makes this stricter.
fn may_name_table(before: &[Token<'_>]) -> bool {
    let (schema, before) = match before {
        [before @ .., schema, dot] if dot.text == "." => (Some(schema), before),
        _ => (None, before),
    };
    let is_schema = schema.is_none_or(|schema| schema.is("main") || schema.is("temp"));
    is_schema
        && before.last().is_some_and(|token| ["FROM", "JOIN", "IN", ","].iter().any(|word| token.is(word)))
}
