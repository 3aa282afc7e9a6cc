//! Table functions that crawl, as people write them, made into what SQLite understands.
//!
//! `crawl_urls(['a', 'b'], user_agent := 'x')` becomes `crawl_urls(json_array('a', 'b'), '{"user_agent":"x"}')`, and
//! `crawl(...)`, of which the store has a table of that name, another one.

use std::ops::Range;

use recrawl_core::url::PageUrl;

use crate::statement::{Said, Value, arguments};
use crate::tokens::{CRAWLING, Kind, SyntaxError, Token, tokens};

/// The table function behind `crawl(...)`.
pub(crate) const CRAWL_SITE: &str = "crawl_site";

/// What may stand behind a table and is no name for it.
const NO_ALIAS: [&str; 19] = [
    "WHERE",
    "JOIN",
    "LEFT",
    "RIGHT",
    "FULL",
    "INNER",
    "CROSS",
    "NATURAL",
    "OUTER",
    "ON",
    "USING",
    "GROUP",
    "ORDER",
    "LIMIT",
    "UNION",
    "EXCEPT",
    "INTERSECT",
    "HAVING",
    "WINDOW",
];

/// A statement for SQLite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The statement.
    pub sql: String,
    /// The table functions that crawl in it, as people call them.
    pub crawling: Vec<&'static str>,
    /// What its result is written into, if it is: what stands before its query, the query, and what stands behind it.
    pub written: Option<Written>,
    /// The pages whose addresses stand in it.
    pub named: Vec<PageUrl>,
}

/// A statement that writes what a query answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// `INSERT INTO table (columns)` or `CREATE TABLE name AS`.
    pub before: String,
    /// The query.
    pub query: String,
    /// `ON CONFLICT ...` or `RETURNING ...`.
    pub after: String,
}

/// Makes `sql` into what SQLite understands.
pub fn rewrite(sql: &str) -> Result<Rewritten, SyntaxError> {
    let named = named_pages(sql)?;
    let (mut sql, mut crawling) = (sql.to_owned(), Vec::new());
    // From the last one to the first, so that what stands before stays where it is.
    let calls = {
        let tokens = tokens(&sql)?;
        let is_call = |at: &usize| is_call(&tokens, *at);
        (0..tokens.len()).filter(is_call).map(|at| tokens[at].start).collect::<Vec<_>>()
    };
    for start in calls.into_iter().rev() {
        let (range, text, function) = rewritten_call(&sql, start)?;
        crawling.push(function);
        sql.replace_range(range, &text);
    }
    let written = written(&sql)?;
    if !crawling.is_empty() && !reads(&sql)? && written.is_none() {
        return Err(SyntaxError(format!(
            "{}(...) stands in SELECT, INSERT ... SELECT or CREATE TABLE ... AS SELECT, and not here",
            crawling[0]
        )));
    }
    Ok(Rewritten { sql, crawling, written, named })
}

/// Returns the pages whose addresses stand in a statement: somebody named them.
pub(crate) fn named_pages(sql: &str) -> Result<Vec<PageUrl>, SyntaxError> {
    let texts = tokens(sql)?.into_iter().filter(|token| token.kind == Kind::Text);
    Ok(texts.filter_map(|token| recrawl_settings::page(&token.value()).ok()).collect())
}

/// Tells whether a statement only reads.
pub(crate) fn reads(sql: &str) -> Result<bool, SyntaxError> {
    let tokens = tokens(sql)?;
    let is = |word: &str| tokens.iter().any(|token| token.is(word));
    let first = |word: &str| tokens.first().is_some_and(|token| token.is(word));
    let with = first("WITH") && !["INSERT", "UPDATE", "DELETE", "REPLACE"].into_iter().any(is);
    Ok(with || ["SELECT", "VALUES", "EXPLAIN", "PRAGMA"].into_iter().any(first))
}

