//! Rows of a statement, printed: comma-separated ones as they arrive, others when all are there.

use std::fmt::Write as _;
use std::io::Write as _;

use recrawl_reports::csv;
use recrawl_sql::{Output, Value};
use serde::{Serialize, Serializer};

use crate::output::{Cell, Column, Format, Listing, Sheet, is_terminal, raw};

/// Prints the rows of a statement.
pub(super) struct Printer {
    format: Format,
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Printer {
    pub(super) fn new(format: Format) -> Self {
        Self { format, columns: Vec::new(), rows: Vec::new() }
    }

    /// Tells whether each row is printed when it comes: programs read it, and nothing depends on the rows after it.
    fn streams(&self) -> bool {
        self.format == Format::Csv && !is_terminal()
    }
}

impl Output for Printer {
    fn columns(&mut self, columns: &[String]) -> anyhow::Result<()> {
        self.columns = columns.to_vec();
        if self.streams() {
            write(&csv::written([&self.columns])?)?;
        }
        Ok(())
    }

    fn row(&mut self, row: Vec<Value>) -> anyhow::Result<()> {
        if self.streams() {
            let cells: Vec<String> = row.iter().map(text).collect();
            return write(&csv::written([&cells])?);
        }
        self.rows.push(row);
        Ok(())
    }

    fn end(&mut self) -> anyhow::Result<()> {
        if self.streams() {
            return Ok(());
        }
        let objects: Vec<Object<'_>> =
            self.rows.iter().map(|values| Object { columns: &self.columns, values }).collect();
        let columns: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        let cells = |row: &Object<'_>| row.values.iter().map(text).collect();
        let sheet = |_| sheet(&self.columns, &self.rows);
        Ok(Listing::new(&objects, &columns, &sheet).with_cells(&cells).print(self.format)?)
    }
}

fn write(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = raw();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// A row as a JSON object whose members stand in the order of the query.
struct Object<'a> {
    columns: &'a [String],
    values: &'a [Value],
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.columns.iter().zip(self.values.iter().map(Member)))
    }
}

struct Member<'a>(&'a Value);

impl Serialize for Member<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_none(),
            Value::Integer(integer) => serializer.serialize_i64(*integer),
            Value::Real(real) => serializer.serialize_f64(*real),
            Value::Text(text) => serializer.serialize_str(text),
            Value::Blob(bytes) => serializer.serialize_str(&hexadecimal(bytes)),
        }
    }
}

fn sheet(columns: &[String], rows: &[Vec<Value>]) -> Sheet {
    let column = |(place, name): (usize, &String)| {
        let mut values = rows.iter().filter_map(|row| row.get(place));
        if values.all(|value| matches!(value, Value::Integer(_) | Value::Real(_) | Value::Null)) {
            Column::number(name)
        } else {
            Column::flexible(name)
        }
    };
    let mut sheet = Sheet::new(columns.iter().enumerate().map(column));
    for row in rows {
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
        let columns = vec!["z".to_owned(), "a".to_owned()];
        let rows = vec![vec![Value::Integer(1), Value::Blob(vec![0xab, 1])]];
        let object = Object { columns: &columns, values: &rows[0] };
        assert_eq!(serde_json::to_string(&object).unwrap(), r#"{"z":1,"a":"ab01"}"#);
        let mut out = anstream::StripStream::new(Vec::new());
        sheet(&columns, &rows).write_table(&mut out, None).unwrap();
        assert_eq!(String::from_utf8(out.into_inner()).unwrap(), "z  a\n1  ab01\n");
    }
}
