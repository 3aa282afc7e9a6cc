//! Rows as comma-separated values (RFC 4180) that are safe to open in a spreadsheet.
//!
//! Spreadsheets run what begins like a formula, and cells come from strangers: such a cell begins with an apostrophe, as
//! people write it there. Numbers are left alone, and control characters but line feeds and tabs are shown escaped.

use std::io;

use serde_json::Value;

/// Signs that formulas begin with. The last four are read like the first by programs that fold wide characters.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Returns rows of cells as lines; the first row of a file is its header.
pub fn written(rows: impl IntoIterator<Item: IntoIterator<Item: AsRef<str>>>) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        let cells = row.into_iter().map(|cell| harmless(cell.as_ref()));
        writer.write_record(cells.map(String::into_bytes)).map_err(io::Error::from)?;
    }
    writer.into_inner().map_err(csv::IntoInnerError::into_error)
}

/// Returns a JSON value as the text of a cell: lists as words with spaces.
pub fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(cell).collect::<Vec<_>>().join(" "),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

/// Returns a cell that no spreadsheet runs, and that does nothing to whoever looks at the file.
fn harmless(text: &str) -> String {
    let is_number = || text.parse::<f64>().is_ok_and(f64::is_finite);
    let mut cell = String::with_capacity(text.len() + 1);
    if text.starts_with(FORMULA) && !is_number() {
        cell.push('\'');
    }
    for character in text.chars() {
        if character.is_control() && !['\n', '\t'].contains(&character) {
            cell.extend(character.escape_default());
        } else {
            cell.push(character);
        }
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let rows = written([["text", "number"], ["a,\"b\"\nc", "2"], ["plain", ""]]).unwrap();
        assert_eq!(String::from_utf8(rows).unwrap(), "text,number\n\"a,\"\"b\"\"\nc\",2\nplain,\n");
    }

    #[test]
    fn no_cell_is_a_formula_or_holds_control_characters_and_numbers_stay() {
        for (text, expected) in [
            ("=HYPERLINK(\"http://evil.example/\")", "'=HYPERLINK(\"http://evil.example/\")"),
            ("+1+cmd|' /C calc'!A0", "'+1+cmd|' /C calc'!A0"),
            ("-2+3", "'-2+3"),
            ("- a list", "'- a list"),
            ("@SUM(1)", "'@SUM(1)"),
            ("＝1+1", "'＝1+1"),
            ("\t=1", "'\t=1"),
            ("\r=1", "'\\r=1"),
            ("\n=1", "'\n=1"),
            ("-5", "-5"),
            ("+3.25", "+3.25"),
            ("-1e-7", "-1e-7"),
            ("-inf", "'-inf"),
            ("a=b", "a=b"),
            ("a\u{1b}[31m\u{0}\u{9b}b\tc\nd\re", "a\\u{1b}[31m\\u{0}\\u{9b}b\tc\nd\\re"),
            ("é中👩 plain", "é中👩 plain"),
            ("", ""),
        ] {
            assert_eq!(harmless(text), expected, "{text:?}");
        }
    }
}
