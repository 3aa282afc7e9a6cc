//! `recrawl changes`: what changed, one row each distinct change, what matters most first.

mod since;
pub(crate) mod table;

use std::fmt::Write as _;
use std::io::Write as _;

use jiff::Timestamp;
use recrawl_core::model::aspect::{Aspect, Aspects};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::kind::{Kind, Tier};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use recrawl_reports::changes::{Bounds, ChangesFigures, Conditions, Since, Words};
use recrawl_reports::{ChangeRow, ChangesFilter, CrawlSummary, Detail, ReportCache, Reports, Sort};
use serde_json::Value;

use self::since::Beginning;
use self::table::Layout;
use super::source::{Source, SourceArguments};
use super::wait_for;
use crate::exit::ExitStatus;
use crate::output::{self, Format, Listing, counted, day, grouped};
use recrawl_reports::told::rule;

/// List what changed, one row each distinct change, what matters most first
///
/// Changes of the content of pages are listed, and below them changes that several pages share, one row each.
#[derive(Debug, clap::Args)]
pub(crate) struct ChangesArguments {
    #[command(flatten)]
    source: SourceArguments,

    /// The crawl, such as crawl-2026-11-16 [default: the latest]
    #[arg(long, value_name = "CRAWL", conflicts_with = "since")]
    crawl: Option<CrawlId>,

    /// All crawls since then, of all sites unless --site names one: 7d, 2w, a date, or a crawl. One row a page
    #[arg(long, value_name = "TIME|CRAWL")]
    since: Option<Beginning>,

    /// Up to this tier: 1 the content of pages, 2 also what stands around it, 3 also noise [default: 1; 2 where
    /// --kinds or --aspect name links or media]
    #[arg(long, value_name = "1|2|3", value_parser = tier)]
    tier: Option<Tier>,

    /// List pages that differ only by shared changes, too, and open folders of many new or gone pages
    #[arg(long)]
    expand: bool,

    /// Verdicts to list, separated by commas: new, changed, moved, gone, shared; also touched (only noise changed),
    /// unchanged, missing (broken links), failed, excluded [default: the first five]
    #[arg(long, value_name = "VERDICTS", value_delimiter = ',')]
    kind: Vec<Verdict>,

    /// Only these kinds of change, separated by commas: title, headings, text, numbers, dates, links, media,
    /// description, canonical, robots, document
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    kinds: Vec<Kind>,

    /// Only changes of these aspects, separated by commas: text, links, media, meta [default: all]
    #[arg(long, value_name = "ASPECTS", value_delimiter = ',')]
    aspect: Vec<Aspect>,

    /// Only pages whose path begins so
    #[arg(long, value_name = "PATH")]
    path: Option<String>,

    /// Only changes with these words in what came or went: a regular expression, in any case
    #[arg(long = "match", value_name = "REGEX")]
    either: Option<Words>,

    /// Only changes with these words in what came
    #[arg(long, value_name = "REGEX")]
    match_added: Option<Words>,

    /// Only changes with these words in what went
    #[arg(long, value_name = "REGEX")]
    match_removed: Option<Words>,

    /// No changes with these words in what came or went
    #[arg(long, value_name = "REGEX")]
    exclude_match: Option<Words>,

    /// Only changes that matter so much, from 0 to 1,000
    #[arg(long, value_name = "WEIGHT", default_value_t = 0)]
    min_weight: u32,

    /// The order
    #[arg(long, value_enum, default_value_t)]
    sort: SortArgument,

