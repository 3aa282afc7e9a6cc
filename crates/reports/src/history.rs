//! What is known of one page (history): its versions, the failures between them, and its visits.

pub mod timeline;
mod version;

use jiff::Timestamp;
use recrawl_core::decide::{DoubtWord, Order, left_out};
use recrawl_core::model::archive::Archive;
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::crawl::Crawl;
use recrawl_core::model::ids::{ContentHash, CrawlId, SemanticHash, SiteId};
use recrawl_core::model::kind::{Tier, WordCount};
use recrawl_core::model::record::{PageRecord, Presence};
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::{History, StoreError};
use recrawl_core::url::PageUrl;
use recrawl_core::versions::{Failures, Version, by_trust, failures, versions};
use recrawl_core::words::short_title;
use serde::Serialize;
use utoipa::ToSchema;

pub use self::version::{VersionView, version};
use crate::changes::{Detail, excerpt_of, tier_of};
use crate::error::ReportError;
use crate::frequency::Frequency;

/// What is known of one page.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct HistoryView {
    /// The site.
    #[schema(value_type = String)]
    pub site: SiteId,
    /// The page.
    #[schema(value_type = String, format = "uri")]
    pub url: PageUrl,
    /// Its title when it was last seen.
    pub title: Option<String>,
    /// What it last was: `present`, `redirect`, `gone`, `goneforgood` or `unknown`.
    #[schema(value_type = String)]
    pub presence: Presence,
    /// When it was first seen.
    #[schema(value_type = String, format = DateTime)]
    pub first_seen: Timestamp,
    /// When a change was last seen.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_changed: Option<Timestamp>,
    /// How often it changes.
    pub frequency: Frequency,
    /// Its versions, the newest first.
    pub versions: Vec<VersionEntry>,
    /// Failures that last, or lay between versions, the newest first.
    pub failures: Vec<FailuresEntry>,
    /// Every visit, the newest first; also those of crawls that are not believed.
    pub visits: Vec<VisitEntry>,
}

/// A version of a page; its JSON form is stable, in the command and in the API.
///
/// The command and the API named some of it each in their way, and both names stay.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct VersionEntry {
    /// The page.
    #[schema(value_type = String, format = "uri")]
    pub url: PageUrl,
    /// Its number, counted from 1; null for a visit of an unusual crawl that makes no version.
    pub version: Option<usize>,
    /// The verdict of the visit that found it first.
    #[schema(value_type = String)]
    pub kind: Verdict,
    /// What differed from the version before, where contents were compared.
    #[schema(value_type = Vec<String>)]
    pub aspects: Aspects,
    /// The HTTP status.
    pub status: Option<u16>,
    /// When it was first seen.
    #[schema(value_type = String, format = DateTime)]
    pub from: Timestamp,
    /// When it was last seen.
    #[schema(value_type = String, format = DateTime)]
    pub to: Timestamp,
    /// The crawl that found it.
    #[schema(value_type = String)]
    pub first_crawl: CrawlId,
    /// The last crawl that saw it.
    #[schema(value_type = String)]
    pub last_crawl: CrawlId,
    /// How many visits found it.
    pub visits: usize,
    /// When the page was found gone, if that ended the version.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub gone_at: Option<Timestamp>,
    /// The failed visits between this version and the next.
    pub failures: Option<FailuresEntry>,
    /// Its title.
    pub title: Option<String>,
    /// Where it redirects: an absolute address, or what was sent if it is none.
    pub location: Option<String>,
    /// The media type of its content.
    pub media_type: Option<String>,
    /// The size of its content in bytes.
    pub size: Option<u64>,
    /// The SHA-256 of its canonical text.
    #[schema(value_type = Option<String>)]
    pub semantic_hash: Option<SemanticHash>,
    /// The SHA-256 of its bytes.
    #[schema(value_type = Option<String>)]
    pub content_hash: Option<ContentHash>,
    /// How often the page changed, as of the last visit of this version.
    pub frequency: Frequency,
    /// What became of the wish to have it archived.
    #[schema(value_type = Option<Object>)]
    pub archive: Option<Archive>,
    /// That the crawl that found it is unusual and why, where no change of it was sent yet.
    pub unusual: Option<String>,
    /// How near the change that made it is to what the page is about; null where there is none.
    #[schema(value_type = Option<u8>)]
    pub tier: Option<Tier>,
    /// How much that change matters, from 0 to 1,000.
    pub weight: u32,
    /// How large it is, in words of the content: `changed` of `of`.
    #[schema(value_type = Object)]
    pub words: WordCount,
    /// What went, in its heaviest own edit, in short: read for pages alone.
    #[serde(skip)]
    pub went: Option<String>,
    /// What came, in its heaviest own edit, in short: read for pages alone.
    #[serde(skip)]
    pub came: Option<String>,
    /// As `version`; 0 where that is null.
    pub number: usize,
    /// As `first_crawl`.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// As `from`.
    #[schema(value_type = String, format = DateTime)]
    pub first_seen: Timestamp,
    /// As `to`.
    #[schema(value_type = String, format = DateTime)]
    pub last_seen: Timestamp,
}

