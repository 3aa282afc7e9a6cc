//! What feeds tell: the latest changes.

use std::time::{Duration, Instant};

use maud::{Markup, html};
use recrawl_core::decide::{is_first_crawl, told_singly};
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;

use crate::app::{App, Served};
use crate::difference::{Context, Limit, compare_within};
use crate::error::WebError;
use crate::pages::hunks;
use crate::views::{ChangeView, ChangesFilter, content_of, described, listing, visited};

/// How many changes a feed tells at most, and from how many crawls: what who comes once a week needs.
const MOST: usize = 100;
const MOST_CRAWLS: usize = 8;

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
pub(super) struct Entry {
    /// The change.
    pub(super) change: ChangeView,
    /// What differs, as HTML.
    pub(super) content: Markup,
}

/// Returns the latest changes, the newest first.
pub(super) async fn entries(served: &Served, site: &Site, scope: &Scope) -> Result<Vec<Entry>, WebError> {
    let app = &served.app;
    let records = match scope {
        Scope::Site => of_crawls(served, site, &ChangesFilter::default()).await?,
        Scope::Section(section) => {
            let filter = ChangesFilter { section: Some(section.clone()), ..ChangesFilter::default() };
            of_crawls(served, site, &filter).await?
        }
        Scope::Page(url) => {
            let visits = visited(&*app.library, &site.id, url).await?.trusted.into_iter().rev();
            visits.filter(|record| record.visit.verdict.change().is_some()).take(MOST).collect()
        }
    };
    let changes = described(served.reading(), site, &records.iter().collect::<Vec<_>>()).await?;
    let mut entries = Vec::with_capacity(records.len());
    for (record, change) in records.iter().zip(changes) {
        let content = content(app, record, &change).await?;
        entries.push(Entry { change, content });
    }
    Ok(entries)
}

/// Returns the changes of the latest closed crawls that are believed. What is new to a first crawl is no news.
async fn of_crawls(
    served: &Served,
    site: &Site,
    filter: &ChangesFilter,
) -> Result<Vec<PageRecord>, WebError> {
    let crawls = served.app.library.crawls(&site.id).await?;
    let told =
        crawls.iter().rev().filter(|crawl: &&Crawl| !crawl.is_open() && crawl.is_trusted()).take(MOST_CRAWLS);
    let mut records: Vec<PageRecord> = Vec::new();
    for crawl in told {
        let kinds = told_singly(is_first_crawl(&crawls, crawl.id)).to_vec();
        let filter = ChangesFilter { kinds, ..filter.clone() };
        let mut listed = listing(served.reading(), site, crawl, &filter).await?;
        listed.sort_by_key(|change| std::cmp::Reverse(change.record.visit.fetched_at));
        records.extend(listed.into_iter().take(MOST).map(|change| change.record.clone()));
        if records.len() >= MOST {
            break;
        }
    }
    records.truncate(MOST);
    Ok(records)
}

async fn content(app: &App, record: &PageRecord, change: &ChangeView) -> Result<Markup, WebError> {
    let told = match change.kind {
        Verdict::New => "This page is new.",
        Verdict::Changed => "This page changed.",
        Verdict::Moved => "This page leads elsewhere.",
        Verdict::Gone => "This page has gone. It said:",
        Verdict::Unchanged | Verdict::Touched | Verdict::Missing | Verdict::Failed | Verdict::Excluded => "",
    };
    let difference = match change.kind {
        Verdict::Changed => difference(app, record).await?,
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

async fn difference(app: &App, record: &PageRecord) -> Result<Option<Markup>, WebError> {
    let before = app.library.latest_before(&record.site, record.crawl, &record.url).await?;
    let older = before.as_ref().and_then(content_of);
    let Some((older, newer)) = older.zip(content_of(record)) else { return Ok(None) };
    let older = app.library.text(&record.site, &older.semantic).await?;
    let newer = app.library.text(&record.site, &newer.semantic).await?;
    let Some((older, newer)) = older.zip(newer) else { return Ok(None) };
    let limit = Limit { changed: MOST_LINES, lines: 3 * MOST_LINES, bytes: MOST_BYTES, line: MOST_BYTES };
    let deadline = Instant::now() + LONGEST;
    let difference = compare_within(&older, &newer, Context::Lines(1), deadline, limit);
    Ok((!difference.hunks.is_empty()).then(|| hunks(&difference)))
}
