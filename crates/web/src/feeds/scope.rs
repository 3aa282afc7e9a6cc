//! What a feed is about, and which part of it was asked for.

use jiff::Timestamp;
use recrawl_core::model::crawl::{Closed, Crawl, Site};
use recrawl_core::model::ids::CrawlId;
use recrawl_core::model::record::PageRecord;
use recrawl_core::url::PageUrl;
use recrawl_reports::history::PageVisits;
use recrawl_reports::{ChangesFilter, News, NewsItem, NewsPart, Reports, Story, doubt_of, told_at};

use crate::error::WebError;

/// How many changes one page of a feed tells.
const MOST: usize = 100;

/// What a feed is about.
pub(super) enum Scope {
    /// All sites.
    Everything,
    /// A whole site.
    Site(Site),
    /// One section of it.
    Section(Site, String),
    /// One page.
    Page(Site, PageUrl),
}

/// Which part of a feed was asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The number of the page of the feed, from 1.
    pub(super) page: usize,
    /// Up to which crawl it tells; to the newest where nothing is given.
    pub(super) until: Option<Timestamp>,
}

impl Place {
    const fn part(self) -> NewsPart {
        NewsPart { until: self.until, skip: (self.page - 1) * MOST, most: MOST }
    }
}

impl Scope {
    /// Returns the site that it is about, if it is one.
    pub(super) const fn site(&self) -> Option<&Site> {
        match self {
            Self::Everything => None,
            Self::Site(site) | Self::Section(site, _) | Self::Page(site, _) => Some(site),
        }
    }

    /// Returns a part of what is told. `named` is an unusual crawl whose view of one page is wanted.
    pub(super) async fn news(
        &self,
        reports: Reports<'_>,
        filter: ChangesFilter,
        place: Place,
        named: Option<CrawlId>,
    ) -> Result<News, WebError> {
        Ok(match self {
            Self::Everything => reports.news(&reports.history.sites().await?, &filter, place.part()).await?,
            Self::Site(site) => reports.news(std::slice::from_ref(site), &filter, place.part()).await?,
            Self::Section(site, section) => {
                let filter = ChangesFilter { section: Some(section.clone()), ..filter };
                reports.news(std::slice::from_ref(site), &filter, place.part()).await?
            }
            Self::Page(site, url) => of_page(reports, site, url, place, named).await?,
        })
    }
}

async fn of_page(
    reports: Reports<'_>,
    site: &Site,
    url: &PageUrl,
    place: Place,
    named: Option<CrawlId>,
) -> Result<News, WebError> {
    let visits = PageVisits::found(reports.history, &site.id, url).await?;
    let closed = |crawl: CrawlId| -> Option<&Closed> {
        visits.crawls.iter().find(|other| other.id == crawl).and_then(|crawl: &Crawl| crawl.closed.as_ref())
    };
    let judged = visits.judged(named);
    let visible = if named.is_some() { &judged.visits } else { &visits.trusted };
    let told = |record: &PageRecord| closed(record.crawl).map_or(record.visit.fetched_at, told_at);
    let is_told = |record: &&PageRecord| record.visit.verdict.change().is_some();
    let mut records: Vec<&PageRecord> = visible.iter().rev().filter(is_told).collect();
    records.retain(|record| place.until.is_none_or(|until| told(record) <= until));
    let part = place.part();
    let shown: Vec<&PageRecord> = records.iter().skip(part.skip).take(part.most).copied().collect();
    let full = reports.described_in_full(site, &shown).await?;
    let items = full.into_iter().zip(&shown).map(|((entry, before), record)| NewsItem {
        site: site.id.clone(),
        told_at: told(record),
        unusual: closed(record.crawl).and_then(doubt_of),
        is_accepted: closed(record.crawl).is_none_or(Closed::is_trusted),
        story: Story::Change(Box::new(entry), before),
    });
    Ok(News {
        items: items.collect(),
        until: records.first().map(|record| told(record)),
        has_more: records.len() > part.skip + part.most,
    })
}