fn is_call(tokens: &[Token<'_>], at: usize) -> bool {
    let names = CRAWLING.iter().any(|name| tokens[at].is(name));
    let opens = tokens.get(at + 1).is_some_and(|next| next.text == "(");
    // A table of that name with columns is none: INSERT INTO crawl (a, b).
    let behind = at.checked_sub(1).and_then(|before| tokens.get(before));
    let is_table = behind.is_some_and(|before| {
        ["INTO", "TABLE", ".", "UPDATE", "REFERENCES"].iter().any(|word| before.is(word))
    });
    names && opens && !is_table
}

/// Returns what a call at `start` is to be replaced with, and the function as people call it.
fn rewritten_call(sql: &str, start: usize) -> Result<(Range<usize>, String, &'static str), SyntaxError> {
    let all = tokens(sql)?;
    let at = all.iter().position(|token| token.start == start).unwrap_or_default();
    let function = CRAWLING.into_iter().find(|name| all[at].is(name)).unwrap_or(CRAWLING[0]);
    let arguments_of = split_arguments(&all[at + 2..])
        .ok_or_else(|| SyntaxError(format!("the bracket of {function}( is not closed: ) is missing")))?;
    let (parts, close) = (arguments_of.parts, all[at + 2 + arguments_of.length]);
    let Some((target, options)) = parts.split_first().filter(|(target, _)| !target.is_empty()) else {
        return Err(SyntaxError(format!(
            "{function}( needs what it crawls, as in {function}('https://example.org/')"
        )));
    };
    let target_text = match (target[0].text, target.last()) {
        ("[", Some(last)) if last.text == "]" => {
            let inner = &sql[target[0].end()..last.start];
            format!("json_array({inner})")
        }
        ("[", _) => return Err(SyntaxError("a list that begins with [ has no end: ] is missing".to_owned())),
        (_, Some(last)) => sql[target[0].start..last.end()].to_owned(),
        (_, None) => String::new(),
    };
    let mut said = Vec::new();
    for option in options {
        let is_named =
            option.len() > 2 && option[0].is_name() && (option[1].text == ":=" || option[1].text == "=>");
        if !is_named {
            let words = option.iter().map(|token| token.text).collect::<Vec<_>>().join(" ");
            return Err(SyntaxError(format!(
                "options of {function} are named, as in {function}(..., default_crawl_delay := 1.0), and {words} is not"
            )));
        }
        said.extend(arguments(sql, option)?);
    }
    let (name, alias) = if function == "crawl" {
        let has_alias = all
            .get(at + 3 + arguments_of.length)
            .is_some_and(|next| next.is_name() && !NO_ALIAS.iter().any(|word| next.is(word)));
        (CRAWL_SITE, if has_alias { "" } else { " AS crawl" })
    } else {
        (function, "")
    };
    let options =
        if said.is_empty() { String::new() } else { format!(", '{}'", json(&said).replace('\'', "''")) };
    Ok((start..close.end(), format!("{name}({target_text}{options}){alias}"), function))
}

struct Arguments<'t, 'a> {
    parts: Vec<&'t [Token<'a>]>,
    /// How many tokens stand before the bracket that closes.
    length: usize,
}

