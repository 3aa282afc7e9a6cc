//! What a crawl found, in a few lines.

mod warnings;

use std::io::Write;

use recrawl_core::decide::{is_first_crawl, opened_before, told_singly};
use recrawl_core::model::crawl::{Closed, Crawl, Ending, Site};
use recrawl_core::model::record::{PageRecord, Presence};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::Store;

use crate::output::{bytes, counted, duration, grouped, sanitize_for_terminal};

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
    let Closed { at, ending, statistics, .. } = closed;
    let took = at.duration_since(crawl.opened_at).unsigned_abs().as_secs();
    let state = match ending {
        Ending::Complete => "complete".to_owned(),
        Ending::Partial(reason) => format!("partial: {reason}"),
    };
    writeln!(
        out,
        "{} of {}: {state}, in {}",
        crawl.id,
        sanitize_for_terminal(site.root.as_str()),
        duration(took)
    )?;
    writeln!(out, "  {}", counts(statistics))?;
    writeln!(out, "  {}", bandwidth(statistics))?;
    let flag = match look_in {
        Some(store) if store != "sqlite:recrawl.db" => format!(" --store {store}"),
        Some(_) | None => String::new(),
    };
    warnings::write(out, site, crawl, closed, store, &flag).await?;
    let crawls = store.crawls(&site.id).await?;
    let first = is_first_crawl(&crawls, crawl.id);
    if statistics.total == 1 {
        lonely_root(out, site, crawl, store).await?;
    }
    if statistics.changes() + statistics.failed > 0 {
        let kinds = [Verdict::Changed, Verdict::New, Verdict::Moved, Verdict::Gone];
        let told = kinds.into_iter().filter(|kind| told_singly(first).contains(kind));
        let kinds: Vec<Verdict> = told.chain([Verdict::Failed]).collect();
        list(out, site, crawl, store, &kinds).await?;
    }
    if first && statistics.new > 0 {
        if opened_before(&crawls, crawl.id).is_empty() {
            let again = "Run the same command again later to see what changed.";
            writeln!(out, "  Everything is new in a first crawl. {again}")?;
            return Ok(());
        }
        let (new, are) =
            (counted(statistics.new, "new page"), if statistics.new == 1 { "is" } else { "are" });
        writeln!(out, "  {new} {are} not listed, because no crawl before saw the whole site.")?;
    }
    if statistics.changes() == 0 {
        writeln!(out, "  Nothing changed.")?;
    } else if look_in.is_some() {
        writeln!(out, "  See more: recrawl changes{flag}; recrawl diff{flag} URL")?;
    }
    Ok(())
}

fn counts(statistics: &Statistics) -> String {
    let numbers = Verdict::ALL.into_iter().map(|verdict| (verdict, statistics.count(verdict)));
    let parts: Vec<String> = numbers
        .filter(|(_, number)| *number > 0)
        .map(|(verdict, number)| format!("{} {verdict}", grouped(number)))
        .collect();
    format!("{}: {}", counted(statistics.total, "page"), parts.join(", "))
}

fn bandwidth(statistics: &Statistics) -> String {
    let Statistics { received_bytes, saved_bytes, not_modified, same_by_head, requests, .. } = statistics;
    let presumed = match statistics.presumed {
        0 => String::new(),
        pages => format!(", {} not asked for", counted(pages, "page")),
    };
    let received =
        format!("{}, {} received{presumed}", counted(*requests, "request"), bytes(*received_bytes));
    if *saved_bytes == 0 {
        return received;
    }
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let share = 100.0 * *saved_bytes as f64 / (saved_bytes + received_bytes) as f64;
    format!(
        "{received}; {} saved {} ({share:.1} %)",
        savers(*not_modified, *same_by_head),
        bytes(*saved_bytes)
    )
}

/// Names what saved bytes.
fn savers(not_modified: u64, same_by_head: u64) -> String {
    let not_modified =
        (not_modified > 0).then(|| format!("304 responses to {}", counted(not_modified, "request")));
    let by_head =
        (same_by_head > 0).then(|| format!("{} that showed the same", counted(same_by_head, "HEAD request")));
    not_modified.into_iter().chain(by_head).collect::<Vec<_>>().join(" and ")
}

/// Says why a site has one page only, where the page tells.
async fn lonely_root(
    out: &mut dyn Write,
    site: &Site,
    crawl: &Crawl,
    store: &dyn Store,
) -> anyhow::Result<()> {
    let records = store.records(&site.id, crawl.id, &[], None, 1).await?;
    let Some(PageRecord { visit, known, .. }) = records.first() else { return Ok(()) };
    // Of a visit that took place, a reason says something else.
    let not_visited =
        visit.reason.as_ref().filter(|_| matches!(visit.verdict, Verdict::Failed | Verdict::Excluded));
    match (not_visited, known.presence, &known.headers.location) {
        (Some(reason), _, _) => {
            writeln!(out, "  The root was not visited: {}", sanitize_for_terminal(reason))?;
        }
        (None, Presence::Redirect, Some(target)) => writeln!(
            out,
            "  The root leads to {}, outside the site; crawl that, or name its host with --extra-host.",
            sanitize_for_terminal(target)
        )?,
        _ => {}
    }
    Ok(())
}

async fn list(
    out: &mut dyn Write,
    site: &Site,
    crawl: &Crawl,
    store: &dyn Store,
    kinds: &[Verdict],
) -> anyhow::Result<()> {
    for &verdict in kinds {
        let records = store.records(&site.id, crawl.id, &[verdict], None, LISTED + 1).await?;
        for record in records.iter().take(LISTED) {
            writeln!(out, "  {:<8} {}{}", verdict, sanitize_for_terminal(record.url.as_str()), note(record))?;
        }
        if records.len() > LISTED {
            writeln!(out, "  {verdict:<8} ... and more")?;
        }
    }
    Ok(())
}

fn note(record: &PageRecord) -> String {
    match (record.visit.verdict, &record.known.headers.location, &record.visit.reason) {
        (Verdict::Moved, Some(location), _) => format!(" -> {}", sanitize_for_terminal(location)),
        (Verdict::Failed, _, Some(reason)) => format!(" ({})", sanitize_for_terminal(reason)),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_saved_bytes_is_named_as_what_it_was() {
        for (not_modified, same_by_head, expected) in [
            (4, 0, "304 responses to 4 requests saved 900 B"),
            (0, 1, "1 HEAD request that showed the same saved 900 B"),
            (4, 2, "304 responses to 4 requests and 2 HEAD requests that showed the same saved 900 B"),
        ] {
            let saved_bytes = 900;
            let statistics = Statistics { not_modified, same_by_head, saved_bytes, ..Statistics::default() };
            let told = bandwidth(&statistics);
            assert!(told.contains(expected), "{told}");
        }
    }
}
