//! `CRAWL ... INTO`: crawls what a query names, and writes a row for each page while they arrive.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use recrawl_core::model::ids::SiteId;
use recrawl_core::url::PageUrl;
use recrawl_engine::{Choice, Choose, ListedPage, StopMode};
use recrawl_stores::file::{Guarded, open_for_sql_reading};
use recrawl_stores::{Access, open_file};
use recrawl_supervisor::crawl::All;
use recrawl_supervisor::usage;
use rusqlite::types::ValueRef;
use sha2::{Digest, Sha256};

use crate::condition::{AddressFilter, Condition};
use crate::content::Contents;
use crate::crawling::{Before, Crawling, Received, Surroundings, Wanted, check_contact};
use crate::options::{Choices, Options};
use crate::rewrite::{reads, rewrite};
use crate::row::{COLUMNS, Row};
use crate::session::sentence;
use crate::statement::{CrawlStatement, What};
use crate::table::{host, page};
use crate::target::{Put, Target, values};
use crate::tokens::tokens;
use crate::written::written_pages;

/// After how many rows, or how long, they are committed.
const ROWS: usize = 100;
const WAIT: Duration = Duration::from_millis(500);

/// How a statement went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// The table.
    pub target: String,
    /// Rows that are new.
    pub inserted: u64,
    /// Rows that took the place of those that were there.
    pub updated: u64,
    /// Pages that a condition, a sitemap or `log_skipped false` left out.
    pub skipped: u64,
    /// Rows of pages that could not be had; they say why, and count as inserted or updated, too.
    pub failed: u64,
    /// It was stopped: the same statement goes on.
    pub is_open: bool,
}

impl std::fmt::Display for Summary {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { target, inserted, updated, skipped, failed, is_open } = self;
        write!(
            formatter,
            "{target}: {inserted} inserted, {updated} updated, {skipped} skipped, {failed} failed"
        )?;
        if *is_open {
            write!(formatter, "; it was stopped, and the same statement goes on")?;
        }
        Ok(())
    }
}

/// A statement that is about to crawl: all of it was checked, and nothing was changed.
struct Prepared {
    target: Target,
    condition: Condition,
    choices: Choices,
    filter: Arc<AddressFilter>,
    key: String,
    summary: Summary,
}

/// Runs `statement`, which was written as `text`.
pub(crate) fn run(
    guarded: &Guarded,
    around: &Surroundings,
    options: &Options,
    statement: &CrawlStatement,
    text: &str,
) -> anyhow::Result<Summary> {
    let options = options.with(&statement.options)?;
    let choices = options.choices();
    let target = Target::look(guarded, &statement.target)?;
    let condition =
        Condition::read(&guarded.connection, statement.condition.as_deref(), choices.url_filter.as_deref())?;
    let given = ask(guarded, &statement.query)?;
    let settings = options.of_list(
        &site_of(&statement.target)?,
        &written_pages(guarded, statement, text, &given)?,
        &around.file,
    )?;
    let filter = Arc::new(condition.filter(open_for_sql_reading(&around.path)?));
    let summary = Summary { target: statement.target.clone(), ..Summary::default() };
    let mut prepared = Prepared { target, condition, choices, filter, key: key(text)?, summary };
    match statement.what {
        What::Pages => {
            let pages = prepared.pages(given)?;
            check_contact(&settings, pages.iter().map(|(_, page)| page))?;
            let before = prepared.before(guarded, around, &settings.site)?;
            prepared.target.make(&guarded.connection)?;
            let crawling = Crawling::of_list(around, settings, before, StopMode::Pause, Arc::new(All))?;
            prepared.crawl_pages(guarded, crawling, pages)
        }
        What::Sites => {
            let hosts: Vec<PageUrl> = given.iter().map(|given| host(given)).collect::<anyhow::Result<_>>()?;
            check_contact(&settings, hosts.iter())?;
            let before = prepared.before(guarded, around, &settings.site)?;
            let (sender, chosen) = channel();
            let choose = Arc::new(FromSitemaps {
                known: prepared.target.known(&guarded.connection)?.into_iter().collect(),
                update_stale: prepared.choices.update_stale,
                filter: prepared.filter.clone(),
                told: Mutex::new((HashSet::new(), sender)),
            });
            prepared.target.make(&guarded.connection)?;
            let crawling = Crawling::of_list(around, settings, before, StopMode::Pause, choose)?;
            prepared.crawl_hosts(guarded, crawling, hosts, &chosen)
        }
    }
}

/// Returns the site of the store that rows of this table are crawled as.
fn site_of(target: &str) -> anyhow::Result<SiteId> {
    let plain = |character: char| match character.to_ascii_lowercase() {
        letter if letter.is_ascii_alphanumeric() || letter == '_' => letter,
        _ => '-',
    };
    let name: String = target.chars().map(plain).take(90).collect();
    Ok(format!("sql-{name}").parse()?)
}

