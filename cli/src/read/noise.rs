//! `recrawl noise`: what changes by itself, how it was learnt, and what people say of it.

mod outage;

use std::io::Write;

use jiff::Timestamp;
use recrawl_core::changes::noise::{LearntNoise, NoiseEntry, NoiseEvidence, Said};
use recrawl_core::changes::shape::Shape;
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::shared_change::SharedBy;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use recrawl_engine::{learnt_noise, save_learnt_noise};
use recrawl_stores::{Access, open};
use serde::Serialize;

use super::source::{Source, SourceArguments};
use super::wait_for;
use crate::exit::{ExitStatus, usage};
use crate::output::{self, Column, PlainFormat, Sheet, counted, day, grouped};
use recrawl_reports::told::{region, rule};

/// How many crawls are shown.
const CRAWLS: usize = 4;

/// List what changes by itself, and say what is noise and what is not
///
/// Noise is learnt from crawls: lines in which nothing but numbers, dates or ids change, again and again. It is counted
/// and not listed among changes. What you say wins, from the next crawl on.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("said").multiple(false))]
pub(crate) struct NoiseArguments {
    #[command(flatten)]
    source: SourceArguments,

    /// Say that this line is noise, whatever its numbers, dates and ids are
    #[arg(long, value_name = "TEXT", group = "said")]
    is: Option<String>,

    /// Say that this line is no noise
    #[arg(long, value_name = "TEXT", group = "said")]
    not: Option<String>,

    /// Show why this line is noise
    #[arg(long, value_name = "TEXT", group = "said")]
    explain: Option<String>,

    /// Say that a page that shows this line and lost its content is out of order, and did not change
    #[arg(long, value_name = "TEXT", group = "said")]
    stand_in: Option<String>,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// Something that changes by itself; its JSON form is stable.
#[derive(Debug, Serialize)]
struct NoiseRow {
    /// The shape of the line, or what the rule is about.
    what: String,
    /// Where it stands.
    r#where: String,
    /// On how many pages it last changed.
    pages: u64,
    /// Whether it changed in each of the last crawls, the oldest first.
    crawls: Vec<bool>,
    /// `learnt`, `rule`, `noise` or `no-noise`, the last two said by somebody.
    by: &'static str,
    /// The crawl after which it was noise, or the name of the rule.
    since: Option<String>,
}

impl NoiseArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let now = Timestamp::now();
        wait_for(async {
            let source = self.source.open().await?;
            let site = source.site().await?;
            let said = self.is.as_ref().map(|text| (text, Said::Noise));
            let said = said.or_else(|| self.not.as_ref().map(|text| (text, Said::NoNoise)));
            if let Some((text, said)) = said {
                drop(source);
                self.change(&site, now, |noise| noise.say(text, said)).await?;
                let is = match said {
                    Said::Noise => "is noise",
                    Said::NoNoise => "is no noise",
                };
                output::note(&format!("From the next crawl on, {:?} {is}.", Shape::of(text).text))?;
            } else if let Some(text) = &self.stand_in {
                drop(source);
                outage::tell(self.source.address(), &site, text, now).await?;
            } else {
                let noise = learnt_noise(&*source.state_store, &site.id).await?;
                match &self.explain {
                    Some(text) => explain(&source, &site, &noise, text, now).await?,
                    None => self.list(&source, &site, &noise, now).await?,
                }
            }
            Ok(ExitStatus::Success)
        })
    }

    async fn change(
        &self,
        site: &Site,
        now: Timestamp,
        change: impl FnOnce(&mut LearntNoise),
    ) -> anyhow::Result<()> {
        // A crawl that ends meanwhile would write what it learnt over what was said.
        let store = open(self.source.address(), Access::Crawl).await?;
        let ports = store.ports();
        let mut noise = learnt_noise(&*ports, &site.id).await?;
        change(&mut noise);
        save_learnt_noise(&*ports, &site.id, &noise, now).await?;
        Ok(())
    }

    async fn list(
        &self,
        source: &Source,
        site: &Site,
        noise: &LearntNoise,
        now: Timestamp,
    ) -> anyhow::Result<()> {
        let crawls = source.history.crawls(&site.id).await?;
        let known = noise.entries.iter().filter(|entry| entry.is_noise() || entry.said.is_some());
        let mut rows: Vec<NoiseRow> = known.map(row).collect();
        rows.extend(rules(source, site, &crawls).await?);
        if self.format == PlainFormat::Json {
            output::print_json(&rows)?;
            return Ok(());
        }
        let mut out = output::styled();
        if !rows.is_empty() {
            let width = output::terminal_width();
            sheet(&rows, &crawls, now).write_table(&mut out, width)?;
            writeln!(out)?;
        }
        writeln!(out, "{}", figures(&rows, crawls.last()))?;
        for text in &noise.stand_ins {
            writeln!(out, "Stand-in: {}", output::sanitize_for_terminal(text))?;
        }
        if let Some(row) = rows.iter().find(|row| row.by == "learnt") {
            let what = output::sanitize_for_terminal(&row.what);
            writeln!(
                out,
                "Wrong? recrawl noise --not \"{what}\". Evidence: recrawl noise --explain \"...\""
            )?;
        }
        out.flush()?;
        Ok(())
    }
}

