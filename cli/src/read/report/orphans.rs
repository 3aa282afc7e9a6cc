//! Pages that are there although nothing leads to them.

use jiff::Timestamp;
use recrawl_core::model::ids::ContentHash;
use recrawl_core::model::record::PageRecord;
use recrawl_core::report::Orphans;
use recrawl_core::url::PageUrl;
use serde::Serialize;

use super::Subject;
use super::print::print;
use crate::output::{Cell, Column, Format, Sheet, counted, day_and_time};

/// An orphan; its JSON form is stable.
#[derive(Debug, Serialize)]
struct OrphanRow {
    url: PageUrl,
    status: Option<u16>,
    first_seen: Timestamp,
    last_changed: Option<Timestamp>,
    title: Option<String>,
}

const FIELDS: [&str; 5] = ["url", "status", "first_seen", "last_changed", "title"];

pub(super) async fn report(subject: &Subject<'_>, format: Format) -> anyhow::Result<()> {
    let mut report = Orphans::default();
    subject.for_each_record(|record| report.take_in(record)).await?;
    subject.for_each_lead(|page, links| report.refer(page, links)).await?;
    let orphans = report.finish();
    let contents: Vec<ContentHash> = orphans.iter().filter_map(content_of).collect();
    let titles = subject.history.titles(&subject.site.id, &contents).await?;
    let row = |record: PageRecord| OrphanRow {
        title: content_of(&record).and_then(|hash| titles.get(&hash).cloned()),
        url: record.url,
        status: record.visit.status,
        first_seen: record.known.first_seen,
        last_changed: record.known.last_changed,
    };
    let rows: Vec<OrphanRow> = orphans.into_iter().map(row).collect();
    let found = format!("{} that nothing leads to", counted(rows.len() as u64, "page"));
    print(subject, format, &FIELDS, &rows, &found, sheet)
}

fn content_of(record: &PageRecord) -> Option<ContentHash> {
    record.known.content.as_ref().map(|content| content.hash)
}

fn sheet(rows: &[OrphanRow]) -> Sheet {
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