    /// At most so many rows
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
enum SortArgument {
    /// What matters most first
    #[default]
    Weight,
    /// By address
    Path,
    /// The newest first
    Time,
}

impl From<SortArgument> for Sort {
    fn from(sort: SortArgument) -> Self {
        match sort {
            SortArgument::Weight => Self::Weight,
            SortArgument::Path => Self::Path,
            SortArgument::Time => Self::Time,
        }
    }
}

fn tier(text: &str) -> Result<Tier, String> {
    let number: u8 = text.parse().map_err(|_| format!("{text:?} is no tier: 1, 2 or 3"))?;
    Tier::try_from(number).map_err(|error| error.to_string())
}

impl ChangesArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        let now = Timestamp::now();
        wait_for(async {
            let source = self.source.open().await?;
            match &self.since {
                Some(since) => self.of_window(&source, since.at(now), now).await?,
                None => self.of_crawl(&source, now).await?,
            }
            Ok(ExitStatus::Success)
        })
    }

    fn filter(&self) -> ChangesFilter {
        ChangesFilter {
            verdicts: Verdict::ALL.into_iter().filter(|kind| self.kind.contains(kind)).collect(),
            aspects: self.aspect.iter().copied().collect(),
            kinds: self.kinds.iter().copied().collect(),
            tier: self.tier,
            expand: self.expand,
            open_folders: self.expand,
            min_weight: self.min_weight,
            path: self.path.clone(),
            conditions: Conditions {
                either: self.either.clone(),
                added: self.match_added.clone(),
                removed: self.match_removed.clone(),
                exclude: self.exclude_match.clone(),
            },
            ..ChangesFilter::default()
        }
    }

    fn detail(&self) -> Detail {
        if self.format.is_for_programs() { Detail::All } else { Detail::Excerpts }
    }

    async fn of_crawl(&self, source: &Source, now: Timestamp) -> anyhow::Result<()> {
        let site = source.site().await?;
        let crawl = source.crawl(&site, self.crawl).await?;
        let summary = CrawlSummary::of(&*source.history, &crawl).await?;
        let cache = ReportCache::default();
        let reports =
            Reports { history: &*source.history, reviews: Some(&*source.state_store), cache: &cache, now };
        let filter = self.filter();
        let mut changes = reports.change_list(&site, &crawl, &filter, self.sort.into()).await?;
        if crawl.is_open() {
            changes.figures.noise = summary.statistics.counts[Verdict::Touched];
        }
        let shown = &changes.rows[..self.limit.unwrap_or(usize::MAX).min(changes.rows.len())];
        let rows = reports.described_rows(&site, shown, self.detail()).await?;
        if let Some(caution) = summary.caution() {
            output::note(&caution)?;
        }
        let told =
            Told { figures: &changes.figures, filter: &filter, all: changes.rows.len(), shown: rows.len() };
        let answer = told.of_crawl(&site, &crawl, summary.statistics.total, now);
        self.print(&rows, Some(&site.root), &answer)
    }

    async fn of_window(&self, source: &Source, since: Since, now: Timestamp) -> anyhow::Result<()> {
        let sites = source.sites().await?;
        let cache = ReportCache::default();
        let reports =
            Reports { history: &*source.history, reviews: Some(&*source.state_store), cache: &cache, now };
        let filter = self.filter();
        let window = reports.window(&sites, Bounds::since(since), &filter, self.sort.into()).await?;
        let all = &window.changes.rows;
        let shown = &all[..self.limit.unwrap_or(usize::MAX).min(all.len())];
        let rows = reports.described_window(&sites, shown, self.detail()).await?;
        let figures = &window.changes.figures;
        let told = Told { figures, filter: &filter, all: all.len(), shown: rows.len() };
        let mut answer = told.of_window(since, &rows, now);
        for (crawl, waiting) in &window.waiting {
            let on = day(crawl.opened_at, now);
            let waiting = counted(*waiting as u64, "change");
            let _ = write!(answer, "\n\n  {}: unusual on {on}, {waiting} wait for you", crawl.site);
        }
        for crawl in &window.first {
            let new = crawl.closed.as_ref().map_or(0, |closed| closed.statistics.counts[Verdict::New]);
            let on = day(crawl.opened_at, now);
            let _ = write!(answer, "\n\n  {}: first crawl on {on}, {}", crawl.site, counted(new, "page"));
        }
        let only = if let [site] = &*sites { Some(&site.root) } else { None };
        self.print(&rows, only, &answer)
    }

    fn print(&self, rows: &[ChangeRow], root: Option<&PageUrl>, answer: &str) -> anyhow::Result<()> {
        let layout = Layout { root };
        let for_terminal = self.format == Format::Table;
        let sheet = |_| layout.sheet(rows, for_terminal);
        let listing = Listing::new(rows, &ChangeRow::FIELDS, &sheet).with_cells(&cells);
        match self.format {
            Format::Json | Format::Csv => listing.print(self.format)?,
            Format::Markdown => listing.under(answer).print(self.format)?,
            Format::Table => {
                if !rows.is_empty() {
                    listing.print(self.format)?;
                }
                let mut out = output::styled();
                let gap = if rows.is_empty() { "" } else { "\n" };
                writeln!(out, "{gap}{}", output::harmless_lines(answer))?;
                out.flush()?;
            }
        }
        Ok(())
    }
}

/// What is said below the list.
struct Told<'a> {
    figures: &'a ChangesFigures,
    filter: &'a ChangesFilter,
    /// How many rows there are.
    all: usize,
    /// How many of them are shown.
    shown: usize,
}