impl VersionEntry {
    /// Describes a version; its content is read where `detail` asks for all of it.
    pub async fn of(
        history: &dyn History,
        version: &Version<'_>,
        failures: &[Failures<'_>],
        detail: Detail,
    ) -> Result<Self, StoreError> {
        let record = version.last;
        let reference = record.offered_content();
        let content = match reference.filter(|_| detail == Detail::All) {
            Some(reference) => history.content(&record.site, &reference.hash).await?,
            None => None,
        };
        let told = match detail {
            Detail::Excerpts => Some(excerpt_of(history, version.first).await?),
            Detail::Titles | Detail::All => None,
        };
        let failures = failures.iter().find(|failures| failures.after == version.number);
        Ok(Self {
            url: record.url.clone(),
            version: Some(version.number),
            kind: version.first.visit.verdict,
            aspects: version.first.visit.aspects,
            status: record.visit.status,
            from: version.first_seen(),
            to: version.last_seen(),
            first_crawl: version.first.crawl,
            last_crawl: record.crawl,
            visits: version.visits,
            gone_at: version.gone_at(),
            failures: failures.map(FailuresEntry::from),
            frequency: Frequency::of(&record.known),
            location: record.location(),
            size: content.as_ref().map(|content| content.size),
            media_type: content.as_ref().map(|content| content.media_type.clone()),
            title: content.and_then(|content| content.extracted.title).map(short_title),
            semantic_hash: reference.map(|reference| reference.semantic),
            content_hash: reference.map(|reference| reference.hash),
            archive: version.first.archive.clone(),
            unusual: None,
            tier: tier_of(version.first),
            weight: version.first.visit.weight,
            words: version.first.visit.words,
            went: told.as_ref().and_then(|told| told.0.clone()),
            came: told.and_then(|told| told.1),
            number: version.number,
            crawl: version.first.crawl,
            first_seen: version.first_seen(),
            last_seen: version.last_seen(),
        })
    }

    /// Describes a visit of an unusual crawl that makes no version.
    pub async fn of_doubted(history: &dyn History, visit: &PageRecord) -> Result<Self, StoreError> {
        let alone = Version { number: 0, first: visit, last: visit, visits: 1, gone: None };
        let entry = Self::of(history, &alone, &[], Detail::All).await?;
        Ok(Self { version: None, ..entry })
    }
}

/// Failed visits after a version, however many, as one. Both names of a time stay, as in [`VersionEntry`].
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct FailuresEntry {
    /// The number of the version that they follow; 0 where there was none yet.
    pub after: usize,
    /// The first of them.
    #[schema(value_type = String, format = DateTime)]
    pub from: Timestamp,
    /// The last of them.
    #[schema(value_type = String, format = DateTime)]
    pub to: Timestamp,
    /// How many there were.
    pub visits: usize,
    /// When those began that nothing has ended yet.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub since: Option<Timestamp>,
    /// Why the last of them failed.
    pub reason: Option<String>,
    /// As `from`.
    #[schema(value_type = String, format = DateTime)]
    pub first: Timestamp,
    /// As `to`.
    #[schema(value_type = String, format = DateTime)]
    pub last: Timestamp,
    /// Nothing has ended them yet.
    pub ongoing: bool,
}

impl From<&Failures<'_>> for FailuresEntry {
    fn from(failures: &Failures<'_>) -> Self {
        let (from, to) = (failures.first.visit.fetched_at, failures.last.visit.fetched_at);
        Self {
            after: failures.after,
            from,
            to,
            visits: failures.visits,
            since: failures.since.map(|(first, _)| first.visit.fetched_at),
            reason: failures.last.visit.reason.clone(),
            first: from,
            last: to,
            ongoing: failures.since.is_some(),
        }
    }
}

/// A visit of a page.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct VisitEntry {
    /// The crawl.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// What it found.
    #[schema(value_type = String)]
    pub kind: Verdict,
    /// The HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// The server said 304.
    pub not_modified: bool,
    /// Why it failed or did not take place.
    pub reason: Option<String>,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub fetched_at: Timestamp,
    /// How long it took.
    pub fetch_ms: u32,
    /// Bytes received.
    pub received_bytes: u64,
    /// The crawl is believed.
    pub trusted: bool,
}

impl VisitEntry {
    fn of(record: &PageRecord, trusted: bool) -> Self {
        let visit = &record.visit;
        Self {
            crawl: record.crawl,
            kind: visit.verdict,
            status: visit.status,
            not_modified: visit.not_modified,
            reason: visit.reason.clone(),
            fetched_at: visit.fetched_at,
            fetch_ms: visit.fetch_ms,
            received_bytes: visit.received_bytes,
            trusted,
        }
    }
}

/// The visits of a page that make versions for somebody who may have to judge an unusual crawl.
pub struct Judged {
    /// The visits, in order of their crawls.
    pub visits: Vec<PageRecord>,
    /// The unusual crawl among them, and why it is. It comes last.
    pub unusual: Option<(CrawlId, String)>,
    /// What is said of that crawl.
    doubt: DoubtWord,
}

