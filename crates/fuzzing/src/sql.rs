//! SQL: statements that SQLite does not know are read or refused, and the others are taken apart without losing anything.

use recrawl_sql::statement::{Statement, is_complete, parse, split};
use recrawl_sql::{only_reads, rewrite};

/// Reads a script.
pub fn read_sql(data: &[u8]) {
    let script = String::from_utf8_lossy(data);
    let Ok(statements) = split(&script) else {
        assert!(!is_complete(&script) || script.trim().is_empty(), "what has no end can be run");
        return;
    };
    for statement in &statements {
        assert!(!statement.trim().is_empty(), "a statement with nothing in it");
        // What is one statement stays one.
        assert_eq!(split(statement).map(|statements| statements.len()), Ok(1), "{statement}");
        match parse(statement) {
            Ok(Statement::Crawl(crawl)) => {
                assert!(
                    !crawl.query.is_empty() && crawl.condition.is_none_or(|condition| !condition.is_empty())
                );
                assert!(!only_reads(statement));
            }
            Ok(Statement::Set(said)) => {
                assert!(!said.name.is_empty() || statement.to_lowercase().contains("crawler_"));
            }
            Ok(Statement::Sql(sql)) => assert_eq!(sql, *statement),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        if let Ok(rewritten) = rewrite(statement) {
            if rewritten.crawling.is_empty() {
                assert_eq!(rewritten.sql, *statement, "nothing is to be made of it");
            }
            // What was made for SQLite can be taken apart as well.
            assert!(split(&rewritten.sql).is_ok(), "{}", rewritten.sql);
        }
    }
}
