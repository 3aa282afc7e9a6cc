//! What a crawl found: the answer first, then an entry each change, then advice.

mod entry;
mod site_state;
mod unusual;
mod warnings;

use std::io::Write;

use jiff::Timestamp;
use recrawl_core::decide::{DoubtWord, is_first_crawl, opened_before, told_singly};
use recrawl_core::model::crawl::{Closed, Crawl, Ending, Site};
use recrawl_core::model::ids::SiteId;
use recrawl_core::model::record::{PageRecord, Presence};
use recrawl_core::model::statistics::Statistics;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::History;
use recrawl_reports::changes::{Changes, ChangesFigures, Row};
use recrawl_reports::{ChangeRow, ChangesFilter, Detail, ReportCache, Reports, Sort};

use crate::output::{counted, day, duration, grouped, sanitize_for_terminal, terminal_width};
use crate::read::changes::below;

/// How many changes are listed, and how many shared ones.
const LISTED: usize = 20;
const LISTED_SHARED: usize = 10;

/// How wide a summary is where nothing limits a line.
const UNLIMITED: usize = 100;

/// What a crawl found, as far as it is told.
struct Found {
    changes: Changes,
    is_first: bool,
    /// No crawl was there before.
    is_very_first: bool,
    /// When the crawl was opened that it was compared with.
    compared: Option<Timestamp>,
}

impl Found {
    async fn read(reports: Reports<'_>, site: &Site, crawl: &Crawl) -> anyhow::Result<Self> {
        let crawls = reports.history.crawls(&site.id).await?;
        let before = opened_before(&crawls, crawl.id);
        let is_first = is_first_crawl(&crawls, crawl.id);
        let told = [told_singly(is_first), &[Verdict::Shared]].concat();
        let filter = ChangesFilter::of_verdicts(&told);
        let believed = before.iter().rev().find(|earlier| !earlier.is_open() && earlier.is_trusted());
        Ok(Self {
            changes: reports.change_list(site, crawl, &filter, Sort::Weight).await?,
            is_first,
            is_very_first: before.is_empty(),
            compared: believed.map(|earlier| earlier.opened_at),
        })
    }

    fn figures(&self) -> &ChangesFigures {
        &self.changes.figures
    }

    /// Returns how many changes there are: `8 changes, 2 shared`.
    fn counts(&self) -> String {
        let figures = self.figures();
        let changes = counted(figures.changes as u64, "change");
        if figures.shared == 0 {
            changes
        } else {
            format!("{changes}, {} shared", grouped(figures.shared as u64))
        }
    }

    fn is_empty(&self) -> bool {
        self.figures().changes == 0 && self.figures().shared == 0
    }
}

/// Writes what `crawl` found, and where to look next.
pub(crate) async fn write(
    out: &mut dyn Write,
    site: &Site,
    crawl: &Crawl,
    closed: &Closed,
    history: &dyn History,
    look_in: Option<&str>,
) -> anyhow::Result<()> {
    let now = closed.at;
    let crawl = &Crawl { closed: Some(closed.clone()), ..crawl.clone() };
    let cache = ReportCache::default();
    let reports = Reports { history, reviews: None, cache: &cache, now };
    let mut found = Found::read(reports, site, crawl).await?;
    let unusual = unusual::read(reports, site, crawl).await?;
    if let Some(report) = &unusual {
        found.changes = report.otherwise.clone();
    }
    let flag = match look_in {
        Some(store) if store != "sqlite:recrawl.db" => format!(" --store {store}"),
        Some(_) | None => String::new(),
    };
    match &closed.state {
        Some(site_state) => {
            site_state::write(out, site, crawl, site_state, history).await?;
            if site_state.is_unread() && (found.is_first || closed.statistics.changes() == 0) {
                return Ok(());
            }
        }
        None => writeln!(out, "{}: {}", site.id, answer(&found, closed, now))?,
    }
    writeln!(out)?;
    if let Some(report) = &unusual {
        unusual::write_evidence(out, site, report, now)?;
    }
    warnings::write(out, site, crawl, closed, history, &flag).await?;
    if closed.statistics.total == 1 && closed.state.is_none() {
        lonely_root(out, site, crawl, history).await?;
    }
    entries(out, reports, site, &found, &flag).await?;
    failures(out, site, crawl, history).await?;
    if let Some(report) = &unusual {
        unusual::write_decisions(out, report, &flag)?;
    }
    let new = closed.statistics.counts[Verdict::New];
    if found.is_very_first && new > 0 {
        let again = "Run the same command next week to see what changed.";
        writeln!(out, "  Everything is new in a first crawl. {again}")?;
    } else if found.is_first && new > 0 {
        let (new, are) = (counted(new, "new page"), if new == 1 { "is" } else { "are" });
        writeln!(out, "  {new} {are} not listed, because no crawl before saw the whole site.")?;
    }
    if let Some(also) = also(found.figures()) {
        let more = if found.is_empty() { String::new() } else { format!(": recrawl changes{flag} --tier 3") };
        writeln!(out, "  Also {also}{}", if more.is_empty() { "." } else { &more })?;
    }
    writeln!(out, "  {}", took(crawl, closed))?;
    let one = found.changes.rows.iter().find_map(|row| match row {
        Row::Page(row) if row.listed.record.visit.verdict == Verdict::Changed => Some(&row.listed.record.url),
        Row::Page(_) | Row::Folder(_) | Row::Shared(_) => None,
    });
    if let Some(url) = one.filter(|_| look_in.is_some()) {
        writeln!(out, "  See one: recrawl diff{flag} {}", sanitize_for_terminal(below(&site.root, url)))?;
    }
    Ok(())
}