impl Judged {
    /// Returns what is to be said of something that `crawl` saw: that it is unusual, where it is.
    pub fn remark(&self, crawl: CrawlId) -> Option<String> {
        let (id, reason) = self.unusual.as_ref().filter(|(unusual, _)| *unusual == crawl)?;
        Some(format!("{id} {}: {reason}. No change was sent yet.", self.doubt.predicate()))
    }

    /// Returns what is to be said of a version: that an unusual crawl found it, or found it gone.
    pub fn remark_of(&self, version: &Version<'_>) -> Option<String> {
        let ended_by = version.gone.map(|gone| gone.crawl);
        self.remark(version.first.crawl).or_else(|| self.remark(ended_by?))
    }
}

/// All visits of a page, in order of their crawls.
pub struct PageVisits {
    /// Those of crawls that are believed: they make the versions.
    pub trusted: Vec<PageRecord>,
    /// Those of unusual crawls that nobody accepted.
    pub doubted: Vec<PageRecord>,
    /// The crawls of the site.
    pub crawls: Vec<Crawl>,
    /// Their order.
    pub order: Order,
}

impl PageVisits {
    /// Reads the visits of a page; `None` where there are none.
    pub async fn read(
        history: &dyn History,
        site: &SiteId,
        url: &PageUrl,
    ) -> Result<Option<Self>, StoreError> {
        let visits = history.visits(site, url).await?;
        if visits.is_empty() {
            return Ok(None);
        }
        let crawls = history.crawls(site).await?;
        let (trusted, doubted) = by_trust(visits, &crawls);
        Ok(Some(Self { trusted, doubted, order: Order::of(&crawls), crawls }))
    }

    /// Reads the visits of a page that must have some.
    pub async fn found(history: &dyn History, site: &SiteId, url: &PageUrl) -> Result<Self, ReportError> {
        let visits = Self::read(history, site, url).await?;
        visits.ok_or_else(|| ReportError::Absent(format!("site {site} has no page {url}")))
    }

    /// Returns the visits that make versions: those of believed crawls, and that of an unusual one if it is `named` or the
    /// newest. What came after a named one saw the page otherwise, and is left out.
    pub fn judged(&self, named: Option<CrawlId>) -> Judged {
        let is_judged = |crawl: &&Crawl| match named {
            Some(named) => crawl.id == named && !crawl.is_trusted(),
            None => crawl.is_unusual(None),
        };
        let meant = match named {
            Some(_) => self.crawls.iter().find(is_judged),
            None => left_out(&self.crawls).filter(is_judged),
        };
        let seen = meant.and_then(|crawl| {
            let visit = self.doubted.iter().find(|visit| visit.crawl == crawl.id)?;
            let closed = crawl.closed.as_ref()?;
            Some((closed.suspicion.as_ref()?, DoubtWord::of(&closed.statistics), visit))
        });
        let Some((suspicion, doubt, visit)) = seen else {
            return Judged { visits: self.trusted.clone(), unusual: None, doubt: DoubtWord::Unusual };
        };
        let place = self.order.place(visit.crawl);
        let earlier = self.trusted.iter().filter(|other| self.order.place(other.crawl) < place);
        let visits = earlier.chain([visit]).cloned().collect();
        Judged { visits, unusual: Some((visit.crawl, suspicion.reason.clone())), doubt }
    }

    /// Returns every visit, whatever it is worth, in order of the crawls.
    pub fn all(&self) -> Vec<&PageRecord> {
        let mut visits: Vec<&PageRecord> = self.trusted.iter().chain(&self.doubted).collect();
        visits.sort_by_key(|visit| self.order.place(visit.crawl));
        visits
    }
}

/// Returns the history of a page; contents are read where `detail` asks for all.
pub async fn history(
    history: &dyn History,
    site: &SiteId,
    url: &PageUrl,
    detail: Detail,
) -> Result<HistoryView, ReportError> {
    let visits = PageVisits::found(history, site, url).await?;
    let judged = visits.judged(None);
    // How often it changes, and what it is, are told by what is believed.
    let newest = visits.trusted.last().or(visits.doubted.last());
    let newest = newest.ok_or_else(|| ReportError::Absent(format!("site {site} has no page {url}")))?;
    let known = &newest.known;
    let title = history.titles(site, newest.content_hash().as_slice()).await?.into_values().next();
    let failures = failures(&judged.visits);
    let mut entries = Vec::new();
    for version in versions(&judged.visits).iter().rev() {
        let mut entry = VersionEntry::of(history, version, &failures, detail).await?;
        entry.unusual = judged.remark_of(version);
        entries.push(entry);
    }
    let is_trusted = |visit: &PageRecord| visits.trusted.iter().any(|other| other.crawl == visit.crawl);
    let all = visits.all();
    Ok(HistoryView {
        site: site.clone(),
        url: url.clone(),
        title,
        presence: known.presence,
        first_seen: known.first_seen,
        last_changed: known.last_changed,
        frequency: Frequency::of(known),
        versions: entries,
        failures: failures.iter().rev().map(FailuresEntry::from).collect(),
        visits: all.into_iter().rev().map(|visit| VisitEntry::of(visit, is_trusted(visit))).collect(),
    })
}
