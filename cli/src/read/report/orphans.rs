//! Pages that are there although nothing leads to them.

use recrawl_reports::faults::{OrphanEntry, orphans};

use super::Subject;
use crate::output::{Cell, Column, Sheet, counted, day_and_time};

pub(super) async fn report(subject: &Subject<'_>) -> anyhow::Result<()> {
    let rows = orphans(subject.history, subject.crawl).await?;
    let found = format!("{} that nothing leads to", counted(rows.len() as u64, "page"));
    subject.print(&rows, &OrphanEntry::FIELDS, &found, sheet)
}

fn sheet(rows: &[OrphanEntry]) -> Sheet {
    let mut sheet = Sheet::new([
        Column::flexible("page"),
        Column::number("status"),
        Column::new("first seen (UTC)"),
        Column::new("last changed (UTC)"),
        Column::flexible("title"),
    ]);
    for row in rows {
        let cells: [Cell; 5] = [
            row.url.as_str().into(),
            row.status.map_or_else(|| "-".to_owned(), |status| status.to_string()).into(),
            day_and_time(row.first_seen).into(),
            row.last_changed.map_or_else(|| "-".to_owned(), day_and_time).into(),
            row.title.as_deref().unwrap_or_default().into(),
        ];
        sheet.push(cells);
    }
    sheet
}