/// Writes what `crawl` found on one line, as where there are several sites; names are `width` wide.
pub(crate) async fn write_line(
    out: &mut dyn Write,
    site: &Site,
    crawl: &Crawl,
    closed: &Closed,
    history: &dyn History,
    width: usize,
) -> anyhow::Result<()> {
    let crawl = &Crawl { closed: Some(closed.clone()), ..crawl.clone() };
    let cache = ReportCache::default();
    let found =
        Found::read(Reports { history, reviews: None, cache: &cache, now: closed.at }, site, crawl).await?;
    let pages = counted(closed.statistics.total, "page");
    let state = closed.state.as_ref().filter(|state| state.hides_site());
    let told = if let Some(state) = state {
        sanitize_for_terminal(&state.line()).into_owned()
    } else if !closed.is_trusted() {
        format!("{}, nothing was sent", doubt_word(closed))
    } else if closed.statistics.total > 0
        && closed.statistics.counts[Verdict::Failed] == closed.statistics.total
    {
        "failed".to_owned()
    } else if found.is_very_first {
        "first crawl".to_owned()
    } else if found.is_empty() && closed.ending == Ending::Complete {
        "quiet".to_owned()
    } else {
        found.counts()
    };
    let beside = closed.state.as_ref().filter(|state| !state.hides_site());
    let told =
        beside.map_or(told.clone(), |state| format!("{told}; {}", sanitize_for_terminal(&state.sentence())));
    let took = duration(closed.at.duration_since(crawl.opened_at).unsigned_abs().as_secs());
    writeln!(out, "{:<width$}  {told:<26} {pages:>12}  {took:>12}", site.id.as_str())?;
    Ok(())
}

/// Says what became of a site of which there is no crawl, on one line.
pub(crate) fn line_of(site: &SiteId, told: &str, width: Option<usize>) -> String {
    let width = width.unwrap_or_default();
    format!("{:<width$}  {told}", site.as_str())
}

fn doubt_word(closed: &Closed) -> &'static str {
    DoubtWord::of(&closed.statistics).word()
}

fn answer(found: &Found, closed: &Closed, now: Timestamp) -> String {
    let pages = counted(closed.statistics.total, "page");
    let compared =
        found.compared.map_or_else(String::new, |time| format!(", compared with {}", day(time, now)));
    let failed = closed.statistics.counts[Verdict::Failed];
    let suspicion = closed.suspicion.as_ref().filter(|_| !closed.is_trusted());
    let says = if let Some(suspicion) = suspicion {
        let (word, reason) = (doubt_word(closed), sanitize_for_terminal(&suspicion.reason));
        return format!("{word}, {reason}. No change was sent yet.");
    } else if found.is_very_first {
        format!("first crawl, {pages}")
    } else if found.is_empty() && failed > 0 {
        let read = grouped(closed.statistics.total - failed);
        format!("no change in {read} of {pages}, {} failed{compared}", grouped(failed))
    } else if found.is_empty() && closed.ending == Ending::Complete {
        format!("nothing changed in {pages}{compared}")
    } else {
        format!("{}{compared}", found.counts())
    };
    match &closed.ending {
        Ending::Complete => says,
        Ending::Partial(reason) => format!("{says}; partial: {}", sanitize_for_terminal(reason)),
    }
}

