//! SQL taken apart into words, names, texts and signs, each with its place. Comments and blanks are left out.

use thiserror::Error;

/// The table functions that crawl, as people write them. Behind the first bracket of one, `[` begins a list.
pub(crate) const CRAWLING: [&str; 3] = ["crawl_urls", "crawl", "sitemap"];

/// What a piece of SQL is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A keyword or a plain name.
    Word,
    /// A name in quotes.
    Name,
    /// A text in single quotes.
    Text,
    /// A number.
    Number,
    /// Anything else: a sign, a parameter, bytes.
    Sign,
}

/// A piece of SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// As it was written.
    pub text: &'a str,
    /// Where it begins, in bytes.
    pub start: usize,
}

/// What is wrong with a statement, in a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SyntaxError(pub String);

impl Token<'_> {
    /// Tells whether it is this keyword or sign, however it is written.
    pub(crate) fn is(&self, word: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Sign) && self.text.eq_ignore_ascii_case(word)
    }

    /// Returns where it ends, in bytes.
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Returns what a name or a text says, without its quotes.
    pub(crate) fn value(&self) -> String {
        let Some(quote) = self.text.chars().next().filter(|_| matches!(self.kind, Kind::Name | Kind::Text))
        else {
            return self.text.to_owned();
        };
        let inner = &self.text[1..self.text.len() - 1];
        if quote == '[' {
            inner.to_owned()
        } else {
            inner.replace(&format!("{quote}{quote}"), &quote.to_string())
        }
    }

    /// Tells whether it can name a table or a column.
    pub(crate) fn is_name(&self) -> bool {
        matches!(self.kind, Kind::Word | Kind::Name)
    }
}

/// Takes `sql` apart.
pub(crate) fn tokens(sql: &str) -> Result<Vec<Token<'_>>, SyntaxError> {
    let mut reader = Reader { sql, at: 0, tokens: Vec::new() };
    while let Some(token) = reader.next()? {
        reader.tokens.push(token);
    }
    Ok(reader.tokens)
}

struct Reader<'a> {
    sql: &'a str,
    at: usize,
    tokens: Vec<Token<'a>>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.sql[self.at..]
    }

    fn next(&mut self) -> Result<Option<Token<'a>>, SyntaxError> {
        self.skip_blanks()?;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(None) };
        let (kind, length) = match first {
            '\'' => (Kind::Text, quoted(rest, '\'', "text")?),
            '"' | '`' => (Kind::Name, quoted(rest, first, "name")?),
            '[' if !self.is_in_call() => (Kind::Name, quoted(rest, ']', "name")?),
            'x' | 'X' if rest[1..].starts_with('\'') => (Kind::Sign, 1 + quoted(&rest[1..], '\'', "value")?),
            '0'..='9' => (Kind::Number, number(rest)),
            '.' if rest[1..].starts_with(|next: char| next.is_ascii_digit()) => (Kind::Number, number(rest)),
            _ if is_word(first) => (Kind::Word, rest.find(|next| !is_word(next)).unwrap_or(rest.len())),
            _ => (Kind::Sign, sign(rest)),
        };
        let token = Token { kind, text: &rest[..length], start: self.at };
        self.at += length;
        Ok(Some(token))
    }

    /// Tells whether the next token is the first argument of a table function that crawls.
    fn is_in_call(&self) -> bool {
        let [.., function, bracket] = self.tokens.as_slice() else { return false };
        bracket.text == "(" && CRAWLING.iter().any(|name| function.is(name))
    }

    fn skip_blanks(&mut self) -> Result<(), SyntaxError> {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start().len();
            self.at += blanks;
            let rest = self.rest();
            if rest.starts_with("--") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(inside) = rest.strip_prefix("/*") {
                let end = inside.find("*/");
                let end = end.ok_or_else(|| SyntaxError("a comment has no end: */ is missing".to_owned()))?;
                self.at += end + 4;
            } else {
                return Ok(());
            }
        }
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$' || !character.is_ascii()
}

/// Returns the length of what stands in quotes; a doubled quote stands for itself.
fn quoted(rest: &str, quote: char, what: &str) -> Result<usize, SyntaxError> {
    let mut from = 1;
    while let Some(end) = rest[from..].find(quote) {
        let after = from + end + 1;
        if quote == ']' || !rest[after..].starts_with(quote) {
            return Ok(after);
        }
        from = after + 1;
    }
    let beginning: String = rest.chars().take(20).collect();
    Err(SyntaxError(format!("the {what} that begins with {beginning} has no end: {quote} is missing")))
}

fn number(rest: &str) -> usize {
    let mut end = 0;
    let bytes = rest.as_bytes();
    while let Some(byte) = bytes.get(end) {
        let is_sign =
            matches!(byte, b'+' | b'-') && matches!(bytes[end - 1], b'e' | b'E') && !rest.starts_with("0x");
        if !(byte.is_ascii_alphanumeric() || *byte == b'.' || *byte == b'_' || is_sign) {
            break;
        }
        end += 1;
    }
    end
}

fn sign(rest: &str) -> usize {
    for sign in ["->>", ":=", "=>", "->", "||", "<=", ">=", "<>", "!=", "==", "<<", ">>"] {
        if rest.starts_with(sign) {
            return sign.len();
        }
    }
    let first = rest.chars().next().map_or(0, char::len_utf8);
    // A parameter: `:name`, `@name`, `?1`.
    if rest.starts_with([':', '@', '?']) {
        return first + rest[first..].find(|next| !is_word(next)).unwrap_or(rest.len() - first);
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(sql: &str) -> Vec<&str> {
        tokens(sql).unwrap().into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn sql_is_taken_apart() {
        for (sql, expected) in [
            (
                "SELECT a.b, 'it''s' -- x\n FROM \"t t\"",
                vec!["SELECT", "a", ".", "b", ",", "'it''s'", "FROM", "\"t t\""],
            ),
            ("x := 1.5e-3 /* ; */;", vec!["x", ":=", "1.5e-3", ";"]),
            (
                "SELECT [a b] FROM t WHERE c->>'$.x'=:p",
                vec!["SELECT", "[a b]", "FROM", "t", "WHERE", "c", "->>", "'$.x'", "=", ":p"],
            ),
            ("crawl_urls(['a', 'b'])", vec!["crawl_urls", "(", "[", "'a'", ",", "'b'", "]", ")"]),
            ("x'00ff' xyz .5", vec!["x'00ff'", "xyz", ".5"]),
            ("größe = 'ß'", vec!["größe", "=", "'ß'"]),
        ] {
            assert_eq!(texts(sql), expected, "{sql}");
        }
        assert_eq!(tokens("'it''s'").unwrap()[0].value(), "it's");
        assert_eq!(tokens("[a b]").unwrap()[0].value(), "a b");
    }

    #[test]
    fn what_has_no_end_is_said() {
        for (sql, said) in [
            ("SELECT 'abc", "the text that begins with 'abc has no end: ' is missing"),
            ("SELECT \"abc", "the name that begins with \"abc has no end: \" is missing"),
            ("/* abc", "a comment has no end: */ is missing"),
        ] {
            assert_eq!(tokens(sql).unwrap_err().to_string(), said);
        }
    }
}
