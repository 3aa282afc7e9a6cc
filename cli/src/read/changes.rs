//! `recrawl changes`: what is new, changed, moved and gone.

use std::io::Write;

use jiff::Timestamp;
use recrawl_core::decide::judge::redirect_target;
use recrawl_core::model::aspect::{Aspect, Aspects};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::{ContentHash, CrawlId};
use recrawl_core::model::record::{PageRecord, Presence};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, StoreError};
use recrawl_core::url::{PageUrl, UrlRules};
use serde::Serialize;

use super::scan::Scan;
use super::source::SourceArguments;
use super::summary::Summary;
use super::wait_for;
use crate::exit::ExitStatus;
use crate::output::{self, Cell, Column, Format, Sheet, counted, style_of};

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

    /// Only changes of these sides of a page, separated by commas: text, links, media [default: all]
    #[arg(long, value_name = "ASPECTS", value_delimiter = ',')]
    aspect: Vec<Aspect>,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// One change; its JSON form is stable.
#[derive(Debug, Clone, Serialize)]
struct ChangeRow {
    url: PageUrl,
    kind: Verdict,
    crawl: CrawlId,
    status: Option<u16>,
    fetched_at: Timestamp,
    title: Option<String>,
    previous_status: Option<u16>,
    /// Where a redirect leads.
    location: Option<String>,
    referrer: Option<PageUrl>,
    reason: Option<String>,
    /// What differs, where contents were compared.
    aspects: Aspects,
}

const FIELDS: [&str; 11] = [
    "url",
    "kind",
    "crawl",
    "status",
    "fetched_at",
    "title",
    "previous_status",
    "location",
    "referrer",
    "reason",
    "aspects",
];

impl ChangesArguments {
    pub(crate) fn run(self) -> anyhow::Result<ExitStatus> {
        wait_for(async {
            let source = self.source.open().await?;
            let site = source.site().await?;
            let crawl = source.crawl(&site, self.crawl).await?;
            let summary = Summary::of(&*source.history, &crawl).await?;
            let kinds: Vec<Verdict> =
                Verdict::ALL.into_iter().filter(|kind| self.kind.contains(kind)).collect();
            let aspects: Aspects = self.aspect.iter().copied().collect();
            let rows = rows(&*source.history, &crawl, &kinds, aspects).await?;
            if let Some(caution) = summary.caution() {
                output::note(&caution)?;
            }
            let headline = if aspects.is_empty() {
                headline(&site, &summary, &kinds)
            } else {
                let changed = counted(rows.len() as u64, "page");
                format!("{} of {}: {changed} changed in {aspects}.", crawl.id, site.root)
            };
            print(&rows, self.format, &site, &headline)?;
            Ok(ExitStatus::Success)
        })
    }
}

/// Returns the records of these kinds, in order of kind and address; if aspects are given, only pages that changed
/// in one of them.
async fn rows(
    history: &dyn History,
    crawl: &Crawl,
    kinds: &[Verdict],
    aspects: Aspects,
) -> Result<Vec<ChangeRow>, StoreError> {
    let is_meant =
        |record: &PageRecord| aspects.is_empty() || !record.visit.aspects.among(aspects).is_empty();
    let mut rows = Vec::new();
    let mut scan = Scan::new(history, crawl, kinds);
    loop {
        let mut records = scan.next().await?;
        if records.is_empty() {
            break;
        }
        records.retain(is_meant);
        let contents: Vec<ContentHash> = records.iter().filter_map(content_of).collect();
        let titles = history.titles(&crawl.site, &contents).await?;
        for record in records {
            let title = content_of(&record).and_then(|hash| titles.get(&hash).cloned());
            rows.push(row(history, record, title).await?);
        }
    }
    let place = |row: &ChangeRow| kinds.iter().position(|kind| *kind == row.kind);
    rows.sort_by(|one, other| (place(one), &one.url).cmp(&(place(other), &other.url)));
    Ok(rows)
}

fn content_of(record: &PageRecord) -> Option<ContentHash> {
    record.known.content.as_ref().map(|content| content.hash)
}

