//! A session: statements, one after the other, over one store.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use recrawl_settings::SettingsFile;
use recrawl_stores::file::{Guarded, open_for_sql, open_for_sql_reading};
use recrawl_supervisor::usage;
use rusqlite::InterruptHandle;
use rusqlite::types::{Value, ValueRef};
use tokio::runtime::Runtime;

use crate::crawling::{Stops, Surroundings, Watch};
use crate::into::{self, Summary};
use crate::options::Options;
use crate::rewrite::{Rewritten, Written, reads, rewrite};
use crate::statement::{Statement, parse};
use crate::table::{Pass, Shared};
use crate::tokens::SyntaxError;
use crate::{functions, table, views};

/// Where the rows of a statement go.
pub trait Output {
    /// A statement answers rows with these columns.
    fn columns(&mut self, columns: &[String]) -> anyhow::Result<()>;
    /// It answers this row.
    fn row(&mut self, row: Vec<Value>) -> anyhow::Result<()>;
    /// It has answered all of its rows.
    fn end(&mut self) -> anyhow::Result<()>;
}

/// What a statement came to, beside its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Came {
    /// It answered rows.
    Rows,
    /// It changed so many rows of the person's tables.
    Changed(u64),
    /// It crawled into a table.
    Crawled(Summary),
    /// It is done.
    Done,
}

/// Statements over one store.
pub struct Session {
    guarded: Guarded,
    shared: Arc<Shared>,
    options: Options,
    /// Ends last: crawls run in it.
    runtime: Runtime,
}

/// Stops what a session does now: another thread may have it.
#[derive(Clone)]
pub struct Stopper {
    stops: Stops,
    interrupt: Arc<InterruptHandle>,
}

impl Stopper {
    /// Stops the crawls that run, which keep what they have; where none does, breaks the statement off. Tells whether a
    /// crawl was stopped.
    pub fn stop(&self) -> bool {
        let was_crawling = self.stops.stop();
        if !was_crawling {
            self.interrupt.interrupt();
        }
        was_crawling
    }
}

/// Tells whether a statement only reads, and needs no store that can be written.
pub fn only_reads(text: &str) -> bool {
    matches!(parse(text), Ok(Statement::Sql(_)))
        && reads(text).unwrap_or(false)
        && rewrite(text).is_ok_and(|rewritten| rewritten.crawling.is_empty())
}

/// Checks what can be checked of a statement before there is a store.
pub fn check(text: &str) -> Result<(), SyntaxError> {
    match parse(text)? {
        Statement::Sql(_) => rewrite(text).map(drop),
        Statement::Crawl(_) | Statement::Set(_) => Ok(()),
    }
}

impl Session {
    /// Opens a session over the store at `path`: to read, or else to write, too, and then the store is made if needed.
    pub fn open(
        path: &Path,
        only_reads: bool,
        file: SettingsFile,
        watch: Box<dyn Fn() -> Arc<dyn Watch> + Send + Sync>,
    ) -> anyhow::Result<Self> {
        let guarded = if only_reads { open_for_sql_reading(path)? } else { open_for_sql(path)? };
        let runtime = Runtime::new()?;
        let around = Arc::new(Surroundings {
            runtime: runtime.handle().clone(),
            path: path.to_owned(),
            file,
            watch,
            stops: Stops::default(),
            has_crawled: AtomicBool::new(false),
        });
        let shared = Arc::new(Shared::new(around));
        functions::add_to(&guarded.connection)?;
        table::add_to(&guarded.connection, &shared)?;
        views::add_to(&guarded, &shared.around)?;
        Ok(Self { guarded, shared, options: Options::default(), runtime })
    }

    /// Returns what stops the statement that runs.
    pub fn stopper(&self) -> Stopper {
        let interrupt = Arc::new(self.guarded.connection.get_interrupt_handle());
        Stopper { stops: self.shared.around.stops.clone(), interrupt }
    }

    /// Returns where its crawls run, for what a program does beside them.
    pub fn runtime(&self) -> &tokio::runtime::Handle {
        self.runtime.handle()
    }

    /// Runs one statement.
    pub fn run(&mut self, text: &str, output: &mut dyn Output) -> anyhow::Result<Came> {
        match parse(text)? {
            Statement::Set(said) => {
                self.options.say(said)?;
                Ok(Came::Done)
            }
            Statement::Crawl(statement) => {
                self.refuse_in_transaction()?;
                let around = &self.shared.around;
                into::run(&self.guarded, around, &self.options, &statement, text).map(Came::Crawled)
            }
            Statement::Sql(_) => self.run_sql(&rewrite(text)?, output),
        }
    }

    fn refuse_in_transaction(&self) -> anyhow::Result<()> {
        if self.guarded.connection.is_autocommit() {
            return Ok(());
        }
        Err(usage("a crawl writes into the same file: COMMIT or ROLLBACK the transaction first"))
    }

    fn run_sql(&mut self, rewritten: &Rewritten, output: &mut dyn Output) -> anyhow::Result<Came> {
        if rewritten.crawling.is_empty() {
            return self.answer(&rewritten.sql, output);
        }
        self.refuse_in_transaction()?;
        let came = match &rewritten.written {
            None => self.crawl_and_answer(&rewritten.sql, rewritten, output),
            Some(written) => self.crawl_and_write(written, rewritten, output),
        };
        let ended = self.shared.end();
        let came = came?;
        ended?;
        Ok(came)
    }

