//! Finding pages by their words and addresses.

use std::collections::HashSet;

use recrawl_core::model::content::Reading;
use recrawl_core::model::ids::{ContentHash, SemanticHash, SiteId};
use recrawl_core::model::record::Presence;
use recrawl_core::ports::{Found, Hit, SearchedBy};
use recrawl_core::search::{PageText, Phrase, Query, address_words, excerpts, readable_address};
use recrawl_core::url::PageUrl;
use rusqlite::{Connection, OptionalExtension};

use super::gap::{Gap, Version};
use super::indexing::read_title;
use crate::codes;
use crate::contents::read_reading;
use crate::records::crawls::read_name;
use crate::records::row::{read_code, read_time, read_url};
use crate::store::SqliteStore;

/// A word in a title counts ten times as much as one in the text, and one in an address five times.
const BY_WORDS: &str = "SELECT p.site, p.page, p.id
    FROM search_word AS w JOIN search_page AS p ON p.id = w.rowid
    WHERE search_word MATCH ?1 AND (?2 IS NULL OR p.site = ?2)
    ORDER BY bm25(search_word, 10.0, 5.0, 1.0)";

const INDEXED: &str =
    "SELECT p.page, u.url FROM search_page AS p JOIN url AS u ON u.id = p.page WHERE p.site = ?1";

const NEWEST: &str = "SELECT n.name, v.last_seen, v.presence, v.content, v.semantic, p.url
    FROM visit AS v JOIN url AS p ON p.id = v.page JOIN crawl AS n ON n.site = v.site AND n.number = v.crawl
    WHERE v.page = ?1 AND v.site = ?2 AND n.trusted
    ORDER BY v.crawl DESC LIMIT 1";

/// More pages that wait are not compared: somebody waits for the answer.
const MOST_WAITING: usize = 20_000;

/// A page of a site, by their numbers.
type PageKey = (i64, i64);

/// The pages that answer a query, in the order of how well they do.
#[derive(Debug, Default)]
struct Candidates {
    addresses: Vec<(PageUrl, PageKey)>,
    words: Vec<PageKey>,
    /// Those of which only title and address were compared.
    titles: Vec<PageKey>,
}

impl SqliteStore {
    /// Answers a query by the index as it is.
    pub(crate) fn find(
        &self,
        connection: &Connection,
        site: Option<&SiteId>,
        query: &Query,
        limit: usize,
    ) -> rusqlite::Result<Found> {
        let view = connection.unchecked_transaction()?;
        let sites = self.searched(&view, site)?;
        let mut gaps = Vec::with_capacity(sites.len());
        for (key, site) in &sites {
            gaps.push(self.read_gap(&view, *key, site)?);
        }
        let waiting = gaps.iter().map(|gap| gap.missing.len() as u64).sum();
        let by = SearchedBy::TextAndAddress { indexed: gaps.iter().map(|gap| gap.indexed).sum(), waiting };
        let mut candidates = Candidates::default();
        for gap in &gaps {
            candidates.look_at_addresses(&view, gap, query)?;
            candidates.look_at_waiting(&view, gap, query)?;
        }
        let only = if site.is_some() { sites.first().map(|(key, _)| *key) } else { None };
        if site.is_none() || only.is_some() {
            candidates.look_at_words(&view, only, &gaps, query, limit)?;
        }
        let name = |key: i64| sites.iter().find(|(other, _)| *other == key).map(|(_, name)| name);
        let (mut hits, mut readings) = (Vec::new(), Vec::new());
        for page in candidates.in_order() {
            if hits.len() >= limit {
                break;
            }
            if let Some(site) = name(page.0)
                && let Some((hit, reading)) = read_hit(&view, site, page)?
            {
                hits.push(hit);
                readings.push(reading);
            }
        }
        let texts: Vec<PageText<'_>> = readings.iter().map(|reading| page_text(reading.as_ref())).collect();
        for (hit, excerpt) in hits.iter_mut().zip(excerpts(&texts, query)) {
            hit.excerpt = excerpt;
        }
        Ok(Found { hits, by })
    }
}

impl Candidates {
    /// Looks for a part of an address among the pages of the index.
    fn look_at_addresses(
        &mut self,
        connection: &Connection,
        gap: &Gap,
        query: &Query,
    ) -> rusqlite::Result<()> {
        let Some(part) = query.address() else { return Ok(()) };
        let mut select = connection.prepare_cached(INDEXED)?;
        let mut rows = select.query([gap.site])?;
        while let Some(row) = rows.next()? {
            if readable_address(row.get_ref(1)?.as_str()?).contains(part) {
                self.addresses.push((read_url(row, 1)?, (gap.site, row.get(0)?)));
            }
        }
        Ok(())
    }

    /// Compares the pages that are not in the index.
    fn look_at_waiting(&mut self, connection: &Connection, gap: &Gap, query: &Query) -> rusqlite::Result<()> {
        let mut select = connection.prepare_cached("SELECT url FROM url WHERE id = ?1")?;
        for version in gap.missing.iter().take(MOST_WAITING) {
            let page = (gap.site, version.page);
            let url = select.query_row([version.page], |row| read_url(row, 0))?;
            if query.address().is_some_and(|part| readable_address(url.as_str()).contains(part)) {
                self.addresses.push((url, page));
                continue;
            }
            let title = read_title(connection, *version)?.unwrap_or_default();
            if query.admits(&[&title, &address_words(&url)]) {
                self.titles.push(page);
            }
        }
        Ok(())
    }

