//! Tables: a column of CSV, with commas, semicolons or tabs.

use super::{Gathered, PageListError};

/// The heading of the column that is meant where nobody names one.
const HEADING: &str = "url";

const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// Tells whether the first line is that of a table with addresses.
pub(super) fn has_heading(text: &str) -> bool {
    let Some(first) = text.lines().find(|line| !line.trim().is_empty()) else { return false };
    let mut cells = first.split([',', ';', '\t']);
    cells.any(|cell| cell.trim().trim_matches('"').eq_ignore_ascii_case(HEADING))
}

/// Reads a column. One that is named by a number has no heading.
pub(super) fn read(
    text: &str,
    column: Option<&str>,
    gathered: &mut Gathered<'_>,
) -> Result<(), PageListError> {
    let first = text.lines().next().unwrap_or_default();
    let most = |delimiter: &u8| first.bytes().filter(|byte| byte == delimiter).count();
    // Of equals the last counts, and a comma is the usual one.
    let delimiter = DELIMITERS.into_iter().rev().max_by_key(most).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut place =
        column.and_then(|column| column.parse::<usize>().ok()).and_then(|number| number.checked_sub(1));
    for record in reader.records() {
        let record = record.map_err(|error| PageListError::NoTable(error.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let Some(place) = place else {
            let wanted = column.unwrap_or(HEADING);
            place = record.iter().position(|heading| heading.eq_ignore_ascii_case(wanted));
            if place.is_none() {
                let headings: Vec<&str> = record.iter().collect();
                return Err(PageListError::NoColumn(wanted.to_owned(), headings.join(", ")));
            }
            continue;
        };
        // A row without an address says nothing.
        if let Some(address) = record.get(place).filter(|address| !address.is_empty()) {
            gathered.add(usize::try_from(line).unwrap_or(usize::MAX), address);
        }
    }
    Ok(())
}
