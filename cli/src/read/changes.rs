//! `recrawl changes`: what is new, changed, moved and gone.

use jiff::Timestamp;
use recrawl_core::model::aspect::{Aspect, Aspects};
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use recrawl_reports::{ChangeEntry, ChangesFilter, CrawlSummary, Detail, ReportCache, Reports};

use super::source::SourceArguments;
use super::wait_for;
use crate::exit::ExitStatus;
use crate::output::{self, Cell, Column, Format, Listing, Sheet, counted, style_of};

/// List what a crawl found new, changed, moved and gone
#[derive(Debug, clap::Args)]
pub(crate) struct ChangesArguments {
    #[command(flatten)]
    source: SourceArguments,

    /// The crawl, such as crawl-2026-11-16 [default: the latest]
    #[arg(long, value_name = "CRAWL")]
    crawl: Option<CrawlId>,

    /// Kinds to list, separated by commas; also touched, unchanged, missing (broken links), failed, excluded
    #[arg(long, value_name = "KINDS", value_delimiter = ',', default_value = "new,changed,moved,gone")]
    kind: Vec<Verdict>,

    /// Only changes of these aspects, separated by commas: text, links, media [default: all]
    #[arg(long, value_name = "ASPECTS", value_delimiter = ',')]
    aspect: Vec<Aspect>,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl ChangesArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        wait_for(async {
            let source = self.source.open().await?;
            let site = source.site().await?;
            let crawl = source.crawl(&site, self.crawl).await?;
            let history = &*source.history;
            let summary = CrawlSummary::of(history, &crawl).await?;
            let kinds = Verdict::ALL.into_iter().filter(|kind| self.kind.contains(kind)).collect();
            let aspects: Aspects = self.aspect.iter().copied().collect();
            let filter = ChangesFilter { kinds, aspects, ..ChangesFilter::default() };
            let cache = ReportCache::default();
            let reports = Reports { history, cache: &cache, now: Timestamp::now() };
            let listed = reports.listing_by_kind(&site, &crawl, &filter).await?;
            let records: Vec<&PageRecord> = listed.iter().map(|listed| &listed.record).collect();
            let detail = if self.format.is_for_programs() { Detail::All } else { Detail::Titles };
            let rows = reports.described(&site, &records, detail).await?;
            if let Some(caution) = summary.caution() {
                output::note(&caution)?;
            }
            let headline = if aspects.is_empty() {
                headline(&site, &summary, &filter.kinds)
            } else {
                let changed = counted(rows.len() as u64, "page");
                format!("{} of {}: {changed} changed in {aspects}.", crawl.id, site.root)
            };
            let sheet =
                |is_short| sheet(&rows, |url| if is_short { below(&site.root, url) } else { url.as_str() });
            Listing::new(&rows, &ChangeEntry::FIELDS, &sheet).under(&headline).print(self.format)?;
            Ok(ExitStatus::Success)
        })
    }
}

fn headline(site: &Site, summary: &CrawlSummary, kinds: &[Verdict]) -> String {
    let counts = summary.counts(kinds);
    if counts.is_empty() {
        let words: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
        let words = match words.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        };
        return format!(
            "Nothing {words} in {} of {}: {} visited.",
            summary.crawl,
            site.root,
            counted(summary.statistics.total, "page")
        );
    }
    format!("{} of {}: {counts}.", summary.crawl, site.root)
}

/// Returns the path of a page on the root's own host, and other addresses whole.
pub(super) fn below<'a>(root: &PageUrl, url: &'a PageUrl) -> &'a str {
    let same_host = url.scheme() == root.scheme() && url.authority() == root.authority();
    if same_host { url.path_and_query() } else { url.as_str() }
}

fn sheet(rows: &[ChangeEntry], address: impl Fn(&PageUrl) -> &str) -> Sheet {
    let columns =
        [Column::new("kind"), Column::number("status"), Column::flexible("page"), Column::flexible("title")];
    let mut sheet = Sheet::new(columns);
    for row in rows {
        let status = row.status.map_or_else(|| "-".to_owned(), |status| status.to_string());
        sheet.push([
            Cell::styled(kind(row.kind, row.aspects), style_of(row.kind)),
            status.into(),
            address(&row.url).into(),
            detail(row).into(),
        ]);
    }
    sheet
}

/// Writes a verdict, and what changed where that is not the text alone: `changed (links)`.
pub(crate) fn kind(verdict: Verdict, aspects: Aspects) -> String {
    if aspects.is_empty() || aspects == Aspects::TEXT {
        verdict.word().to_owned()
    } else {
        format!("{verdict} ({aspects})")
    }
}

/// Returns what is most worth knowing of a change beside its address.
fn detail(row: &ChangeEntry) -> String {
    let title = || row.title.clone().unwrap_or_default();
    let linked = || row.referrer.as_ref().map(|referrer| format!("linked from {referrer}"));
    match row.kind {
        Verdict::Failed | Verdict::Excluded => row.reason.clone().unwrap_or_else(title),
        Verdict::Missing => linked().unwrap_or_default(),
        Verdict::New
        | Verdict::Changed
        | Verdict::Moved
        | Verdict::Gone
        | Verdict::Touched
        | Verdict::Unchanged => row.location.as_ref().map_or_else(title, |location| format!("→ {location}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(kind: Verdict) -> ChangeEntry {
        let url = "https://example.org/a".parse().unwrap();
        ChangeEntry {
            title: Some("A".to_owned()),
            referrer: Some("https://example.org/".parse().unwrap()),
            reason: Some("why".to_owned()),
            ..ChangeEntry::bare("crawl-2026-11-16".parse().unwrap(), url, kind)
        }
    }

    #[test]
    fn a_change_says_from_which_side_it_came_unless_it_is_the_text() {
        for (aspects, expected) in [
            (Aspects::NONE, "changed"),
            (Aspects::TEXT, "changed"),
            (Aspects::NONE.with(Aspect::Links), "changed (links)"),
            (Aspects::ALL, "changed (text, links, media)"),
        ] {
            assert_eq!(kind(Verdict::Changed, aspects), expected);
        }
    }

    #[test]
    fn each_kind_tells_what_is_worth_knowing() {
        let moved =
            ChangeEntry { location: Some("https://example.org/b".to_owned()), ..change(Verdict::Moved) };
        for (row, expected) in [
            (change(Verdict::New), "A"),
            (change(Verdict::Gone), "A"),
            (moved, "→ https://example.org/b"),
            (change(Verdict::Failed), "why"),
            (change(Verdict::Missing), "linked from https://example.org/"),
        ] {
            assert_eq!(detail(&row), expected, "{}", row.kind);
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
