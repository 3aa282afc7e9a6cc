//! What a crawl found, filtered and grouped.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::try_join_all;
use jiff::Timestamp;
use recrawl_core::model::archive::ArchiveState;
use recrawl_core::model::aspect::Aspect;
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::{ContentHash, CrawlId, EventId, SiteId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::StoreError;
use recrawl_core::report::redirect_targets;
use recrawl_core::url::PageUrl;
use serde::Serialize;
use utoipa::ToSchema;

use super::crawl::CrawlView;
use super::recent::{Listed, Reading};
use super::section::section_of;
use crate::difference::Line;
use crate::error::WebError;
use crate::parameters::Parameters;

/// How many changes a page shows.
pub(crate) const PER_PAGE: usize = 100;

/// How many excerpts are made at a time.
const AT_ONCE: usize = 16;

/// The verdicts that are shown unless others are asked for: the changes worth telling.
const TOLD: [Verdict; 4] = [Verdict::New, Verdict::Changed, Verdict::Moved, Verdict::Gone];

/// What stands for the pages of no section in addresses.
pub(crate) const NO_SECTION: &str = "-";

/// What a crawl found.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ChangesView {
    /// The crawl.
    pub crawl: CrawlView,
    /// The crawl before it, with which it was compared, if there is one.
    #[schema(value_type = Option<String>)]
    pub previous: Option<CrawlId>,
    /// How many changes match, on all pages.
    pub total: usize,
    /// All sections with changes that match, by name.
    pub sections: Vec<ListedSection>,
    /// The changes of this page of the list, by section and address.
    pub changes: Vec<ChangeView>,
}

/// A section of the site in a list of changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ListedSection {
    /// Its name; empty for the root.
    pub name: String,
    /// How many changes of it match.
    pub changes: usize,
}

/// What a crawl found out about one page.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ChangeView {
    /// Its stable id: the SHA-256 of crawl, line feed and address.
    #[schema(value_type = String)]
    pub id: EventId,
    /// The crawl that found it.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// The page.
    #[schema(value_type = String, format = "uri")]
    pub url: PageUrl,
    /// The section of the site that the page is in.
    pub section: String,
    /// What was found.
    #[schema(value_type = String)]
    pub kind: Verdict,
    /// What differs: `text`, `links`, `media`.
    #[schema(value_type = Vec<String>)]
    pub aspects: Vec<Aspect>,
    /// The HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// When the page was visited.
    #[schema(value_type = String, format = DateTime)]
    pub fetched_at: Timestamp,
    /// The title of the page.
    pub title: Option<String>,
    /// Where the page redirects.
    #[schema(value_type = Option<String>, format = "uri")]
    pub target: Option<PageUrl>,
    /// Why the visit failed or did not take place.
    pub reason: Option<String>,
    /// How far the archiving of the change has come.
    #[schema(value_type = Option<String>)]
    pub archive: Option<ArchiveState>,
    /// Where its capture can be seen.
    pub wayback_url: Option<String>,
    /// Two lines of what came and went.
    pub excerpt: Vec<Line>,
}

/// Which changes are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ChangesFilter {
    /// Verdicts; those worth telling where none is named.
    pub(crate) kinds: Vec<Verdict>,
    /// A side of the page that must have changed.
    pub(crate) aspect: Option<Aspect>,
    /// What the path must begin with.
    pub(crate) path: Option<String>,
    /// The section of the page.
    pub(crate) section: Option<String>,
    /// Text that address or title must contain, in any case.
    pub(crate) text: Option<String>,
}

impl ChangesFilter {
    /// Reads `kind`, `aspect`, `path`, `section` and `q`.
    pub(crate) fn read(parameters: &Parameters) -> Result<Self, WebError> {
        let owned = |name| parameters.get(name).map(str::to_owned);
        Ok(Self {
            kinds: parameters.list("kind")?,
            aspect: parameters.list("aspect")?.first().copied(),
            path: owned("path"),
            section: owned("section")
                .map(|section| if section == NO_SECTION { String::new() } else { section }),
            text: owned("q"),
        })
    }

    /// Returns the verdicts that are asked for.
    pub(crate) fn verdicts(&self) -> &[Verdict] {
        if self.kinds.is_empty() { &TOLD } else { &self.kinds }
    }

    /// Tells whether anything is left out beside what is not worth telling.
    pub(crate) fn is_narrow(&self) -> bool {
        let kinds = if self.kinds == TOLD { Vec::new() } else { self.kinds.clone() };
        Self { kinds, ..self.clone() } != Self::default()
    }

