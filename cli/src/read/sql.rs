//! `recrawl sql`: read-only SQL on the views of the store.

use std::fmt::Write as _;

use anyhow::Context;
use recrawl_stores::file::{Rows, Value, query};
use serde::{Serialize, Serializer};

use super::source::StoreArguments;
use crate::exit::ExitStatus;
use crate::output::{Cell, Column, Format, Listing, Sheet};

/// Run a read-only SQL query on the views pages, visits, changes, versions, crawls and links
///
/// For example: recrawl sql "SELECT url, status, referrer FROM visits WHERE verdict = 'missing'"
#[derive(Debug, clap::Args)]
pub(crate) struct SqlArguments {
    /// One SELECT statement
    query: String,

    #[command(flatten)]
    store: StoreArguments,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl SqlArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let rows = query(self.store.store.existing_file()?, &self.query)?;
        print(&rows, self.format).context("cannot print the answer")?;
        Ok(ExitStatus::Success)
    }
}

fn print(rows: &Rows, format: Format) -> std::io::Result<()> {
    let objects: Vec<Object<'_>> =
        rows.rows.iter().map(|values| Object { columns: &rows.columns, values }).collect();
    let columns: Vec<&str> = rows.columns.iter().map(String::as_str).collect();
    let cells = |row: &Object<'_>| row.values.iter().map(text).collect();
    Listing::new(&objects, &columns, &|_| sheet(rows)).with_cells(&cells).print(format)
}

/// A row as a JSON object whose members stand in the order of the query.
struct Object<'a> {
    columns: &'a [String],
    values: &'a [Value],
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.columns.iter().zip(self.values))
    }
}

fn sheet(rows: &Rows) -> Sheet {
    let column = |(place, name): (usize, &String)| {
        let mut values = rows.rows.iter().filter_map(|row| row.get(place));
        if values.all(|value| matches!(value, Value::Integer(_) | Value::Real(_) | Value::Null)) {
            Column::number(name)
        } else {
            Column::flexible(name)
        }
    };
    let mut sheet = Sheet::new(rows.columns.iter().enumerate().map(column));
    for row in &rows.rows {
        sheet.push(row.iter().map(|value| Cell::from(text(value))));
    }
    sheet
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Integer(integer) => integer.to_string(),
        Value::Real(real) => real.to_string(),
        Value::Text(text) => text.clone(),
        Value::Blob(bytes) => hexadecimal(bytes),
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing into a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_the_order_of_the_query() {
        let rows = Rows {
            columns: vec!["z".to_owned(), "a".to_owned()],
            rows: vec![vec![Value::Integer(1), Value::Blob(vec![0xab, 1])]],
        };
        let object = Object { columns: &rows.columns, values: &rows.rows[0] };
        assert_eq!(serde_json::to_string(&object).unwrap(), r#"{"z":1,"a":"ab01"}"#);
        let mut out = anstream::StripStream::new(Vec::new());
        sheet(&rows).write_table(&mut out, None).unwrap();
        assert_eq!(String::from_utf8(out.into_inner()).unwrap(), "z  a\n1  ab01\n");
    }
}