fn row(entry: &NoiseEntry) -> NoiseRow {
    let seen: Vec<bool> = entry.seen.iter().take(CRAWLS).rev().map(|evidence| evidence.pages > 0).collect();
    let by = match entry.said {
        Some(Said::Noise) => "noise",
        Some(Said::NoNoise) => "no-noise",
        None => "learnt",
    };
    NoiseRow {
        what: entry.shape.clone(),
        r#where: place(entry),
        pages: entry.seen.iter().map(|evidence| evidence.pages).find(|pages| *pages > 0).unwrap_or(0),
        crawls: seen,
        by,
        since: entry.learnt.map(|crawl| crawl.to_string()),
    }
}

/// Says where a shape stands: the folder of its pages, and the part of a page.
fn place(entry: &NoiseEntry) -> String {
    let pages = entry.seen.iter().filter_map(|evidence| evidence.page.as_ref());
    let folders: Vec<&str> = pages.map(folder).collect();
    let region = region(entry.region);
    match folders.split_first() {
        Some((first, others)) if *first != "/" && others.iter().all(|other| other == first) => {
            format!("{first}, {region}")
        }
        _ => region.to_owned(),
    }
}

fn folder(page: &PageUrl) -> &str {
    let path = page.path();
    path.rfind('/').map_or("/", |place| &path[..=place])
}

/// Returns the noise rules that removed something else than before in the last crawl.
async fn rules(source: &Source, site: &Site, crawls: &[Crawl]) -> anyhow::Result<Vec<NoiseRow>> {
    let mut rows: Vec<NoiseRow> = Vec::new();
    let closed: Vec<&Crawl> = crawls.iter().filter(|crawl| !crawl.is_open()).collect();
    let last = &closed[closed.len().saturating_sub(CRAWLS)..];
    for (number, crawl) in last.iter().enumerate() {
        for change in source.history.shared_changes(&site.id, crawl.id).await? {
            if change.by != SharedBy::Rule {
                continue;
            }
            let known = rows.iter().position(|row| row.since.as_deref() == Some(&change.came));
            let place = known.unwrap_or(rows.len());
            if known.is_none() {
                rows.push(NoiseRow {
                    what: rule(&change.came).to_owned(),
                    r#where: String::new(),
                    pages: 0,
                    crawls: vec![false; last.len()],
                    by: "rule",
                    since: Some(change.came.clone()),
                });
            }
            rows[place].pages = change.pages;
            rows[place].crawls[number] = true;
        }
    }
    Ok(rows)
}

fn sheet(rows: &[NoiseRow], crawls: &[Crawl], now: Timestamp) -> Sheet {
    let mut sheet = Sheet::new([
        Column::flexible("what"),
        Column::new("where"),
        Column::number("pages"),
        Column::new("last 4 crawls"),
        Column::new("since"),
    ]);
    for row in rows {
        let seen: Vec<&str> = row.crawls.iter().map(|seen| if *seen { "*" } else { "." }).collect();
        let since = match (row.by, &row.since) {
            ("no-noise", _) => "no noise, you said so".to_owned(),
            ("noise", _) => "noise, you said so".to_owned(),
            ("rule", Some(name)) => format!("rule: {name}"),
            (_, Some(crawl)) => format!("learnt {}", day_of(crawl.parse().ok(), crawls, now)),
            (_, None) => String::new(),
        };
        sheet.push([
            row.what.as_str().into(),
            row.r#where.as_str().into(),
            grouped(row.pages).into(),
            seen.join(" ").into(),
            since.into(),
        ]);
    }
    sheet
}