    fn crawl_and_answer(
        &mut self,
        sql: &str,
        rewritten: &Rewritten,
        output: &mut dyn Output,
    ) -> anyhow::Result<Came> {
        self.collect(sql, rewritten)?;
        self.answer(sql, output)
    }

    /// Lets a query say what it would crawl.
    fn collect(&mut self, query: &str, rewritten: &Rewritten) -> anyhow::Result<()> {
        if rewritten.crawling.contains(&"crawl_urls") {
            self.shared.begin(Pass::Collect, &self.options, &rewritten.named);
            let mut statement = self.prepare(query)?;
            let mut rows = statement.query([]).map_err(|error| self.wrong(&error))?;
            while rows.next().map_err(|error| self.wrong(&error))?.is_some() {}
        }
        self.shared.begin(Pass::Answer, &self.options, &rewritten.named);
        Ok(())
    }

    /// Crawls into a table that passes, and then writes that: who writes into a table while it is crawled keeps the crawl
    /// from writing what it found.
    fn crawl_and_write(
        &mut self,
        written: &Written,
        rewritten: &Rewritten,
        output: &mut dyn Output,
    ) -> anyhow::Result<Came> {
        let Written { before, query, after } = written;
        self.collect(query, rewritten)?;
        let passing = format!("CREATE TEMP TABLE sql_crawled AS {query}");
        let made = self.answer(&passing, output).and_then(|_| self.shared.end());
        let came = made.and_then(|()| {
            let table = "SELECT * FROM temp.sql_crawled";
            // Without WHERE, ON would belong to the query.
            let query = if after.is_empty() { table.to_owned() } else { format!("{table} WHERE true") };
            self.answer(&format!("{before} {query} {after}"), output)
        });
        self.guarded.connection.execute_batch("DROP TABLE IF EXISTS temp.sql_crawled")?;
        came
    }

    fn prepare(&self, sql: &str) -> anyhow::Result<rusqlite::Statement<'_>> {
        self.guarded.connection.prepare(sql).map_err(|error| self.wrong(&error))
    }

    /// Runs a statement of SQLite.
    fn answer(&self, sql: &str, output: &mut dyn Output) -> anyhow::Result<Came> {
        if ["VACUUM", "ATTACH", "DETACH"].iter().any(|word| begins_with(sql, word)) {
            return Err(usage("one file at a time: ATTACH, DETACH and VACUUM are not for this command"));
        }
        let mut statement = self.prepare(sql)?;
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        if columns.is_empty() {
            let is_readonly = statement.readonly();
            let is_of_rows =
                ["INSERT", "UPDATE", "DELETE", "REPLACE", "WITH"].iter().any(|word| begins_with(sql, word));
            let changed = statement.execute([]).map_err(|error| self.wrong(&error))?;
            return Ok(if is_readonly || !is_of_rows { Came::Done } else { Came::Changed(changed as u64) });
        }
        output.columns(&columns)?;
        let mut rows = statement.query([]).map_err(|error| self.wrong(&error))?;
        while let Some(row) = rows.next().map_err(|error| self.wrong(&error))? {
            let values = (0..columns.len()).map(|column| row.get_ref(column).map(value));
            output.row(values.collect::<rusqlite::Result<_>>().map_err(|error| self.wrong(&error))?)?;
        }
        output.end()?;
        Ok(Came::Rows)
    }

    fn wrong(&self, error: &rusqlite::Error) -> anyhow::Error {
        usage(self.guarded.refusal(error).unwrap_or_else(|| sentence(error)))
    }

    /// Returns the tables and views that can be asked, by name: those of the person, then ours.
    pub fn tables(&self) -> anyhow::Result<Vec<String>> {
        let sql = "SELECT name, type FROM main.sqlite_schema
            WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
        let mut statement = self.guarded.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let (mut own, mut ours) = (Vec::new(), Vec::new());
        for row in rows {
            let (name, kind) = row?;
            if !self.guarded.is_ours(&name) {
                own.push(name);
            } else if kind == "view" {
                ours.push(name);
            }
        }
        own.append(&mut ours);
        Ok(own)
    }

    /// Returns the columns of a table or view, or of all of them, a line each.
    pub fn schema(&self, name: Option<&str>) -> anyhow::Result<Vec<String>> {
        let names = match name {
            Some(name) => vec![name.to_owned()],
            None => self.tables()?,
        };
        let mut lines = Vec::new();
        for name in names {
            let mut statement = self.guarded.connection.prepare("SELECT name FROM pragma_table_xinfo(?1)")?;
            let columns: Vec<String> =
                statement.query_map([&name], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            if columns.is_empty() {
                return Err(usage(format!("there is no table or view {name}: .tables lists them")));
            }
            lines.push(format!("{name} ({})", columns.join(", ")));
        }
        Ok(lines)
    }
}

fn begins_with(sql: &str, word: &str) -> bool {
    crate::tokens::tokens(sql).is_ok_and(|tokens| tokens.first().is_some_and(|token| token.is(word)))
}

fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(integer) => Value::Integer(integer),
        ValueRef::Real(real) => Value::Real(real),
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    }
}

/// Returns what SQLite says, without its codes.
pub(crate) fn sentence(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) | rusqlite::Error::ModuleError(message) => {
            message.clone()
        }
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        rusqlite::Error::MultipleStatement => "one statement at a time".to_owned(),
        other => other.to_string(),
    }
}
