//! Writing page records.

use jiff::Timestamp;
use recrawl_core::model::edit::{Edit, EditId, Edits};
use recrawl_core::model::ids::EventId;
use recrawl_core::model::kind::Tier;
use recrawl_core::model::record::PageRecord;
use recrawl_core::ports::Recorded;
use recrawl_core::url::PageUrl;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Statement, params};
use serde::Serialize;

use super::crawls::as_json;
use super::intern::Interner;
use super::outbox;
use crate::codes;
use crate::keys::CrawlKey;

/// What is written of a visit and of what is known after it. How the page was found stands before it.
macro_rules! columns {
    () => {
        "verdict, status, not_modified, truncated, reason, fetched_at, fetch_ms, requests, received_bytes,
        saved_bytes, presence, etag, last_modified, location, content_type, robots_tag, content, semantic, rules,
        transfer_bytes, first_seen, last_changed, last_seen, changes_detected, change_frequency, aspects, checked,
        link_signature, media_signature, fresh_until, observations, mean_interval, meta_signature, tier, weight,
        words_changed, words_of, kinds, memory, edits"
    };
}

/// The parameters of those columns.
macro_rules! values {
    () => {
        "?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28,
        ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40, ?41, ?42, ?43, ?44, ?45, ?46"
    };
}

const INSERT: &str = concat!(
    "INSERT INTO visit (site, crawl, page, found_by, depth, referrer, ",
    columns!(),
    ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ",
    values!(),
    ") ON CONFLICT (page, site, crawl) DO NOTHING"
);

/// With the parameters of [`INSERT`]: those of how the page was found are not used.
const UPDATE: &str = concat!(
    "UPDATE visit SET (",
    columns!(),
    ") = (",
    values!(),
    ") WHERE page = ?3 AND site = ?1 AND crawl = ?2"
);

/// The statement that writes records, kept for a whole transaction: it is long, and looking it up takes its time.
pub(super) struct Visits<'connection>(CachedStatement<'connection>);

impl<'connection> Visits<'connection> {
    pub(super) fn new(connection: &'connection Connection) -> rusqlite::Result<Self> {
        connection.prepare_cached(INSERT).map(Self)
    }

    /// Writes `record` unless its crawl has one for its page.
    pub(super) fn insert(
        &mut self,
        connection: &Connection,
        interner: &mut Interner,
        key: CrawlKey,
        record: &PageRecord,
    ) -> rusqlite::Result<Recorded> {
        let page = interner.url(connection, &record.url)?;
        let inserted = execute(&mut self.0, connection, interner, (key, page), record)?;
        Ok(if inserted == 0 { Recorded::Already } else { Recorded::First })
    }
}

/// Writes what settling made of records; those that are not there are passed over.
pub(super) fn settle(
    connection: &Connection,
    interner: &mut Interner,
    key: CrawlKey,
    records: &[PageRecord],
) -> rusqlite::Result<()> {
    let mut find = connection.prepare_cached("SELECT id FROM url WHERE url = ?1")?;
    let mut update = connection.prepare_cached(UPDATE)?;
    for record in records {
        let page: Option<i64> = find.query_row([record.url.as_str()], |row| row.get(0)).optional()?;
        let Some(page) = page else { continue };
        if execute(&mut update, connection, interner, (key, page), record)? == 0 {
            continue;
        }
        match &record.archive {
            Some(archive) => {
                let event = EventId::new(record.crawl, &record.url);
                outbox::save_archive(connection, key, &event, page, archive)?;
            }
            None => outbox::delete_archive(connection, key, page)?,
        }
    }
    Ok(())
}

/// Runs [`INSERT`] or [`UPDATE`]; returns how many rows were written.
fn execute(
    statement: &mut Statement,
    connection: &Connection,
    interner: &mut Interner,
    (key, page): (CrawlKey, i64),
    record: &PageRecord,
) -> rusqlite::Result<usize> {
    let PageRecord { found, visit, known, .. } = record;
    let mut optional_word = |word: Option<&str>| word.map(|word| interner.word(connection, word)).transpose();
    let content_type = optional_word(known.headers.content_type.as_deref())?;
    let rules = optional_word(known.content.as_ref().map(|content| content.rules.0.as_str()))?;
    let referrer = found.referrer.as_ref().map(|url| interner.url(connection, url)).transpose()?;
    let [links, media, meta] =
        codes::of_signatures(known.content.as_ref().and_then(|content| content.signatures));
    statement.execute(params![
        key.site,
        key.crawl,
        page,
        codes::of_way(found.by),
        found.depth,
        referrer,
        codes::of_verdict(visit.verdict),
        visit.status,
        visit.not_modified,
        visit.truncated,
        visit.reason,
        visit.fetched_at.as_microsecond(),
        visit.fetch_ms,
        visit.requests,
        integer(visit.received_bytes),
        integer(visit.saved_bytes),
        codes::of_presence(known.presence),
        known.headers.etag,
        known.headers.last_modified,
        known.headers.location,
        content_type,
        known.headers.robots_tag,
        known.content.as_ref().map(|content| content.hash.as_bytes()),
        known.content.as_ref().map(|content| content.semantic.as_bytes()),
        rules,
        integer(known.transfer_bytes),
        known.first_seen.as_microsecond(),
        known.last_changed.map(Timestamp::as_microsecond),
        known.last_seen.as_microsecond(),
        known.changes_detected,
        known.change_frequency,
        visit.aspects.bits(),
        codes::of_check(visit.check),
        links,
        media,
        known.fresh_until.map(Timestamp::as_microsecond),
        known.observations,
        known.mean_interval,
        meta,
        visit.tier.map(Tier::number),
        visit.weight,
        visit.words.changed,
        visit.words.of,
        visit.kinds.bits(),
        known.memory.as_deref().map(as_json).transpose()?,
        visit.edits.as_deref().map(|edits| as_json(&StoredEdits::from(edits))).transpose()?,
    ])
}

/// Edits as they are stored: with their fingerprints, which nobody can compute in SQL.
#[derive(Serialize)]
struct StoredEdits<'a> {
    list: Vec<StoredEdit<'a>>,
    #[serde(flatten)]
    rest: Edits,
}

#[derive(Serialize)]
struct StoredEdit<'a> {
    #[serde(flatten)]
    edit: &'a Edit,
    id: EditId,
    shape: EditId,
}

impl<'a> From<&'a Edits> for StoredEdits<'a> {
    fn from(edits: &'a Edits) -> Self {
        let stored = |edit: &'a Edit| StoredEdit { edit, id: edit.id(), shape: edit.shape() };
        let rest = Edits { list: Vec::new(), noise: edits.noise.clone(), ..*edits };
        Self { list: edits.list.iter().map(stored).collect(), rest }
    }
}

/// Notes a way to a page that is shorter than the one in its record, if it has one.
pub(super) fn lower_depth(
    connection: &Connection,
    key: CrawlKey,
    page: &PageUrl,
    depth: u32,
) -> rusqlite::Result<()> {
    let sql = "UPDATE visit SET depth = ?4
        WHERE page = (SELECT id FROM url WHERE url = ?3) AND site = ?1 AND crawl = ?2 AND depth > ?4";
    connection.prepare_cached(sql)?.execute(params![key.site, key.crawl, page.as_str(), depth])?;
    Ok(())
}

/// Returns a count as the database keeps it; none reaches the limit.
pub(super) fn integer(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
