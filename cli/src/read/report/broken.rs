//! Broken links, with every page that they stand on.

use recrawl_core::model::record::FoundBy;
use recrawl_core::url::PageUrl;
use recrawl_reports::faults::{BrokenTarget, Fault, broken_links};

use super::Subject;
use crate::output::{Cell, Column, Sheet, counted};

pub(super) async fn report(subject: &Subject<'_>) -> anyhow::Result<()> {
    let rows = broken_links(subject.history, subject.crawl).await?;
    let of = |fault| rows.iter().filter(|row| row.fault == fault).count() as u64;
    let (absent, failed) = (of(Fault::Absent), of(Fault::Failed));
    let found =
        format!("links to {} that are not there, and to {failed} that failed", counted(absent, "page"));
    subject.print(&rows, &BrokenTarget::FIELDS, &found, sheet)
}

/// Writes a target once, and each page that leads there on a line of its own.
fn sheet(rows: &[BrokenTarget]) -> Sheet {
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
            FoundBy::Link | FoundBy::Redirect | FoundBy::Memory | FoundBy::Image => "-",
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