impl Told<'_> {
    fn of_crawl(&self, site: &Site, crawl: &Crawl, pages: u64, now: Timestamp) -> String {
        let on = day(crawl.opened_at, now);
        let is_quiet = self.all == 0 && !self.filter.is_narrow();
        let state = crawl.closed.as_ref().and_then(|closed| closed.state.as_ref());
        let whole = if let Some(state) = state.filter(|_| self.all == 0) {
            format!("{}, {on}: {}.", site.id, state.line())
        } else if is_quiet {
            format!("{}, {on}: nothing changed in {}.", site.id, counted(pages, "page"))
        } else {
            format!("{}, {on}: {}.", site.id, self.counts(""))
        };
        self.with_rest(whole)
    }

    fn of_window(&self, since: Since, rows: &[ChangeRow], now: Timestamp) -> String {
        let since = match since {
            Since::Time(time) => day(time, now),
            Since::Crawl(crawl) => crawl.to_string(),
        };
        let mut sites: Vec<_> = rows.iter().filter_map(ChangeRow::page).map(|entry| &entry.site).collect();
        sites.sort();
        sites.dedup();
        let on = if sites.len() > 1 {
            format!(" on {}", counted(sites.len() as u64, "site"))
        } else {
            String::new()
        };
        self.with_rest(format!("Since {since}: {}.", self.counts(&on)))
    }

    fn counts(&self, on: &str) -> String {
        let ChangesFigures { changes, of, shared, .. } = self.figures;
        if self
            .filter
            .verdicts
            .iter()
            .any(|verdict| verdict.change().is_none() && *verdict != Verdict::Shared)
        {
            let rows = counted(*changes as u64, "page");
            let words: Vec<&str> = self.filter.verdicts.iter().map(|verdict| verdict.said()).collect();
            return format!("{rows}{on}: {}", words.join(", "));
        }
        if self.filter.has_conditions() {
            let matches = if *changes == 1 { "matches" } else { "match" };
            let rows =
                if *shared > 0 { format!(", {} shared", grouped(*shared as u64)) } else { String::new() };
            return format!(
                "{} of {} {matches}{rows}",
                grouped(*changes as u64),
                counted(*of as u64, "change")
            );
        }
        let changes = format!("{}{on}", counted(*changes as u64, "change"));
        if *shared == 0 { changes } else { format!("{changes}, {} shared", grouped(*shared as u64)) }
    }

    fn with_rest(&self, mut told: String) -> String {
        let tier = self.filter.most_tier();
        let around = (tier < Tier::Around && self.figures.around > 0)
            .then(|| format!("{} around their content", counted(self.figures.around as u64, "page")));
        let is_listed = tier == Tier::Noise || self.filter.verdicts.contains(&Verdict::Touched);
        let noise = (!is_listed && self.figures.noise > 0).then(|| match &around {
            Some(_) => format!("{} only noise", grouped(self.figures.noise)),
            None => format!("{} with only noise", counted(self.figures.noise, "page")),
        });
        let also: Vec<String> = around.into_iter().chain(noise).collect();
        if !also.is_empty() {
            let _ = write!(told, " Also {}.", also.join(", "));
        }
        let rules: Vec<String> = self
            .figures
            .rules
            .iter()
            .map(|figure| format!("{} on {}", rule(&figure.rule), counted(figure.pages, "page")))
            .collect();
        if !rules.is_empty() {
            let _ = write!(told, "\nKnown noise: {}.", rules.join(", "));
        }
        if self.shown < self.all {
            let _ = write!(told, "\nAnd {} more: --limit.", grouped((self.all - self.shown) as u64));
        }
        if self.figures.unsearched > 0 {
            let pages = counted(self.figures.unsearched as u64, "page");
            let _ = write!(told, "\n{pages} could not be searched in time: narrow the list with --path.");
        }
        told
    }
}

/// Returns the fields of an entry as text.
fn cells(row: &ChangeRow) -> Vec<String> {
    let object = serde_json::to_value(row).unwrap_or(Value::Null);
    let field = |name: &&str| match *name {
        "words_changed" => output::cell(&object["words"]["changed"]),
        "words_of" => output::cell(&object["words"]["of"]),
        name => output::cell(&object[name]),
    };
    ChangeRow::FIELDS.iter().map(field).collect()
}

/// Writes a verdict, and what changed where that is not the text alone: `changed (links)`.
pub(crate) fn kind(verdict: Verdict, aspects: Aspects) -> String {
    if aspects.is_empty() || aspects == Aspects::TEXT || verdict == Verdict::Touched {
        verdict.said().to_owned()
    } else {
        format!("{} ({aspects})", verdict.said())
    }
}

/// Returns the path of a page on the root's own host, and other addresses whole.
pub(crate) fn below<'a>(root: &PageUrl, url: &'a PageUrl) -> &'a str {
    let same_host = url.scheme() == root.scheme() && url.authority() == root.authority();
    if same_host { url.path_and_query() } else { url.as_str() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_says_from_which_side_it_came_unless_it_is_the_text() {
        for (aspects, expected) in [
            (Aspects::NONE, "changed"),
            (Aspects::TEXT, "changed"),
            (Aspects::NONE.with(Aspect::Links), "changed (links)"),
            (Aspects::ALL, "changed (text, links, media, meta)"),
        ] {
            assert_eq!(kind(Verdict::Changed, aspects), expected);
        }
    }

    #[test]
    fn only_pages_of_the_same_host_are_shortened() {
        let root: PageUrl = "https://example.org/news".parse().unwrap();
        for (url, expected) in [
            ("https://example.org/news/a?b", "/news/a?b"),
            ("http://example.org/news/a", "http://example.org/news/a"),
            ("https://www.example.org/", "https://www.example.org/"),
        ] {
            assert_eq!(below(&root, &url.parse().unwrap()), expected);
        }
    }
}
