//! How far the dates in sitemaps proved true, by host.

use recrawl_core::plan::visit_planner::Reliability;
use recrawl_reports::stats::SitemapEntry;

use crate::output::{Cell, Column, Sheet, grouped, percent};

pub(super) fn sheet(rows: &[SitemapEntry]) -> Sheet {
    let mut sheet = Sheet::new([
        Column::flexible("sitemaps of"),
        Column::number("dates read"),
        Column::number("\"unchanged\" was true"),
        Column::number("\"changed\" was true"),
        Column::new("verdict"),
    ]);
    for row in rows {
        let Reliability {
            same_and_unchanged, same_but_changed, newer_and_changed, newer_but_unchanged, ..
        } = row.counts;
        let cells: [Cell; 5] = [
            row.host.as_str().into(),
            grouped(row.counts.listed.into()).into(),
            of(same_and_unchanged, same_but_changed).into(),
            of(newer_and_changed, newer_but_unchanged).into(),
            verdict(&row.counts).into(),
        ];
        sheet.push(cells);
    }
    sheet
}

fn of(right: u32, wrong: u32) -> String {
    let said = right + wrong;
    if said == 0 {
        return "-".to_owned();
    }
    format!(
        "{} of {} ({})",
        grouped(right.into()),
        grouped(said.into()),
        percent(f64::from(right) / f64::from(said))
    )
}

fn verdict(counts: &Reliability) -> String {
    if counts.says_always_now() {
        return "always says \"now\": ignored".to_owned();
    }
    match (counts.figure(), counts.is_reliable(), counts.is_newness_believed()) {
        (None, _, _) => "too little is known".to_owned(),
        (Some(_), true, _) => "reliable".to_owned(),
        (Some(_), false, true) => "not reliable".to_owned(),
        (Some(_), false, false) => "not reliable, and its changes are noise".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_told_by_what_it_proved() {
        let counts = |same_and_unchanged, same_but_changed, newer_but_unchanged, now| Reliability {
            same_and_unchanged,
            same_but_changed,
            newer_and_changed: 0,
            newer_but_unchanged,
            listed: 100,
            listed_as_now: now,
        };
        for (counts, expected) in [
            (counts(3, 0, 0, 0), "too little is known"),
            (counts(100, 1, 0, 0), "reliable"),
            (counts(50, 50, 0, 0), "not reliable"),
            (counts(50, 50, 40, 0), "not reliable, and its changes are noise"),
            (counts(100, 0, 0, 99), "always says \"now\": ignored"),
        ] {
            assert_eq!(verdict(&counts), expected, "{counts:?}");
        }
    }
}
