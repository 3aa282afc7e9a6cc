//! A search query, parsed.

use super::excerpt::places;
use super::readable_address;
use super::words::for_each_word;

/// More words than this are not looked for.
const MOST_WORDS: usize = 32;

/// A last word that is shorter is looked for as it is.
const SHORTEST_BEGINNING: usize = 2;

/// What somebody looks for. Every text is a query; one without words finds nothing.
///
/// All words must be there, in any order. Words between quotes, or with a sign between them, must follow each
/// other. What has a `-` before it must not be there. A `*` at the end of a word stands for any ending, and so does
/// the end of the query, because the last word may not be finished. A path (`/news/`) or a whole address is looked for in
/// addresses alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    wanted: Vec<Phrase>,
    unwanted: Vec<Phrase>,
    address: Option<String>,
}

/// Words that follow each other; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    words: Vec<String>,
    is_open: bool,
}

impl Phrase {
    /// Returns the words, as they are compared.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Tells whether the last word may have any ending.
    pub const fn is_open(&self) -> bool {
        self.is_open
    }

    /// Returns how often the phrase is in a text.
    pub fn count_in(&self, text: &str) -> usize {
        places(std::slice::from_ref(self), text).len()
    }

    /// Tells whether a compared word can stand at this place.
    pub(super) fn admits(&self, place: usize, word: &str) -> bool {
        let Some(wanted) = self.words.get(place) else { return false };
        if self.is_open && place + 1 == self.words.len() {
            word.starts_with(wanted.as_str())
        } else {
            word == wanted
        }
    }
}

impl Query {
    /// Reads a query.
    pub fn read(text: &str) -> Self {
        let mut query = Self { address: looks_like_address(text), ..Self::default() };
        if query.address.as_deref().is_some_and(is_surely_an_address) {
            return query;
        }
        let mut rest = text.trim_start();
        let mut words_left = MOST_WORDS;
        while !rest.is_empty() {
            let part = Part::take(rest);
            rest = part.rest.trim_start();
            let mut words = Vec::new();
            for_each_word(part.text, |_, word| words.push(word.to_owned()));
            words.truncate(words_left);
            words_left -= words.len();
            let is_last = rest.is_empty() && !part.is_quoted;
            let is_long = words.last().is_some_and(|word| word.chars().count() >= SHORTEST_BEGINNING);
            let is_open = part.is_open || (is_last && is_long && !part.is_unwanted);
            if !words.is_empty() {
                let phrases = if part.is_unwanted { &mut query.unwanted } else { &mut query.wanted };
                phrases.push(Phrase { words, is_open });
            }
        }
        query
    }

    /// Returns what must be there.
    pub fn wanted(&self) -> &[Phrase] {
        &self.wanted
    }

    /// Returns what must not be there.
    pub fn unwanted(&self) -> &[Phrase] {
        &self.unwanted
    }

    /// Returns the part of an address that the query may be, in small letters.
    pub fn address(&self) -> Option<&str> {
        self.address.as_deref()
    }

    /// Tells whether nothing is looked for: no word that must be there, and no part of an address.
    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty() && self.address.is_none()
    }

    /// Tells whether a page is meant that has these texts: all that is wanted is in one of them or another, and
    /// nothing that is unwanted.
    pub fn admits(&self, texts: &[&str]) -> bool {
        let is_in = |phrase: &Phrase| texts.iter().any(|text| phrase.count_in(text) > 0);
        !self.wanted.is_empty() && self.wanted.iter().all(is_in) && !self.unwanted.iter().any(is_in)
    }
}

/// One part of a query: a phrase between quotes, or what stands between blanks.
struct Part<'a> {
    text: &'a str,
    is_quoted: bool,
    is_unwanted: bool,
    is_open: bool,
    rest: &'a str,
}

impl<'a> Part<'a> {
    /// Takes the first part of a query that does not begin with a blank.
    fn take(query: &'a str) -> Self {
        let (is_unwanted, query) = match query.strip_prefix('-') {
            Some(after) => (true, after),
            None => (false, query),
        };
        let (is_quoted, text, rest) = if let Some(after) = query.strip_prefix('"') {
            let (text, rest) = after.split_once('"').unwrap_or((after, ""));
            (true, text, rest)
        } else {
            let end = query.find(|sign: char| sign.is_whitespace() || sign == '"').unwrap_or(query.len());
            let (text, rest) = query.split_at(end);
            (false, text, rest)
        };
        let star = if is_quoted { rest.strip_prefix('*') } else { None };
        let is_open = star.is_some() || (!is_quoted && text.ends_with('*'));
        Self { text, is_quoted, is_unwanted, is_open, rest: star.unwrap_or(rest) }
    }
}

