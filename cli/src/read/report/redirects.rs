//! Redirects, followed to their end.

use recrawl_core::url::PageUrl;
use recrawl_reports::faults::{ChainEnd, RedirectChain, redirects};

use super::Subject;
use crate::output::{Cell, Column, Sheet, counted};

pub(super) async fn report(subject: &Subject<'_>) -> anyhow::Result<()> {
    let rows = redirects(subject.history, subject.crawl).await?;
    let long = rows.iter().filter(|row| row.hops.len() > 1).count();
    let faulty = rows.iter().filter(|row| row.is_faulty()).count();
    let found = format!(
        "{}, {long} longer than one hop, {faulty} ending at no page",
        counted(rows.len() as u64, "redirect chain")
    );
    subject.print(&rows, &RedirectChain::FIELDS, &found, sheet)
}

/// Writes a hop a line, the first of a chain with where the chain ends.
fn sheet(rows: &[RedirectChain]) -> Sheet {
    let mut sheet = Sheet::new([
        Column::number("hops"),
        Column::new("ends"),
        Column::number("status"),
        Column::flexible("page"),
        Column::flexible("leads to"),
    ]);
    for row in rows {
        for (place, (hop, status)) in row.hops.iter().zip(&row.statuses).enumerate() {
            let next = row.hops.get(place + 1).or(row.target.as_ref());
            let ends = if row.ends == ChainEnd::Page { "at a page" } else { row.ends.word() };
            let cells: [Cell; 5] = [
                if place == 0 { row.hops.len().to_string() } else { String::new() }.into(),
                if place == 0 { ends } else { "" }.into(),
                status.map_or_else(|| "-".to_owned(), |status| status.to_string()).into(),
                hop.as_str().into(),
                next.map_or("nowhere", PageUrl::as_str).into(),
            ];
            sheet.push(cells);
        }
    }
    sheet
}
