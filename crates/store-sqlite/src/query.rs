//! Read-only SQL for people.

use std::path::Path;

use rusqlite::types::ValueRef;
use serde::Serialize;

use crate::connection::open_for_reading;
use crate::error::{OpenError, QueryError};

/// The answer to a query.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rows {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, each with one value a column.
    pub rows: Vec<Vec<Value>>,
}

/// A value of the database. Serialises as what it is; bytes as hexadecimal text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Nothing.
    Null,
    /// An integer.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Text; what is not UTF-8 is replaced.
    Text(String),
    /// Bytes.
    Blob(#[serde(serialize_with = "as_hexadecimal")] Vec<u8>),
}

/// Answers one statement of SQL that can only read, on the database at `path`.
///
/// Nothing the statement says can change the file or touch another one.
pub fn query(path: impl AsRef<Path>, sql: &str) -> Result<Rows, QueryError> {
    let connection = open_for_reading(path.as_ref())?;
    let mut statement = match connection.prepare(sql) {
        Ok(statement) => statement,
        Err(rusqlite::Error::MultipleStatement) => return Err(QueryError::NotOne),
        Err(error) => return Err(QueryError::Refused(Box::new(error))),
    };
    if sql.trim().is_empty() || statement.expanded_sql().is_none_or(|sql| sql.trim().is_empty()) {
        return Err(QueryError::NotOne);
    }
    // ATTACH and VACUUM INTO count as reading, but answer nothing.
    if !statement.readonly() || statement.column_count() == 0 {
        return Err(QueryError::NotReading);
    }
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let width = columns.len();
    let values = |row: &rusqlite::Row| (0..width).map(|column| Ok(value(row.get_ref(column)?))).collect();
    let rows = statement.query_map([], values).and_then(Iterator::collect);
    let rows = rows.map_err(|error| match OpenError::new(path.as_ref(), error) {
        OpenError::Failed { source, .. } => QueryError::Refused(source),
        damaged => QueryError::Open(damaged),
    })?;
    Ok(Rows { columns, rows })
}

fn value(value: ValueRef) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(integer) => Value::Integer(integer),
        ValueRef::Real(real) => Value::Real(real),
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(blob) => Value::Blob(blob.to_owned()),
    }
}

fn as_hexadecimal<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    use std::fmt::Write;

    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    serializer.serialize_str(&text)
}