/// Names a statement, however its blanks and comments are.
fn key(text: &str) -> anyhow::Result<String> {
    let words: Vec<&str> = tokens(text)?.into_iter().map(|token| token.text).collect();
    let mut key = String::new();
    for byte in Sha256::digest(words.join(" ")).iter().take(16) {
        // Writing into a string cannot fail.
        let _ = write!(key, "{byte:02x}");
    }
    Ok(key)
}

/// Returns what the first column of a query says; what is NULL is left out.
fn ask(guarded: &Guarded, query: &str) -> anyhow::Result<Vec<String>> {
    let rewritten = rewrite(query)?;
    if !rewritten.crawling.is_empty() || !reads(query)? {
        return Err(usage("the query of CRAWL reads tables, and crawls nothing itself"));
    }
    let wrong = |error: rusqlite::Error| {
        usage(guarded.refusal(&error).unwrap_or_else(|| format!("({query}): {}", sentence(&error))))
    };
    let mut statement = guarded.connection.prepare(query).map_err(wrong)?;
    let mut rows = statement.query([]).map_err(wrong)?;
    let mut given = Vec::new();
    while let Some(row) = rows.next().map_err(wrong)? {
        match row.get_ref(0).map_err(wrong)? {
            ValueRef::Null => {}
            ValueRef::Text(text) => given.push(String::from_utf8_lossy(text).into_owned()),
            other => {
                return Err(usage(format!(
                    "({query}) answers addresses as text, and not as {}",
                    other.data_type()
                )));
            }
        }
    }
    Ok(given)
}

impl Prepared {
    /// Reads addresses, each once, and leaves out what the condition does not admit.
    fn pages(&mut self, given: Vec<String>) -> anyhow::Result<Vec<(String, PageUrl)>> {
        let (mut pages, mut named) = (Vec::new(), HashSet::new());
        for given in given {
            let page = page(&given)?;
            if !named.insert(given.clone()) {
                continue;
            }
            if self.filter.admits(&given, &page)? {
                pages.push((given, page));
            } else {
                self.summary.skipped += 1;
            }
        }
        Ok(pages)
    }

    /// Says what becomes of the crawl that is open, if one is: this statement goes on with its own.
    fn before(&self, guarded: &Guarded, around: &Surroundings, site: &SiteId) -> anyhow::Result<Before> {
        let store = open_file(&around.path, Access::Read)?;
        let Some(open) = around.open_crawl(&*store, site)? else { return Ok(Before::IsClosed) };
        let sql = "SELECT EXISTS (SELECT 1 FROM sql_row WHERE statement = ?1 AND crawl = ?2 AND url = '')";
        let is_ours = guarded.connection.query_row(sql, [&self.key, &open.to_string()], |row| row.get(0))?;
        Ok(if is_ours { Before::GoesOn(open) } else { Before::IsClosed })
    }

    /// Notes which crawl this statement goes on with, and returns the addresses whose rows it has written.
    fn delivered(&self, guarded: &Guarded, crawling: &Crawling) -> rusqlite::Result<HashSet<String>> {
        let (key, crawl) = (&self.key, crawling.crawl.to_string());
        guarded.trusted(|connection| {
            connection.execute("DELETE FROM sql_row WHERE statement = ?1 AND crawl <> ?2", [key, &crawl])?;
            connection.execute("INSERT OR IGNORE INTO sql_row VALUES (?1, ?2, '')", [key, &crawl])?;
            let sql = "SELECT url FROM sql_row WHERE statement = ?1 AND crawl = ?2 AND url <> ''";
            let mut statement = connection.prepare(sql)?;
            statement.query_map([key, &crawl], |row| row.get(0))?.collect()
        })
    }

    fn crawl_pages(
        mut self,
        guarded: &Guarded,
        mut crawling: Crawling,
        pages: Vec<(String, PageUrl)>,
    ) -> anyhow::Result<Summary> {
        let (delivered, mut wanted) = (self.delivered(guarded, &crawling)?, Wanted::default());
        crawling.give(pages.iter().map(|(_, page)| page.clone()));
        crawling.give_no_more();
        for (given, page) in pages {
            if !delivered.contains(&given) {
                wanted.want(given, page, &crawling);
            }
        }
        self.write(guarded, crawling, wanted, |_, _| {})
    }

    fn crawl_hosts(
        mut self,
        guarded: &Guarded,
        mut crawling: Crawling,
        hosts: Vec<PageUrl>,
        chosen: &Receiver<Chosen>,
    ) -> anyhow::Result<Summary> {
        let delivered = self.delivered(guarded, &crawling)?;
        let mut hosts_named = HashSet::new();
        for host in hosts {
            if hosts_named.insert(host.host_key()) {
                crawling.give_host(host);
            }
        }
        crawling.give_no_more();
        let mut wanted = Wanted::default();
        let recorded: Vec<PageUrl> = crawling.order().to_vec();
        for page in recorded.into_iter().filter(|page| !delivered.contains(page.as_str())) {
            wanted.want(page.to_string(), page, &crawling);
        }
        let mut skipped = 0;
        let summary = self.write(guarded, crawling, wanted, |wanted, crawling| {
            for chosen in chosen.try_iter() {
                match chosen {
                    Chosen::Page(page)
                        if crawling.seen().contains_key(&page) && delivered.contains(page.as_str()) => {}
                    Chosen::Page(page) => wanted.want(page.to_string(), page, crawling),
                    Chosen::LeftOut => skipped += 1,
                }
            }
        });
        summary.map(|summary| Summary { skipped: summary.skipped + skipped, ..summary })
    }

