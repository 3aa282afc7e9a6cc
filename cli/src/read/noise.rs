//! `recrawl noise`: what changes by itself, how it was learnt, and what people say of it.

mod outage;

use std::io::Write;

use jiff::Timestamp;
use recrawl_core::changes::noise::{LearntNoise, NoiseEvidence, Said};
use recrawl_core::changes::shape::Shape;
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use recrawl_engine::{learnt_noise, save_learnt_noise};
use recrawl_stores::{Access, open};

use super::source::{Source, SourceArguments};
use super::wait_for;
use crate::exit::{ExitStatus, usage};
use crate::output::{self, Column, PlainFormat, Sheet, counted, day, grouped};
use recrawl_reports::noise::{NoiseRow, rows as noise_rows};
use recrawl_reports::told::region;

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
        let rows = noise_rows(&*source.history, site, noise, &crawls).await?;
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
            let (what, flag) = (output::sanitize_for_terminal(&row.what), source.flag());
            writeln!(
                out,
                "Wrong? recrawl noise{flag} --not \"{what}\". Evidence: recrawl noise{flag} --explain \"...\""
            )?;
        }
        out.flush()?;
        Ok(())
    }
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
            line: None,
        };
        assert_eq!(figures(&[], None), "No noise is known.");
        let rows = [row("learnt"), row("learnt"), row("rule"), row("no-noise")];
        assert_eq!(figures(&rows, None), "2 learnt, 1 by a rule, 1 that is no noise.");
    }
}
