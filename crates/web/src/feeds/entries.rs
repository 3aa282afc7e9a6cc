//! What feeds tell: the latest changes.

use std::time::Duration;

use maud::{Markup, html};
use recrawl_core::model::crawl::Site;
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::{Change, Verdict};
use recrawl_core::url::PageUrl;
use recrawl_reports::history::PageVisits;
use recrawl_reports::text_diff::{Context, Limit};
use recrawl_reports::{ChangeEntry, ChangesFilter, CrawlView, Detail, Reports};

use crate::app::Served;
use crate::error::WebError;
use crate::pages::hunks;

/// How many changes a feed tells at most.
const MOST: usize = 100;

/// How often it tells at most that the site could not be read.
const MOST_STATES: usize = 10;

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
    let mut unusual = None;
    let records: Vec<PageRecord> = match scope {
        Scope::Site => reports.told_lately(site, &ChangesFilter::default(), MOST).await?,
        Scope::Section(section) => {
            let filter = ChangesFilter { section: Some(section.clone()), ..ChangesFilter::default() };
            reports.told_lately(site, &filter, MOST).await?
        }
        Scope::Page(url) => {
            let judged = PageVisits::found(reports.history, &site.id, url).await?.judged(None);
            let visits = judged.visits.iter().rev().cloned();
            let records =
                visits.filter(|record| record.visit.verdict.change().is_some()).take(MOST).collect();
            unusual = Some(judged);
            records
        }
    };
    let shown: Vec<&PageRecord> = records.iter().collect();
    let changes = reports.described(site, &shown, Detail::Excerpts).await?;
    let mut entries = Vec::with_capacity(records.len());
    for (record, change) in records.iter().zip(changes) {
        let remark = unusual.as_ref().and_then(|judged| judged.remark(record.crawl));
        let content = content(reports, record, &change, remark).await?;
        entries.push(FeedEntry { change, content });
    }
    if matches!(scope, Scope::Site) {
        for change in reports.shared_lately(site).await? {
            let told = change.title.clone().unwrap_or_default();
            let content = html! { p { "The same on several pages: " (told) "." } };
            entries.push(FeedEntry { change, content });
        }
        let crawls = reports.history.crawls(&site.id).await?;
        let place = |entry: &FeedEntry| crawls.iter().position(|crawl| crawl.id == entry.change.crawl);
        entries.sort_by_key(|entry| std::cmp::Reverse(place(entry)));
        entries.truncate(MOST);
    }
    Ok(entries)
}

/// Returns the crawls that could not read a site, where the one before could or met something else, the newest first.
pub(super) async fn states(served: &Served, site: &Site) -> Result<Vec<CrawlView>, WebError> {
    let mut states: Vec<CrawlView> = Vec::new();
    let mut before = None;
    for crawl in served.app.library.crawls(&site.id).await?.iter().filter(|crawl| !crawl.is_open()) {
        let view = CrawlView::from(crawl);
        let word = view.site_state.as_ref().map(|state| state.word);
        if word.is_some() && word != before {
            states.push(view);
        }
        before = word;
    }
    states.reverse();
    states.truncate(MOST_STATES);
    Ok(states)
}

async fn content(
    reports: Reports<'_>,
    record: &PageRecord,
    change: &ChangeEntry,
    remark: Option<String>,
) -> Result<Markup, WebError> {
    let told = match change.kind.change() {
        Some(Change::Add) => "This page is new.",
        Some(Change::Change) => "This page changed.",
        Some(Change::Move) => "This page leads elsewhere.",
        Some(Change::Delete) => "This page has gone. It said:",
        None => "",
    };
    let is_changed = change.kind == Verdict::Changed;
    let difference = if is_changed { difference(reports, record).await? } else { None };
    Ok(html! {
        p { (told) }
        @if let Some(remark) = remark { p { (remark) } }
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
