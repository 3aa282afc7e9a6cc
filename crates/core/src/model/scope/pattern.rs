//! Globs over addresses.

use std::fmt;

use globset::{GlobBuilder, GlobMatcher};
use percent_encoding::{CONTROLS, utf8_percent_encode};

use super::ScopeError;
use crate::url::PageUrl;

/// A glob over the whole address or, where it starts with `/`, over path and query.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    matcher: GlobMatcher,
}

impl Pattern {
    /// Reads every pattern, or names the first one that is not a glob.
    pub fn read_all(patterns: Vec<String>) -> Result<Vec<Self>, ScopeError> {
        patterns.into_iter().map(Self::read).collect()
    }

    fn read(text: String) -> Result<Self, ScopeError> {
        // Addresses are ASCII; a person writes the letters that stand behind the escapes.
        let escaped = utf8_percent_encode(&text, CONTROLS).to_string();
        match GlobBuilder::new(&escaped).literal_separator(false).backslash_escape(true).build() {
            Ok(glob) => Ok(Self { matcher: glob.compile_matcher(), text }),
            Err(source) => Err(ScopeError::Pattern { pattern: text, source }),
        }
    }

    /// Returns whether `page` is one of those meant.
    pub fn matches(&self, page: &PageUrl) -> bool {
        let is_on_the_path = self.text.starts_with('/');
        self.matcher.is_match(if is_on_the_path { page.path_and_query() } else { page.as_str() })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}