/// Takes arguments apart at their commas; `None` if no bracket closes them.
fn split_arguments<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<Arguments<'t, 'a>> {
    let (mut parts, mut begin, mut open) = (Vec::new(), 0, 0_usize);
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" => open += 1,
            ")" if open == 0 => {
                parts.push(&tokens[begin..at]);
                return Some(Arguments { parts, length: at });
            }
            ")" | "]" => open = open.saturating_sub(1),
            "," if open == 0 => {
                parts.push(&tokens[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    None
}

fn json(said: &[Said]) -> String {
    let value = |value: &Value| match value {
        Value::Text(text) => serde_json::Value::from(text.as_str()),
        Value::Number(number) => serde_json::json!({ "number": number }),
        Value::Truth(truth) => serde_json::Value::from(*truth),
    };
    let pairs: Vec<serde_json::Value> =
        said.iter().map(|said| serde_json::json!([said.name, value(&said.value)])).collect();
    serde_json::Value::from(pairs).to_string()
}

/// Reads the options of a call back.
pub(crate) fn read_options(text: &str) -> Option<Vec<Said>> {
    let pairs: Vec<(String, serde_json::Value)> = serde_json::from_str(text).ok()?;
    let said = |(name, value): (String, serde_json::Value)| {
        let value = match value {
            serde_json::Value::Bool(truth) => Value::Truth(truth),
            serde_json::Value::String(text) => Value::Text(text),
            other => Value::Number(other.get("number")?.as_str()?.to_owned()),
        };
        Some(Said { name, value })
    };
    pairs.into_iter().map(said).collect()
}

/// Takes a statement apart that writes what a query answers.
fn written(sql: &str) -> Result<Option<Written>, SyntaxError> {
    let tokens = tokens(sql)?;
    let Some(first) = tokens.first() else { return Ok(None) };
    let (mut open, mut begin, mut end) = (0_usize, None, sql.len());
    let creates = first.is("CREATE") && tokens.iter().take(3).any(|token| token.is("TABLE"));
    if !(first.is("INSERT") || first.is("REPLACE") || creates) {
        return Ok(None);
    }
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "(" => open += 1,
            ")" => open = open.saturating_sub(1),
            _ if open > 0 => {}
            _ if begin.is_none() && (token.is("SELECT") || token.is("WITH")) => begin = Some(token.start),
            _ if begin.is_some() && token.is("RETURNING") => end = end.min(token.start),
            _ if begin.is_some()
                && token.is("ON")
                && tokens.get(at + 1).is_some_and(|next| next.is("CONFLICT")) =>
            {
                end = end.min(token.start);
            }
            _ => {}
        }
    }
    Ok(begin.map(|begin| Written {
        before: sql[..begin].trim_end().to_owned(),
        query: sql[begin..end].trim_end().to_owned(),
        after: sql[end..].to_owned(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sql(text: &str) -> String {
        rewrite(text).unwrap().sql
    }

    #[test]
    fn calls_become_what_sqlite_understands() {
        for (written, expected) in [
            ("SELECT * FROM crawl_urls(['a', 'b'])", "SELECT * FROM crawl_urls(json_array('a', 'b'))"),
            (
                "SELECT * FROM crawl_urls('a', user_agent := 'it''s', default_crawl_delay := 1.0) c",
                r#"SELECT * FROM crawl_urls('a', '[["user_agent","it''s"],["default_crawl_delay",{"number":"1.0"}]]') c"#,
            ),
            (
                "SELECT c.url FROM links l, crawl_urls(l.target) c",
                "SELECT c.url FROM links l, crawl_urls(l.target) c",
            ),
            (
                "SELECT crawl.url FROM crawl('h') WHERE 1",
                "SELECT crawl.url FROM crawl_site('h') AS crawl WHERE 1",
            ),
            ("SELECT * FROM Crawl('h') AS c LIMIT 1", "SELECT * FROM crawl_site('h') AS c LIMIT 1"),
            ("SELECT * FROM crawl WHERE crawl.number = 1", "SELECT * FROM crawl WHERE crawl.number = 1"),
            ("SELECT '(crawl(' || [a b] FROM t", "SELECT '(crawl(' || [a b] FROM t"),
            (
                "SELECT * FROM crawl_urls(substr(a, 1, 2)) x, sitemap('h')",
                "SELECT * FROM crawl_urls(substr(a, 1, 2)) x, sitemap('h')",
            ),
        ] {
            assert_eq!(sql(written), expected);
        }
    }

    #[test]
    fn options_read_back() {
        let rewritten =
            sql("SELECT * FROM crawl_urls('a', user_agent := 'x', update_stale := true, delay := 2)");
        let json = &rewritten[rewritten.find("'[").unwrap() + 1..rewritten.rfind('\'').unwrap()];
        let said = |name: &str, value| Said { name: name.to_owned(), value };
        let expected = [
            said("user_agent", Value::Text("x".to_owned())),
            said("update_stale", Value::Truth(true)),
            said("delay", Value::Number("2".to_owned())),
        ];
        assert_eq!(read_options(json).unwrap(), expected);
    }

    #[test]
    fn a_statement_that_writes_what_it_crawls_is_taken_apart() {
        let statement = "INSERT INTO t (a, b) SELECT url, body FROM crawl_urls('a') WHERE url IN (SELECT 1)
            ON CONFLICT (a) DO NOTHING";
        let written = rewrite(statement).unwrap().written.unwrap();
        assert_eq!(written.before, "INSERT INTO t (a, b)");
        assert_eq!(written.query, "SELECT url, body FROM crawl_urls('a') WHERE url IN (SELECT 1)");
        assert_eq!(written.after, "ON CONFLICT (a) DO NOTHING");
        let made = rewrite("CREATE TABLE t AS SELECT * FROM crawl('h')").unwrap().written.unwrap();
        assert_eq!((made.before.as_str(), made.after.as_str()), ("CREATE TABLE t AS", ""));
        assert_eq!(rewrite("SELECT * FROM t").unwrap().written, None);
    }

    #[test]
    fn what_cannot_be_is_said() {
        for (written, said) in [
            (
                "DELETE FROM t WHERE url IN (SELECT url FROM crawl_urls('a'))",
                "crawl_urls(...) stands in SELECT, INSERT ... SELECT or CREATE TABLE ... AS SELECT, and not here",
            ),
            (
                "CREATE VIEW v AS SELECT * FROM crawl('h')",
                "crawl(...) stands in SELECT, INSERT ... SELECT or CREATE TABLE ... AS SELECT, and not here",
            ),
            (
                "SELECT * FROM crawl_urls()",
                "crawl_urls( needs what it crawls, as in crawl_urls('https://example.org/')",
            ),
            (
                "SELECT * FROM crawl_urls('a', 1.0)",
                "options of crawl_urls are named, as in crawl_urls(..., default_crawl_delay := 1.0), and 1.0 is not",
            ),
            ("SELECT * FROM crawl_urls('a'", "the bracket of crawl_urls( is not closed: ) is missing"),
        ] {
            assert_eq!(rewrite(written).unwrap_err().to_string(), said);
        }
    }
}
