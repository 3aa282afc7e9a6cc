//! An unusual crawl in the terminal: where, what instead, what was checked; and what each decision comes to.

use std::io::Write;

use jiff::Timestamp;
use recrawl_core::decide::Doubt;
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_reports::Reports;
use recrawl_reports::unusual::{Example, FolderShare, Told, UnusualReport};

use crate::output::{counted, day, grouped, sanitize_for_terminal};
use crate::read::changes::below;

/// Writes where the doubted pages are, what they show, and what else changed.
pub(super) fn write_evidence(
    out: &mut dyn Write,
    site: &Site,
    report: &UnusualReport,
    now: Timestamp,
) -> anyhow::Result<()> {
    let share = |share: &FolderShare| {
        let (lost, pages) = (grouped(share.doubted), grouped(share.pages));
        format!("{} {lost} of {pages}", sanitize_for_terminal(&share.name()))
    };
    let places: Vec<String> = report.folders.iter().map(share).collect();
    if !places.is_empty() {
        writeln!(out, "  where      {} pages", places.join(",  "))?;
    }
    if let Some(instead) = &report.instead {
        let (line, pages) = (sanitize_for_terminal(&instead.line), counted(instead.pages, "page"));
        writeln!(out, "  instead    {{+{line}+}}   the same on {pages}")?;
    }
    if let Some(Example { url, words_before, words: Some(words), .. }) = report.examples.first() {
        let address = sanitize_for_terminal(below(&site.root, url)).into_owned();
        let before =
            report.compared.map_or_else(|| "before".to_owned(), |(_, at)| format!("on {}", day(at, now)));
        let had = counted(u64::from(*words_before), "word");
        writeln!(out, "  example    {address}   {had} {before}, {} now", grouped(u64::from(*words)))?;
    }
    let failed = if report.failed == 0 {
        "No page failed.".to_owned()
    } else {
        format!("{} failed.", counted(report.failed, "page"))
    };
    let again = (report.asked_again > 0).then(|| {
        let (again, all) = (grouped(report.asked_again), grouped(report.doubted));
        format!("Asked again at the end: the same on {again} of {all}. ")
    });
    writeln!(out, "  checked    {}{failed}\n", again.unwrap_or_default())?;
    let figures = &report.otherwise.figures;
    if report.otherwise.rows.is_empty() {
        writeln!(out, "  Nothing else changed.\n")?;
    } else if report.doubt != Some(Doubt::Changed) {
        writeln!(out, "  Otherwise {}:\n", counted(figures.changes as u64, "change"))?;
    }
    Ok(())
}

/// Writes what can be done, and what each of it comes to.
pub(super) fn write_decisions(out: &mut dyn Write, report: &UnusualReport, flag: &str) -> anyhow::Result<()> {
    let told = |changes: usize, shared: usize| {
        let changes = counted(changes as u64, "change");
        if shared == 0 {
            changes
        } else {
            format!("{changes} and {}", counted(shared as u64, "shared change"))
        }
    };
    if let Some(instead) = &report.instead {
        let line = sanitize_for_terminal(&instead.line).replace('"', "\\\"");
        let figures = &report.otherwise.figures;
        writeln!(out, "  Outage?    recrawl noise{flag} --stand-in \"{line}\"")?;
        writeln!(
            out,
            "             The {} count as unchanged. Told, if the rest is as in any week: {}.",
            counted(instead.pages, "page"),
            told(figures.changes, figures.shared),
        )?;
    }
    let Told { changes, shared } = report.told;
    writeln!(out, "  Real?      recrawl accept{flag}\n             Told: {}.", told(changes, shared))?;
    writeln!(
        out,
        "  Not sure?  Do nothing. If the next whole crawl finds the same, it is accepted by itself.\n"
    )?;
    Ok(())
}

/// Reads the report of an unusual crawl that nobody accepted.
pub(super) async fn read(
    reports: Reports<'_>,
    site: &Site,
    crawl: &Crawl,
) -> anyhow::Result<Option<UnusualReport>> {
    if crawl.closed.as_ref().is_none_or(recrawl_core::model::crawl::Closed::is_trusted) {
        return Ok(None);
    }
    Ok(reports.unusual(site, crawl).await?)
}
