//! Pages that say the same.

use recrawl_reports::faults::{DuplicateEntry, Group, Likeness, duplicates};

use super::Subject;
use crate::output::{Cell, Column, Sheet, counted};

pub(super) async fn report(subject: &Subject<'_>) -> anyhow::Result<()> {
    let groups = duplicates(subject.history, subject.crawl).await?;
    let pages = groups.iter().map(Group::len).sum::<usize>() as u64;
    let found =
        format!("{} of {} that say the same", counted(groups.len() as u64, "group"), counted(pages, "page"));
    let rows: Vec<DuplicateEntry> =
        (1..).zip(groups).flat_map(|(number, group)| group.entries(number)).collect();
    subject.print(&rows, &DuplicateEntry::FIELDS, &found, sheet)
}

fn sheet(rows: &[DuplicateEntry]) -> Sheet {
    let mut sheet = Sheet::new([Column::number("group"), Column::new("same"), Column::flexible("page")]);
    let mut last = 0;
    for row in rows {
        let is_first = row.group != last;
        last = row.group;
        let likeness = match row.likeness {
            Likeness::Bytes => "bytes",
            Likeness::Meaning => "text",
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
