//! One version of a page: text, headers, links.

use jiff::Timestamp;
use recrawl_core::decide::Order;
use recrawl_core::model::ids::{CrawlId, SiteId};
use recrawl_core::model::record::{Headers, PageRecord};
use recrawl_core::ports::History;
use recrawl_core::url::PageUrl;
use recrawl_core::versions::{Version, version_in, versions};
use recrawl_core::words::short_title;
use serde::Serialize;
use utoipa::ToSchema;

use super::PageVisits;
use crate::difference::text_of;
use crate::error::ReportError;

/// One version of a page.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct VersionView {
    /// The site.
    #[schema(value_type = String)]
    pub site: SiteId,
    /// The page.
    #[schema(value_type = String, format = "uri")]
    pub url: PageUrl,
    /// The crawl that saw it so.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// The number of the version, counted from 1.
    pub number: usize,
    /// How many versions there are.
    pub of: usize,
    /// The crawl that found the version before.
    #[schema(value_type = Option<String>)]
    pub previous: Option<CrawlId>,
    /// The crawl that found the version after.
    #[schema(value_type = Option<String>)]
    pub next: Option<CrawlId>,
    /// When it was seen so.
    #[schema(value_type = String, format = DateTime)]
    pub fetched_at: Timestamp,
    /// The HTTP status.
    pub status: Option<u16>,
    /// The headers that are stored.
    #[schema(value_type = Object)]
    pub headers: Headers,
    /// The title.
    pub title: Option<String>,
    /// The media type; empty if it is not known.
    pub media_type: String,
    /// What is said beside the name of a document, such as `PDF, 12 pages`, or why its text could not be read.
    pub document: Option<String>,
    /// The size of the body in bytes.
    pub size: Option<u64>,
    /// The SHA-256 of the body.
    pub sha256: Option<String>,
    /// The canonical text, where it is HTML.
    pub text: Option<String>,
    /// Where it leads.
    #[schema(value_type = Vec<String>)]
    pub links: Vec<PageUrl>,
    /// The body is kept.
    pub has_body: bool,
    /// That the crawl that saw it so is unusual and why, where no change of it was sent yet.
    pub unusual: Option<String>,
}

/// Returns the version of a page that was current in `crawl`, or the latest.
pub async fn version(
    history: &dyn History,
    site: &SiteId,
    url: &PageUrl,
    crawl: Option<CrawlId>,
) -> Result<VersionView, ReportError> {
    let page_visits = PageVisits::found(history, site, url).await?;
    let judged = page_visits.judged(crawl);
    let (visits, order) = (&judged.visits, &page_visits.order);
    let versions = versions(visits);
    let found = match crawl {
        Some(crawl) => version_in(&versions, crawl, order),
        None => versions.last(),
    };
    let found = found.ok_or_else(|| ReportError::Absent(format!("there is no version of {url} then")))?;
    let record = seen_in(visits, found, crawl, order);
    let reference = record.offered_content();
    let content = match reference {
        Some(reference) => history.content(site, &reference.hash).await?,
        None => None,
    };
    let text = text_of(history, site, reference).await?;
    let number = found.number;
    let crawl_of = |number: usize| versions.get(number.checked_sub(1)?).map(|version| version.first.crawl);
    Ok(VersionView {
        site: site.clone(),
        url: url.clone(),
        crawl: record.crawl,
        number,
        of: versions.len(),
        previous: crawl_of(number - 1),
        next: crawl_of(number + 1),
        fetched_at: record.visit.fetched_at,
        status: record.visit.status,
        headers: record.known.headers.clone(),
        title: content.as_ref().and_then(|content| content.extracted.title.clone()).map(short_title),
        media_type: content.as_ref().map_or_else(String::new, |content| content.media_type.clone()),
        document: record.document().map(str::to_owned),
        size: content.as_ref().map(|content| content.size),
        sha256: reference.map(|reference| reference.hash.to_string()),
        has_body: content.as_ref().is_some_and(|content| content.body.is_some()),
        text,
        unusual: judged.remark(record.crawl),
        links: content.map_or_else(Vec::new, |content| content.extracted.links),
    })
}

/// Returns the last visit that found the version, up to `crawl`.
fn seen_in<'a>(
    visits: &'a [PageRecord],
    version: &Version<'a>,
    crawl: Option<CrawlId>,
    order: &Order,
) -> &'a PageRecord {
    let last = order.place(version.last.crawl);
    let last = crawl.map_or(last, |crawl| order.place(crawl).min(last));
    let first = order.place(version.first.crawl);
    let within = |visit: &&PageRecord| (first..=last).contains(&order.place(visit.crawl));
    visits.iter().rev().find(within).unwrap_or(version.first)
}
