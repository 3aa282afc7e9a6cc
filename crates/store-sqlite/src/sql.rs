//! A connection for the SQL of people: they have tables of their own in the same file, and change nothing of ours.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::{Connection, ErrorCode};

use crate::connection::{open_for_reading, open_for_writing};
use crate::error::OpenError;
use crate::schema;

/// Which rows of a crawl are in a table of people already, until the statement has ended. The row without an address
/// says which crawl the statement goes on with.
const DELIVERED: &str = "CREATE TABLE IF NOT EXISTS sql_row (
    statement TEXT NOT NULL, crawl TEXT NOT NULL, url TEXT NOT NULL, PRIMARY KEY (statement, crawl, url)
) STRICT, WITHOUT ROWID";

/// What a program writes by itself, while the statements of people are refused.
const DELIVERED_TABLE: &str = "sql_row";

/// A connection for the SQL of people.
///
/// # Contract
/// Statements read everything, and write what people made. What would change a table, view or index of ours, attach
/// another file or change how this one is kept is refused as it is prepared, and [`Guarded::refusal`] says why.
pub struct Guarded {
    /// The connection.
    pub connection: Connection,
    state: Arc<Mutex<State>>,
    ours: Arc<BTreeSet<String>>,
}

#[derive(Default)]
struct State {
    refused: Option<String>,
    trusted: bool,
    /// What the statement that is being prepared reads, where somebody wants to know.
    sources: Option<Sources>,
}

/// What a statement reads, whatever stands between, such as a view. Names are in lower case.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The tables and views.
    pub tables: BTreeSet<String>,
    /// The functions.
    pub functions: BTreeSet<String>,
}

impl Sources {
    fn note(&mut self, action: &AuthAction<'_>) {
        match *action {
            AuthAction::Read { table_name, .. } => self.tables.insert(table_name.to_ascii_lowercase()),
            AuthAction::Function { function_name } => {
                self.functions.insert(function_name.to_ascii_lowercase())
            }
            _ => false,
        };
    }
}

/// Opens the store at `path` for the SQL of people; makes it if needed.
pub fn open_for_sql(path: &Path) -> Result<Guarded, OpenError> {
    let connection = open_for_writing(path)?;
    let failed = |error| OpenError::new(path, error);
    connection.execute_batch(DELIVERED).map_err(failed)?;
    // People may write as much as they like, and no writer of ours folds it in meanwhile.
    connection.pragma_update(None, "wal_autocheckpoint", 1_000).map_err(failed)?;
    guarded(connection).map_err(failed)
}

/// Opens the existing store at `path` for SQL that reads.
pub fn open_for_sql_reading(path: &Path) -> Result<Guarded, OpenError> {
    let connection = open_for_reading(path)?;
    guarded(connection).map_err(|error| OpenError::new(path, error))
}

fn guarded(mut connection: Connection) -> rusqlite::Result<Guarded> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // "name" is a column, and not a text where there is no such column: typing errors shall be found.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, false)?;
    let mut ours = schema::names()?;
    ours.insert(DELIVERED_TABLE.to_owned());
    let (state, ours) = (Arc::<Mutex<State>>::default(), Arc::new(ours));
    let (told, names) = (state.clone(), ours.clone());
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        let mut state = told.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sources) = &mut state.sources {
            sources.note(&context.action);
        }
        match refusal(&context.action, &names).filter(|_| !state.trusted) {
            Some(reason) => {
                state.refused = Some(reason);
                Authorization::Deny
            }
            None => Authorization::Allow,
        }
    }))?;
    Ok(Guarded { connection, state, ours })
}

impl Guarded {
    /// Returns why the statement that was prepared last was refused, where `error` says that it was.
    pub fn refusal(&self, error: &rusqlite::Error) -> Option<String> {
        let is_denied = error.sqlite_error_code() == Some(ErrorCode::AuthorizationForStatementDenied);
        let mut state = self.state();
        state.refused.take().filter(|_| is_denied)
    }

    /// Runs what is ours and not people's, such as the notes about their statements.
    pub fn trusted<T>(&self, run: impl FnOnce(&Connection) -> T) -> T {
        self.state().trusted = true;
        let value = run(&self.connection);
        self.state().trusted = false;
        value
    }

