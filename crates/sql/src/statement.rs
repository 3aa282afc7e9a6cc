//! Statements: what a script is made of, and the grammar of those that SQLite does not know.
//!
//! ```text
//! CRAWL (select) INTO table [WHERE condition] [WITH (option value, ...)]
//! CRAWL SITES (select) INTO table [WHERE condition] [WITH (option value, ...)]
//! SET crawler_option = value
//! ```

use crate::tokens::{Kind, SyntaxError, Token, tokens};

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// `CRAWL ... INTO ...`
    Crawl(Box<CrawlStatement>),
    /// `SET crawler_... = ...`: holds until the session ends.
    Set(Said),
    /// Anything else is for SQLite.
    Sql(String),
}

/// A statement that crawls into a table.
#[derive(Debug, Clone, PartialEq)]
pub struct CrawlStatement {
    /// What the query names.
    pub what: What,
    /// The query whose first column names what is crawled.
    pub query: String,
    /// The table that the rows go to.
    pub target: String,
    /// A condition on the columns of the rows.
    pub condition: Option<String>,
    /// The options, in their order.
    pub options: Vec<Said>,
}

/// What a query names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Pages, each of which is crawled.
    Pages,
    /// Hosts, whose sitemaps say which pages are crawled.
    Sites,
}

/// An option, and what was said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// Its name, in small letters.
    pub name: String,
    /// Its value.
    pub value: Value,
}

/// A value of an option.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A text.
    Text(String),
    /// A number, as it was written.
    Number(String),
    /// True or false.
    Truth(bool),
}

impl Value {
    /// Returns it as people would write it as a setting.
    pub fn words(&self) -> String {
        match self {
            Self::Text(text) | Self::Number(text) => text.clone(),
            Self::Truth(truth) => truth.to_string(),
        }
    }
}

/// Takes a script apart at its semicolons. Statements without anything in them are left out.
pub fn split(script: &str) -> Result<Vec<&str>, SyntaxError> {
    let mut statements = Vec::new();
    let mut statement: Vec<Token<'_>> = Vec::new();
    for token in tokens(script)? {
        if !(token.text == ";" && is_whole(&statement)) {
            statement.push(token);
        } else if let [first, ..] = statement.as_slice() {
            statements.push(&script[first.start..token.start]);
            statement.clear();
        }
    }
    if let (Some(first), Some(last)) = (statement.first(), statement.last()) {
        statements.push(&script[first.start..last.end()]);
    }
    Ok(statements)
}

