//! What a crawl found: which changes are listed, in which order, and what is said of each.

mod excerpts;
mod lately;

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::try_join_all;
use jiff::Timestamp;
use recrawl_core::model::archive::ArchiveState;
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::crawl::{Crawl, Site};
use recrawl_core::model::ids::{ContentHash, CrawlId, EventId};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::ports::StoreError;
use recrawl_core::url::PageUrl;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) use self::excerpts::Details;
pub use self::lately::lately_changed;
use crate::cache::Reports;
use crate::crawls::CrawlView;
use crate::digest::BriefDifference;
use crate::faults::redirect_targets;
use crate::section::section_of;
use crate::text_diff::Line;

/// How many excerpts are made at a time.
const AT_ONCE: usize = 16;

/// The verdicts that are listed unless others are asked for: the changes worth telling.
pub const TOLD: [Verdict; 4] = [Verdict::New, Verdict::Changed, Verdict::Moved, Verdict::Gone];

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
    pub changes: Vec<ChangeEntry>,
}

/// A section of the site in a list of changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ListedSection {
    /// Its name; empty for the root.
    pub name: String,
    /// How many changes of it match.
    pub changes: usize,
}

/// What a crawl found out about one page; its JSON form is stable, in the command and in the API.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ChangeEntry {
    /// The page.
    #[schema(value_type = String, format = "uri")]
    pub url: PageUrl,
    /// What was found.
    #[schema(value_type = String)]
    pub kind: Verdict,
    /// The crawl that found it.
    #[schema(value_type = String)]
    pub crawl: CrawlId,
    /// The HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// When the page was visited.
    #[schema(value_type = String, format = DateTime)]
    pub fetched_at: Timestamp,
    /// The title of the page.
    pub title: Option<String>,
    /// The HTTP status of the visit that it was compared with.
    pub previous_status: Option<u16>,
    /// Where the page redirects: an absolute address, or what was sent if it is none.
    pub location: Option<String>,
    /// The page that led here first.
    #[schema(value_type = Option<String>, format = "uri")]
    pub referrer: Option<PageUrl>,
    /// Why the visit failed or did not take place.
    pub reason: Option<String>,
    /// What differs: `text`, `links`, `media`.
    #[schema(value_type = Vec<String>)]
    pub aspects: Aspects,
    /// Its stable id: the SHA-256 of crawl, line feed and address.
    #[schema(value_type = String)]
    pub id: EventId,
    /// The section of the site that the page is in.
    pub section: String,
    /// The page that it redirects to.
    #[schema(value_type = Option<String>, format = "uri")]
    pub target: Option<PageUrl>,
    /// How far the archiving of the change has come.
    #[schema(value_type = Option<String>)]
    pub archive: Option<ArchiveState>,
    /// Where its capture can be seen.
    pub wayback_url: Option<String>,
    /// Two lines of what came and went.
    pub excerpt: Vec<Line>,
    /// What differs in its text, in brief: read for digests alone.
    #[serde(skip)]
    pub difference: Option<BriefDifference>,
}

impl ChangeEntry {
    /// The fields that fit into columns, in their order.
    pub const FIELDS: [&str; 16] = [
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
        "id",
        "section",
        "target",
        "archive",
        "wayback_url",
    ];

    /// Returns an entry of which no more is known than what happened to which page.
    pub fn bare(crawl: CrawlId, url: PageUrl, kind: Verdict) -> Self {
        Self {
            id: EventId::new(crawl, &url),
            url,
            kind,
            crawl,
            status: None,
            fetched_at: Timestamp::UNIX_EPOCH,
            title: None,
            previous_status: None,
            location: None,
            referrer: None,
            reason: None,
            aspects: Aspects::NONE,
            section: String::new(),
            target: None,
            archive: None,
            wayback_url: None,
            excerpt: Vec::new(),
            difference: None,
        }
    }

    fn of(site: &Site, record: &PageRecord, title: Option<String>, details: Details) -> Self {
        let archive = record.archive.as_ref();
        Self {
            status: record.visit.status,
            fetched_at: record.visit.fetched_at,
            title,
            previous_status: details.previous_status,
            location: record.location(),
            referrer: record.found.referrer.clone(),
            reason: record.visit.reason.clone(),
            aspects: record.visit.aspects,
            section: section_of(&site.root, &record.url),
            target: redirect_targets(record).into_iter().next(),
            archive: archive.map(|archive| archive.state),
            wayback_url: archive.and_then(|archive| archive.wayback_url.clone()),
            excerpt: details.excerpt,
            ..Self::bare(record.crawl, record.url.clone(), record.visit.verdict)
        }
    }
}

/// How much is read of each change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Detail {
    /// Its record and its title.
    Titles,
    /// An excerpt, too.
    Excerpts,
    /// All of it: also what the page was before.
    All,
}

/// A record in a list, with the section of the site that its page is in.
#[derive(Debug, PartialEq)]
pub struct ListedRecord {
    /// The section.
    pub section: String,
    /// The record.
    pub record: PageRecord,
}