    /// Returns what a query reads.
    pub fn sources(&self, query: &str) -> rusqlite::Result<Sources> {
        self.state().sources = Some(Sources::default());
        let prepared = self.connection.prepare(query).map(drop);
        let sources = self.state().sources.take().unwrap_or_default();
        prepared.map(|()| sources)
    }

    /// Tells whether a table, view or index of this name is ours.
    pub fn is_ours(&self, name: &str) -> bool {
        is_ours(&self.ours, name)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_ours(ours: &BTreeSet<String>, name: &str) -> bool {
    ours.contains(name) || ours.contains(&name.to_ascii_lowercase())
}

fn refusal(action: &AuthAction<'_>, ours: &BTreeSet<String>) -> Option<String> {
    let written = |name: &str| {
        let own = "tables and views of crawls can be read, and not changed: make a table of your own";
        is_ours(ours, name).then(|| format!("{name}: {own}"))
    };
    match *action {
        AuthAction::Insert { table_name }
        | AuthAction::Delete { table_name }
        | AuthAction::Update { table_name, .. }
        | AuthAction::DropTable { table_name }
        | AuthAction::AlterTable { table_name, .. }
        | AuthAction::CreateIndex { table_name, .. }
        | AuthAction::CreateTrigger { table_name, .. }
        | AuthAction::CreateTempTrigger { table_name, .. }
        | AuthAction::DropIndex { table_name, .. }
        | AuthAction::DropVtable { table_name, .. } => written(table_name),
        AuthAction::DropView { view_name } | AuthAction::DropTempView { view_name } => written(view_name),
        AuthAction::Attach { .. } | AuthAction::Detach { .. } => {
            Some("one file at a time: ATTACH, DETACH and VACUUM INTO are not for this command".to_owned())
        }
        AuthAction::Pragma { pragma_name, pragma_value } => {
            let reads =
                ["table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo"]
                    .contains(&pragma_name);
            let looks = reads
                || (pragma_value.is_none()
                    && ["user_version", "page_count", "encoding"].contains(&pragma_name));
            (!looks).then(|| format!("PRAGMA {pragma_name} is not for this command"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_write_their_own_tables_and_change_nothing_of_ours() {
        let folder = tempfile::tempdir().unwrap();
        let guarded = open_for_sql(&folder.path().join("recrawl.db")).unwrap();
        let connection = &guarded.connection;
        for sql in [
            "CREATE TABLE mine (url TEXT PRIMARY KEY)",
            "INSERT INTO mine VALUES ('a')",
            "CREATE INDEX mine_too ON mine (url)",
            "CREATE VIEW seen AS SELECT * FROM mine JOIN pages USING (url)",
            "UPDATE mine SET url = 'b'",
            "CREATE TEMP TABLE passing AS SELECT * FROM pages",
            "ALTER TABLE mine ADD COLUMN note TEXT",
            "DELETE FROM mine",
            "DROP TABLE mine",
        ] {
            connection.execute_batch(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        }
        for sql in [
            "DELETE FROM visit",
            "INSERT INTO Site VALUES (1, 'a', 'b', 'c', 0)",
            "UPDATE crawl SET suspicion = NULL",
            "DROP TABLE url",
            "DROP VIEW pages",
            "ALTER TABLE visit RENAME TO gone",
            "CREATE INDEX slow ON visit (etag)",
            "CREATE TEMP TRIGGER spoil AFTER INSERT ON visit BEGIN SELECT 1; END",
            "DROP INDEX visit_of_crawl",
            "INSERT INTO search_word (title) VALUES ('x')",
            "ATTACH 'other.db' AS other",
            "VACUUM INTO 'copy.db'",
            "PRAGMA journal_mode = DELETE",
            "PRAGMA user_version = 99",
        ] {
            let error = connection.execute_batch(sql).unwrap_err();
            assert!(guarded.refusal(&error).is_some(), "{sql}: {error}");
        }
        assert!(connection.execute_batch("DELETE FROM sqlite_schema").is_err());
        let note = "INSERT INTO sql_row VALUES ('a', 'b', 'c')";
        assert!(connection.execute_batch(note).is_err());
        guarded.trusted(|connection| connection.execute_batch(note)).unwrap();
        assert!(guarded.is_ours("Pages") && !guarded.is_ours("mine"));
    }
}