async fn row(
    history: &dyn History,
    record: PageRecord,
    title: Option<String>,
) -> Result<ChangeRow, StoreError> {
    let kind = record.visit.verdict;
    let previous = if kind == Verdict::New {
        None
    } else {
        history.latest_before(&record.site, record.crawl, &record.url).await?
    };
    Ok(ChangeRow {
        kind,
        crawl: record.crawl,
        status: record.visit.status,
        fetched_at: record.visit.fetched_at,
        title,
        previous_status: previous.and_then(|previous| previous.visit.status),
        location: location(&record),
        referrer: record.found.referrer,
        reason: record.visit.reason,
        aspects: record.visit.aspects,
        url: record.url,
    })
}

/// Returns where the page redirects, as an absolute address if it is one.
pub(crate) fn location(record: &PageRecord) -> Option<String> {
    if record.known.presence != Presence::Redirect {
        return None;
    }
    let target = redirect_target(&record.url, &record.known.headers, &UrlRules::keep_all_parameters());
    target.map(String::from).or_else(|| record.known.headers.location.clone())
}

fn headline(site: &Site, summary: &Summary, kinds: &[Verdict]) -> String {
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
            counted(summary.total, "page")
        );
    }
    format!("{} of {}: {counts}.", summary.crawl, site.root)
}

fn print(rows: &[ChangeRow], format: Format, site: &Site, headline: &str) -> anyhow::Result<()> {
    match format {
        Format::Json => output::print_json(&rows)?,
        Format::Csv => output::print_csv(&FIELDS, rows)?,
        Format::Markdown => {
            let mut out = output::styled();
            writeln!(out, "{headline}")?;
            if !rows.is_empty() {
                writeln!(out)?;
                sheet(rows, |url| url.as_str()).write_markdown(&mut out)?;
            }
            out.flush()?;
        }
        Format::Table => {
            output::note(headline)?;
            if rows.is_empty() {
                return Ok(());
            }
            let width = output::terminal_width();
            let whole = sheet(rows, |url| url.as_str());
            let shown = if whole.fits(width) { whole } else { sheet(rows, |url| below(&site.root, url)) };
            let mut out = output::styled();
            shown.write_table(&mut out, width)?;
            out.flush()?;
        }
    }
    Ok(())
}

/// Returns the path of a page on the root's own host, and other addresses whole.
pub(super) fn below<'a>(root: &PageUrl, url: &'a PageUrl) -> &'a str {
    let same_host = url.scheme() == root.scheme() && url.authority() == root.authority();
    if same_host { url.path_and_query() } else { url.as_str() }
}

fn sheet(rows: &[ChangeRow], address: impl Fn(&PageUrl) -> &str) -> Sheet {
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
fn detail(row: &ChangeRow) -> String {
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

    fn change(kind: Verdict) -> ChangeRow {
        ChangeRow {
            url: "https://example.org/a".parse().unwrap(),
            kind,
            crawl: "crawl-2026-11-16".parse().unwrap(),
            status: Some(200),
            fetched_at: Timestamp::UNIX_EPOCH,
            title: Some("A".to_owned()),
            previous_status: None,
            location: None,
            referrer: Some("https://example.org/".parse().unwrap()),
            reason: Some("why".to_owned()),
            aspects: Aspects::NONE,
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
    fn the_header_of_csv_names_the_fields_in_their_order() {
        let mut rows = Vec::new();
        output::write_json_line(&mut rows, &change(Verdict::New)).unwrap();
        let json = String::from_utf8(rows).unwrap();
        let places: Vec<Option<usize>> =
            FIELDS.iter().map(|field| json.find(&format!("\"{field}\":"))).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{json}");
        assert_eq!(json.matches("\":").count(), FIELDS.len());
    }

    #[test]
    fn each_kind_tells_what_is_worth_knowing() {
        let moved =
            ChangeRow { location: Some("https://example.org/b".to_owned()), ..change(Verdict::Moved) };
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
