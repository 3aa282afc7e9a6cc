//! Redirects, followed to their end.

use recrawl_core::report::{Chain, End, Redirects};
use recrawl_core::url::PageUrl;
use serde::Serialize;

use super::Subject;
use super::print::print;
use crate::output::{Cell, Column, Format, Sheet, counted};

/// A chain of redirects; its JSON form is stable.
#[derive(Debug, Serialize)]
struct ChainRow {
    /// The pages that redirect, in order.
    hops: Vec<PageUrl>,
    statuses: Vec<Option<u16>>,
    ends: &'static str,
    /// Where it ends, or which page it comes back to.
    target: Option<PageUrl>,
    #[serde(skip)]
    is_faulty: bool,
}

const FIELDS: [&str; 4] = ["hops", "statuses", "ends", "target"];

pub(super) async fn report(subject: &Subject<'_>, format: Format) -> anyhow::Result<()> {
    let mut report = Redirects::default();
    subject.for_each_record(|record| report.take_in(record)).await?;
    let rows: Vec<ChainRow> = report.finish().into_iter().map(ChainRow::from).collect();
    let long = rows.iter().filter(|row| row.hops.len() > 1).count();
    let faulty = rows.iter().filter(|row| row.is_faulty).count();
    let found = format!(
        "{}, {long} longer than one hop, {faulty} ending at no page",
        counted(rows.len() as u64, "redirect chain")
    );
    print(subject, format, &FIELDS, &rows, &found, sheet)
}

impl From<Chain> for ChainRow {
    fn from(chain: Chain) -> Self {
        let is_faulty = chain.is_faulty();
        let (ends, target) = match chain.end {
            End::Page(url) => ("page", Some(url)),
            End::Broken(url) => ("broken", Some(url)),
            End::Outside(url) => ("outside", Some(url)),
            End::Loop(url) => ("loop", Some(url)),
            End::Nowhere => ("nowhere", None),
        };
        let statuses = chain.hops.iter().map(|hop| hop.status).collect();
        Self { hops: chain.hops.into_iter().map(|hop| hop.url).collect(), statuses, ends, target, is_faulty }
    }
}

/// Writes a hop a line, the first of a chain with where the chain ends.
fn sheet(rows: &[ChainRow]) -> Sheet {
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
            let ends = if row.ends == "page" { "at a page" } else { row.ends };
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
