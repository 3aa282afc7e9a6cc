//! Pages that say the same.

use recrawl_core::report::{Duplicates, Group, Likeness};
use recrawl_core::url::PageUrl;
use serde::Serialize;

use super::Subject;
use super::print::print;
use crate::output::{Cell, Column, Format, Sheet, counted};

/// A page that says what others say; its JSON form is stable.
#[derive(Debug, Serialize)]
struct DuplicateRow {
    /// The number of its group, the largest first.
    group: usize,
    /// How alike all pages of the group are.
    likeness: Likeness,
    /// Pages of one group and one number here are the same byte for byte.
    bytes: usize,
    url: PageUrl,
}

const FIELDS: [&str; 4] = ["group", "likeness", "bytes", "url"];

pub(super) async fn report(subject: &Subject<'_>, format: Format) -> anyhow::Result<()> {
    let mut report = Duplicates::default();
    subject.for_each_record(|record| report.take_in(record)).await?;
    let groups = report.finish();
    let pages = groups.iter().map(Group::len).sum::<usize>() as u64;
    let found =
        format!("{} of {} that say the same", counted(groups.len() as u64, "group"), counted(pages, "page"));
    let rows: Vec<DuplicateRow> =
        (1..).zip(groups).flat_map(|(number, group)| rows_of(number, group)).collect();
    print(subject, format, &FIELDS, &rows, &found, sheet)
}

fn rows_of(group: usize, Group { likeness, pages }: Group) -> impl Iterator<Item = DuplicateRow> {
    (1..).zip(pages).flat_map(move |(bytes, pages)| {
        pages.into_iter().map(move |url| DuplicateRow { group, likeness, bytes, url })
    })
}

fn sheet(rows: &[DuplicateRow]) -> Sheet {
    let mut sheet = Sheet::new([Column::number("group"), Column::new("same"), Column::flexible("page")]);
    let mut last = 0;
    for row in rows {
        let is_first = row.group != last;
        last = row.group;
        let likeness = match row.likeness {
            Likeness::Bytes => "bytes",
            Likeness::Meaning => "meaning",
        };
        let cells: [Cell; 3] = [
            if is_first { row.group.to_string() } else { String::new() }.into(),
            if is_first { likeness } else { "" }.into(),
            row.url.as_str().into(),
        ];
        sheet.push(cells);
    }
    sheet
}
