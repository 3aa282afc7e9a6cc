//! `recrawl explain`: why a visit got its verdict.

mod account;
mod reading;
mod why;

use std::io::Write;

use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::record::PageRecord;

use self::account::Account;
use self::reading::Reading;
use crate::exit::{ExitStatus, usage};
use crate::output;
use crate::read::page::Page;
use crate::read::rules::{Rules, RulesArguments};
use crate::read::source::{Source, SourceArguments};
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
            let account = account_of(&source, &page, record, &rules).await?;
            match self.format {
                ExplainFormat::Json => output::print_json(&account)?,
                ExplainFormat::Text => {
                    let mut out = output::styled();
                    account.write(&mut out)?;
                    out.flush()?;
                }
            }
            Ok(ExitStatus::Success)
        })
    }

    /// Returns the visit that is meant.
    fn visit<'a>(&self, page: &'a Page) -> anyhow::Result<&'a PageRecord> {
        let mut visits: Vec<&PageRecord> = page.visits.iter().chain(&page.doubted).collect();
        let order = page.order();
        visits.sort_by_key(|visit| order.place(visit.crawl));
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

async fn account_of(
    source: &Source,
    page: &Page,
    record: &PageRecord,
    rules: &Rules,
) -> anyhow::Result<Account> {
    let history = &*source.history;
    let previous = history.latest_before(&record.site, record.crawl, &record.url).await?;
    let crawl = page.crawls.iter().find(|crawl| crawl.id == record.crawl);
    let now = Reading::of(history, &rules.extractor, record).await?;
    let before = match &previous {
        Some(previous) => Reading::of(history, &rules.extractor, previous).await?,
        None => Reading::Nothing,
    };
    Ok(Account::new(record, previous.as_ref(), crawl, rules, &before, &now))
}