    /// Looks for words in the index, passing over what is not up to date.
    fn look_at_words(
        &mut self,
        connection: &Connection,
        only: Option<i64>,
        gaps: &[Gap],
        query: &Query,
        limit: usize,
    ) -> rusqlite::Result<()> {
        let Some(expression) = expression(query) else { return Ok(()) };
        let missing =
            |gap: &Gap| gap.missing.iter().map(|version| (gap.site, version.page)).collect::<Vec<_>>();
        let outdated: HashSet<PageKey> = gaps.iter().flat_map(missing).collect();
        let surplus: HashSet<i64> = gaps.iter().flat_map(|gap| gap.surplus.iter().copied()).collect();
        let mut select = connection.prepare_cached(BY_WORDS)?;
        let mut rows = select.query((expression, only))?;
        // Some of them may be among the addresses, too.
        while self.words.len() < limit.saturating_add(self.addresses.len())
            && let Some(row) = rows.next()?
        {
            let page = (row.get(0)?, row.get(1)?);
            if !outdated.contains(&page) && !surplus.contains(&row.get(2)?) {
                self.words.push(page);
            }
        }
        Ok(())
    }

    /// Returns every page once, the best first. Of addresses the shortest are the best.
    fn in_order(mut self) -> impl Iterator<Item = PageKey> {
        self.addresses.sort_by(|(one, _), (other, _)| {
            let by_length = one.as_str().len().cmp(&other.as_str().len());
            by_length.then_with(|| one.cmp(other))
        });
        let addresses = self.addresses.into_iter().map(|(_, page)| page);
        let mut seen = HashSet::new();
        addresses.chain(self.words).chain(self.titles).filter(move |page| seen.insert(*page))
    }
}

/// Returns a query as the index understands it; `None` if nothing is wanted. Words hold no sign that means something
/// to the index, so there is nothing to escape.
fn expression(query: &Query) -> Option<String> {
    let phrase = |phrase: &Phrase| {
        let ending = if phrase.is_open() { " *" } else { "" };
        format!("\"{}\"{ending}", phrase.words().join(" "))
    };
    let list =
        |phrases: &[Phrase], between: &str| phrases.iter().map(phrase).collect::<Vec<_>>().join(between);
    match (query.wanted(), query.unwanted()) {
        ([], _) => None,
        (wanted, []) => Some(list(wanted, " AND ")),
        (wanted, unwanted) => Some(format!("({}) NOT ({})", list(wanted, " AND "), list(unwanted, " OR "))),
    }
}

/// Reads what is shown of a page, if it is there, and what it says.
fn read_hit(
    connection: &Connection,
    site: &SiteId,
    (key, page): PageKey,
) -> rusqlite::Result<Option<(Hit, Option<Reading>)>> {
    let mut select = connection.prepare_cached(NEWEST)?;
    let newest = select.query_row([page, key], |row| {
        let version = Version { page, content: row.get(3)?, semantic: row.get(4)? };
        let hit = Hit {
            site: site.clone(),
            url: read_url(row, 5)?,
            title: None,
            excerpt: Vec::new(),
            crawl: read_name(row, 0)?,
            last_seen: read_time(row, 1)?,
        };
        Ok((read_code(row, 2, codes::presence)?, version, hit))
    });
    let Some((Presence::Present, version, hit)) = newest.optional()? else { return Ok(None) };
    let hit = Hit { title: read_title(connection, version)?, ..hit };
    Ok(Some((hit, read_shown(connection, version)?)))
}

/// Reads the text of a version with where its lines stand, if it is stored.
pub(super) fn read_shown(connection: &Connection, version: Version) -> rusqlite::Result<Option<Reading>> {
    match (version.content, version.semantic) {
        (Some(content), Some(semantic)) => {
            read_reading(connection, &ContentHash::from(content), &SemanticHash::from(semantic))
        }
        _ => Ok(None),
    }
}

/// Returns what is shown of a version; nothing of one that is not stored.
pub(super) fn page_text(reading: Option<&Reading>) -> PageText<'_> {
    match reading {
        Some(Reading { text, outline }) => PageText { text, outline: outline.as_ref() },
        None => PageText { text: "", outline: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_written_for_the_index() {
        for (text, expected) in [
            ("bridge", Some("\"bridge\" *")),
            ("\"new bridge\" tram", Some("\"new bridge\" AND \"tram\" *")),
            ("tram -bus -\"old bridge\"", Some("(\"tram\") NOT (\"bus\" OR \"old bridge\")")),
            ("-bus", None),
            ("\" AND NEAR(", Some("\"and near\"")),
            ("", None),
        ] {
            assert_eq!(expression(&Query::read(text)).as_deref(), expected, "{text}");
        }
    }
}
