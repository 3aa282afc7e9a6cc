//! What a crawl found, in a few lines.

use std::io::Write;

use recrawl_core::crawl::{Closed, Crawl, Ending, Site};
use recrawl_core::ports::Store;
use recrawl_core::record::PageRecord;
use recrawl_core::statistics::Statistics;
use recrawl_core::verdict::Verdict;

use crate::output::{bytes, duration, grouped, harmless};

/// How many changes are listed.
const LISTED: usize = 10;

/// Writes what `crawl` found, and where to look next.
pub(crate) async fn write(
    out: &mut dyn Write,
    site: &Site,
    crawl: &Crawl,
    closed: &Closed,
    store: &dyn Store,
    look_in: Option<&str>,
) -> anyhow::Result<()> {
    let Closed { at, ending, statistics } = closed;
    let took = at.duration_since(crawl.opened_at).unsigned_abs().as_secs();
    let state = match ending {
        Ending::Complete => "complete".to_owned(),
        Ending::Partial(reason) => format!("partial: {reason}"),
    };
    writeln!(out, "{} of {}: {state}, in {}", crawl.id, harmless(site.root.as_str()), duration(took))?;
    writeln!(out, "  {}", counts(statistics))?;
    writeln!(out, "  {}", bandwidth(statistics))?;
    let first = statistics.new > 0
        && statistics.new + statistics.failed + statistics.missing + statistics.excluded == statistics.total;
    if first {
        writeln!(
            out,
            "  Everything is new in a first crawl. Run the same command again later to see what changed."
        )?;
        return Ok(());
    }
    changes(out, site, crawl, store).await?;
    let changed = statistics.changed + statistics.new + statistics.moved + statistics.gone;
    if changed == 0 {
        writeln!(out, "  Nothing changed.")?;
    } else if let Some(store) = look_in {
        let flag = if store == "sqlite:recrawl.db" { String::new() } else { format!(" --store {store}") };
        writeln!(out, "  See more: recrawl changes{flag}; recrawl diff{flag} URL")?;
    }
    Ok(())
}

fn counts(statistics: &Statistics) -> String {
    let counted = Verdict::ALL.into_iter().map(|verdict| (verdict, statistics.count(verdict)));
    let parts: Vec<String> = counted
        .filter(|(_, number)| *number > 0)
        .map(|(verdict, number)| format!("{} {verdict}", grouped(number)))
        .collect();
    format!("{} pages: {}", grouped(statistics.total), parts.join(", "))
}

fn bandwidth(statistics: &Statistics) -> String {
    let Statistics { received_bytes, saved_bytes, not_modified, requests, .. } = statistics;
    let received = format!("{} requests, {} received", grouped(*requests), bytes(*received_bytes));
    if *saved_bytes == 0 {
        return received;
    }
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let share = 100.0 * *saved_bytes as f64 / (saved_bytes + received_bytes) as f64;
    format!(
        "{received}; {} answers of 304 saved {} ({share:.1} %)",
        grouped(*not_modified),
        bytes(*saved_bytes)
    )
}

async fn changes(out: &mut dyn Write, site: &Site, crawl: &Crawl, store: &dyn Store) -> anyhow::Result<()> {
    for verdict in [Verdict::Changed, Verdict::New, Verdict::Moved, Verdict::Gone, Verdict::Failed] {
        let records = store.records(&site.id, crawl.id, &[verdict], None, LISTED + 1).await?;
        for record in records.iter().take(LISTED) {
            writeln!(out, "  {:<8} {}{}", verdict, harmless(record.url.as_str()), note(record))?;
        }
        if records.len() > LISTED {
            writeln!(out, "  {verdict:<8} ... and more")?;
        }
    }
    Ok(())
}

fn note(record: &PageRecord) -> String {
    match (record.visit.verdict, &record.known.headers.location, &record.visit.reason) {
        (Verdict::Moved, Some(location), _) => format!(" -> {}", harmless(location)),
        (Verdict::Failed, _, Some(reason)) => format!(" ({})", harmless(reason)),
        _ => String::new(),
    }
}
