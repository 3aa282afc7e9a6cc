//! `recrawl explain`: why a visit got its verdict.

use std::io::{self, Write};

use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::record::{Check, PageRecord};
use recrawl_reports::explain::{Account, ComparedValue, RulesInForce, explain};

use crate::exit::{ExitStatus, usage};
use crate::output::{
    self, Cell, Column, Sheet, day_and_time, sanitize_for_terminal, style_of, terminal_width,
};
use crate::read::changes::kind;
use crate::read::page::Page;
use crate::read::rules::RulesArguments;
use crate::read::source::SourceArguments;
use crate::read::wait_for;

/// Say why a visit of a page got its verdict: what was compared, and what did not count
///
/// To find what the rules leave out, this reads the stored body again by the rules in force here: flags,
/// environment and recrawl.toml, as for a crawl.
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArguments {
    /// The page: its URL, or its path below the site
    url: String,

    #[command(flatten)]
    source: SourceArguments,

    /// The crawl that visited it, such as crawl-2026-11-16 [default: the latest that did]
    #[arg(long, value_name = "CRAWL")]
    crawl: Option<CrawlId>,

    #[command(flatten)]
    rules: RulesArguments,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: ExplainFormat,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
enum ExplainFormat {
    /// Sentences for people
    #[default]
    Text,
    /// For programs
    Json,
}

impl ExplainArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        wait_for(async {
            let source = self.source.open().await?;
            let page = source.page(&self.url).await?;
            let rules = self.rules.in_force(&page.site)?;
            let record = self.visit(&page)?;
            let rules = RulesInForce { extractor: &rules.extractor, compare: rules.compare };
            let account = explain(&*source.history, &page.visits.crawls, record, &rules).await?;
            match self.format {
                ExplainFormat::Json => output::print_json(&account)?,
                ExplainFormat::Text => {
                    let mut out = output::styled();
                    Written(&account).write(&mut out)?;
                    out.flush()?;
                }
            }
            Ok(ExitStatus::Success)
        })
    }

    /// Returns the visit that is meant.
    fn visit<'a>(&self, page: &'a Page) -> anyhow::Result<&'a PageRecord> {
        let visits = page.visits.all();
        let found = match self.crawl {
            Some(crawl) => visits.iter().find(|visit| visit.crawl == crawl),
            None => visits.last(),
        };
        found.copied().ok_or_else(|| {
            let crawls: Vec<String> = visits.iter().map(|visit| visit.crawl.to_string()).collect();
            usage(format!("that crawl did not visit {}; these did: {}", page.url, crawls.join(", ")))
        })
    }
}

/// An account for people.
struct Written<'a>(&'a Account);

impl Written<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let style = style_of(self.0.verdict);
        let verdict = kind(self.0.verdict, self.0.aspects);
        writeln!(out, "{} in {}: {style}{verdict}{style:#}", self.0.url, self.0.crawl)?;
        writeln!(out, "{}\n", sanitize_for_terminal(&self.0.why))?;
        let width = terminal_width();
        self.facts().write_table(out, width)?;
        if !self.0.compared.is_empty() {
            writeln!(out)?;
            self.comparisons().write_table(out, width)?;
        }
        self.write_removed(out, width)?;
        if !self.0.notes.is_empty() {
            writeln!(out)?;
        }
        self.0.notes.iter().try_for_each(|note| writeln!(out, "{}", sanitize_for_terminal(note)))
    }

    fn facts(&self) -> Sheet {
        let mut sheet = Sheet::of_facts();
        sheet.fact("visited (UTC)", day_and_time(self.0.visited_at));
        let compared_with =
            self.0.compared_with.map_or_else(|| "nothing before it".to_owned(), |crawl| crawl.to_string());
        sheet.fact("compared with", compared_with);
        if let Some(reason) = &self.0.suspect {
            sheet.fact("unusual crawl", reason.as_str());
        }
        let status = self.0.status.map_or_else(|| "none".to_owned(), |status| status.to_string());
        let confirmed = if self.0.not_modified { " (confirmed by a 304)" } else { "" };
        sheet.fact("status", format!("{status}{confirmed}"));
        if let Some(reason) = &self.0.reason {
            sheet.fact("reason", reason.as_str());
        }
        if let Some(document) = &self.0.document {
            sheet.fact("document", document.as_str());
        }
        sheet.fact("requests", self.0.requests.to_string());
        sheet.fact("asked", self.0.conditional.as_str());
        let check = match self.0.check {
            Check::None => None,
            Check::Confirmed => Some("that nothing changed was checked, and was true"),
            Check::False304 => Some("that nothing changed was checked, and was not true"),
        };
        if let Some(check) = check {
            sheet.fact("check", check);
        }
        sheet.fact("rules in force", format!("{}, for changes of {}", self.0.rules.in_force, self.0.compare));
        sheet.fact("how often", self.0.frequency.sentence());
        sheet.fact("worth a visit", self.0.frequency.interval());
        sheet
    }

    fn comparisons(&self) -> Sheet {
        let mut sheet = Sheet::new([
            Column::new("compared"),
            Column::new(""),
            Column::flexible("before"),
            Column::flexible("after"),
        ]);
        for ComparedValue { what, before, after, same } in &self.0.compared {
            let shown = |value: &Option<String>| value.as_deref().map_or_else(|| "-".to_owned(), brief);
            let cells: [Cell; 4] = [
                (*what).into(),
                if *same { "same" } else { "differs" }.into(),
                shown(before).into(),
                shown(after).into(),
            ];
            sheet.push(cells);
        }
        sheet
    }

    fn write_removed(&self, out: &mut dyn Write, width: Option<usize>) -> io::Result<()> {
        let Some(removed) = &self.0.removed else {
            return Ok(());
        };
        writeln!(out)?;
        if removed.is_empty() {
            return writeln!(out, "No rule leaves anything out of the page.");
        }
        writeln!(out, "The rules in force leave out of the page:")?;
        let mut sheet =
            Sheet::new([Column::new("rule"), Column::new("before"), Column::flexible("left out")]);
        for removed in removed {
            let before = match removed.was_there_before {
                Some(true) => "same",
                Some(false) => "new",
                None => "-",
            };
            sheet.push([removed.rule.as_str().into(), before.into(), removed.what.as_str().into()]);
        }
        sheet.write_table(out, width)
    }
}

/// Shortens a hash: it is to be compared, not to be typed.
fn brief(value: &str) -> String {
    let is_hash = value.len() == 64 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { format!("{}…", &value[..16]) } else { value.to_owned() }
}