    fn admits(&self, listed: &Listed) -> bool {
        let record = &listed.record;
        self.aspect.is_none_or(|aspect| record.visit.aspects.contains(aspect))
            && self.path.as_ref().is_none_or(|path| record.url.path().starts_with(path))
            && self.section.as_ref().is_none_or(|wanted| *wanted == listed.section)
    }
}

/// Which part of a list is wanted.
#[derive(Debug, Clone)]
pub(crate) enum Slice {
    /// From this place on, so many.
    From(usize, usize),
    /// What follows this page of this section, so many.
    After((String, PageUrl), usize),
}

/// Returns what a crawl found, and of the changes that match those in `slice`.
pub(crate) async fn changes(
    reading: Reading<'_>,
    site: &Site,
    crawl: &Crawl,
    previous: Option<CrawlId>,
    filter: &ChangesFilter,
    slice: Slice,
) -> Result<ChangesView, WebError> {
    let listed = listing(reading, site, crawl, filter).await?;
    let mut sections: BTreeMap<&str, usize> = BTreeMap::new();
    for change in &listed {
        *sections.entry(&change.section).or_default() += 1;
    }
    let sections = sections
        .into_iter()
        .map(|(name, changes)| ListedSection { name: name.to_owned(), changes })
        .collect();
    let (start, limit) = match slice {
        Slice::From(start, limit) => (start.min(listed.len()), limit),
        Slice::After((section, url), limit) => {
            let place = (&section, &url);
            (listed.partition_point(|change| (&change.section, &change.record.url) <= place), limit)
        }
    };
    let shown = &listed[start..(start + limit).min(listed.len())];
    let records: Vec<&PageRecord> = shown.iter().map(|change| &change.record).collect();
    Ok(ChangesView {
        crawl: CrawlView::from(crawl),
        previous,
        total: listed.len(),
        sections,
        changes: described(reading, site, &records).await?,
    })
}

/// Returns the records that match, by section and address.
pub(crate) async fn listing(
    reading: Reading<'_>,
    site: &Site,
    crawl: &Crawl,
    filter: &ChangesFilter,
) -> Result<Vec<Arc<Listed>>, WebError> {
    let all = reading.listed(site, crawl, filter.verdicts()).await?;
    let admitted: Vec<Arc<Listed>> = all.iter().filter(|change| filter.admits(change)).cloned().collect();
    match &filter.text {
        Some(text) => Ok(with_text(reading, &site.id, admitted, text).await?),
        None => Ok(admitted),
    }
}

async fn with_text(
    reading: Reading<'_>,
    site: &SiteId,
    listed: Vec<Arc<Listed>>,
    text: &str,
) -> Result<Vec<Arc<Listed>>, StoreError> {
    let text = text.to_lowercase();
    let titles = reading.titles(site, &contents(listed.iter().map(|change| &change.record))).await?;
    let matches = |record: &PageRecord| {
        let title = record.known.content.as_ref().and_then(|content| titles.get(&content.hash));
        record.url.as_str().to_lowercase().contains(&text)
            || title.is_some_and(|title| title.to_lowercase().contains(&text))
    };
    Ok(listed.into_iter().filter(|change| matches(&change.record)).collect())
}

/// Returns records as they are shown, in their order.
pub(crate) async fn described(
    reading: Reading<'_>,
    site: &Site,
    records: &[&PageRecord],
) -> Result<Vec<ChangeView>, WebError> {
    let titles = reading.titles(&site.id, &contents(records.iter().copied())).await?;
    let mut views = Vec::with_capacity(records.len());
    let title_of = |record: &PageRecord| titles.get(&record.known.content.as_ref()?.hash);
    for some in records.chunks(AT_ONCE) {
        let excerpts =
            some.iter().map(|record| reading.excerpt(record, title_of(record).map(String::as_str)));
        let excerpts = try_join_all(excerpts).await?;
        for (record, excerpt) in some.iter().zip(excerpts) {
            views.push(ChangeView {
                id: EventId::new(record.crawl, &record.url),
                crawl: record.crawl,
                url: record.url.clone(),
                section: section_of(&site.root, &record.url),
                kind: record.visit.verdict,
                aspects: record.visit.aspects.iter().collect(),
                status: record.visit.status,
                fetched_at: record.visit.fetched_at,
                title: title_of(record).cloned(),
                target: redirect_targets(record).into_iter().next(),
                reason: record.visit.reason.clone(),
                archive: record.archive.as_ref().map(|archive| archive.state),
                wayback_url: record.archive.as_ref().and_then(|archive| archive.wayback_url.clone()),
                excerpt,
            });
        }
    }
    Ok(views)
}

fn contents<'a>(records: impl Iterator<Item = &'a PageRecord>) -> Vec<ContentHash> {
    records.filter_map(|record| record.known.content.as_ref().map(|content| content.hash)).collect()
}