/// Which changes are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangesFilter {
    /// Verdicts; those worth telling where none is named.
    pub kinds: Vec<Verdict>,
    /// The sides of the page of which one must have changed; any where none is named.
    pub aspects: Aspects,
    /// What the path must begin with.
    pub path: Option<String>,
    /// The section of the page.
    pub section: Option<String>,
    /// Text that address or title must contain, in any case.
    pub text: Option<String>,
}

impl ChangesFilter {
    /// Returns the filter that admits these verdicts.
    pub fn of_kinds(kinds: &[Verdict]) -> Self {
        Self { kinds: kinds.to_vec(), ..Self::default() }
    }

    /// Returns the verdicts that are asked for.
    pub fn verdicts(&self) -> &[Verdict] {
        if self.kinds.is_empty() { &TOLD } else { &self.kinds }
    }

    /// Tells whether anything is left out beside what is not worth telling.
    pub fn is_narrow(&self) -> bool {
        let kinds = if self.kinds == TOLD { Vec::new() } else { self.kinds.clone() };
        Self { kinds, ..self.clone() } != Self::default()
    }

    fn admits(&self, listed: &ListedRecord) -> bool {
        let record = &listed.record;
        (self.aspects.is_empty() || !record.visit.aspects.among(self.aspects).is_empty())
            && self.path.as_ref().is_none_or(|path| record.url.path().starts_with(path))
            && self.section.as_ref().is_none_or(|wanted| *wanted == listed.section)
    }
}

/// Which part of a list is wanted.
#[derive(Debug, Clone)]
pub enum Slice {
    /// From this place on, so many.
    From(usize, usize),
    /// What follows this page of this section, so many.
    After((String, PageUrl), usize),
}

impl Reports<'_> {
    /// Returns what a crawl found, and of the changes that match those in `slice`.
    pub async fn changes(
        &self,
        site: &Site,
        crawl: &Crawl,
        previous: Option<CrawlId>,
        filter: &ChangesFilter,
        slice: Slice,
        detail: Detail,
    ) -> Result<ChangesView, StoreError> {
        let listed = self.listing(site, crawl, filter).await?;
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
            changes: self.described(site, &records, detail).await?,
        })
    }

    /// Returns the records that match, in order of kind (as the filter names them) and address.
    pub async fn listing_by_kind(
        &self,
        site: &Site,
        crawl: &Crawl,
        filter: &ChangesFilter,
    ) -> Result<Vec<Arc<ListedRecord>>, StoreError> {
        let mut listed = self.listing(site, crawl, filter).await?;
        let place = |listed: &ListedRecord| {
            filter.verdicts().iter().position(|kind| *kind == listed.record.visit.verdict)
        };
        listed.sort_by(|one, other| (place(one), &one.record.url).cmp(&(place(other), &other.record.url)));
        Ok(listed)
    }

    /// Returns the records that match, by section and address.
    pub async fn listing(
        &self,
        site: &Site,
        crawl: &Crawl,
        filter: &ChangesFilter,
    ) -> Result<Vec<Arc<ListedRecord>>, StoreError> {
        let all = self.listed(site, crawl, filter.verdicts()).await?;
        let mut admitted: Vec<Arc<ListedRecord>> =
            all.iter().filter(|change| filter.admits(change)).cloned().collect();
        if let Some(text) = &filter.text {
            let text = text.to_lowercase();
            let titles =
                self.titles(&site.id, &contents(admitted.iter().map(|change| &change.record))).await?;
            admitted.retain(|change| {
                let record = &change.record;
                let title = record.content_hash().and_then(|hash| titles.get(&hash));
                record.url.as_str().to_lowercase().contains(&text)
                    || title.is_some_and(|title| title.to_lowercase().contains(&text))
            });
        }
        Ok(admitted)
    }

    /// Returns records as they are shown, in their order.
    pub async fn described(
        &self,
        site: &Site,
        records: &[&PageRecord],
        detail: Detail,
    ) -> Result<Vec<ChangeEntry>, StoreError> {
        let titles = self.titles(&site.id, &contents(records.iter().copied())).await?;
        let mut entries = Vec::with_capacity(records.len());
        let title_of = |record: &PageRecord| titles.get(&record.content_hash()?);
        for some in records.chunks(AT_ONCE) {
            let details =
                some.iter().map(|record| self.details(record, title_of(record).map(String::as_str), detail));
            for (record, details) in some.iter().zip(try_join_all(details).await?) {
                entries.push(ChangeEntry::of(site, record, title_of(record).cloned(), details));
            }
        }
        Ok(entries)
    }
}

fn contents<'a>(records: impl Iterator<Item = &'a PageRecord>) -> Vec<ContentHash> {
    records.filter_map(PageRecord::content_hash).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_are_the_fields_in_their_order_without_the_excerpt() {
        let url = "https://example.org/a".parse().unwrap();
        let entry = ChangeEntry::bare("crawl-2026-11-16".parse().unwrap(), url, Verdict::New);
        let json = serde_json::to_string(&entry).unwrap();
        let fields = || ChangeEntry::FIELDS.iter().chain(&["excerpt"]);
        let places: Vec<Option<usize>> = fields().map(|field| json.find(&format!("\"{field}\":"))).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{json}");
        assert_eq!(json.matches("\":").count(), fields().count());
    }
}
