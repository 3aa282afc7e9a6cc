//! Broken links, with every page that they stand on.

use recrawl_core::model::record::FoundBy;
use recrawl_core::report::{BrokenLinks, BrokenTarget, Fault};
use recrawl_core::url::PageUrl;
use serde::Serialize;

use super::Subject;
use super::print::print;
use crate::output::{Cell, Column, Format, Sheet, counted};

/// A broken target; its JSON form is stable.
#[derive(Debug, Serialize)]
struct BrokenRow {
    url: PageUrl,
    fault: Fault,
    status: Option<u16>,
    reason: Option<String>,
    found_by: FoundBy,
    referrers: Vec<PageUrl>,
}

const FIELDS: [&str; 6] = ["url", "fault", "status", "reason", "found_by", "referrers"];

pub(super) async fn report(subject: &Subject<'_>, format: Format) -> anyhow::Result<()> {
    let mut report = BrokenLinks::default();
    subject.for_each_record(|record| report.take_in(record)).await?;
    subject.for_each_lead(|page, links| report.refer(page, links)).await?;
    let rows: Vec<BrokenRow> = report.finish().into_iter().map(BrokenRow::from).collect();
    let of = |fault| rows.iter().filter(|row| row.fault == fault).count() as u64;
    let (absent, failed) = (of(Fault::Absent), of(Fault::Failed));
    let found =
        format!("links to {} that are not there, and to {failed} that failed", counted(absent, "page"));
    print(subject, format, &FIELDS, &rows, &found, sheet)
}

impl From<BrokenTarget> for BrokenRow {
    fn from(target: BrokenTarget) -> Self {
        let BrokenTarget { url, fault, status, reason, found_by, referrers } = target;
        Self { url, fault, status, reason, found_by, referrers }
    }
}

/// Writes a target once, and each page that leads there on a line of its own.
fn sheet(rows: &[BrokenRow]) -> Sheet {
    let mut sheet = Sheet::new([
        Column::new("fault"),
        Column::number("status"),
        Column::flexible("page"),
        Column::flexible("linked from"),
        Column::flexible("why"),
    ]);
    for row in rows {
        let status = row.status.map_or_else(|| "-".to_owned(), |status| status.to_string());
        let nobody = match row.found_by {
            FoundBy::Sitemap => "(the sitemap)",
            FoundBy::Seed => "(asked for by name)",
            FoundBy::Link | FoundBy::Redirect | FoundBy::Memory => "-",
        };
        let mut referrers = row.referrers.iter().map(PageUrl::as_str);
        let fault = match row.fault {
            Fault::Absent => "absent",
            Fault::Failed => "failed",
        };
        let first: [Cell; 5] = [
            fault.into(),
            status.into(),
            row.url.as_str().into(),
            referrers.next().unwrap_or(nobody).into(),
            row.reason.as_deref().unwrap_or_default().into(),
        ];
        sheet.push(first);
        for referrer in referrers {
            sheet.push(["".into(), "".into(), "".into(), referrer.into(), "".into()]);
        }
    }
    sheet
}
