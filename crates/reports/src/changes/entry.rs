//! A page in a list of changes.

use jiff::Timestamp;
use recrawl_core::model::archive::ArchiveState;
use recrawl_core::model::aspect::Aspects;
use recrawl_core::model::crawl::Site;
use recrawl_core::model::ids::{CrawlId, EventId, SiteId};
use recrawl_core::model::kind::{Kinds, Tier, WordCount};
use recrawl_core::model::record::PageRecord;
use recrawl_core::model::verdict::Verdict;
use recrawl_core::url::PageUrl;
use recrawl_core::words::counted;
use serde::Serialize;
use utoipa::ToSchema;

use super::excerpts::Details;
use super::texts::EditTexts;
use super::{ChangeName, ReviewView, SharedEntry};
use crate::digest::BriefDifference;
use crate::faults::redirect_targets;
use crate::marks::{marks, written};
use crate::section::section_of;
use crate::text_diff::Line;

/// What a crawl found out about one page.
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
    /// What differs: `text`, `links`, `media`, `meta`.
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
    /// The site.
    #[schema(value_type = Option<String>)]
    pub site: Option<SiteId>,
    /// How near the change is to what the page is about: 1 its content, 2 around it, 3 noise; null where there is none.
    #[schema(value_type = Option<u8>)]
    pub tier: Option<Tier>,
    /// How much the change matters, from 0 to 1,000.
    pub weight: u32,
    /// What kinds of change it is: `title`, `headings`, `text`, `numbers`, `dates`, `links`, `media`, `description`,
    /// `canonical`, `robots`, `document`.
    #[schema(value_type = Vec<String>)]
    pub kinds: Kinds,
    /// How large it is, in words of the content.
    #[schema(value_type = Words)]
    pub words: WordCount,
    /// What went, in its heaviest own edit, in short.
    pub went: Option<String>,
    /// What came, in its heaviest own edit, in short.
    pub came: Option<String>,
    /// The page moved, and the page that it leads to has the same text; false where it is absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub same_text: bool,
    /// How many more changes of the page there are in the window; 0 where it is absent.
    #[serde(skip_serializing_if = "is_none")]
    pub more: usize,
    /// The other changes that the row stands for: earlier ones of the page in the window.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<ChangeName>,
    /// The crawl whose version of the page shows what was known before the window, where that is not the one before
    /// `crawl`: what the difference of the row is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub before: Option<CrawlId>,
    /// It changed in the window, and is back as it was before; false where it is absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub changed_back: bool,
    /// What people did with it.
    #[serde(flatten)]
    #[schema(value_type = ReviewView)]
    pub review: Option<ReviewView>,
    /// What is said beside the name of a document, such as `PDF, 12 pages`, or why its text could not be read; absent for
    /// pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// Two lines of what came and went.
    pub excerpt: Vec<Line>,
    /// What differs in its text, in brief: read for digests alone.
    #[serde(skip)]
    pub difference: Option<BriefDifference>,
    /// The shared change that it is, where a shared change has to have the form of a page.
    #[serde(skip)]
    pub shared: Option<Box<SharedEntry>>,
    /// All that went and came: read for feeds, and for digests that ask for words.
    #[serde(skip)]
    pub texts: Option<Box<EditTexts>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_none(number: &usize) -> bool {
    *number == 0
}

/// How large a change is, in words of the content.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it documents the form of another type")]
pub(super) struct Words {
    /// How many went or came.
    changed: u32,
    /// How many there are; of a page that is gone, how many there were.
    of: u32,
}

impl ChangeEntry {
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
            site: None,
            tier: None,
            weight: 0,
            kinds: Kinds::default(),
            words: WordCount::default(),
            went: None,
            came: None,
            same_text: false,
            more: 0,
            also: Vec::new(),
            before: None,
            changed_back: false,
            review: None,
            document: None,
            excerpt: Vec::new(),
            difference: None,
            shared: None,
            texts: None,
        }
    }

    /// Returns a shared change as the entry of its first page, or of the root, where one form for all has to do: its
    /// title says what is shared, and on how many pages.
    pub fn of_shared(entry: SharedEntry, root: &PageUrl, found_at: Timestamp) -> Self {
        let told = written(&marks(entry.went.as_deref(), entry.came.as_deref(), 120));
        let lines = [(&entry.went, '-'), (&entry.came, '+')];
        let lines = lines.iter().filter_map(|(text, sign)| text.as_ref().map(|text| format!("{sign}{text}")));
        let brief = lines.collect::<Vec<_>>().join("\n");
        let url = entry.url.clone().unwrap_or_else(|| root.clone());
        let texts = EditTexts {
            went: entry.went.iter().cloned().collect(),
            came: entry.came.iter().cloned().collect(),
        };
        Self {
            id: entry.event(),
            title: Some(format!("{told} on {}", counted(entry.pages, "page"))),
            fetched_at: found_at,
            site: Some(entry.site.clone()),
            tier: Some(entry.tier),
            weight: entry.weight,
            kinds: entry.kinds,
            went: entry.went.clone(),
            came: entry.came.clone(),
            difference: (!brief.is_empty()).then(|| BriefDifference::new(brief)),
            texts: Some(Box::new(texts)),
            ..Self::bare(entry.crawl, url, Verdict::Shared)
        }
        .with_shared(entry)
    }

    fn with_shared(self, entry: SharedEntry) -> Self {
        Self { shared: Some(Box::new(entry)), ..self }
    }

    pub(super) fn of(site: &Site, record: &PageRecord, title: Option<String>, details: Details) -> Self {
        let archive = record.archive.as_ref();
        let visit = &record.visit;
        Self {
            status: visit.status,
            fetched_at: visit.fetched_at,
            title,
            previous_status: details.previous_status,
            location: record.location(),
            referrer: record.found.referrer.clone(),
            reason: visit.reason.clone(),
            aspects: visit.aspects,
            section: section_of(&site.root, &record.url),
            target: redirect_targets(record).into_iter().next(),
            archive: archive.map(|archive| archive.state),
            wayback_url: archive.and_then(|archive| archive.wayback_url.clone()),
            site: Some(site.id.clone()),
            tier: super::tiers::tier_of(record),
            weight: visit.weight,
            kinds: visit.kinds,
            words: visit.words,
            went: details.went,
            came: details.came,
            document: record.document().map(str::to_owned),
            excerpt: details.excerpt,
            ..Self::bare(record.crawl, record.url.clone(), visit.verdict)
        }
    }
}