/// Tells whether a semicolon ends what stands before it: within a trigger, only the one behind END does.
fn is_whole(statement: &[Token<'_>]) -> bool {
    let is_trigger = statement.iter().take(4).any(|token| token.is("TRIGGER"))
        && statement.first().is_some_and(|token| token.is("CREATE"));
    !is_trigger || statement.last().is_some_and(|token| token.is("END"))
}

/// Tells whether what was typed so far can be run: its last statement has its semicolon.
pub fn is_complete(script: &str) -> bool {
    let Ok(tokens) = tokens(script) else { return false };
    let Some((last, before)) = tokens.split_last() else { return true };
    let begin = before
        .iter()
        .rposition(|token| token.text == ";" && !is_within_trigger(before))
        .map_or(0, |at| at + 1);
    last.text == ";" && is_whole(&before[begin..])
}

fn is_within_trigger(tokens: &[Token<'_>]) -> bool {
    tokens.iter().any(|token| token.is("TRIGGER"))
}

/// Reads one statement.
pub fn parse(text: &str) -> Result<Statement, SyntaxError> {
    let tokens = tokens(text)?;
    let mut parser = Parser { text, tokens: &tokens, at: 0 };
    if parser.takes("CRAWL") {
        return Ok(Statement::Crawl(Box::new(parser.crawl()?)));
    }
    if parser.takes("SET") {
        return Ok(Statement::Set(parser.set()?));
    }
    Ok(Statement::Sql(text.to_owned()))
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token<'a>],
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token<'a>> {
        self.tokens.get(self.at)
    }

    fn takes(&mut self, word: &str) -> bool {
        let is = self.peek().is_some_and(|token| token.is(word));
        self.at += usize::from(is);
        is
    }

    /// Says what stands where something else should.
    fn wrong(&self, expected: &str) -> SyntaxError {
        let found = self.peek().map_or("the statement ends", |token| token.text);
        SyntaxError(match self.peek() {
            Some(_) => format!("{expected} is expected before {found}"),
            None => format!("{expected} is expected, and {found}"),
        })
    }

    fn expect(&mut self, word: &str, expected: &str) -> Result<(), SyntaxError> {
        if self.takes(word) { Ok(()) } else { Err(self.wrong(expected)) }
    }

    fn crawl(&mut self) -> Result<CrawlStatement, SyntaxError> {
        let what = if self.takes("SITES") { What::Sites } else { What::Pages };
        self.expect("(", "a query in brackets, as in CRAWL (SELECT url FROM my_urls) INTO results,")?;
        let query = self.until_bracket()?;
        self.expect("INTO", "INTO and the name of a table")?;
        let target =
            self.peek().filter(|token| token.is_name()).ok_or_else(|| self.wrong("the name of a table"))?;
        self.at += 1;
        let condition = if self.takes("WHERE") { Some(self.condition()?) } else { None };
        let options = if self.takes("WITH") { self.options()? } else { Vec::new() };
        if self.peek().is_some() {
            return Err(self.wrong("WHERE, WITH (...) or the end of the statement"));
        }
        Ok(CrawlStatement { what, query, target: target.value(), condition, options })
    }

    /// Returns what stands before the bracket that closes an open one, and passes over it.
    fn until_bracket(&mut self) -> Result<String, SyntaxError> {
        let begin = self.peek().map_or(self.text.len(), |token| token.start);
        let mut open = 0_usize;
        while let Some(token) = self.peek() {
            self.at += 1;
            match token.text {
                "(" => open += 1,
                ")" if open == 0 => return non_empty(&self.text[begin..token.start], "a query"),
                ")" => open -= 1,
                _ => {}
            }
        }
        Err(SyntaxError("a bracket is not closed: ) is missing".to_owned()))
    }

    /// Returns what stands before WITH, outside of brackets.
    fn condition(&mut self) -> Result<String, SyntaxError> {
        let begin = self.peek().map_or(self.text.len(), |token| token.start);
        let mut open = 0_usize;
        while let Some(token) = self.peek() {
            match token.text {
                "(" => open += 1,
                ")" => open = open.checked_sub(1).ok_or_else(|| SyntaxError("a ) has no (".to_owned()))?,
                _ if open == 0 && token.is("WITH") => break,
                _ => {}
            }
            self.at += 1;
        }
        let end = self.peek().map_or(self.text.len(), |token| token.start);
        non_empty(&self.text[begin..end], "a condition")
    }

    fn options(&mut self) -> Result<Vec<Said>, SyntaxError> {
        self.expect(
            "(",
            "the options in brackets, as in WITH (user_agent 'MyBot/1.0 (+https://example.com/bot)'),",
        )?;
        let mut options = Vec::new();
        loop {
            if self.takes(")") {
                return Ok(options);
            }
            options.push(self.said()?);
            if !self.takes(",") {
                self.expect(")", "a comma or )")?;
                return Ok(options);
            }
        }
    }

    fn set(&mut self) -> Result<Said, SyntaxError> {
        let said = self.said()?;
        if self.peek().is_some() {
            return Err(self.wrong("the end of the statement"));
        }
        let name = said.name.strip_prefix("crawler_").ok_or_else(|| {
            SyntaxError(format!("{} is nothing that can be set: names begin with crawler_", said.name))
        })?;
        Ok(Said { name: name.to_owned(), value: said.value })
    }

    fn said(&mut self) -> Result<Said, SyntaxError> {
        let name =
            self.peek().filter(|token| token.is_name()).ok_or_else(|| self.wrong("the name of an option"))?;
        self.at += 1;
        let _ = self.takes("=") || self.takes(":=") || self.takes("=>");
        let name = name.value().to_lowercase();
        Ok(Said { value: self.value(&name)?, name })
    }

    fn value(&mut self, name: &str) -> Result<Value, SyntaxError> {
        let minus = if self.takes("-") { "-" } else { "" };
        let Some(token) = self.peek() else { return Err(self.wrong(&format!("a value of {name}"))) };
        let value = match token.kind {
            Kind::Number => Value::Number(format!("{minus}{}", token.text)),
            Kind::Text if minus.is_empty() => Value::Text(token.value()),
            Kind::Word if minus.is_empty() && token.is("true") => Value::Truth(true),
            Kind::Word if minus.is_empty() && token.is("false") => Value::Truth(false),
            Kind::Text | Kind::Word | Kind::Name | Kind::Sign => {
                return Err(SyntaxError(format!(
                    "{name} needs a text in single quotes, a number, true or false, and not {}",
                    token.text
                )));
            }
        };
        self.at += 1;
        Ok(value)
    }
}

fn non_empty(text: &str, what: &str) -> Result<String, SyntaxError> {
    let text = text.trim();
    if text.is_empty() { Err(SyntaxError(format!("{what} is missing"))) } else { Ok(text.to_owned()) }
}

/// Reads options that stand as arguments: `name := value, ...`.
pub(crate) fn arguments(text: &str, tokens: &[Token<'_>]) -> Result<Vec<Said>, SyntaxError> {
    let mut parser = Parser { text, tokens, at: 0 };
    let mut options = Vec::new();
    while parser.peek().is_some() {
        options.push(parser.said()?);
        if parser.peek().is_some() {
            parser.expect(",", "a comma")?;
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crawl(sql: &str) -> CrawlStatement {
        match parse(sql) {
            Ok(Statement::Crawl(crawl)) => *crawl,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_crawl_of_pages_is_read() {
        let read = crawl(
            "CRAWL (SELECT url FROM my_urls WHERE kind IN ('a', 'b)')) INTO \"crawl results\"
             WHERE url LIKE '%/product/%' AND (http_status = 200)
             WITH (user_agent 'MyBot/1.0 (+https://example.com/bot)', default_crawl_delay 1.0, update_stale true)",
        );
        assert_eq!(read.what, What::Pages);
        assert_eq!(read.query, "SELECT url FROM my_urls WHERE kind IN ('a', 'b)')");
        assert_eq!(read.target, "crawl results");
        assert_eq!(read.condition.as_deref(), Some("url LIKE '%/product/%' AND (http_status = 200)"));
        let said = |name: &str, value| Said { name: name.to_owned(), value };
        assert_eq!(
            read.options,
            [
                said("user_agent", Value::Text("MyBot/1.0 (+https://example.com/bot)".to_owned())),
                said("default_crawl_delay", Value::Number("1.0".to_owned())),
                said("update_stale", Value::Truth(true)),
            ]
        );
        let sites = crawl("crawl sites (SELECT h FROM s) into t");
        assert_eq!((sites.what, sites.condition, sites.options), (What::Sites, None, Vec::new()));
    }

    #[test]
    fn other_statements_are_for_sqlite() {
        for sql in
            ["SELECT 1", "CREATE TABLE crawl_results (url TEXT)", "WITH a AS (SELECT 1) SELECT * FROM a"]
        {
            assert_eq!(parse(sql).unwrap(), Statement::Sql(sql.to_owned()));
        }
        let set = parse("SET crawler_default_delay = 2.0").unwrap();
        let expected = Said { name: "default_delay".to_owned(), value: Value::Number("2.0".to_owned()) };
        assert_eq!(set, Statement::Set(expected));
    }

    #[test]
    fn what_is_wrong_is_said_in_a_sentence() {
        for (sql, said) in [
            (
                "CRAWL SELECT url FROM t INTO r",
                "a query in brackets, as in CRAWL (SELECT url FROM my_urls) INTO results, is expected before SELECT",
            ),
            ("CRAWL (SELECT url FROM t", "a bracket is not closed: ) is missing"),
            ("CRAWL () INTO r", "a query is missing"),
            ("CRAWL (SELECT 1)", "INTO and the name of a table is expected, and the statement ends"),
            ("CRAWL (SELECT 1) INTO 'r'", "the name of a table is expected before 'r'"),
            ("CRAWL (SELECT 1) INTO r WHERE WITH (a 1)", "a condition is missing"),
            (
                "CRAWL (SELECT 1) INTO r WITH (user_agent)",
                "user_agent needs a text in single quotes, a number, true or false, and not )",
            ),
            ("CRAWL (SELECT 1) INTO r WITH (a 1 b 2)", "a comma or ) is expected before b"),
            (
                "CRAWL (SELECT 1) INTO r LIMIT 3",
                "WHERE, WITH (...) or the end of the statement is expected before LIMIT",
            ),
            ("SET user_agent = 'x'", "user_agent is nothing that can be set: names begin with crawler_"),
            ("SET crawler_user_agent", "a value of crawler_user_agent is expected, and the statement ends"),
        ] {
            assert_eq!(parse(sql).unwrap_err().to_string(), said, "{sql}");
        }
    }

    #[test]
    fn a_script_is_taken_apart_at_its_semicolons() {
        let script = "SELECT ';'; -- one;\n;; CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; SELECT 2; END; SELECT 3";
        let statements = split(script).unwrap();
        assert_eq!(statements.len(), 3, "{statements:?}");
        assert!(statements[1].ends_with("END"));
        for (typed, complete) in [
            ("", true),
            ("SELECT 1", false),
            ("SELECT 1;", true),
            ("SELECT ';", false),
            ("SELECT 1; SELECT", false),
            ("CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1;", false),
            ("CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END;", true),
        ] {
            assert_eq!(is_complete(typed), complete, "{typed}");
        }
    }
}
