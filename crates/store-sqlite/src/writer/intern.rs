//! Addresses and frequent words as numbers.

use std::hash::RandomState;

use recrawl_core::url::PageUrl;
use rusqlite::{Connection, OptionalExtension};

use crate::cache::two_generation_cache::TwoGenerationCache;

/// Gives numbers to addresses and words, and remembers the recent ones.
///
/// Bounded: about 1 MB, however many there are.
#[derive(Debug)]
pub(super) struct Interner {
    urls: TwoGenerationCache<u128, i64>,
    /// By a hash that servers cannot foresee, for some of the words are theirs.
    words: TwoGenerationCache<String, i64, RandomState>,
}

impl Default for Interner {
    fn default() -> Self {
        Self { urls: TwoGenerationCache::new(14_000), words: TwoGenerationCache::new(1_000) }
    }
}

impl Interner {
    pub(super) fn url(&mut self, connection: &Connection, url: &PageUrl) -> rusqlite::Result<i64> {
        let fingerprint = url.fingerprint();
        if let Some(id) = self.urls.get(&fingerprint) {
            return Ok(id);
        }
        let statements = ["SELECT id FROM url WHERE url = ?1", "INSERT INTO url (url) VALUES (?1)"];
        let id = find_or_insert(connection, statements, url.as_str())?;
        self.urls.insert(fingerprint, id);
        Ok(id)
    }

    pub(super) fn word(&mut self, connection: &Connection, word: &str) -> rusqlite::Result<i64> {
        if let Some(id) = self.words.get(word) {
            return Ok(id);
        }
        let statements = ["SELECT id FROM word WHERE word = ?1", "INSERT INTO word (word) VALUES (?1)"];
        let id = find_or_insert(connection, statements, word)?;
        self.words.insert(word.to_owned(), id);
        Ok(id)
    }

    /// Forgets everything: a transaction that was rolled back took its numbers with it.
    pub(super) fn forget(&mut self) {
        self.urls.clear();
        self.words.clear();
    }
}

fn find_or_insert(connection: &Connection, [select, insert]: [&str; 2], text: &str) -> rusqlite::Result<i64> {
    let found = connection.prepare_cached(select)?.query_row([text], |row| row.get(0)).optional()?;
    match found {
        Some(id) => Ok(id),
        None => connection.prepare_cached(insert)?.insert([text]),
    }
}