/// Returns the query as part of an address, if it is one word with a slash or a dot in it.
fn looks_like_address(text: &str) -> Option<String> {
    let text = text.trim();
    let is_one = !text.is_empty() && !text.contains(|sign: char| sign.is_whitespace() || sign == '"');
    let has_sign = text.contains('/') || text.trim_end_matches('.').contains('.');
    (is_one && has_sign).then(|| readable_address(text))
}

/// Tells whether this is a path, a folder or a whole address, and no words with a slash between (`24/7`).
fn is_surely_an_address(part: &str) -> bool {
    let host = part.split('/').next().unwrap_or_default();
    let names_host = part.contains('/') && host.contains('.');
    part.starts_with('/') || part.ends_with('/') || part.contains("://") || names_host
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a query in brief: phrases with `_` between words, `*` behind open ones, `-` before unwanted ones.
    fn brief(text: &str) -> String {
        let query = Query::read(text);
        let show = |sign: &str, phrase: &Phrase| {
            format!("{sign}{}{}", phrase.words.join("_"), if phrase.is_open { "*" } else { "" })
        };
        let wanted = query.wanted.iter().map(|phrase| show("", phrase));
        wanted.chain(query.unwanted.iter().map(|phrase| show("-", phrase))).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_text_is_a_query() {
        for (text, expected) in [
            ("", ""),
            (" \t", ""),
            ("bridge", "bridge*"),
            ("new Bridge", "new bridge*"),
            ("plan b", "plan b"),
            ("b*", "b*"),
            ("bri* open", "bri* open*"),
            ("\"new bridge\"", "new_bridge"),
            ("\"new bri\"* now", "new_bri* now*"),
            ("\"new bridge", "new_bridge"),
            ("a\"b c\"d", "a b_c d"),
            ("bridge -closed", "bridge -closed"),
            ("bridge -\"closed today\" now", "bridge now* -closed_today"),
            ("-closed", "-closed"),
            ("re-open", "re_open*"),
            ("--x", "-x"),
            ("-", ""),
            ("\"", ""),
            ("\"\"", ""),
            ("*", ""),
            ("a AND b OR NOT c", "a and b or not c"),
            ("NEAR(a b, 5)", "near_a b 5"),
            ("title:x ^y {z}", "title_x y z"),
            ("'; DROP TABLE page; --", "drop table page"),
            ("👩‍🚀", ""),
            ("a\0b", "a_b"),
            ("Café", "cafe*"),
            ("24/7", "24_7"),
            ("plan.pdf", "plan_pdf*"),
            ("/news/", ""),
            ("news/", ""),
            ("example.org/news", ""),
            ("https://example.org/news", ""),
        ] {
            assert_eq!(brief(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_long_text_is_cut() {
        let long = "word ".repeat(10_000);
        assert_eq!(Query::read(&long).wanted.len(), MOST_WORDS);
        let joined = "a-".repeat(5_000);
        assert_eq!(Query::read(&joined).wanted[0].words.len(), MOST_WORDS);
    }

    #[test]
    fn one_word_with_a_slash_or_a_dot_may_be_an_address() {
        for (text, expected) in [
            ("https://Example.org/News", Some("https://example.org/news")),
            (" /news/ ", Some("/news/")),
            ("plan.pdf", Some("plan.pdf")),
            ("/stra%C3%9Fe", Some("/straße")),
            ("24/7", Some("24/7")),
            ("news", None),
            ("the end.", None),
            ("end.", None),
            ("a / b", None),
            ("\"a/b\"", None),
            ("", None),
        ] {
            assert_eq!(Query::read(text).address(), expected, "{text:?}");
        }
    }

    #[test]
    fn something_is_looked_for_by_a_word_or_an_address() {
        for (text, expected) in [
            ("", true),
            ("-bridge", true),
            ("\"\"", true),
            ("bridge", false),
            ("/", false),
            ("bridge -tram", false),
        ] {
            assert_eq!(Query::read(text).is_empty(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_page_is_meant_that_has_all_words_and_none_of_the_unwanted() {
        let texts = ["The old bridge", "/news/bridge-closed", "It is closed until the new one opens."];
        for (query, expected) in [
            ("bridge", true),
            ("new bridge", true),
            ("\"new bridge\"", false),
            ("\"old bridge\"", true),
            ("bridge-closed", true),
            ("open", true),
            ("open closed", false),
            ("closed open", true),
            ("\"open\"", false),
            ("bridge -tram", true),
            ("bridge -closed", false),
            ("-tram", false),
            ("", false),
        ] {
            assert_eq!(Query::read(query).admits(&texts), expected, "{query}");
        }
    }
}