/// Returns the day of a crawl, or its name where it is not there any more.
fn day_of(crawl: Option<CrawlId>, crawls: &[Crawl], now: Timestamp) -> String {
    let found = crawls.iter().find(|other| Some(other.id) == crawl);
    let name = || crawl.map(|crawl| crawl.to_string()).unwrap_or_default();
    found.map_or_else(name, |found| day(found.opened_at, now))
}

fn figures(rows: &[NoiseRow], latest: Option<&Crawl>) -> String {
    let count = |by: &str| rows.iter().filter(|row| row.by == by).count() as u64;
    let parts = [
        ("learnt", "learnt"),
        ("rule", "by a rule"),
        ("noise", "that you named"),
        ("no-noise", "that is no noise"),
    ];
    let told: Vec<String> = parts
        .iter()
        .map(|(by, words)| (count(by), words))
        .filter(|(number, _)| *number > 0)
        .map(|(number, words)| format!("{} {words}", grouped(number)))
        .collect();
    if told.is_empty() {
        return "No noise is known.".to_owned();
    }
    let touched = latest.and_then(|crawl| crawl.closed.as_ref());
    let touched = touched.map_or(0, |closed| closed.statistics.counts[Verdict::Touched]);
    let account = match touched {
        0 => String::new(),
        pages => format!(" In the last crawl they account for {} with only noise.", counted(pages, "page")),
    };
    format!("{}.{account}", told.join(", "))
}

/// Shows the lines from which a shape was learnt.
async fn explain(
    source: &Source,
    site: &Site,
    noise: &LearntNoise,
    text: &str,
    now: Timestamp,
) -> anyhow::Result<()> {
    let shape = Shape::of(text).text;
    let found = noise.entries.iter().find(|entry| entry.shape == text || entry.shape == shape);
    let Some(entry) = found else {
        return Err(usage(format!("nothing is known of {shape:?}: `recrawl noise` lists what is")));
    };
    let crawls = source.history.crawls(&site.id).await?;
    let state = match (entry.said, entry.learnt) {
        (Some(Said::Noise), _) => "noise, you said so".to_owned(),
        (Some(Said::NoNoise), _) => "no noise, you said so".to_owned(),
        (None, Some(crawl)) => format!("learnt on {}", day_of(Some(crawl), &crawls, now)),
        (None, None) => "not noise yet".to_owned(),
    };
    let seen: Vec<&NoiseEvidence> = entry.seen.iter().filter(|evidence| evidence.pages > 0).collect();
    let pages = seen.first().map_or(0, |evidence| evidence.pages);
    let mut out = output::styled();
    let what = output::sanitize_for_terminal(&entry.shape);
    writeln!(out, "{what:<34} {state}, on {}, in the {}", counted(pages, "page"), region(entry.region))?;
    writeln!(out)?;
    let mut sheet = Sheet::new([Column::number(""), Column::flexible(""), Column::new("")]);
    for evidence in &seen {
        let page = evidence.page.as_ref().map(PageUrl::path).unwrap_or_default();
        let on = format!("  {}", day_of(Some(evidence.crawl), &crawls, now));
        sheet.push([on.into(), evidence.line.as_str().into(), page.into()]);
    }
    sheet.write_table(&mut out, output::terminal_width())?;
    let (changed, all) = (grouped(seen.len() as u64), counted(entry.seen.len() as u64, "crawl"));
    writeln!(
        out,
        "\n  It changed in {changed} of {all}, and nothing but numbers, dates and ids changed in it."
    )?;
    out.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_noise_is_counted_by_who_says_so() {
        let row = |by| NoiseRow {
            what: "Page built #".to_owned(),
            r#where: "footer".to_owned(),
            pages: 12,
            crawls: vec![true, false],
            by,
            since: None,
        };
        assert_eq!(figures(&[], None), "No noise is known.");
        let rows = [row("learnt"), row("learnt"), row("rule"), row("no-noise")];
        assert_eq!(figures(&rows, None), "2 learnt, 1 by a rule, 1 that is no noise.");
    }
}
