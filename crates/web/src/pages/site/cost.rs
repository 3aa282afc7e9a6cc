//! What a site cost on Google Cloud, week by week, beside what is free.

use maud::{Markup, html};
use recrawl_core::model::crawl::Operations;
use recrawl_reports::usage::{FreeShares, Usage, UsageOfWeek};

use crate::pages::layout::scrolled;
use crate::words::{bytes, number};

/// Returns what the last weeks cost.
pub(super) fn cost(usage: &Usage) -> Markup {
    let table = html! {
        table.stack {
            caption.only-read { "What it cost, week by week" }
            thead { tr {
                th scope="col" { "Week of" }
                @for name in ["Read", "Written", "Deleted", "Messages", "Stored", "vCPU-seconds", "List price"] {
                    th.figure scope="col" { (name) }
                }
            } }
            tbody { @for week in &usage.weeks { (row(week)) } }
        }
    };
    html! {
        (scrolled("What it cost", &table))
        p.soft.small {
            "List prices of " (usage.prices.dated) ", as if nothing was free. In brackets: how much of what is free for a project that \
             was: of a day's reads, writes and deletes, of the storage (with the weeks before), of a week's share of the processor."
        }
    }
}

fn row(week: &UsageOfWeek) -> Markup {
    let Operations { reads, writes, deletes, messages, stored_bytes, .. } = week.all.operations;
    let FreeShares { reads: of_reads, writes: of_writes, deletes: of_deletes, storage, vcpu } = week.free;
    html! {
        tr {
            th scope="row" { (week.begins) }
            (figure("Read", &number(reads), Some(of_reads)))
            (figure("Written", &number(writes), Some(of_writes)))
            (figure("Deleted", &number(deletes), Some(of_deletes)))
            (figure("Messages", &number(messages), None))
            (figure("Stored", &bytes(stored_bytes), Some(storage)))
            (figure("vCPU-seconds", &number(week.all.vcpu_seconds), Some(vcpu)))
            (figure("List price", &format!("${:.2}", week.all.list_price), None))
        }
    }
}

fn figure(name: &str, written: &str, share: Option<f64>) -> Markup {
    html! {
        td.figure data-label=(name) {
            (written) @if let Some(share) = share { " " span.soft { "(" (format!("{:.0} %", share * 100.0)) ")" } }
        }
    }
}
