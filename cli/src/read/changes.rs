//! `recrawl changes`: what changed, one row each distinct change, what matters most first.

mod answer;
pub(crate) mod table;

use std::io::Write as _;

use jiff::Timestamp;
use recrawl_core::model::aspect::{Aspect, Aspects};
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::kind::{Kind, Tier};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use recrawl_reports::changes::{Conditions, Given, ReviewFilter, Words};
use recrawl_reports::{ChangeRow, ChangesFilter, CrawlSummary, Detail, ReportCache, Reports, Sort, reviews};

use self::answer::{Told, needs};
use self::table::Layout;
use super::source::{Source, SourceArguments};
use super::wait_for;
use crate::exit::ExitStatus;
use crate::output::{self, Format, Listing};

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

    /// All crawls since then, of all sites unless --site names one: 7d, 2w, a date, a crawl, or last-look for when
    /// somebody last looked at the web page. One row a page
    #[arg(long, value_name = "WHEN")]
    since: Option<Given>,

    /// Until then, the day or the crawl included [default: now]
    #[arg(long, value_name = "WHEN", requires = "since")]
    until: Option<Given>,

    /// Only changes that nobody has seen (`recrawl mark` makes them seen, and so does the web page)
    #[arg(long)]
    unseen: bool,

    /// Only changes that somebody starred
    #[arg(long)]
    starred: bool,

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
                Some(since) => self.of_window(&source, since, now).await?,
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
            review: ReviewFilter { unseen: self.unseen, starred: self.starred },
            ..ChangesFilter::default()
        }
    }

    fn detail(&self) -> Detail {
        if self.format.is_for_programs() { Detail::All } else { Detail::Excerpts }
    }

    async fn of_crawl(&self, source: &Source, now: Timestamp) -> anyhow::Result<()> {
        let site = source.site().await?;
        let crawl = source.crawl(&site, self.crawl).await?;
        let summary = CrawlSummary::in_brief(&*source.history, &crawl).await?;
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
        if let Some(caution) = summary.caution(&source.flag()) {
            output::note(&caution)?;
        }
        let told = Told {
            figures: &changes.figures,
            counts: None,
            filter: &filter,
            all: changes.rows.len(),
            shown: rows.len(),
        };
        let answer = told.of_crawl(&site, &crawl, summary.statistics.total, now);
        self.print(&rows, Some(&site.root), &answer)
    }

    async fn of_window(&self, source: &Source, since: &Given, now: Timestamp) -> anyhow::Result<()> {
        let sites = source.sites().await?;
        let looked = reviews::last_looked(&*source.state_store, now).await?;
        if since.is_last_look() && looked.is_none() {
            output::note("Nobody has looked at the web page yet: these are the changes of the last 7 days.")?;
        }
        let bounds = Given::bounds(since, self.until.as_ref(), looked, now);
        let cache = ReportCache::default();
        let reports =
            Reports { history: &*source.history, reviews: Some(&*source.state_store), cache: &cache, now };
        let filter = self.filter();
        let window = reports.window(&sites, bounds, &filter, self.sort.into()).await?;
        let all = &window.changes.rows;
        let shown = &all[..self.limit.unwrap_or(usize::MAX).min(all.len())];
        let rows = reports.described_window(&sites, shown, self.detail()).await?;
        let told = Told {
            figures: &window.changes.figures,
            counts: Some(&window.counts),
            filter: &filter,
            all: all.len(),
            shown: rows.len(),
        };
        let looked = looked.filter(|_| since.is_last_look());
        let mut answer = told.of_window(&window, bounds, looked, now);
        let lines = reports.site_lines(&sites).await?;
        answer.push_str(&needs(&window, &lines, now));
        let only = if let [site] = &*sites { Some(&site.root) } else { None };
        self.print(&rows, only, &answer)
    }

    fn print(&self, rows: &[ChangeRow], root: Option<&PageUrl>, answer: &str) -> anyhow::Result<()> {
        let layout = Layout { root };
        let for_terminal = self.format == Format::Table;
        let sheet = |_| layout.sheet(rows, for_terminal);
        let listing = Listing::new(rows, &ChangeRow::FIELDS, &sheet).with_cells(&ChangeRow::cells);
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
