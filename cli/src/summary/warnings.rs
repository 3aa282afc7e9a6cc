//! What a person should know before believing what a crawl found.

use std::collections::HashMap;
use std::io::Write;

use recrawl_core::decide::DoubtWord;
use recrawl_core::decide::traps::Trap;
use recrawl_core::model::crawl::{Closed, Crawl, Site};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::History;

use crate::output::{counted, grouped, sanitize_for_terminal};

/// How many records are read at once.
const CHUNK: usize = 300;

/// Fewer pages that failed for one reason are only listed.
const MANY: u64 = 3;

/// How many reasons are named.
const NAMED: usize = 5;

/// Writes whether the crawl is unusual or confirms one that was, and what many pages failed for.
pub(super) async fn write(
    out: &mut dyn Write,
    site: &Site,
    crawl: &Crawl,
    closed: &Closed,
    store: &dyn History,
    flag: &str,
) -> anyhow::Result<()> {
    if let Some(suspicion) = closed.suspicion.as_ref().filter(|_| closed.is_trusted()) {
        let reason = sanitize_for_terminal(&suspicion.reason);
        writeln!(
            out,
            "  {}: {reason}. Its changes were sent all the same: the crawl before was unusual, too",
            DoubtWord::of(&closed.statistics).word()
        )?;
    }
    for earlier in store.crawls(&site.id).await? {
        let suspicion = earlier.closed.as_ref().and_then(|closed| closed.suspicion.as_ref());
        if suspicion.is_some_and(|suspicion| suspicion.confirmed_by == Some(crawl.id)) {
            let then = earlier
                .closed
                .as_ref()
                .map_or(DoubtWord::Unusual, |closed| DoubtWord::of(&closed.statistics));
            let was = then.predicate_then();
            writeln!(out, "  confirms {}, which {was}: all changes since then were sent", earlier.id)?;
        }
    }
    let failures = reasons(site, crawl, store, Verdict::Failed, |reason| Some(kind(reason))).await?;
    for (reason, pages) in failures.into_iter().filter(|(_, pages)| *pages >= MANY).take(NAMED) {
        writeln!(
            out,
            "  warning: {} could not be read: {}",
            counted(pages, "page"),
            sanitize_for_terminal(&reason)
        )?;
    }
    let statistics = &closed.statistics;
    if statistics.stumbled > 0 {
        writeln!(
            out,
            "  Recrawl stumbled over {}; `recrawl report stumbles{flag}` says which",
            counted(statistics.stumbled, "page")
        )?;
    }
    if statistics.counts[Verdict::Excluded] > 0 {
        let traps = reasons(site, crawl, store, Verdict::Excluded, Trap::kind).await?;
        let further = traps.len().saturating_sub(NAMED);
        for (trap, pages) in traps.into_iter().take(NAMED) {
            let pages = counted(pages, "page");
            writeln!(out, "  warning: {pages} left out as a trap: {}", sanitize_for_terminal(&trap))?;
        }
        if further > 0 {
            writeln!(out, "  warning: and {} more", counted(further as u64, "trap"))?;
        }
    }
    if statistics.refuted > 0 {
        writeln!(
            out,
            "  warning: of {} checked 304 responses, {} false; Recrawl no longer trusted those hosts",
            grouped(statistics.checked),
            if statistics.refuted == 1 {
                "1 was".to_owned()
            } else {
                format!("{} were", grouped(statistics.refuted))
            },
        )?;
    }
    Ok(())
}

/// Returns the kinds of reasons for a verdict, and how many pages have each, the most first.
async fn reasons(
    site: &Site,
    crawl: &Crawl,
    store: &dyn History,
    verdict: Verdict,
    kind: impl Fn(&str) -> Option<&str>,
) -> anyhow::Result<Vec<(String, u64)>> {
    let mut counts: HashMap<String, u64> = HashMap::new();
    let mut last = None;
    loop {
        let records = store.records(&site.id, crawl.id, &[verdict], last.as_ref(), CHUNK).await?;
        let Some(record) = records.last() else { break };
        last = Some(record.url.clone());
        for record in records.iter().filter(|record| !record.visit.is_stumble()) {
            let reason = record.visit.reason.as_deref().unwrap_or("no reason is known");
            if let Some(kind) = kind(reason) {
                *counts.entry(kind.to_owned()).or_default() += 1;
            }
        }
    }
    let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
    counts.sort_by(|(reason, pages), (other_reason, other)| (other, reason).cmp(&(pages, other_reason)));
    Ok(counts)
}

/// Returns a reason without what differs from page to page: the query of an address, the number of requests.
fn kind(reason: &str) -> &str {
    let kind = reason.split('?').next().unwrap_or(reason);
    match kind.rsplit_once(" to ") {
        Some((kind, rest)) if rest.ends_with(" requests") => kind,
        Some(_) | None => kind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_failed_alike_have_one_kind_of_reason() {
        for (reason, expected) in [
            ("status 503 to 6 requests", "status 503"),
            ("status 403", "status 403"),
            ("no good answer to 3 requests", "no good answer"),
            ("asks for a login at https://a/login?destination=/b", "asks for a login at https://a/login"),
            ("a block page (Cloudflare)", "a block page (Cloudflare)"),
        ] {
            assert_eq!(kind(reason), expected);
        }
    }
}
