//! What sites cost on Google Cloud, week by week, beside what is free.

use recrawl_core::model::crawl::Operations;
use recrawl_reports::usage::{Usage, UsageOfWeek, Used};

use crate::output::{Cell, Column, Sheet, bytes, grouped, percent};

/// Returns a row for each week and site, and under them what part of the free amounts a week was.
pub(super) fn sheet(usage: &Usage) -> Sheet {
    let mut sheet = Sheet::new([
        Column::new("week of"),
        Column::flexible("site"),
        Column::number("read"),
        Column::number("written"),
        Column::number("deleted"),
        Column::number("messages"),
        Column::number("stored"),
        Column::number("vCPU-seconds"),
        Column::number("dollars"),
    ]);
    for week in &usage.weeks {
        for one in &week.sites {
            sheet.push(row(week, one.site.as_str(), &one.used));
        }
        if week.sites.len() > 1 {
            sheet.push(row(week, "all sites", &week.all));
        }
        sheet.push(free(week));
    }
    sheet
}

fn row(week: &UsageOfWeek, name: &str, used: &Used) -> [Cell; 9] {
    let Operations { reads, writes, deletes, messages, stored_bytes, .. } = used.operations;
    [
        week.begins.to_string().into(),
        name.into(),
        grouped(reads).into(),
        grouped(writes).into(),
        grouped(deletes).into(),
        grouped(messages).into(),
        bytes(stored_bytes).into(),
        grouped(used.vcpu_seconds).into(),
        dollars(used.list_price).into(),
    ]
}

/// Writes what part of the free amounts a week was, and what was charged at most.
fn free(week: &UsageOfWeek) -> [Cell; 9] {
    let shares = &week.free;
    [
        "".into(),
        "of what is free".into(),
        percent(shares.reads).into(),
        percent(shares.writes).into(),
        percent(shares.deletes).into(),
        "".into(),
        percent(shares.storage).into(),
        percent(shares.vcpu).into(),
        dollars(week.charged_at_most).into(),
    ]
}

/// Says what the rows are.
pub(super) fn note(usage: &Usage) -> String {
    format!(
        "Dollars are list prices of {}, and beside what is free what is charged at most: as if all of a week was on one day. \
         The free storage is compared with all weeks together. Other prices: RECRAWL_PRICES.",
        usage.prices.dated
    )
}

fn dollars(amount: f64) -> String {
    if amount > 0.0 && amount < 0.01 { "<0.01".to_owned() } else { format!("{amount:.2}") }
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::prices::PriceTable;
    use recrawl_reports::usage::{FreeShares, UsageOfSite};

    use super::*;

    #[test]
    fn a_week_shows_its_sites_their_sum_and_what_part_of_the_free_amounts_that_is() {
        let prices = PriceTable::USUAL;
        let used = |reads| {
            let operations =
                Operations { reads, stored_bytes: 17_000_000, busy_ms: 3_500, ..Operations::default() };
            Used { operations, vcpu_seconds: 4, list_price: prices.listed(operations) }
        };
        let site = |name: &str, reads| UsageOfSite { site: name.parse().unwrap(), used: used(reads) };
        let week = UsageOfWeek {
            begins: "2026-11-16".parse().unwrap(),
            sites: vec![site("one", 20_000), site("other", 5_000)],
            all: used(25_000),
            stored_in_all: 1 << 29,
            charged_at_most: 0.0,
            free: FreeShares { reads: 0.5, writes: 0.0, deletes: 0.0, storage: 0.5, vcpu: 0.001 },
        };
        let mut table = Vec::new();
        sheet(&Usage { prices, weeks: vec![week] }).write_table(&mut table, None).unwrap();
        let table = String::from_utf8(table).unwrap();
        let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines.len(), 5, "{table}");
        assert_eq!(lines[1][..3], ["2026-11-16", "one", "20,000"], "{table}");
        assert_eq!(lines[3][..4], ["2026-11-16", "all", "sites", "25,000"], "{table}");
        assert!(table.contains("of what is free") && table.contains("50"), "{table}");
    }

    #[test]
    fn less_than_a_cent_is_not_nothing() {
        for (amount, written) in [(0.0, "0.00"), (0.001, "<0.01"), (0.126, "0.13"), (12.0, "12.00")] {
            assert_eq!(dollars(amount), written);
        }
    }
}
