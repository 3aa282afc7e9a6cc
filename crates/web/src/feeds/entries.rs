//! What feeds tell: the latest changes.

use std::time::Duration;

use maud::{Markup, html};
use recrawl_core::model::crawl::Site;
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use recrawl_reports::history::PageVisits;
use recrawl_reports::text_diff::{Context, Limit};
use recrawl_reports::{ChangeEntry, ChangesFilter, Detail, Reports};

use crate::app::Served;
use crate::error::WebError;
use crate::pages::hunks;

/// How many changes a feed tells at most.
const MOST: usize = 100;

/// The most lines of a difference in one entry.
const MOST_LINES: usize = 200;

/// The most bytes of it.
const MOST_BYTES: usize = 50_000;

/// How long the difference of one entry may take.
const LONGEST: Duration = Duration::from_millis(20);

/// What a feed is about.
pub(super) enum Scope {
    /// A whole site.
    Site,
    /// One section of it.
    Section(String),
    /// One page.
    Page(PageUrl),
}

/// What a feed tells of one change.
pub(super) struct FeedEntry {
    /// The change.
    pub(super) change: ChangeEntry,
    /// What differs, as HTML.
    pub(super) content: Markup,
}

/// Returns the latest changes, the newest first.
pub(super) async fn entries(served: &Served, site: &Site, scope: &Scope) -> Result<Vec<FeedEntry>, WebError> {
    let reports = served.reports();
    let records: Vec<PageRecord> = match scope {
        Scope::Site => reports.told_lately(site, &ChangesFilter::default(), MOST).await?,
        Scope::Section(section) => {
            let filter = ChangesFilter { section: Some(section.clone()), ..ChangesFilter::default() };
            reports.told_lately(site, &filter, MOST).await?
        }
        Scope::Page(url) => {
            let visits = PageVisits::found(reports.history, &site.id, url).await?.trusted.into_iter().rev();
            visits.filter(|record| record.visit.verdict.change().is_some()).take(MOST).collect()
        }
    };
    let shown: Vec<&PageRecord> = records.iter().collect();
    let changes = reports.described(site, &shown, Detail::Excerpts).await?;
    let mut entries = Vec::with_capacity(records.len());
    for (record, change) in records.iter().zip(changes) {
        let content = content(reports, record, &change).await?;
        entries.push(FeedEntry { change, content });
    }
    Ok(entries)
}

async fn content(
    reports: Reports<'_>,
    record: &PageRecord,
    change: &ChangeEntry,
) -> Result<Markup, WebError> {
    let told = match change.kind {
        Verdict::New => "This page is new.",
        Verdict::Changed => "This page changed.",
        Verdict::Moved => "This page leads elsewhere.",
        Verdict::Gone => "This page has gone. It said:",
        Verdict::Unchanged | Verdict::Touched | Verdict::Missing | Verdict::Failed | Verdict::Excluded => "",
    };
    let difference = match change.kind {
        Verdict::Changed => difference(reports, record).await?,
        Verdict::New
        | Verdict::Moved
        | Verdict::Gone
        | Verdict::Unchanged
        | Verdict::Touched
        | Verdict::Missing
        | Verdict::Failed
        | Verdict::Excluded => None,
    };
    Ok(html! {
        p { (told) }
        @if let Some(target) = &change.target { p { "It leads to " (target) "." } }
        @match difference {
            Some(difference) => (difference),
            None => @for line in &change.excerpt { p { @for piece in &line.pieces { (piece.text) } } },
        }
    })
}

async fn difference(reports: Reports<'_>, record: &PageRecord) -> Result<Option<Markup>, WebError> {
    let limit = Limit { changed: MOST_LINES, lines: 3 * MOST_LINES, bytes: MOST_BYTES, line: MOST_BYTES };
    let difference = reports.text_difference(record, LONGEST, Context::Lines(1), limit).await?;
    Ok(difference.as_ref().map(hunks))
}