    /// Writes rows while they arrive, in batches; `more` may want others meanwhile.
    fn write(
        &mut self,
        guarded: &Guarded,
        mut crawling: Crawling,
        mut wanted: Wanted,
        mut more: impl FnMut(&mut Wanted, &Crawling),
    ) -> anyhow::Result<Summary> {
        let (mut batch, mut since) = (Vec::new(), Instant::now());
        let mut is_over = false;
        loop {
            more(&mut wanted, &crawling);
            if is_over {
                wanted.settle(&crawling);
            }
            while let Some(row) = wanted.next(&crawling) {
                batch.push(row);
                if batch.len() >= ROWS {
                    break;
                }
            }
            if batch.len() >= ROWS || since.elapsed() >= WAIT || is_over {
                self.commit(guarded, &crawling, &std::mem::take(&mut batch))?;
                since = Instant::now();
            }
            if is_over && batch.is_empty() {
                more(&mut wanted, &crawling);
                wanted.settle(&crawling);
                match wanted.next(&crawling) {
                    Some(row) => batch.push(row),
                    None => break,
                }
            } else if !is_over && batch.len() < ROWS {
                is_over = crawling.receive(Some(WAIT))? == Received::Over;
            }
        }
        self.summary.is_open = crawling.is_open;
        if !crawling.is_open {
            guarded.trusted(|connection| {
                connection.execute("DELETE FROM sql_row WHERE statement = ?1", [&self.key])
            })?;
        }
        Ok(self.summary.clone())
    }

    /// Writes rows in one transaction, and that they are written.
    fn commit(&mut self, guarded: &Guarded, crawling: &Crawling, batch: &[Row]) -> anyhow::Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        let (connection, contents) = (&guarded.connection, &crawling.contents);
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let before = self.summary.clone();
        let written =
            batch.iter().try_for_each(|row| self.put(guarded, contents, row, &crawling.crawl.to_string()));
        match written.and_then(|()| Ok(connection.execute_batch("COMMIT")?)) {
            Ok(()) => Ok(()),
            Err(error) => {
                self.summary = before;
                if !connection.is_autocommit() {
                    connection.execute_batch("ROLLBACK")?;
                }
                Err(error)
            }
        }
    }

    fn put(&mut self, guarded: &Guarded, contents: &Contents, row: &Row, crawl: &str) -> anyhow::Result<()> {
        let connection = &guarded.connection;
        let is_kept = (self.choices.log_skipped || !row.seen.is_forbidden())
            && (!self.condition.looks_at_rows() || {
                let all: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
                self.condition.keeps(connection, values(row, &all, contents)?)?
            });
        if is_kept {
            match self.target.put(connection, row, contents)? {
                Put::Inserted => self.summary.inserted += 1,
                Put::Updated => self.summary.updated += 1,
            }
            self.summary.failed += u64::from(row.seen.is_failed());
        } else {
            self.summary.skipped += 1;
        }
        let note = "INSERT OR IGNORE INTO sql_row VALUES (?1, ?2, ?3)";
        guarded.trusted(|connection| {
            connection.prepare_cached(note)?.execute([self.key.as_str(), crawl, row.url.as_str()])
        })?;
        Ok(())
    }
}

/// What became of a page that a sitemap lists.
enum Chosen {
    Page(PageUrl),
    LeftOut,
}

/// Chooses pages that are new to a table, and those that are stale by what sitemaps say.
struct FromSitemaps {
    known: HashMap<PageUrl, Option<Timestamp>>,
    update_stale: bool,
    filter: Arc<AddressFilter>,
    /// What was listed before, and who is told.
    told: Mutex<(HashSet<PageUrl>, Sender<Chosen>)>,
}

impl Choose for FromSitemaps {
    fn choose(&self, listed: &ListedPage, _: &PageUrl) -> Choice {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if !told.0.insert(listed.url.clone()) {
            return Choice::Skip;
        }
        let admitted = self.filter.admits(listed.url.as_str(), &listed.url).unwrap_or(false);
        let choice = match self.known.get(&listed.url) {
            _ if !admitted => Choice::Skip,
            None => Choice::First,
            Some(_) if !self.update_stale => Choice::Skip,
            Some(Some(last)) if !listed.listing().is_stale(*last, Timestamp::now()) => Choice::Skip,
            Some(_) => Choice::Later,
        };
        let chosen = if choice == Choice::Skip { Chosen::LeftOut } else { Chosen::Page(listed.url.clone()) };
        // The statement may be over.
        let _ = told.1.send(chosen);
        choice
    }
}