async fn entries(
    out: &mut dyn Write,
    reports: Reports<'_>,
    site: &Site,
    found: &Found,
    flag: &str,
) -> anyhow::Result<()> {
    let is_shared = |row: &&Row| matches!(row, Row::Shared(_));
    let (shared, pages): (Vec<&Row>, Vec<&Row>) = found.changes.rows.iter().partition(is_shared);
    let width = terminal_width().unwrap_or(UNLIMITED);
    for (rows, most) in [(pages, LISTED), (shared, LISTED_SHARED)] {
        let listed: Vec<Row> = rows.iter().take(most).map(|row| (*row).clone()).collect();
        let described: Vec<ChangeRow> = reports.described_rows(site, &listed, Detail::Excerpts).await?;
        for row in &described {
            entry::write(out, row, &site.root, width)?;
        }
        if rows.len() > most {
            writeln!(out, "  and {} more: recrawl changes{flag}", grouped((rows.len() - most) as u64))?;
        }
        if !rows.is_empty() {
            writeln!(out)?;
        }
    }
    Ok(())
}

/// Writes which pages could not be read.
async fn failures(
    out: &mut dyn Write,
    site: &Site,
    crawl: &Crawl,
    history: &dyn History,
) -> anyhow::Result<()> {
    const LISTED: usize = 10;
    let records = history.records(&site.id, crawl.id, &[Verdict::Failed], None, LISTED + 1).await?;
    for record in records.iter().take(LISTED) {
        let reason = record.visit.reason.as_deref().unwrap_or("no reason is known");
        let address = sanitize_for_terminal(below(&site.root, &record.url));
        writeln!(out, "  failed   {address} ({})", sanitize_for_terminal(reason))?;
    }
    if records.len() > LISTED {
        let failed = crawl.closed.as_ref().map(|closed| closed.statistics.counts[Verdict::Failed]);
        let more = failed.map_or(1, |failed| failed.saturating_sub(LISTED as u64));
        writeln!(out, "  failed   and {} more", grouped(more))?;
    }
    if !records.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

/// Says what is not listed: `41 pages around their content and 12 with only noise`.
fn also(figures: &ChangesFigures) -> Option<String> {
    let around = (figures.around > 0)
        .then(|| format!("{} around their content", counted(figures.around as u64, "page")));
    let noise = (figures.noise > 0).then(|| match &around {
        Some(_) => format!("{} with only noise", grouped(figures.noise)),
        None => format!("{} with only noise", counted(figures.noise, "page")),
    });
    let both: Vec<String> = around.into_iter().chain(noise).collect();
    (!both.is_empty()).then(|| both.join(" and "))
}

/// Says how many pages there were, how long it took, and what did not need to be fetched.
fn took(crawl: &Crawl, closed: &Closed) -> String {
    let Closed { at, statistics, .. } = closed;
    let took = duration(at.duration_since(crawl.opened_at).unsigned_abs().as_secs());
    let told = format!("{} in {took}", counted(statistics.total, "page"));
    let mut spared = Vec::new();
    let Statistics { not_modified, same_by_head, presumed, .. } = statistics;
    for (pages, why) in [
        (not_modified, "not fetched again (304)"),
        (same_by_head, "not fetched again (HEAD)"),
        (presumed, "not asked for"),
    ] {
        if *pages > 0 {
            spared.push(format!("{} of them {why}", grouped(*pages)));
        }
    }
    if spared.is_empty() { format!("{told}.") } else { format!("{told}, {}.", spared.join(", ")) }
}

/// Says why a site has one page only, where the page tells.
async fn lonely_root(
    out: &mut dyn Write,
    site: &Site,
    crawl: &Crawl,
    history: &dyn History,
) -> anyhow::Result<()> {
    let records = history.records(&site.id, crawl.id, &[], None, 1).await?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_listed_is_counted() {
        for (around, noise, expected) in [
            (41, 12, Some("41 pages around their content and 12 with only noise")),
            (0, 3, Some("3 pages with only noise")),
            (1, 0, Some("1 page around their content")),
            (0, 0, None),
        ] {
            let figures = ChangesFigures { around, noise, ..ChangesFigures::default() };
            assert_eq!(also(&figures).as_deref(), expected);
        }
    }
}
